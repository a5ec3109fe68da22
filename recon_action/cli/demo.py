"""`demo`: the whole story on a throw-away control plane, told step by step.

stdout is the story, stderr the progress. What the story says was seen: each step is checked, and the first
that isn't as told ends the demo with an error.
"""

import os
import shlex
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack, chdir
from dataclasses import dataclass, replace
from pathlib import Path

import click

from recon_action.cli.progress import StderrProgress
from recon_action.cli.report import show, write_files
from recon_action.errors import ExitCode, ProgramError, ReconError
from recon_action.lab import Lab, LabOptions, start
from recon_action.model import Access, DriftKind, Mode, ObjectRef, Outcome, Output, Settings
from recon_action.model.settings import ReportFile
from recon_action.programs.run import run
from recon_action.reconcile import reconcile
from recon_action.report.document import Report

SHOP = Path(__file__).with_name("shop")
REPORTS = (ReportFile(Output.MARKDOWN, "recon-report.md"), ReportFile(Output.JSON, "recon-report.json"))
CAMPAIGN = "summer-sale.yaml"  # what Git gives up
STRAY = "configmap/oncall-notes"  # what Git never had

# What the report must name, and all that it may name: the kind of difference, and the field.
DRIFT: Mapping[ObjectRef, tuple[DriftKind, str]] = {
    ObjectRef("apps", "Deployment", "shop", "storefront"): (DriftKind.MODIFIED, "spec.replicas"),
    ObjectRef("apps", "Deployment", "shop", "catalog"): (
        DriftKind.MODIFIED,
        "spec.template.spec.containers[name=api].image",
    ),
    ObjectRef("", "Service", "shop", "checkout"): (DriftKind.MISSING, ""),
    ObjectRef("", "ConfigMap", "shop", "summer-sale"): (DriftKind.ORPHANED, ""),
}
_BY_HAND = (
    ("The sale goes well, somebody scales up", "scale deployment storefront --replicas=5"),
    (
        "Somebody tries a hotfix",
        "set image deployment catalog api=registry.example.com/shop/catalog:1.9.3-hotfix",
    ),
    ("Somebody deletes the wrong Service", "delete service checkout"),
    ("Somebody keeps notes in the cluster", f"create {STRAY.replace('/', ' ')} --from-literal=monday=ada"),
)
_KUBECTL_LIMIT = 30.0  # seconds
_PODS_LIMIT = 30.0
_POLL = 0.2


@click.command(short_help="The whole story on a throw-away control plane.")
def demo() -> None:
    """Show the whole story on a throw-away, real control plane.

    A sample shop is applied, changed by hand, looked at, and corrected. Nothing but this machine is touched;
    the control plane is gone at the end. Leaves recon-report.md and recon-report.json in the current folder.
    """
    here, began = Path.cwd(), time.monotonic()
    click.secho("recon-action demo: a cluster drifts from Git, and comes back", bold=True)
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="recon-demo-"))
        shutil.copytree(SHOP, Path(folder, "shop"))
        _step(1, "Start a control plane: Kubernetes' own, but for the kubelets, which are simulated")
        with StderrProgress() as progress:
            lab = stack.enter_context(start(LabOptions(controllers=True), environ=os.environ, progress=progress))
        _saw(f"Kubernetes {lab.options.kubernetes} serves at {lab.server}")
        stack.enter_context(chdir(folder))  # so that the report says shop/storefront.yaml, as in a repository
        _Demo(lab, here).play()
    click.secho(f"\nThe control plane is gone again; all of it took {time.monotonic() - began:.0f} s.", bold=True)
    click.echo(f"The report of step 4 stays here: {' and '.join(file.file for file in REPORTS)}")


class _Wordless(StderrProgress):
    """Progress without the notes of `apply`, which would cut the story to pieces."""

    def note(self, text: str) -> None:
        """Show nothing."""


