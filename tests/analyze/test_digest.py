"""The digest: what moves it, what doesn't, and what it keeps to itself."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from objects import body_of, entry_of, live_of, manifest_of, resource_of, verdict_of

from recon_action.analyze.digest import changes, digest, is_approved, moved
from recon_action.analyze.plan import plan
from recon_action.model import (
    AdditiveMode,
    Approved,
    Body,
    Desired,
    Digest,
    DriftKind,
    IgnoreRule,
    Limit,
    LiveObject,
    Match,
    ObjectRef,
    RedactRule,
    Revision,
    Settings,
    Stage,
    Verdict,
)
from recon_action.model.digest import is_digest
from recon_action.model.pattern import parse_field
from recon_action.model.selection import Selection, parse_match

_SETTINGS = Settings(("manifests",))
_COMMIT = Revision("c" * 40)
_OLD = body_of("Deployment", "web", api="apps/v1", namespace="shop", spec={"replicas": 1})
_NEW = _OLD | {"spec": {"replicas": 3}}
_SECRET = body_of("Secret", "token", namespace="shop", data={"a": "eA=="})


def _stages(*verdicts: Verdict) -> tuple[Stage, ...]:
    return plan(verdicts, {one.ref: resource_of(one.ref.kind) for one in verdicts}, prune=True)


def _changed(desired: Body = _NEW, live: Body = _OLD, **more: Any) -> Verdict:
    return verdict_of(desired, DriftKind.MODIFIED, live=live_of(live, **more))


def _digest(
    *verdicts: Verdict,
    desired: Desired | None = None,
    settings: Settings = _SETTINGS,
    target: str = "shop",
    cluster_uid: str = "uid-cluster",
) -> Digest:
    manifests = tuple(verdict.manifest for verdict in verdicts if verdict.manifest)
    desired = desired or Desired(manifests, revision=_COMMIT, identity=("manifests",))
    return digest(desired, _stages(*verdicts), settings, target, cluster_uid)


def _parts(before: Digest, after: Digest) -> tuple[str, ...]:
    return moved(Approved(before.text), after)


def test_it_is_sixteen_digits_and_two_for_each_part() -> None:
    """People copy it; each action has a short one of its own."""
    found = _digest(_changed())
    assert re.fullmatch(r"[0-9a-f]{16}-[0-9a-f]{8}", found.text)
    assert is_digest(found.text)
    (fingerprint,) = found.fingerprints.values()
    assert re.fullmatch(r"[0-9a-f]{12}", fingerprint)


def test_an_empty_plan_has_one_too() -> None:
    """That nothing is to be done can be approved like anything else."""
    assert is_digest(_digest().text)
    assert _digest().text != _digest(_changed()).text


def test_the_order_of_the_actions_does_not_show() -> None:
    """The same actions are the same plan, in whatever order the server told of the objects."""
    one, two = _changed(), verdict_of(_SECRET, DriftKind.MISSING)
    desired = Desired((), revision=_COMMIT)
    assert _digest(one, two, desired=desired).text == _digest(two, one, desired=desired).text


@pytest.mark.parametrize(
    "live",
    [
        pytest.param(live_of(_OLD | {"status": {"replicas": 1}}), id="status"),
        pytest.param(live_of(_OLD, version="99"), id="resource-version"),
        pytest.param(live_of(_OLD, entry_of({"f:spec": {}}, "kubectl")), id="managed-fields"),
        pytest.param(
            live_of(_OLD | {"metadata": {**_OLD["metadata"], "generation": 7}}),
            id="generation",
        ),
    ],
)
def test_what_every_write_moves_does_not_move_it(live: LiveObject) -> None:
    """A controller that reports must not spoil a plan that somebody has just read."""
    assert _digest(replace(_changed(), live=live)).text == _digest(_changed()).text


@pytest.mark.parametrize(
    ("verdict", "parts"),
    [
        pytest.param(_changed(live=_OLD | {"spec": {"replicas": 2}}), ("the objects",), id="live"),
        pytest.param(_changed(uid="uid-2"), ("the objects",), id="created-anew"),
        pytest.param(_changed(desired=_OLD | {"spec": {"replicas": 4}}), ("the objects",), id="source"),
        pytest.param(verdict_of(_NEW, DriftKind.MISSING), ("the objects",), id="gone-since"),
    ],
)
def test_what_happens_to_which_object_moves_it(verdict: Verdict, parts: tuple[str, ...]) -> None:
    """The action, the object, its state, and what it is to be."""
    assert _parts(_digest(_changed()), _digest(verdict)) == parts


def test_another_cluster_moves_it() -> None:
    """The same plan elsewhere is another plan."""
    assert _parts(_digest(_changed()), _digest(_changed(), cluster_uid="uid-other")) == ("the cluster",)


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param(replace(_SETTINGS, prune=False), id="prune"),
        pytest.param(replace(_SETTINGS, additive=AdditiveMode.REVERT), id="additive"),
        pytest.param(replace(_SETTINGS, take_over=frozenset({"helm"})), id="take-over"),
        pytest.param(replace(_SETTINGS, adopt_from=frozenset({"blog"})), id="adopt-from"),
        pytest.param(replace(_SETTINGS, namespace="other"), id="namespace"),
        pytest.param(replace(_SETTINGS, inventory_namespace="ops"), id="inventory-namespace"),
        pytest.param(
            replace(_SETTINGS, selection=Selection(include=(parse_match("X"),), text="include X")), id="selection"
        ),
        pytest.param(
            replace(_SETTINGS, ignore=(IgnoreRule(Match(kind="X"), (parse_field("spec.replicas"),)),)), id="ignore"
        ),
    ],
)
def test_options_that_change_what_is_sent_move_it(settings: Settings) -> None:
    """They are a part of what was looked at."""
    assert _parts(_digest(_changed()), _digest(_changed(), settings=settings)) == ("the options",)


def test_another_target_moves_it() -> None:
    """The target's label is on every object."""
    assert _parts(_digest(_changed()), _digest(_changed(), target="blog")) == ("the options",)


