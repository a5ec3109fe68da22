"""Who is compared: how each tool is called, and how it comes to its own steady state.

Each tool has a control plane of its own, so that none meets another's field ownership (README.md says why);
the floor reads ours.
"""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from measure import Sample, measured, run

from recon_action.lab import Lab, start
from recon_action.model.progress import Progress
from recon_action.programs.checksums import read_checksums
from recon_action.programs.obtain import obtain
from recon_action.programs.places import usual_places
from recon_action.programs.program import GoModule, Program

FLUX_VERSION = "0.78.0"
_PEERS = Path(__file__).with_name("peers")
_FLUX = Program(
    "flux-ssa",
    FLUX_VERSION,
    source=GoModule(
        name="flux-ssa",
        title=f"a program on fluxcd/pkg/ssa {FLUX_VERSION}",
        version=FLUX_VERSION,
        folder=_PEERS / "flux",
        package=".",
        names=("flux-ssa",),
    ),
)
_ATTEMPTS = 4  # the first kubectl apply of a CRD and its objects needs a second one
_OURS = (sys.executable, "-m", "recon_action")
_SERVER_SIDE = ("--server-side", "--force-conflicts")
# The image that the action runs in sets none of these, and a developer's would change what is measured.
_FOREIGN = ("RECON_", "GITHUB_", "KUBECTL_", "PYTHON")


@dataclass(frozen=True, slots=True)
class Tool:
    """A process to be measured.

    Args:
        name: in the tables.
        lab: its control plane.
        argv: the measured command.
    """

    name: str
    lab: Lab
    argv: tuple[str, ...]

    def measure(self) -> Sample:
        """One run; it must find everything in sync."""
        return measured(self.argv, environment(self.lab), self.lab)


def get_flux(progress: Progress) -> Path:
    """The Flux program, built if it isn't yet.

    Raises:
        ProgramError: there is no Go, or it can't build.
    """
    return obtain([_FLUX], usual_places(os.environ), read_checksums(), progress)["flux-ssa"]


def environment(lab: Lab) -> dict[str, str]:
    """What a tool finds around it."""
    return lab.env({name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)})


def ours(lab: Lab, verb: str, file: Path, *options: str) -> tuple[str, ...]:
    """A command of recon-action."""
    return (*_OURS, verb, str(file), "--target", "bench", "--kubeconfig", str(lab.kubeconfig), *options)


def kubectl(lab: Lab, verb: str, file: Path) -> tuple[str, ...]:
    """A command of the lab's kubectl."""
    return (str(lab.kubectl), verb, *_SERVER_SIDE, "-f", str(file))


def in_sync(file: Path, flux: Path, stack: ExitStack) -> list[Tool]:
    """The tools, ours first, each with all of `file` applied by itself; `stack` ends their control planes."""
    own, other, third = (stack.enter_context(start()) for _ in range(3))
    reconciling = (str(flux), str(third.kubeconfig), str(file))
    applying = ours(own, "apply", file, "--no-wait")
    run(applying, environment(own))  # the next one remembers what only the server could judge
    _settle(own, applying, ours(own, "diff", file))
    _settle(other, kubectl(other, "apply", file), kubectl(other, "diff", file))
    _settle(third, reconciling, reconciling, _is_unchanged)
    floor = (sys.executable, str(_PEERS / "floor.py"))
    kinds, code, *_ = run((*floor, "kinds", str(own.kubeconfig), str(file)), environment(own))
    if code != 0:
        raise SystemExit(f"the floor can't tell what to list:\n{kinds[-2000:]}")
    return [
        Tool("recon-action diff", own, ours(own, "diff", file)),
        Tool("kubectl diff", other, kubectl(other, "diff", file)),
        Tool("kubectl apply", other, kubectl(other, "apply", file)),
        Tool("Flux", third, reconciling),
        Tool("floor", own, (*floor, "run", str(own.kubeconfig), str(file), *kinds.split())),
    ]


def _settle(
    lab: Lab,
    apply: Sequence[str],
    check: Sequence[str],
    is_clean: Callable[[str], bool] = lambda _: True,
    attempts: int = _ATTEMPTS,
) -> None:
    """Apply until `check` finds nothing left to do.

    Raises:
        SystemExit: it never does.
    """
    env: Mapping[str, str] = environment(lab)
    for _ in range(attempts):
        run(apply, env)
        output, code, *_ = run(check, env)
        if code == 0 and is_clean(output):
            return
    raise SystemExit(f"{' '.join(check)} is never clean:\n{output[-2000:]}")


def _is_unchanged(output: str) -> bool:
    """Whether Flux wrote nothing, by what its program prints."""
    return "created: 0\nconfigured: 0\n" in output
