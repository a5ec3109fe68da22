"""The loop, once: observe, analyze, act, report; a module for each, and `loop` in which they meet.

Only here is known in which order things happen. What a step decides or does is its own layer's.
"""

from recon_action.reconcile.loop import reconcile

__all__ = ["reconcile"]
