"""Break-glass: hold one object as it is for some hours, whatever Git says, or end that."""

from datetime import datetime

from recon_action.act.hold import set_hold
from recon_action.analyze.hold import hold_text, one_line
from recon_action.cluster import Cluster, RequestError, connect, discover
from recon_action.errors import UsageError
from recon_action.model import Access, Capabilities, Inventory, LiveObject, ObjectRef, Resource, Trouble

_CONNECTIONS = 3  # discovery sends that many requests at once


def hold(
    access: Access, named: str, until: datetime, reason: str, *, namespace: str = "", inventory: Inventory | None = None
) -> ObjectRef:
    """Leave the object `named` as it is until then; gives its identity.

    Args:
        access: how to reach the cluster.
        named: `KIND/NAME`, the kind spelled as for kubectl.
        until: the end, a day ahead at most.
        reason: shown in every report.
        namespace: "" means the context's.
        inventory: of the target that must manage the object; None if any may, or none.

    Raises:
        UsageError: there is no such kind or object, or another target's it is; or no reason was given.
        RequestError: the server refused.
    """
    if not one_line(reason):
        raise UsageError("a hold needs a reason: reports show it", hint="give --reason TEXT")
    cluster, resource, live = _found(access, named, namespace)
    if inventory is not None and live.applyset != inventory.id:
        raise UsageError(
            f"{live.ref} is not managed by target {inventory.target}",
            hint="leave --target out, or name the target whose manifests have the object",
        )
    set_hold(cluster, resource, live, hold_text(until, reason))
    return live.ref


def end_hold(access: Access, named: str, *, namespace: str = "") -> tuple[ObjectRef, bool]:
    """End the hold on the object `named`; gives its identity, and whether it was held.

    Raises:
        UsageError: there is no such kind or object.
        RequestError: the server refused.
    """
    cluster, resource, live = _found(access, named, namespace)
    return live.ref, set_hold(cluster, resource, live, "")


def _found(access: Access, named: str, namespace: str) -> tuple[Cluster, Resource, LiveObject]:
    kind, slash, name = named.partition("/")
    if not kind or not slash or not name or "/" in name:
        raise UsageError(f"{named!r} names no object", hint="write KIND/NAME, such as deployment/web")
    cluster = connect(access, concurrency=_CONNECTIONS)
    resource = _kind(discover(cluster), kind)
    ref = ObjectRef(
        resource.group, resource.kind, (namespace or cluster.namespace) if resource.namespaced else "", name
    )
    try:
        return cluster, resource, LiveObject(ref, cluster.get(resource, ref))
    except RequestError as error:
        if error.problem.trouble is not Trouble.MISSING:
            raise
        raise UsageError(
            f"{ref} does not exist", hint="only what is there can be held; name its namespace with -n"
        ) from None


def _kind(capabilities: Capabilities, text: str) -> Resource:
    resource = capabilities.named(text)
    if resource is None:
        raise UsageError(
            f"the server has no kind {text!r}", hint="kubectl api-resources lists the kinds and their short names"
        )
    return resource
