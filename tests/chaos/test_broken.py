"""The chaos tests can fail: each of three deliberately broken variants is caught."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import broken
import pytest
from chaos import Plot, Round
from faulty_proxy import Weather, faulty_proxy
from target import CONFIG_MAP, Target

from recon_action.errors import ExitCode
from recon_action.lab import Lab

PROGRAM = (sys.executable, broken.__file__)


@pytest.fixture
def chaos_lab(own_lab: Callable[..., Lab]) -> Lab:
    return own_lab()


def _apply(target: Target, kubeconfig: Path, *variant: str) -> "subprocess.Popen[str]":
    program = (*PROGRAM, *variant) if variant else (sys.executable, "-m", "recon_action")
    options = ("--target", "shop", "-n", "default", "--no-wait", "--max-prune", "all", "--concurrency", "1")
    return subprocess.Popen(
        [*program, "apply", str(target.folder), *options],
        env=os.environ | {"KUBECONFIG": str(kubeconfig)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def test_an_inventory_that_is_written_too_late_is_caught(chaos_lab: Lab, tmp_path: Path) -> None:
    """A run that is killed in between leaves objects that nobody knows of."""
    plot = Plot(1000, "first apply", "SIGKILL", 0.0, 50)
    found = Round(chaos_lab, plot, tmp_path, (*PROGRAM, "inventory-after-the-apply")).play()
    assert "not in the inventory" in "; ".join(found)


@pytest.mark.parametrize(
    ("variant", "survives"),
    [pytest.param((), True, id="as it is"), pytest.param(("prune-without-uid",), False, id="broken")],
)
def test_a_prune_without_uid_is_caught(
    chaos_lab: Lab, tmp_path: Path, variant: tuple[str, ...], survives: bool
) -> None:
    """Somebody creates an object anew between look and deletion: it is theirs, and stays."""
    target = Target(chaos_lab, "default", tmp_path, {"target": "shop"})
    for name in ("stays", "goes"):
        target.write(f"{name}.yaml", CONFIG_MAP.replace("NAME", name))
    assert target.apply().exit_code is ExitCode.OK
    target.remove("goes.yaml")

    def meddle(method: str, path: str) -> None:
        if method == "DELETE" and "/configmaps/goes" in path:
            target.kubectl("delete", "configmap", "goes")
            target.kubectl("create", "configmap", "goes")

    with faulty_proxy(chaos_lab.kubeconfig, Weather(before=meddle)) as kubeconfig:
        output, _ = _apply(target, kubeconfig, *variant).communicate(timeout=60)
    there = target.kubectl("get", "configmap", "goes", "--ignore-not-found", "-o", "name").strip()
    assert bool(there) is survives, output


@pytest.mark.parametrize(
    ("variant", "interleaves"),
    [pytest.param("short-lock", False, id="as it is"), pytest.param("lock-not-renewed", True, id="broken")],
)
def test_a_lock_that_is_not_renewed_is_caught(chaos_lab: Lab, tmp_path: Path, variant: str, interleaves: bool) -> None:
    """Two runs of one target: the slow one's writes come before the other's, unless its lock ends too soon."""
    target = Target(chaos_lab, "default", tmp_path)

    def write(value: str) -> None:
        for number in range(40):
            target.write(f"{number}.yaml", CONFIG_MAP.replace("NAME", f"object-{number}").replace('"1"', value))

    slow, quick = Weather(share=1.0, faults=("latency",)), Weather()
    with ExitStack() as stack:
        proxies = [stack.enter_context(faulty_proxy(chaos_lab.kubeconfig, weather)) for weather in (slow, quick)]
        write('"1"')
        first = _apply(target, proxies[0], variant)
        while not slow.writes:
            assert first.poll() is None, first.communicate()
            time.sleep(0.01)
        write('"2"')
        second = _apply(target, proxies[1], variant)
        said = [run.communicate(timeout=120)[0] for run in (first, second)]
    assert quick.writes, said
    assert (quick.writes[0] < slow.writes[-1]) is interleaves
