"""What the inventory holds: before the first write, and after the last."""

from dataclasses import replace
from typing import Any

import pytest
from objects import body_of, entry_of, live_of, manifest_of, resource_of, verdict_of

from recon_action.analyze.members import after, before, is_lost, rebuilt, strays
from recon_action.analyze.payload import payload_hash
from recon_action.analyze.plan import plan
from recon_action.model import (
    Body,
    Bucket,
    Desired,
    Directives,
    DriftKind,
    Inventory,
    LiveObject,
    Member,
    ObjectRef,
    Outcome,
    Result,
    Revision,
    Verdict,
)

_BODY = body_of(namespace="shop")
_REF = manifest_of(_BODY).ref
_HASH = payload_hash(manifest_of(_BODY), resource_of())
_OLD = Member(_REF, "uid-old", "hash-old")
_LIVE = live_of(_BODY, entry_of({}))
_DYING = live_of(_BODY | {"metadata": {**_BODY["metadata"], "deletionTimestamp": "now"}})


def _inventory(*members: Member, **more: Any) -> Inventory:
    return Inventory("shop", "recon-system", {member.ref: member for member in members}, **more)


def _before(inventory: Inventory, verdict: Verdict, desired: Desired, cluster_uid: str = "") -> Inventory:
    stages = plan([verdict], {verdict.ref: resource_of(verdict.ref.kind)}, prune=True)
    assert stages
    return before(inventory, desired, stages, cluster_uid)


def _after(verdict: Verdict, result: Result | None = None, *, old: Member | None = _OLD) -> Member | None:
    inventory = _inventory(*([old] if old else []))
    results = {result.ref: result} if result else {}
    return after(inventory, [verdict], results, {_REF: resource_of()}, "").members.get(_REF)


def test_what_will_be_created_is_remembered_first() -> None:
    """A run that is killed right after a creation must not forget it."""
    new = _before(_inventory(), verdict_of(_BODY, DriftKind.MISSING), Desired(()))
    assert new.members == {_REF: Member(_REF)}


@pytest.mark.parametrize("kind", [DriftKind.MODIFIED, DriftKind.MISSING, DriftKind.ORPHANED])
def test_old_members_keep_what_is_known_of_them(kind: DriftKind) -> None:
    """Old and new together: neither a change nor a deletion that is about to be loses a UID."""
    verdict = verdict_of(_BODY, kind, orphan=kind is DriftKind.ORPHANED)
    assert _before(_inventory(_OLD), verdict, Desired(())).members == {_REF: _OLD}


def test_a_deletion_makes_no_member() -> None:
    """What is only deleted doesn't enter the inventory by it."""
    assert not _before(_inventory(), verdict_of(_BODY, DriftKind.ORPHANED, orphan=True), Desired(())).members


@pytest.mark.parametrize(("cluster_uid", "kept"), [("uid-new", "uid-new"), ("", "uid-known")], ids=["read", "unread"])
def test_where_the_manifests_are_from_is_recorded(cluster_uid: str, kept: str) -> None:
    """Repository and paths are this run's; a cluster whose UID may not be read keeps the known one."""
    desired = Desired((), revision=Revision("c" * 40, repository="h/o/shop"), identity=("deploy",))
    old = _inventory(repository="h/o/other", paths=("x",), cluster_uid="uid-known")
    new = _before(old, verdict_of(_BODY, DriftKind.MISSING), desired, cluster_uid)
    assert (new.repository, new.paths, new.cluster_uid) == ("h/o/shop", ("deploy",), kept)


@pytest.mark.parametrize("outcome", [Outcome.CREATED, Outcome.CONFIGURED, Outcome.UNCHANGED])
def test_what_was_applied_is_remembered_with_uid_and_hash(outcome: Outcome) -> None:
    """So that the next run knows whether Git or the cluster moved."""
    verdict = verdict_of(_BODY, DriftKind.MODIFIED)
    assert _after(verdict, Result(_REF, outcome, uid="uid-new")) == Member(_REF, "uid-new", _HASH)


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.SKIPPED])
def test_what_was_not_applied_stays_as_it_was_known(outcome: Outcome) -> None:
    """A failure is no reason to forget, nor to claim that it was applied."""
    assert _after(verdict_of(_BODY, DriftKind.MODIFIED), Result(_REF, outcome)) == _OLD