@pytest.mark.parametrize(
    "more",
    [
        {"allow_destructive": True},
        {"max_prune": Limit(unlimited=True)},
        {"take_over_target": True},
        {"allow_rollback": True},
        {"recreate": True},
        {"cluster_uid": "uid-cluster"},
        {"rebuild_inventory": True},
        {"timeout": 1.0},
        {"lock_timeout": 1.0},
        {"wait": False},
        {"proof": False},
        {"concurrency": 1},
        {"verbose": 2},
    ],
    ids=lambda more: next(iter(more)),
)
def test_permissions_and_the_way_of_working_do_not_move_it(more: dict[str, Any]) -> None:
    """What may be done is asked for when it is done."""
    assert _digest(_changed(), settings=replace(_SETTINGS, **more)).text == _digest(_changed()).text


def _read(*bodies: Body, revision: Revision | None = None, identity: tuple[str, ...] = ("manifests",)) -> Desired:
    return Desired(tuple(map(manifest_of, bodies)), revision=revision, identity=identity)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(_read(_NEW, revision=_COMMIT), _read(_NEW, revision=Revision("d" * 40)), id="another-commit"),
        pytest.param(_read(_NEW), _read(_OLD), id="no-repository"),
        pytest.param(
            _read(_NEW, revision=replace(_COMMIT, dirty=True)),
            _read(_OLD, revision=replace(_COMMIT, dirty=True)),
            id="not-committed",
        ),
        pytest.param(
            _read(_NEW, revision=_COMMIT, identity=("-", "manifests")),
            _read(_OLD, revision=_COMMIT, identity=("-", "manifests")),
            id="stdin",
        ),
        pytest.param(
            _read(_NEW, revision=_COMMIT, identity=("/elsewhere",)),
            _read(_OLD, revision=_COMMIT, identity=("/elsewhere",)),
            id="outside",
        ),
    ],
)
def test_git_moves_it(before: Desired, after: Desired) -> None:
    """The commit, and what was read where a commit doesn't say it."""
    assert _parts(_digest(desired=before), _digest(desired=after)) == ("Git",)


def test_what_a_commit_says_is_not_hashed_again() -> None:
    """The commit is the content; a run with an empty plan costs no more."""
    assert _digest(desired=_read(_NEW, revision=_COMMIT)) == _digest(desired=_read(_OLD, revision=_COMMIT))


_RULE = RedactRule(Match(kind="Deployment"), (parse_field("spec.replicas"),))


