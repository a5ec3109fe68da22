"""recon-action with a part broken on purpose, as a program: `broken.py VARIANT COMMAND …`.

What the chaos tests look for must be found in these.
"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from recon_action.act import lock
from recon_action.analyze import members
from recon_action.cli.app import run
from recon_action.cluster import Cluster
from recon_action.model import Inventory, Progress, Settings
from recon_action.reconcile import loop
from recon_action.stop import Stop

SHORT = 5.0  # seconds that a lock lasts, so that a test need not wait for a minute


def _inventory_after_the_apply() -> None:
    """What is about to be created is not written down before."""

    def before(inventory: Inventory, *_: Any) -> Inventory:
        return inventory

    members.before = before


def _prune_without_uid() -> None:
    """Whatever bears the name is deleted."""
    send = Cluster._send

    def careless(cluster: Cluster, method: str, *rest: Any, **more: Any) -> Any:
        if method == "DELETE":
            more["body"] = b'{"apiVersion":"v1","kind":"DeleteOptions"}'
        return send(cluster, method, *rest, **more)

    Cluster._send = careless  # type: ignore[method-assign]


def _short_lock() -> None:
    """Not broken: a lock that ends soon, and is renewed as often."""
    take = loop.locked

    def locked(cluster: Cluster, inventory: Inventory, holder: str, settings: Settings, progress: Progress) -> Any:
        return take(cluster, inventory, holder, replace(settings, lock_duration=SHORT), progress)

    loop.locked = locked


def _lock_not_renewed() -> None:
    """Nor does the run notice that its lock is over."""
    _short_lock()
    lock._keep = lambda *_: None
    Stop.ask_at = lambda *_: None  # type: ignore[method-assign]


VARIANTS: Mapping[str, Callable[[], None]] = {
    "inventory-after-the-apply": _inventory_after_the_apply,
    "prune-without-uid": _prune_without_uid,
    "short-lock": _short_lock,
    "lock-not-renewed": _lock_not_renewed,
}


if __name__ == "__main__":
    VARIANTS[sys.argv[1]]()
    sys.exit(run(sys.argv[2:]))
