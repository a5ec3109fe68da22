"""Finds, downloads, verifies, builds and runs external programs: git, kustomize, the lab's control plane.

What a program's output means, and whether its failure matters, is decided by whoever runs it.
"""
