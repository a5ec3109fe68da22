"""What must not happen without a named flag."""

from dataclasses import replace
from typing import Any

import pytest
from objects import body_of, live_of, manifest_of, ref, resource_of, verdict_of

from recon_action.analyze.guard import Ground, allowed_deletions, refusals, require_cluster, require_manifests
from recon_action.analyze.plan import plan
from recon_action.errors import DesiredError, RefusedError
from recon_action.model import (
    Approved,
    Body,
    Desired,
    Digest,
    Directives,
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
_DIGEST = "0123456789abcdef-01020304"
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


def _refusals(
    desired: Desired, inventory: Inventory, stages: tuple[Stage, ...], settings: Settings, **more: Any
) -> tuple[Problem, ...]:
    return refusals(Ground(desired, inventory, Digest(_DIGEST), **more), stages, settings)


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
    problems = _refusals(_DESIRED, _inventory(10), stages, replace(_SETTINGS, max_prune=None))
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
    problems = _refusals(_DESIRED, _inventory(), stages, _SETTINGS)
    assert bool(problems) is refused
    assert not refused or f"{kind} n0" in _refused(problems)
    assert not _refusals(_DESIRED, _inventory(), stages, replace(_SETTINGS, allow_destructive=True))


@pytest.mark.parametrize(
    ("inventory", "desired", "said"),
    [
        pytest.param(_inventory(), _DESIRED, "", id="same-paths"),
        pytest.param(_inventory(paths=("other",)), _DESIRED, "other; this run has manifests", id="other-paths"),
        pytest.param(_inventory(paths=()), _DESIRED, "", id="no-paths-recorded"),
        pytest.param(
            _inventory(repository="h/o/a"),
            _desired("h/o/b", "manifests"),
            "10 objects from repository h/o/a; this run has h/o/b; nothing would have been changed",
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
    problems = _refusals(desired, inventory, (), _SETTINGS)
    assert bool(problems) is bool(said)
    assert said in _refused(problems)
    assert not _refusals(desired, inventory, (), replace(_SETTINGS, take_over_target=True))


def test_every_refusal_is_told_at_once() -> None:
    """Other paths, a namespace, and too many deletions: three problems in one run."""
    stages = _deleting(("Namespace", "v1"), ("ConfigMap", "v1"))
    settings = replace(_SETTINGS, max_prune=Limit(count=1))
    assert len(_refusals(_DESIRED, _inventory(paths=("other",)), stages, settings)) == 3


def test_creations_are_never_refused() -> None:
    """The guard is about what is lost."""
    verdict = verdict_of(body_of("Namespace"), DriftKind.MISSING)
    stages = plan([verdict], {ObjectRef("", "Namespace", "", "web"): resource_of("Namespace")}, prune=True)
    assert stages
    assert not _refusals(_DESIRED, _inventory(0), stages, replace(_SETTINGS, max_prune=None))


_CLUSTER, _OTHER = "uid-production", "uid-staging"


@pytest.mark.parametrize("here", [_OTHER, ""], ids=["another", "unknown"])
def test_another_cluster_than_the_one_that_was_named_is_refused(here: str) -> None:
    """A diff notes it; an apply asks before it sends anything. One that can't be told is another."""
    settings = replace(_SETTINGS, cluster_uid=_CLUSTER)
    problems = _refusals(_DESIRED, _inventory(), _deleting(("ConfigMap", "v1")), settings, cluster_uid=here)
    assert f"only cluster {_CLUSTER} may be written, and this one is {here or 'unknown'}" in _refused(problems)
    assert "1 object would have been deleted" in _refused(problems)
    with pytest.raises(RefusedError, match=f"only cluster {_CLUSTER}.*1 manifest would have been applied") as caught:
        require_cluster(settings, here, _DESIRED)
    assert "clusterUID" in caught.value.hint


@pytest.mark.parametrize("settings", [_SETTINGS, replace(_SETTINGS, cluster_uid=_CLUSTER)], ids=["any", "this"])
def test_the_cluster_that_was_named_is_written(settings: Settings) -> None:
    """And any, where none was named."""
    assert not _refusals(_DESIRED, _inventory(), (), settings, cluster_uid=_CLUSTER)
    require_cluster(settings, _CLUSTER, _DESIRED)


@pytest.mark.parametrize(
    ("recorded", "here", "refused"),
    [(_CLUSTER, _OTHER, True), (_CLUSTER, _CLUSTER, False), ("", _OTHER, False), (_CLUSTER, "", False)],
    ids=["copied", "same", "not-recorded", "unknown"],
)
def test_an_inventory_of_another_cluster_is_refused(recorded: str, here: str, *, refused: bool) -> None:
    """It was copied: what it holds is not here. Whoever moved the cluster says so."""
    inventory = _inventory(cluster_uid=recorded)
    problems = _refusals(_DESIRED, inventory, (), _SETTINGS, cluster_uid=here)
    assert bool(problems) is refused
    assert not refused or f"in cluster {_CLUSTER}; this one is {_OTHER}" in _refused(problems)
    assert not _refusals(_DESIRED, inventory, (), replace(_SETTINGS, take_over_target=True), cluster_uid=here)


@pytest.mark.parametrize(("is_older", "refused"), [(True, True), (False, False), (None, False)])
def test_an_older_commit_is_refused(is_older: bool | None, *, refused: bool) -> None:
    """A stale clone must not undo what others have applied; where git can't tell, it is no refusal."""
    desired, inventory = _desired("h/o/a", "manifests"), _inventory(revision="d" * 40)
    problems = _refusals(desired, inventory, (), _SETTINGS, is_older=is_older)
    assert bool(problems) is refused
    assert not refused or "commit ccccccc is older than ddddddd, which was applied last" in _refused(problems)
    assert not _refusals(desired, inventory, (), replace(_SETTINGS, allow_rollback=True), is_older=is_older)


@pytest.mark.parametrize(
    ("version", "strays", "refused"),
    [("", 2, True), ("", 0, False), ("1", 2, False)],
    ids=["lost", "first-apply", "strays-beside-an-inventory"],
)
def test_a_lost_inventory_is_refused(version: str, strays: int, *, refused: bool) -> None:
    """To go on as if new would forget for ever what Git no longer has."""
    inventory = _inventory(0, resource_version=version)
    problems = _refusals(_DESIRED, inventory, (), _SETTINGS, strays=strays)
    assert bool(problems) is refused
    assert not refused or "2 objects carry its label" in _refused(problems)
    assert not refused or "--rebuild-inventory" in problems[0].hint
    assert not _refusals(_DESIRED, inventory, (), replace(_SETTINGS, rebuild_inventory=True), strays=strays)


_DEFINITION = body_of(
    "CustomResourceDefinition",
    "widgets.example.com",
    api="apiextensions.k8s.io/v1",
    spec={"group": "example.com", "names": {"kind": "Widget"}},
)


@pytest.mark.parametrize(
    ("deleted", "declared"),
    [
        pytest.param(body_of("Namespace", "shop"), body_of(namespace="shop"), id="namespace"),
        pytest.param(_DEFINITION, body_of("Widget", api="example.com/v1", namespace="shop"), id="definition"),
    ],
)
def test_what_git_still_has_something_in_is_never_deleted(deleted: Body, declared: Body) -> None:
    """A manifest that was left out by mistake must not take everything with it, whatever is allowed."""
    verdict = verdict_of(deleted, DriftKind.ORPHANED, orphan=True, live=live_of(deleted))
    stages = plan([verdict], {verdict.ref: resource_of(verdict.ref.kind)}, prune=True)
    settings = replace(_SETTINGS, allow_destructive=True)
    desired = replace(_DESIRED, manifests=(manifest_of(declared),))
    (problem,) = _refusals(desired, _inventory(), stages, settings)
    assert str(manifest_of(declared).ref) in problem.message
    assert not _refusals(_DESIRED, _inventory(), stages, settings)


def test_a_volume_holds_no_manifests() -> None:
    """Only its data, which a flag is for."""
    body = body_of("PersistentVolume", "disk")
    verdict = verdict_of(body, DriftKind.ORPHANED, orphan=True, live=live_of(body))
    stages = plan([verdict], {verdict.ref: resource_of("PersistentVolume")}, prune=True)
    assert len(_refusals(_DESIRED, _inventory(), stages, _SETTINGS)) == 1


@pytest.mark.parametrize(
    ("digest", "said"),
    [
        pytest.param(_DIGEST, "", id="the-same"),
        pytest.param(_DIGEST[:16], "", id="first-digits"),
        pytest.param(
            "fedcba9876543210-ff020304",
            "the cluster changed since plan fedcba9876543210-ff020304 was made; it is",
            id="cluster",
        ),
        pytest.param("fedcba9876543210-01ff03ff", "Git and the objects changed since", id="git-and-objects"),
        pytest.param("fedcba9876543210", "something changed since plan fedcba9876543210 was made", id="unknown"),
    ],
)
def test_another_plan_than_the_approved_one_is_refused(digest: str, said: str) -> None:
    """The refusal names what moved, and the plan as it is now."""
    stages = _deleting(("ConfigMap", "v1"), ("Secret", "v1"))
    problems = _refusals(_DESIRED, _inventory(), stages, _SETTINGS, approved=Approved(digest))
    assert bool(problems) is bool(said)
    assert said in _refused(problems)
    if said:
        assert f"{_DIGEST} now: 2 objects would have been deleted" in problems[0].message
        assert _DIGEST in problems[0].hint


def test_a_refused_plan_names_the_objects_that_differ() -> None:
    """Five of them, if the approved plan's report is at hand."""
    actions = {ref(name=f"a{number}"): ("create", "f") for number in range(7)}
    approved = Approved("fedcba9876543210-01020304", actions)
    (problem,) = _refusals(_DESIRED, _inventory(), (), _SETTINGS, approved=approved)
    assert "gone: create ConfigMap a0; gone: create ConfigMap a1" in problem.message
    assert "and 2 more" in problem.message
    assert "nothing would have been changed" in problem.message


def test_what_would_have_been_done_is_counted_by_kind() -> None:
    """Creations, changes and deletions, in the order of the plan."""
    verdicts = [
        verdict_of(body_of(name="a"), DriftKind.MISSING),
        verdict_of(body_of(name="b"), DriftKind.MISSING),
        verdict_of(body_of(name="c"), DriftKind.MODIFIED),
        verdict_of(body_of(name="d"), DriftKind.ORPHANED, orphan=True),
    ]
    stages = plan(verdicts, {one.ref: resource_of() for one in verdicts}, prune=True)
    problems = _refusals(_DESIRED, _inventory(paths=("x",)), stages, _SETTINGS)
    assert "2 objects would have been created, 1 configured, 1 deleted" in _refused(problems)


@pytest.mark.parametrize("allowed", [False, True])
def test_a_deletion_that_is_to_be_confirmed_needs_the_flag(*, allowed: bool) -> None:
    """The annotation is named."""
    text = "argocd.argoproj.io/sync-options: Prune=confirm"
    verdict = verdict_of(body_of(), DriftKind.ORPHANED, orphan=True, directives=Directives(confirm=text))
    stages = plan([verdict], {verdict.ref: resource_of()}, prune=True)
    said = _refused(_refusals(_DESIRED, _inventory(), stages, replace(_SETTINGS, allow_destructive=allowed)))
    assert said == ("" if allowed else f"Git no longer has ConfigMap web; deleting is to be confirmed: {text}")
