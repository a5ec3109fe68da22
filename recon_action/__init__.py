"""Keeps a Kubernetes cluster as Git says: observe, analyze, act, report.

The folders tell the loop; `docs/architecture.md` tells the rest.
"""

__version__ = "0.1.0"
