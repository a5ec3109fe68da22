"""What becomes of others' fields: taken over, reverted, told of, or let be."""

from objects import body_of, entry_of, live_of, resource_of

from recon_action.analyze.claims import Claims, Policy, claims_on
from recon_action.model import AdditiveMode, Body, FieldPath, Handover, LiveObject

_GIT = body_of(data={"a": "1"})
_B, _C = {"f:data": {"f:b": {}}}, {"f:data": {"f:c": {}}}
_EDIT = entry_of(_C, "kubectl-edit", "Update")
_KUBECTL = entry_of(_B, "kubectl-client-side-apply", "Update", time="2026-01-01T00:00:00Z")
_MARK = FieldPath(("metadata", "annotations", "argocd.argoproj.io/tracking-id"))


def _live(*entries: Body, marked: bool = False) -> LiveObject:
    metadata: Body = {"name": "web"} | ({"annotations": {_MARK.items[-1]: "shop"}} if marked else {})
    return live_of(body_of(metadata=metadata, data={"a": "1", "b": "2", "c": "3"}), *entries)


def _claims(live: LiveObject, mode: AdditiveMode = AdditiveMode.REPORT, *take_over: str) -> Claims:
    return claims_on(_GIT, live, resource_of(), Policy(frozenset(take_over), mode), remembered=True)


def test_additions_are_told_reverted_or_passed_over() -> None:
    """Only a reversal changes hands."""
    told, reverted, ignored = (_claims(_live(_EDIT), mode) for mode in AdditiveMode)
    assert [str(change.path) for change in told.additive] == ["data.c"]
    assert (told.handover, told.changes, told.reason, told.owner) == (None, (), "", "")
    assert reverted.additive == told.additive
    assert reverted.handover == Handover(take=_C)
    assert ignored == Claims()
    assert [told.reverts, reverted.reverts] == [False, True]


def test_a_reversal_goes_with_a_take_over() -> None:
    """In one handover; a predecessor that wrote after us is named with its time."""
    claims = _claims(_live(entry_of({"f:data": {"f:a": {}}}), _KUBECTL, _EDIT), AdditiveMode.REVERT)
    assert [str(change.path) for change in claims.changes] == ["data.b"]
    assert claims.handover == Handover(frozenset({("kubectl-client-side-apply", "Update")}), take=_C)
    assert "still applied by kubectl-client-side-apply (last wrote 2026-01-01T00:00:00Z)" in claims.reason
    untimed = _claims(_live(entry_of({"f:data": {"f:a": {}}}), entry_of(_B, "helm", "Update")))
    assert untimed.reason.startswith("still applied by helm, ")


def test_a_living_owner_s_object_is_let_be() -> None:
    """Whatever else was asked for; and its marks are no difference."""
    claims = _claims(_live(_KUBECTL, _EDIT, marked=True), AdditiveMode.REVERT)
    assert (claims.handover, claims.owner, claims.reverts) == (None, "argocd", True)
    assert claims.reason == "Argo CD manages it (shop); not applied without --take-over argocd"
    assert [str(change.path) for change in (*claims.changes, *claims.additive)] == ["data.b", "data.c"]
    differences = [(_MARK, "x", "shop"), (FieldPath(("data", "a")), "1", "2")]
    assert claims.without_tracking(differences) == differences[1:]
    assert Claims().without_tracking(differences) == differences
    taken = _claims(_live(_KUBECTL, _EDIT, marked=True), AdditiveMode.REVERT, "argocd")
    assert taken.owner == ""
    assert taken.handover is not None


def test_of_a_merged_object_nothing_that_git_does_not_mention_is_claimed() -> None:
    """Whoever set it: a person, or a predecessor. A living owner is one all the same."""
    live = _live(_KUBECTL, _EDIT)
    policy = Policy(additive=AdditiveMode.REVERT, merged=frozenset({live.ref}))
    claims = claims_on(_GIT, live, resource_of(), policy, remembered=True)
    assert (claims.changes, claims.additive, claims.handover, claims.reason) == ((), (), None, "")
    assert claims_on(_GIT, _live(_EDIT, marked=True), resource_of(), policy, remembered=True).owner == "argocd"