@pytest.mark.parametrize(
    ("verdict", "member"),
    [
        pytest.param(verdict_of(_BODY, live=_LIVE), Member(_REF, "uid-1", _HASH), id="in-sync"),
        pytest.param(verdict_of(_BODY, live=_LIVE, mend=True), _OLD, id="mending-was-not-reached"),
        pytest.param(verdict_of(_BODY, live=_LIVE, owner="argocd"), _OLD, id="another-tool-s"),
        pytest.param(verdict_of(_BODY, bucket=Bucket.FAILED, live=_LIVE), _OLD, id="failed"),
        pytest.param(verdict_of(_BODY, bucket=Bucket.SKIPPED, live=_LIVE), _OLD, id="skipped"),
        pytest.param(verdict_of(_BODY, DriftKind.MISSING), _OLD, id="not-reached"),
        pytest.param(verdict_of(_BODY, orphan=True, bucket=Bucket.FAILED), _OLD, id="orphan-unread"),
        pytest.param(verdict_of(_BODY, DriftKind.ORPHANED, orphan=True), _OLD, id="orphan-not-pruned"),
        pytest.param(verdict_of(_BODY, orphan=True, bucket=Bucket.SKIPPED, live=_LIVE), None, id="orphan-not-ours"),
        pytest.param(verdict_of(_BODY, orphan=True, bucket=Bucket.SKIPPED, live=_DYING), _OLD, id="orphan-still-dying"),
        pytest.param(verdict_of(_BODY, orphan=True, bucket=Bucket.SKIPPED), None, id="orphan-gone"),
    ],
)
def test_what_nothing_was_done_to(verdict: Verdict, member: Member | None) -> None:
    """In sync counts as applied; what could not be settled is kept; what is not ours any more is let go."""
    assert _after(verdict) == member


@pytest.mark.parametrize(
    ("outcome", "member"), [(Outcome.DELETED, None), (Outcome.FAILED, _OLD)], ids=["deleted", "refused"]
)
def test_a_deleted_orphan_is_forgotten(outcome: Outcome, member: Member | None) -> None:
    """And one whose deletion failed is not, or it would stay for ever."""
    assert _after(verdict_of(_BODY, DriftKind.ORPHANED, orphan=True), Result(_REF, outcome)) == member


def test_what_has_no_verdict_is_gone() -> None:
    """A member that neither Git nor the cluster has any more leaves the inventory."""
    assert not after(_inventory(_OLD), [], {}, {}, "").members


@pytest.mark.parametrize(("revision", "kept"), [("new", "new"), ("", "old")], ids=["complete", "incomplete"])
def test_the_revision_moves_only_with_a_complete_apply(revision: str, kept: str) -> None:
    """The last applied revision must be true of every object."""
    assert after(_inventory(revision="old"), [], {}, {}, revision).revision == kept


def test_a_secret_is_remembered_by_its_source() -> None:
    """The inventory is no oracle for guesses at its values."""
    secret: Body = body_of("Secret", data={"a": "eA=="})
    verdict = verdict_of(secret, DriftKind.MISSING)
    assert verdict.manifest is not None
    verdict = replace(verdict, manifest=replace(verdict.manifest, source_hash="of-the-file"))
    ref: ObjectRef = verdict.ref
    done = {ref: Result(ref, Outcome.CREATED, uid="u")}
    assert (
        after(_inventory(), [verdict], done, {ref: resource_of("Secret")}, "").members[ref].payload_hash
        == "of-the-file"
    )


def test_a_clone_without_a_remote_is_no_other_repository() -> None:
    """What was known of where the manifests are from is not forgotten."""
    desired = Desired((), revision=Revision("c" * 40))
    old = _inventory(repository="h/o/shop")
    assert _before(old, verdict_of(_BODY, DriftKind.MISSING), desired).repository == "h/o/shop"
    assert _before(old, verdict_of(_BODY, DriftKind.MISSING), Desired(())).repository == "h/o/shop"


_ID = _inventory().id
_OWNED = [{"kind": "ReplicaSet", "controller": True}]
_MARKED = live_of(_BODY, entry_of({}), label=_ID)


