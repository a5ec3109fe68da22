"""What others hold, with the server's word on a custom resource's defaults."""

import pytest
from fake_cluster import FakeCluster
from objects import body_of, entry_of, resource_of

from recon_action.analyze.claims import Policy
from recon_action.analyze.stand_in import stand_in
from recon_action.model import Body, Inventory, LiveObject, Member, Trouble, ref_of
from recon_action.observe import read_claims

_FIELDS = {"f:spec": {".": {}, "f:mine": {}, "f:size": {}}}
_SCRATCH: str = stand_in(body_of(), salt="uid-web").payload["metadata"]["name"]


def _told(cluster: FakeCluster, api: str, *, may_ask: bool = True, manager: str = "kubectl-create") -> list[str]:
    """The paths that are told of an object whose creator owns `size`, which Git has not, and `mine`."""
    git = body_of("Widget", api=api, namespace="shop", spec={"own": 1}, metadata={"resourceVersion": "7"})
    stored = git | {"spec": {"own": 1, "size": 3, "mine": 1}}
    stored["metadata"] = git["metadata"] | {
        "managedFields": [entry_of(_FIELDS, manager, "Update") | {"apiVersion": api}]
    }
    live = LiveObject(ref_of(git), cluster.put(stored))
    resource = resource_of("Widget", api)
    inventory = Inventory("shop", "recon-system", {live.ref: Member(live.ref, "uid-web", "hash")})
    policy = Policy(may_ask=may_ask)
    found = read_claims(cluster.door, {live.ref: git}, {live.ref: live}, {live.ref: resource}, inventory, policy)
    claims = found[live.ref]
    return [str(change.path) for change in (*claims.changes, *claims.additive)]


class _Filling(FakeCluster):
    """A server whose schema says that `size` is 3."""

    def apply(self, resource: object, body: Body, *, dry_run: bool = False) -> Body:
        return super().apply(resource, body | {"spec": {"size": 3} | body["spec"]}, dry_run=dry_run)  # type: ignore[arg-type]


@pytest.mark.parametrize("manager", ["kubectl-create", "helm"])
def test_a_schema_s_default_is_not_told(manager: str) -> None:
    """The payload is dry-run under a free name, at no version; what the server fills in there stays untold."""
    cluster = _Filling()
    assert _told(cluster, "example.com/v1", manager=manager) == ["spec.mine"]
    assert cluster.calls == [("dry-run", _SCRATCH)]
    (sent,) = cluster.sent
    assert sent["metadata"] == {"name": _SCRATCH, "namespace": "shop"}


def test_a_refusal_tells_more() -> None:
    """Who can't be asked leaves all that may go."""
    cluster = _Filling()
    cluster.refuse("dry-run", _SCRATCH, Trouble.FORBIDDEN)
    assert _told(cluster, "example.com/v1") == ["spec.mine", "spec.size"]


@pytest.mark.parametrize(
    ("api", "may_ask"), [("example.com/v1", False), ("apps/v1", True)], ids=["read-only", "built-in"]
)
def test_nothing_is_asked_without_need(api: str, may_ask: bool) -> None:
    """In read-only mode, and of built-in kinds, whose defaults are known."""
    cluster = _Filling()
    assert _told(cluster, api, may_ask=may_ask) == ["spec.mine", "spec.size"]
    assert cluster.calls == []


def test_an_object_that_is_missing_has_no_claims() -> None:
    """There is nobody to hold anything of it."""
    git = body_of()
    ref = ref_of(git)
    assert read_claims(FakeCluster().door, {ref: git}, {}, {ref: resource_of()}, Inventory("a", "b"), Policy()) == {}
