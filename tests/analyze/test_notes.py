"""What is said beyond the objects."""

from typing import Any

import pytest
from objects import body_of, resource_of, verdict_of

from recon_action.analyze.notes import notes, notes_of_inventory, notes_of_proposal
from recon_action.analyze.plan import plan
from recon_action.analyze.proposal import Proposal
from recon_action.model import DriftKind, Mode, Problem, Trouble, Verdict
from recon_action.model.check import Check

_WEB = body_of()
_REFUSED = [Problem(Trouble.REFUSED, "too many")]


def test_nothing_to_say() -> None:
    """An ordinary run has no notes."""
    assert notes(Mode.DIFF, [verdict_of(_WEB)], []) == []
    assert notes(Mode.APPLY, [verdict_of(_WEB, predicted=False)], _REFUSED) == []


def test_each_note() -> None:
    """What was not checked, what would be refused, whose objects they are."""
    verdicts = [
        verdict_of(_WEB, check=Check.STAND_IN),
        verdict_of(_WEB, predicted=False, check=Check.SCHEMA),
        verdict_of(_WEB, predicted=False, check=Check.NONE),
        verdict_of(_WEB, predicted=False, local=True),
        verdict_of(_WEB, owner="argocd"),
    ]
    assert notes(Mode.DIFF, verdicts, _REFUSED) == [
        "An apply would be refused: too many",
        (
            "1 objects were checked in another namespace, as theirs is new too: its quotas, limits, pod security and "
            "webhooks are not known yet."
        ),
        (
            "1 objects were checked by the schema of their CustomResourceDefinition in Git: its CEL rules, and "
            "admission, were not asked."
        ),
        "1 objects could not be checked: what they need is new too.",
        "1 objects have a local verdict: the server was not asked what an apply would do.",
        "Argo CD manages 1 of the objects: they are not applied without --take-over argocd.",
    ]


def _of_inventory(mode: Mode = Mode.APPLY, *verdicts: Verdict, **more: Any) -> list[str]:
    given = {"strays": 0, "is_lost": False, "rebuilt": 0, "unlisted": (), "unknown_since": ""} | more
    return notes_of_inventory(mode, plan(verdicts, {one.ref: resource_of() for one in verdicts}, prune=True), **given)


def test_an_ordinary_inventory_needs_no_words() -> None:
    """Nor does a plan without deletions."""
    assert _of_inventory() == []
    assert _of_inventory(Mode.DIFF, verdict_of(_WEB, DriftKind.MISSING)) == []


@pytest.mark.parametrize(
    ("more", "said"),
    [
        pytest.param({"strays": 2}, "2 objects carry this target's label", id="strays"),
        pytest.param({"is_lost": True}, "--rebuild-inventory finds what else it held", id="lost"),
        pytest.param({"is_lost": True, "rebuilt": 3}, "was rebuilt: 3 objects", id="rebuilt"),
        pytest.param({"unlisted": ["Secret (v1)"]}, "1 kinds could not be looked through", id="unlisted"),
        pytest.param({"unknown_since": "c" * 40}, "older than ccccccc, which was applied last", id="shallow"),
    ],
)
def test_each_note_of_the_inventory(more: dict[str, Any], said: str) -> None:
    """One sentence or two, and the flag that helps."""
    (note,) = _of_inventory(**more)
    assert said in note


def test_a_deletion_is_announced_with_the_way_around_it() -> None:
    """An object that has moved to another target must not be deleted because its old one came first."""
    gone = verdict_of(_WEB, DriftKind.ORPHANED, orphan=True)
    assert "--adopt-from" in _of_inventory(Mode.DIFF, gone)[0]
    assert _of_inventory(Mode.APPLY, gone) == []


@pytest.mark.parametrize(
    ("count", "said"),
    [
        pytest.param(0, [], id="nothing"),
        pytest.param(
            1,
            [
                "1 object differs from the base already: that is left out here, and an apply corrects it too.",
                "1 object that it doesn't touch could not be judged: see a diff of the base.",
            ],
            id="one",
        ),
        pytest.param(
            2,
            [
                "2 objects differ from the base already: that is left out here, and an apply corrects it too.",
                "2 objects that it doesn't touch could not be judged: see a diff of the base.",
            ],
            id="two",
        ),
    ],
)
def test_what_a_preview_leaves_out(count: int, said: list[str]) -> None:
    """Counted, so that nobody takes it for in sync."""
    refs = (verdict_of(_WEB).ref,) * count
    assert notes_of_proposal(Proposal((), refs, refs)) == said
