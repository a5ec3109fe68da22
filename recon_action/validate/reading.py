"""Manifests checked without a cluster: whether they can be read, and what a change in Git does to them.

It says nothing of what runs, and never that anything is in sync.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import BinaryIO

from recon_action import __version__
from recon_action.analyze.amendments import amendments
from recon_action.analyze.directives import notes_of_annotations
from recon_action.analyze.guard import require_manifests
from recon_action.analyze.identity import TWICE, declared, said_twice
from recon_action.analyze.patience import misread
from recon_action.analyze.refusal import taken_apart
from recon_action.config.file import with_file
from recon_action.desired import Fault, ManifestError, commit_of, laid_out, load, locate, merge_base, revision_of
from recon_action.model import Body, Desired, Manifest, ObjectRef, Progress, Quiet, Revision, Settings
from recon_action.reconcile.annotations import annotated, faults_of_annotations
from recon_action.reconcile.commits import configured, desired_in, repository_of, secrets_of_commits, values_of
from recon_action.reconcile.observing import target_of
from recon_action.redact import Secrets, redact_problem
from recon_action.report.build import Facts
from recon_action.report.document import Report
from recon_action.report.validation import Checked, validation
from recon_action.stop import Stop

_UNREADABLE = "The commit that it is compared with can't be read as manifests: what the change does can't be told."


def validate(  # noqa: PLR0913 - all that comes from outside comes in here
    settings: Settings,
    base: str = "",
    head: str = "",
    *,
    kubernetes: str = "",
    config: str = "",
    progress: Progress | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    stdin: BinaryIO | None = None,
    run_url: str = "",
    stop: Stop | None = None,
    secrets_of: Callable[[Iterable[Body]], Secrets] = Secrets.of,
) -> Report:
    """Check the manifests of one target, and tell how they differ from those of another commit.

    Args:
        settings: the target and how to treat it.
        base: the commit to compare with, by any name; where the head has left its history counts. "" compares nothing.
        head: the commit to check, by any name; "" checks the files as they lie there.
        kubernetes: the version of Kubernetes to try them on, on a control plane of our own; "" only reads them.
        config: the settings file; looked up in the base, if there is one: a change does not decide how it is judged.
        progress: where to show that the run is alive.
        now: the clock.
        stdin: what the PATH `-` reads.
        run_url: the workflow run that the report names.
        stop: ends the run early.
        secrets_of: what must not be shown, given every object seen.

    Raises:
        ReconError: what stops the run before there is anything to report.
    """
    progress, stop, started = progress or Quiet(), stop or Stop(), now()
    with stop.idle(), ExitStack() as stack:
        revision = repository_of(settings) if base or head else None
        after = commit_of(revision.root, head or "HEAD") if revision else ""
        before = merge_base(revision.root, commit_of(revision.root, base), after) if revision and base else ""
        settings = configured(settings, revision, before or after, config) if revision else with_file(settings, config)
        also = values_of(settings, revision) if revision else []

        def reader(commit: str) -> Callable[[], Desired]:
            if revision is None or not commit:
                return partial(_load, settings, stdin, progress)
            return partial(desired_in, stack.enter_context(laid_out(revision, commit, settings.paths, also)), settings)

        progress.step("checking the manifests")
        here = _at(revision, after) if revision and head else revision_of(settings.paths)
        will = _read(reader(after if head else ""), here)
        was = _read(reader(before), _at(revision, before)) if revision and before else None
        if not will.faults:
            require_manifests(will.desired)
        secrets = secrets_of_commits([one.desired for one in (will, was) if one], settings, secrets_of)
        tried = _tried(will, settings, kubernetes, secrets, stop, progress) if kubernetes and will.found else None
    facts = Facts(
        started=started.strftime("%Y-%m-%dT%H:%M:%SZ"),
        seconds=round((now() - started).total_seconds(), 1),
        run_url=run_url,
        version=__version__,
    )
    target = target_of(settings, replace(will.desired, revision=revision or will.desired.revision))
    return validation(target, _checked(will, was, tried), secrets, facts)


@dataclass(frozen=True, slots=True)
class _Reading:
    """What reading the manifests of one commit gave.

    Args:
        desired: what they say; nothing if they can't be read.
        found: the objects by what the files call them.
        faults: what is wrong.
        notes: what is to be known of them.
    """

    desired: Desired
    found: Mapping[ObjectRef, Manifest] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()
    notes: tuple[str, ...] = ()


def _load(settings: Settings, stdin: BinaryIO | None, progress: Progress) -> Desired:
    """The manifests as they lie there."""
    return load(
        settings.paths, stdin=stdin, progress=progress, max_size=settings.max_file_size, settings=settings.sources
    )


def _at(revision: Revision, commit: str) -> Revision:
    return replace(revision, commit=commit, branch="", dirty=False)


def _read(read: Callable[[], Desired], revision: Revision | None) -> _Reading:
    """Read what is of `revision`, and look for what is wrong."""
    try:
        desired = read()
    except ManifestError as error:
        return _Reading(Desired((), revision=revision), faults=error.faults)
    found, twice = declared(desired.manifests)
    asked = annotated(found)
    faults = [Fault(second.origin.position, said_twice(second, found), TWICE) for second in twice]
    faults += faults_of_annotations(desired, found, asked)
    notes = (*misread(desired.manifests), *notes_of_annotations(asked))
    return _Reading(desired, found, tuple(sorted(faults, key=_order)), notes)


@dataclass(frozen=True, slots=True)
class _Tried:
    """What came of trying the manifests.

    Args:
        version: of the server.
        faults: what it refuses, and what it can't know.
        notes: its warnings, and what is to be known of the trial.
    """

    version: str
    faults: tuple[Fault, ...]
    notes: tuple[str, ...]


def _tried(
    reading: _Reading, settings: Settings, kubernetes: str, secrets: Secrets, stop: Stop, progress: Progress
) -> _Tried:
    """Try what was read, and find the lines of what is said of it."""
    from recon_action.validate.trial import try_out  # noqa: PLC0415 - only this needs a control plane

    trial = try_out(list(reading.found.values()), settings, kubernetes, stop, progress)
    placed = replace(reading.desired, manifests=tuple(trial.manifests.values()))
    problems = {ref: redact_problem(ref, one, secrets) for ref, one in trial.problems.items()}
    told = {ref: taken_apart(one.message) for ref, one in problems.items()}
    places = locate(placed, {ref: [one.path for one in each] for ref, each in told.items()})
    faults = [
        Fault(places[ref, one.path], f"{ref}: {one.text}", problems[ref].hint)
        for ref, each in told.items()
        for one in each
    ]
    notes = [
        f"{trial.manifests[ref].origin.position}: {ref}: {text}"
        for ref, texts in trial.warnings.items()
        for text in texts
    ]
    return _Tried(trial.version, tuple(sorted(faults, key=_order)), (*notes, *trial.notes))


def _order(fault: Fault) -> tuple[str, int, int]:
    return fault.position.file, fault.position.line, fault.position.column


def _checked(will: _Reading, was: _Reading | None, tried: _Tried | None) -> Checked:
    """What is to be said of what was read, and tried."""
    is_comparable = was is not None and not was.faults and bool(will.found)
    faults = sorted((*will.faults, *(tried.faults if tried else ())), key=_order)
    return Checked(
        desired=will.desired,
        base=was.desired.revision if was else None,
        faults=[(fault.position, fault.message, fault.hint) for fault in faults],
        amendments=amendments(was.found, will.found) if was and is_comparable else (),
        notes=[*will.notes, *(tried.notes if tried else ()), *([_UNREADABLE] if was and was.faults else [])],
        server_version=tried.version if tried else "",
    )
