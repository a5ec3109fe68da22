"""What a report's reader has to know beyond the objects one by one, each in one sentence."""

from collections.abc import Sequence

from recon_action.model import Bucket, Mode, Problem, Verdict
from recon_action.model.settings import LIVING_OWNERS


def notes(mode: Mode, verdicts: Sequence[Verdict], refused: Sequence[Problem], *, strays: int) -> list[str]:
    """The notes of one run.

    Args:
        mode: what it was told to do.
        verdicts: on every object.
        refused: why the plan must not run.
        strays: how many objects carry our label and are in neither Git nor the inventory.
    """
    told = []
    unasked = sum(not (one.predicted or one.local or one.bucket is Bucket.FAILED) for one in verdicts)
    if mode is Mode.DIFF:
        told += [f"An apply would be refused: {problem.message}" for problem in refused]
        if unasked:
            told.append(f"{unasked} objects could not be checked by the server: their namespace or kind is new too.")
    if local := sum(verdict.local for verdict in verdicts):
        told.append(f"{local} objects have a local verdict: the server was not asked what an apply would do.")
    for owner, title in LIVING_OWNERS.items():
        if owned := sum(verdict.owner == owner for verdict in verdicts):
            told.append(f"{title} manages {owned} of the objects: they are not applied without --take-over {owner}.")
    if strays:
        told.append(f"{strays} objects carry this target's label but are in neither Git nor the inventory; left alone.")
    return told
