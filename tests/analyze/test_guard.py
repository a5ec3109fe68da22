"""What must not happen without a named flag."""

from dataclasses import replace
from typing import Any

import pytest
from objects import body_of, manifest_of, ref, resource_of, verdict_of

from recon_action.analyze.guard import allowed_deletions, refusals, require_manifests
from recon_action.analyze.plan import plan
from recon_action.errors import DesiredError
from recon_action.model import (
    Desired,
    DriftKind,
    Inventory,
    Limit,
    Member,
    ObjectRef,
    Problem,
    Revision,
    Settings,
    Skipped,
    Stage,
    Trouble,
)

_DESIRED = Desired((manifest_of(body_of()),), identity=("manifests",))
_SETTINGS = Settings(("manifests",), max_prune=Limit(unlimited=True))


def _desired(repository: str, *paths: str) -> Desired:
    return replace(_DESIRED, revision=Revision("c" * 40, repository=repository), identity=paths)


def _inventory(members: int = 10, **more: Any) -> Inventory:
    refs = [ref(name=f"n{number}") for number in range(members)]
    fields = {"resource_version": "1", "paths": ("manifests",)} | more
    return Inventory("shop", "recon-system", {one: Member(one) for one in refs}, **fields)


def _deleting(*kinds: tuple[str, str]) -> tuple[Stage, ...]:
    bodies = [body_of(kind, f"n{number}", api=api) for number, (kind, api) in enumerate(kinds)]
    verdicts = [verdict_of(body, DriftKind.ORPHANED, orphan=True) for body in bodies]
    resources = {verdict.ref: resource_of(verdict.ref.kind) for verdict in verdicts}
    return plan(verdicts, resources, prune=True)


def _refused(problems: tuple[Problem, ...]) -> str:
    assert all(problem.trouble is Trouble.REFUSED and problem.hint for problem in problems)
    return "\n".join(problem.message for problem in problems)


def test_zero_manifests_are_an_error() -> None:
    """An empty folder must never empty a cluster; what was read instead is counted."""
    with pytest.raises(DesiredError, match="3 files were read; 1 of them hold"):
        require_manifests(Desired((), files=3, skipped=(Skipped("values.yaml", "no kind"),)))
    with pytest.raises(DesiredError, match=r"0 files were read$"):
        require_manifests(Desired(()))
    require_manifests(_DESIRED)


@pytest.mark.parametrize(
    ("members", "limit", "allowed"),
    [
        pytest.param(0, None, 0, id="nothing"),
        pytest.param(1, None, 0, id="the-only-one"),
        pytest.param(2, None, 1, id="half-of-2"),
        pytest.param(5, None, 2, id="never-more-than-half"),
        pytest.param(6, None, 3, id="3-of-6"),
        pytest.param(15, None, 3, id="3-is-20-percent"),
        pytest.param(20, None, 4, id="20-percent"),
        pytest.param(1000, None, 200, id="20-percent-of-many"),
        pytest.param(10, Limit(unlimited=True), 10, id="all"),
        pytest.param(10, Limit(count=0), 0, id="none"),
        pytest.param(10, Limit(count=7), 7, id="count-beyond-half"),
        pytest.param(10, Limit(share=0.0), 0, id="0-percent"),
        pytest.param(10, Limit(share=1.0), 10, id="100-percent"),
        pytest.param(9, Limit(share=0.1), 0, id="a-share-below-one-object"),
        pytest.param(100, Limit(share=0.29), 29, id="29-percent-in-binary-is-less"),
        pytest.param(100, Limit(share=0.57), 57, id="57-percent-in-binary-is-less"),
    ],
)
def test_how_much_may_be_deleted(members: int, limit: Limit | None, allowed: int) -> None:
    """The larger of 3 and 20 %, never more than half; or what was asked for."""
    assert allowed_deletions(members, limit) == allowed