@pytest.mark.parametrize(
    ("live", "ours"),
    [
        pytest.param(_MARKED, True, id="label-and-entry"),
        pytest.param(live_of(_BODY, entry_of({})), False, id="no-label"),
        pytest.param(live_of(_BODY, entry_of({}), label="applyset-other-v1"), False, id="another-label"),
        pytest.param(live_of(_BODY, label=_ID), False, id="copied-label"),
        pytest.param(live_of(_BODY, entry_of({}, "kubectl"), label=_ID), False, id="another-tool-s-entry"),
        pytest.param(
            live_of(body_of(namespace="shop", metadata={"ownerReferences": _OWNED}), entry_of({}), label=_ID),
            False,
            id="a-controller-s",
        ),
        pytest.param(
            live_of(
                body_of(namespace="shop", metadata={"ownerReferences": [{"kind": "App"}]}), entry_of({}), label=_ID
            ),
            True,
            id="an-owner-that-does-not-control",
        ),
    ],
)
def test_what_a_lost_inventory_held(live: LiveObject, *, ours: bool) -> None:
    """Label, entry, and no controller: anything less proves nothing."""
    assert rebuilt(_inventory(), [live], ()).members == ({live.ref: Member(live.ref, live.uid)} if ours else {})
    assert strays({live.ref: live}, _inventory(), ()) == int(ours)


def test_what_is_known_is_no_stray() -> None:
    """Git declares it, or the inventory has it."""
    assert strays({_REF: _MARKED}, _inventory(), {_REF}) == 0
    assert strays({_REF: _MARKED}, _inventory(_OLD), ()) == 0


def test_an_inventory_that_is_gone_leaves_traces() -> None:
    """Members without an inventory; a target's very first run finds none."""
    assert is_lost({_REF: _MARKED}, _inventory())
    assert not is_lost({_REF: _MARKED}, _inventory(resource_version="1"))
    assert not is_lost({_REF: live_of(_BODY)}, _inventory())


def test_rebuilding_forgets_nothing() -> None:
    """What is still remembered knows more than the object's marks."""
    other = replace(_OLD, ref=replace(_REF, name="other"))
    assert rebuilt(_inventory(_OLD, other), [_MARKED], ()).members == {_REF: _OLD, other.ref: other}


@pytest.mark.parametrize(
    ("known", "members", "name"),
    [
        pytest.param(["events.k8s.io"], [], "events.k8s.io", id="as-git-has-it"),
        pytest.param([], ["events.k8s.io"], "events.k8s.io", id="as-it-is-remembered"),
        pytest.param([], [], "", id="neither"),
    ],
)
def test_one_object_under_two_groups_is_one_member(known: list[str], members: list[str], name: str) -> None:
    """Or it would be deleted under the name that Git doesn't have."""
    one, two = (
        live_of(body_of("Event", "e", api=api, namespace="shop"), entry_of({}), label=_ID)
        for api in ("v1", "events.k8s.io/v1")
    )
    refs = {one.ref.group: one.ref, two.ref.group: two.ref}
    inventory = _inventory(*(Member(refs[group], "uid-1", "h") for group in members))
    for found in ([one, two], [two, one]):
        again = rebuilt(inventory, found, {refs[group] for group in known})
        assert list(again.members) == [refs[name]]


@pytest.mark.parametrize("directives", [Directives(keep="why"), Directives(skip="why")], ids=["kept", "held"])
def test_an_orphan_that_is_kept_is_not_forgotten(directives: Directives) -> None:
    """It goes on being told of, and `release` and `delete` know it."""
    assert _after(Verdict(_REF, Bucket.SKIPPED, live=_LIVE, directives=directives)) == _OLD


def test_a_run_about_a_part_forgets_nothing() -> None:
    """Members that it did not look at stay, whatever became of them; of the others it knows."""
    other = Member(ObjectRef("", "ConfigMap", "shop", "other"), "uid-other", "hash")
    verdict, result = verdict_of(_BODY, DriftKind.MODIFIED), Result(_REF, Outcome.CONFIGURED, uid="uid-new")
    new = after(_inventory(_OLD, other), [verdict], {_REF: result}, {_REF: resource_of()}, "", is_partial=True)
    assert new.members == {other.ref: other, _REF: Member(_REF, "uid-new", _HASH)}
