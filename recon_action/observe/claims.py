"""What others hold of each object; what a custom resource's defaults are is asked of the server.

Who creates a custom resource by a plain write owns the defaults of its schema, too. A dry run of the payload
under a name that is free shows them: one request for each object of which something would be told.
"""

from collections.abc import Mapping

from recon_action.analyze.claims import Claims, Policy, claims_on
from recon_action.analyze.stand_in import stand_in
from recon_action.cluster import Cluster, RequestError
from recon_action.model import Body, Inventory, LiveObject, ObjectRef, Resource


def read_claims(
    cluster: Cluster,
    payloads: Mapping[ObjectRef, Body],
    objects: Mapping[ObjectRef, LiveObject],
    resources: Mapping[ObjectRef, Resource],
    inventory: Inventory,
    policy: Policy,
) -> dict[ObjectRef, Claims]:
    """The claims on every object that both `payloads` and `objects` have."""

    def claims(ref: ObjectRef, fresh: Body | None = None) -> Claims:
        member = inventory.members.get(ref)
        remembered = member is not None and bool(member.payload_hash)
        return claims_on(payloads[ref], objects[ref], resources[ref], policy, remembered=remembered, fresh=fresh)

    def fresh(ref: ObjectRef) -> Body | None:
        beside = stand_in(payloads[ref], salt=objects[ref].uid)
        try:
            return beside.restored(cluster.apply(resources[ref], beside.payload, dry_run=True))
        except RequestError:
            return None  # then more is told than would go; an apply finds out

    found = {ref: claims(ref) for ref in payloads if ref in objects}
    if policy.may_ask:
        told = [ref for ref, one in found.items() if one.is_telling and not resources[ref].built_in]
        found |= {ref: claims(ref, body) for ref, body in zip(told, cluster.each(fresh, told), strict=True) if body}
    return found
