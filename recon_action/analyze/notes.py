"""What a report's reader has to know beyond the objects one by one, each in one sentence."""

from collections import Counter
from collections.abc import Sequence

from recon_action.analyze.proposal import Proposal
from recon_action.model import ActionKind, Mode, Problem, Stage, Verdict
from recon_action.model.check import Check
from recon_action.model.settings import LIVING_OWNERS

_CHECKS = {
    Check.STAND_IN: "{} objects were checked in another namespace, as theirs is new too: "
    "its quotas, limits, pod security and webhooks are not known yet.",
    Check.SCHEMA: "{} objects were checked by the schema of their CustomResourceDefinition in Git: "
    "its CEL rules, and admission, were not asked.",
    Check.NONE: "{} objects could not be checked: what they need is new too.",
}


def notes(mode: Mode, verdicts: Sequence[Verdict], refused: Sequence[Problem]) -> list[str]:
    """The notes of one run.

    Args:
        mode: what it was told to do.
        verdicts: on every object.
        refused: why the plan must not run.
    """
    told = []
    if not mode.writes:
        told += [f"An apply would be refused: {problem.message}" for problem in refused]
        checks = Counter(verdict.check for verdict in verdicts)
        told += [text.format(checks[check]) for check, text in _CHECKS.items() if checks[check]]
    if local := sum(verdict.local for verdict in verdicts):
        told.append(f"{local} objects have a local verdict: the server was not asked what an apply would do.")
    for owner, title in LIVING_OWNERS.items():
        if owned := sum(verdict.owner == owner for verdict in verdicts):
            told.append(f"{title} manages {owned} of the objects: they are not applied without --take-over {owner}.")
    return told


def notes_of_inventory(
    mode: Mode,
    stages: Sequence[Stage],
    *,
    strays: int,
    is_lost: bool,
    rebuilt: int,
    unlisted: Sequence[str],
    unknown_since: str,
) -> list[str]:
    """What is to be known of the inventory, and of what it will forget.

    Args:
        mode: what the run was told to do.
        stages: the plan.
        strays: how many objects carry our marks and are in neither Git nor the inventory.
        is_lost: whether there must have been an inventory that is not there.
        rebuilt: how many members were taken up again.
        unlisted: the kinds that could not be looked through for more of them.
        unknown_since: the commit applied last, if git can't tell whether it is the newer one; else "".
    """
    told = []
    if not mode.writes and any(action.kind is ActionKind.DELETE for stage in stages for action in stage.actions):
        told.append(
            "What Git no longer has would be deleted. Objects that have moved to another target change hands instead, "
            "if that one is applied first, with --adopt-from and this target's name."
        )
    if rebuilt:
        told.append(
            f"The inventory was rebuilt: {rebuilt} objects were taken up again by their label and managedFields."
        )
    if unlisted:
        told.append(f"{len(unlisted)} kinds could not be looked through for more of them: {', '.join(unlisted)}.")
    if is_lost and not rebuilt:
        told.append(
            "The target's inventory is gone, but objects of it are here. "
            "--rebuild-inventory finds what else it held, of every kind."
        )
    if strays:
        told.append(
            f"{strays} objects carry this target's label but are in neither Git nor the inventory; left alone. "
            "--rebuild-inventory takes them up again."
        )
    if unknown_since:
        told.append(
            f"Whether this commit is older than {unknown_since[:7]}, which was applied last, can't be told: "
            "the clone does not go back so far (fetch-depth: 0)."
        )
    return told


def notes_of_proposal(proposed: Proposal) -> list[str]:
    """What a preview leaves out."""
    told = []
    if differing := len(proposed.differing):
        what = "object differs" if differing == 1 else "objects differ"
        told.append(f"{differing} {what} from the base already: that is left out here, and an apply corrects it too.")
    if failed := len(proposed.failed):
        what = "object that it doesn't touch" if failed == 1 else "objects that it doesn't touch"
        told.append(f"{failed} {what} could not be judged: see a diff of the base.")
    return told