@dataclass(frozen=True, slots=True)
class _Demo:
    """The story, once the control plane is up.

    Args:
        lab: the control plane.
        here: where the reports are left.
    """

    lab: Lab
    here: Path

    def play(self) -> None:
        """Steps 2 to 7."""
        self._apply_shop()
        self._drift()
        self._look()
        self._correct()
        self._leave_alone()
        self._look_again()

    def _apply_shop(self) -> None:
        _step(2, "Apply a small shop, as Git has it, and wait until it is healthy")
        report = self._reconcile(Mode.APPLY)
        check_applied(report)
        self._await_pods(3)
        _saw(f"{report.counts.total} objects created, all healthy; the storefront runs 3 pods")

    def _drift(self) -> None:
        _step(3, "Meanwhile people work on the cluster by hand, and Git moves on")
        for why, arguments in _BY_HAND:
            _ran(f"kubectl -n shop {arguments}", why)
            self._kubectl(*shlex.split(arguments))
        _ran(f"rm shop/{CAMPAIGN}", "In Git, the summer sale is over")
        Path("shop", CAMPAIGN).unlink()
        self._await_pods(5)
        _saw("the storefront runs 5 pods")

    def _look(self) -> None:
        _step(4, "Compare the cluster with Git, and explain; nothing is changed")
        report = self._reconcile(Mode.DIFF)
        settings = replace(self._settings, reports=tuple(replace(to, file=str(self.here / to.file)) for to in REPORTS))
        write_files(report, settings)
        click.echo()
        show(report, settings)
        click.echo()
        check_drift(report)
        _saw(f"it names these {len(DRIFT)} differences and nothing else; exit code {report.exit_code:d}")

    def _correct(self) -> None:
        _step(5, "Make the cluster as Git says")
        report = self._reconcile(Mode.APPLY)
        done = check_corrected(report)
        self._await_pods(3)
        _saw(f"{', '.join(f'{count} {outcome}' for outcome, count in done)}; the storefront is back from 5 pods to 3")

    def _leave_alone(self) -> None:
        _step(6, "Leave alone what Git never had")
        self._kubectl("get", STRAY)
        _saw(f"{STRAY} is still there: only what this target's inventory holds is ever deleted")

    def _look_again(self) -> None:
        _step(7, "Compare once more")
        report = self._reconcile(Mode.DIFF)
        check_in_sync(report)
        _saw(f"in sync: {report.counts.total} objects; exit code {report.exit_code:d}")

    @property
    def _settings(self) -> Settings:
        return Settings(paths=("shop",), target="shop", access=Access(str(self.lab.kubeconfig)), timeout=60)

    def _reconcile(self, mode: Mode) -> Report:
        _ran(f"recon-action {mode} shop/")
        with _Wordless() as progress:
            return reconcile(self._settings, mode, progress=progress)

    def _kubectl(self, *arguments: str) -> str:
        """What kubectl says; it must succeed."""
        argv = [str(self.lab.kubectl), "--namespace=shop", *arguments]
        ended = run(argv, cwd=None, env=self.lab.env(), timeout=_KUBECTL_LIMIT)
        if ended.code:
            raise ProgramError(f"kubectl {shlex.join(arguments)}: {ended.last_line}")
        return ended.text

    def _await_pods(self, wanted: int) -> None:
        """Wait until so many pods of the storefront run, as the cluster itself counts them."""
        query = ("get", "pods", "-l", "app.kubernetes.io/name=storefront", "--field-selector=status.phase=Running")
        end = time.monotonic() + _PODS_LIMIT
        while (count := len(self._kubectl(*query, "-o", "name").splitlines())) != wanted:
            if time.monotonic() > end:
                raise _not_as_told(f"the storefront runs {count} pods, not {wanted}")
            time.sleep(_POLL)


def check_applied(report: Report) -> None:
    """The first apply must have created every object, and seen it healthy."""
    _check_code(report, ExitCode.OK)
    created = [entry for entry in report.entries if entry.outcome is Outcome.CREATED]
    if not created or len(created) != report.counts.total:
        raise _not_as_told(f"{len(created)} of {report.counts.total} objects were created")


def check_drift(report: Report) -> None:
    """The report must name exactly what was done to the cluster."""
    _check_code(report, ExitCode.DIFFERENT)
    found = {entry.ref: (entry.drift, ", ".join(change.path for change in entry.changes)) for entry in report.entries}
    if found != DRIFT:
        wrong = sorted(str(ref) for ref in found.keys() | DRIFT.keys() if found.get(ref) != DRIFT.get(ref))
        raise _not_as_told(f"the report is not about what was changed: {', '.join(wrong)}")


def check_corrected(report: Report) -> list[tuple[Outcome, int]]:
    """Each difference, and nothing else, must have been corrected; how many were created, configured, deleted."""
    _check_code(report, ExitCode.OK)
    expected = {
        DriftKind.MISSING: Outcome.CREATED,
        DriftKind.MODIFIED: Outcome.CONFIGURED,
        DriftKind.ORPHANED: Outcome.DELETED,
    }
    wanted = {ref: expected[kind] for ref, (kind, _) in DRIFT.items()}
    done = {entry.ref: entry.outcome for entry in report.entries if entry.outcome}
    if done != wanted:
        raise _not_as_told(f"something else was corrected: {', '.join(map(str, sorted(done)))}")
    return sorted(Counter(done.values()).items())


def check_in_sync(report: Report) -> None:
    """Nothing may differ."""
    _check_code(report, ExitCode.OK)
    if report.entries or report.counts.in_sync != report.counts.total:
        raise _not_as_told(f"still different: {', '.join(str(entry.ref) for entry in report.entries)}")


def _check_code(report: Report, code: ExitCode) -> None:
    if report.exit_code is not code:
        told = [f"{report.mode} gave exit code {report.exit_code:d}, not {code:d}"]
        told += [problem.message for problem in report.problems]
        told += [f"{entry.ref}: {entry.problem.message}" for entry in report.entries if entry.problem]
        told += [f"{entry.ref}: {entry.health_message}" for entry in report.entries if entry.health_message]
        raise _not_as_told("\n  ".join(told))


def _not_as_told(what: str) -> ReconError:
    return ReconError(f"the demo did not go as it should: {what}", hint="please report it, with the output above")


def _step(number: int, title: str) -> None:
    click.echo(f"\n{click.style(f'{number}.', fg='cyan', bold=True)} {click.style(title, bold=True)}")


def _ran(command: str, why: str = "") -> None:
    if why:
        click.secho(f"   # {why}", dim=True)
    click.echo(f"   $ {command}")


def _saw(fact: str) -> None:
    click.echo(f"   {click.style('✓', fg='green')} {fact}")
