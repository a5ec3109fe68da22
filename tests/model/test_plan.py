"""Stages: what they hold."""

from objects import body_of, resource_of, verdict_of

from recon_action.model import Action, ActionKind, DriftKind, Stage


def test_a_stage_knows_whether_it_deletes() -> None:
    """A stage of deletions is a prune stage, and an action knows its object."""
    verdict = verdict_of(body_of(), DriftKind.MISSING)
    create = Action(ActionKind.CREATE, resource_of(), verdict)
    delete = Action(ActionKind.DELETE, resource_of(), verdict)
    assert create.ref == verdict.ref
    assert not Stage("workloads", (create,)).is_prune
    assert Stage("prune workloads", (delete,)).is_prune
