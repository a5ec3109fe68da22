"""What is said beyond the objects."""

from objects import body_of, verdict_of

from recon_action.analyze.notes import notes
from recon_action.model import Bucket, Mode, Problem, Trouble

_WEB = body_of()
_REFUSED = [Problem(Trouble.REFUSED, "too many")]


def test_nothing_to_say() -> None:
    """An ordinary run has no notes."""
    assert notes(Mode.DIFF, [verdict_of(_WEB)], [], strays=0) == []
    assert notes(Mode.APPLY, [verdict_of(_WEB, predicted=False)], _REFUSED, strays=0) == []


def test_each_note() -> None:
    """What was not checked, what would be refused, whose objects they are, what strays."""
    verdicts = [
        verdict_of(_WEB, predicted=False),
        verdict_of(_WEB, predicted=False, bucket=Bucket.FAILED),
        verdict_of(_WEB, predicted=False, local=True),
        verdict_of(_WEB, owner="argocd"),
    ]
    assert notes(Mode.DIFF, verdicts, _REFUSED, strays=2) == [
        "An apply would be refused: too many",
        "1 objects could not be checked by the server: their namespace or kind is new too.",
        "1 objects have a local verdict: the server was not asked what an apply would do.",
        "Argo CD manages 1 of the objects: they are not applied without --take-over argocd.",
        "2 objects carry this target's label but are in neither Git nor the inventory; left alone.",
    ]