@pytest.mark.parametrize(
    ("one", "two", "settings"),
    [
        pytest.param(_SECRET, _SECRET | {"data": {"a": "eQ=="}}, _SETTINGS, id="secret"),
        pytest.param(_NEW, _OLD, replace(_SETTINGS, redact=(_RULE,)), id="redacted"),
    ],
)
def test_no_guess_at_a_new_secret_can_be_checked(one: Body, two: Body, settings: Settings) -> None:
    """Of an object that is not there yet, and of a tree without a commit, values leave no trace."""
    before, after = (
        _digest(verdict_of(body, DriftKind.MISSING), desired=_read(body), settings=settings) for body in (one, two)
    )
    assert before == after


def test_a_secret_that_is_there_counts_by_its_version() -> None:
    """Its UID, which nobody is shown, makes the hash useless for guesses."""
    live, other = live_of(_SECRET), live_of(_SECRET | {"data": {"a": "eQ=="}})
    before = _digest(verdict_of(_SECRET, DriftKind.MODIFIED, live=live))
    assert before == _digest(verdict_of(_SECRET, DriftKind.MODIFIED, live=other))
    assert before != _digest(verdict_of(_SECRET, DriftKind.MODIFIED, live=live_of(_SECRET, version="2")))
    assert before != _digest(verdict_of(_SECRET, DriftKind.MODIFIED, live=live_of(_SECRET, uid="uid-2")))
    moved_in_git = verdict_of(_SECRET | {"data": {"a": "eQ=="}}, DriftKind.MODIFIED, live=live)
    assert before != _digest(moved_in_git)


def test_an_object_that_goes_counts_without_a_manifest() -> None:
    """A deletion has nothing of Git's."""
    gone = verdict_of(_OLD, DriftKind.ORPHANED, orphan=True, live=live_of(_OLD))
    assert _digest(gone, desired=Desired((), revision=_COMMIT)).fingerprints.keys() == {gone.ref}


def test_sixteen_digits_suffice() -> None:
    """The rest tells what has moved; if it is given, it has to be right, too."""
    now = _digest(_changed())
    assert is_approved(Approved(now.text), now)
    assert is_approved(Approved(now.text[:16]), now)
    assert not is_approved(Approved(now.text[:16] + "-00000000"), now)
    assert not is_approved(Approved("0" * 16), now)
    assert moved(Approved("0" * 16), now) == ()


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("0123456789abcdef", True),
        ("0123456789abcdef-01234567", True),
        ("plan.json", False),
        ("0123456789ABCDEF", False),
    ],
)
def test_a_digest_is_told_from_a_file(text: str, *, is_one: bool) -> None:
    """By its form alone."""
    assert is_digest(text) is is_one


def _approved(*verdicts: Verdict) -> Approved:
    found = _digest(*verdicts)
    actions: dict[ObjectRef, tuple[str, str]] = {
        action.ref: (action.kind.value, found.fingerprints[action.ref])
        for stage in _stages(*verdicts)
        for action in stage.actions
    }
    return Approved(found.text, actions)


_MAP = body_of("ConfigMap", "a", namespace="shop")


@pytest.mark.parametrize(
    ("before", "now", "told"),
    [
        pytest.param([_changed()], [_changed()], (), id="the-same"),
        pytest.param([_changed()], [], ("gone: configure Deployment shop/web",), id="gone"),
        pytest.param([], [_changed()], ("new: configure Deployment shop/web",), id="new"),
        pytest.param(
            [_changed()],
            [verdict_of(_NEW, DriftKind.MISSING)],
            ("other: create Deployment shop/web, not configure",),
            id="another-action",
        ),
        pytest.param(
            [_changed(), verdict_of(_MAP, DriftKind.MISSING)],
            [_changed(live=_OLD | {"spec": {"replicas": 2}}), verdict_of(_MAP, DriftKind.MISSING)],
            ("other: configure Deployment shop/web, which has changed in Git or in the cluster",),
            id="another-state",
        ),
    ],
)
def test_a_report_tells_object_by_object_what_has_changed(
    before: Sequence[Verdict], now: Sequence[Verdict], told: tuple[str, ...]
) -> None:
    """Whoever looked at it sees what is different now."""
    assert changes(_approved(*before), _digest(*now), _stages(*now)) == told


def test_a_digest_alone_tells_nothing_of_objects() -> None:
    """They aren't in it."""
    assert changes(Approved("0" * 16), _digest(_changed()), _stages(_changed())) == ()