@pytest.mark.parametrize(("deleted", "refused"), [(3, False), (4, True), (5, True), (8, True)])
def test_more_deletions_than_the_limit_are_refused(deleted: int, *, refused: bool) -> None:
    """The refusal names what would have been deleted, five of them, and the flag."""
    stages = _deleting(*[("ConfigMap", "v1")] * deleted)
    problems = refusals(_DESIRED, _inventory(10), stages, replace(_SETTINGS, max_prune=None))
    assert bool(problems) is refused
    if refused:
        assert f"{deleted} of 10 objects would be deleted, more than the limit of 3" in _refused(problems)
        assert f"--max-prune {deleted}" in problems[0].hint
        assert ("and 3 more" in problems[0].message) is (deleted == 8)


@pytest.mark.parametrize(
    ("kind", "api", "refused"),
    [
        ("Namespace", "v1", True),
        ("PersistentVolume", "v1", True),
        ("PersistentVolumeClaim", "v1", True),
        ("CustomResourceDefinition", "apiextensions.k8s.io/v1", True),
        ("ConfigMap", "v1", False),
        ("Namespace", "example.com/v1", False),
    ],
)
def test_destructive_deletions_need_a_flag(kind: str, api: str, *, refused: bool) -> None:
    """What takes other objects or data with it is named."""
    stages = _deleting((kind, api))
    problems = refusals(_DESIRED, _inventory(), stages, _SETTINGS)
    assert bool(problems) is refused
    assert not refused or f"{kind} n0" in _refused(problems)
    assert not refusals(_DESIRED, _inventory(), stages, replace(_SETTINGS, allow_destructive=True))


@pytest.mark.parametrize(
    ("inventory", "desired", "said"),
    [
        pytest.param(_inventory(), _DESIRED, "", id="same-paths"),
        pytest.param(_inventory(paths=("other",)), _DESIRED, "other; this run has manifests", id="other-paths"),
        pytest.param(_inventory(paths=()), _DESIRED, "", id="no-paths-recorded"),
        pytest.param(
            _inventory(repository="h/o/a"),
            _desired("h/o/b", "manifests"),
            "h/o/a; this run has h/o/b",
            id="other-repository",
        ),
        pytest.param(_inventory(repository="h/o/a"), _desired("h/o/a", "manifests"), "", id="same-repository"),
        pytest.param(_inventory(repository="h/o/a"), _desired("h/o/a", "x"), "manifests; this run has x", id="moved"),
        pytest.param(_inventory(repository="h/o/a"), _desired("", "manifests"), "", id="repository-without-a-remote"),
        pytest.param(_inventory(paths=("other",), resource_version=""), _DESIRED, "", id="no-inventory-yet"),
    ],
)
def test_an_inventory_of_other_manifests_is_refused(inventory: Inventory, desired: Desired, said: str) -> None:
    """Two sets of manifests under one target's name would prune each other."""
    problems = refusals(desired, inventory, (), _SETTINGS)
    assert bool(problems) is bool(said)
    assert said in _refused(problems)
    assert not refusals(desired, inventory, (), replace(_SETTINGS, take_over_target=True))


def test_every_refusal_is_told_at_once() -> None:
    """Other paths, a namespace, and too many deletions: three problems in one run."""
    stages = _deleting(("Namespace", "v1"), ("ConfigMap", "v1"))
    settings = replace(_SETTINGS, max_prune=Limit(count=1))
    assert len(refusals(_DESIRED, _inventory(paths=("other",)), stages, settings)) == 3


def test_creations_are_never_refused() -> None:
    """The guard is about what is lost."""
    verdict = verdict_of(body_of("Namespace"), DriftKind.MISSING)
    stages = plan([verdict], {ObjectRef("", "Namespace", "", "web"): resource_of("Namespace")}, prune=True)
    assert stages
    assert not refusals(_DESIRED, _inventory(0), stages, replace(_SETTINGS, max_prune=None))
