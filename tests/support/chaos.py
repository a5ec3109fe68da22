"""Rounds of ill-treatment: a run meets faults, or ends in the middle; the next one must put everything right.

A round is a seed. What a run is asked to do, what happens to its requests, and when it is killed follow from it.
"""

import itertools
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from faulty_proxy import Weather, faulty_proxy

from recon_action.cluster import connect
from recon_action.lab import Lab
from recon_action.model import Access, Inventory
from recon_action.model.inventory import PART_OF
from recon_action.observe import read_inventory

TASKS = ("first apply", "change", "prune", "take over", "release")
ENDS = ("to its end", "SIGKILL", "SIGINT", "SIGTERM", "server killed")
_OBJECTS = 24
_KINDS = "configmaps,secrets,services,deployments,serviceaccounts,roles"
_WATCHED = ("configmap", "secret", "service", "deployment", "serviceaccount", "role")
_MANAGER = "recon-action"


@dataclass(frozen=True)
class Plot:
    """What a round is about, all of it drawn from its seed.

    Args:
        seed: of all draws.
        task: what the run is asked to do.
        end: how it ends.
        share: of the requests that meet a fault.
        after: requests that have come in when the end begins.
    """

    seed: int
    task: str
    end: str
    share: float
    after: int

    @classmethod
    def of(cls, seed: int) -> "Plot":
        """The plot of that seed; tasks and ends come in turn, so that few rounds have all of them."""
        draw = random.Random(seed)
        end = ENDS[seed % len(ENDS)]
        task = TASKS[(seed // len(ENDS) + seed) % len(TASKS)]
        return cls(seed, task, end, draw.choice((0.0, 0.05, 0.15)), draw.randrange(1, 90))


@dataclass
class Round:
    """One round on a namespace of its own."""

    lab: Lab
    plot: Plot
    folder: Path
    program: Sequence[str] = (sys.executable, "-m", "recon_action")
    met: Counter[str] = field(default_factory=Counter)

    @property
    def name(self) -> str:
        """Of its namespace, and of its target."""
        return f"chaos-{self.plot.seed}"

    def play(self) -> list[str]:
        """Do it; gives what is wrong afterwards, empty if nothing is."""
        self._prepare()
        before = self._bystanders()
        self._ill_treated()
        wrong = [] if self.plot.task == "release" else self._forgotten()
        self._expire_lock()
        wrong += self._put_right()
        if self._bystanders() != before:
            wrong.append("what is not ours was touched")
        return wrong + self._left_behind()

    def _prepare(self) -> None:
        """The cluster before the run, and the folder that it reads."""
        self._kubectl("create", "namespace", self.name)
        for number in range(3):
            self._kubectl("-n", self.name, "create", "configmap", f"bystander-{number}", "--from-literal=a=1")
        draw = random.Random(self.plot.seed)
        names = [f"object-{number}" for number in range(_OBJECTS)]
        match self.plot.task:
            case "first apply":
                self._write(names, "1")
            case "change":
                self._write(names, "1")
                self._run("apply")
                self._write(names, "2")
            case "prune":
                self._write(names, "1")
                self._run("apply")
                self._write(draw.sample(names, _OBJECTS // 2), "2")
            case "take over":
                self._write(names, "1")
                self._kubectl("-n", self.name, "apply", "-f", str(self.folder))
                self._write(names, "2", without="dropped")
            case _:
                self._write(names, "1")
                self._run("apply")

    def _ill_treated(self) -> None:
        """The run, whatever comes of it."""
        count, reached = itertools.count(1), threading.Event()

        def look(_method: str, _path: str) -> None:
            if next(count) >= self.plot.after:
                reached.set()

        weather = Weather(self.plot.seed, self.plot.share, before=look)
        with faulty_proxy(self.lab.kubeconfig, weather) as kubeconfig, self._started(kubeconfig) as process:
            while process.poll() is None and not reached.wait(0.02):
                pass
            if self.plot.end != "to its end" and process.poll() is None:
                self._strike(process)
            try:
                process.wait(90)
            except subprocess.TimeoutExpired:
                process.kill()
                raise AssertionError(f"{self.plot}: never ended") from None
        self.met += weather.met
        self.met[self.plot.end] += 1

    def _strike(self, process: "subprocess.Popen[bytes]") -> None:
        if self.plot.end == "server killed":
            self.lab.stop_server(grace=0)
            self.lab.start_server()
        else:
            process.send_signal(getattr(signal, self.plot.end))

    def _put_right(self) -> list[str]:
        """One more run without faults."""
        if self.plot.task == "release":
            done = self._run("release", check=False)
            gone = "has no inventory" in done.stderr  # the first one had come to its end
            return [] if done.returncode == 0 or gone else [f"release: {done.returncode} {done.stderr}{done.stdout}"]
        done = self._run("apply", check=False)
        if done.returncode != 0:
            return [f"apply: {done.returncode} {done.stderr}{done.stdout}"]
        found = self._run("diff", check=False)
        return [] if found.returncode == 0 else [f"diff: {found.returncode} {found.stdout}"]

    def _forgotten(self) -> list[str]:
        """What is ours and not in the inventory."""
        forgotten = _ours(self._objects()) - _names(self._inventory())
        return [f"not in the inventory: {sorted(forgotten)}"] if forgotten else []

    def _left_behind(self) -> list[str]:
        """What is ours and not in the inventory, or in it and not there; locks; the wrong contents."""
        objects, inventory = self._objects(), self._inventory()
        wrong, differing = [], _ours(objects) ^ _names(inventory)
        if differing:
            wrong.append(f"inventory and cluster differ: {sorted(differing)}")
        if any(not member.uid for member in inventory.members.values()):
            wrong.append("a member has no UID")
        if "recon-action-" + self.name in self._kubectl("-n", "recon-system", "get", "leases", "-o", "name"):
            wrong.append("a lock stays")
        declared = {path.stem for path in self.folder.glob("*.yaml")}
        there = {item["metadata"]["name"] for item in objects} - {f"bystander-{number}" for number in range(3)}
        if there - {"kube-root-ca.crt", "default"} != declared:
            wrong.append(f"objects and Git differ: {sorted(there ^ declared)}")
        return wrong

    def _inventory(self) -> Inventory:
        cluster = connect(Access(str(self.lab.kubeconfig)), concurrency=1)
        return read_inventory(cluster, self.name, "recon-system")

    def _bystanders(self) -> dict[str, str]:
        return {
            item["metadata"]["name"]: item["metadata"]["resourceVersion"]
            for item in self._objects()
            if item["metadata"]["name"].startswith("bystander")
        }

    def _objects(self) -> list[dict[str, Any]]:
        listed = self._kubectl("-n", self.name, "get", _KINDS, "-o", "json", "--show-managed-fields")
        items: list[dict[str, Any]] = json.loads(listed)["items"]
        return items

    def _write(self, names: Sequence[str], value: str, *, without: str = "") -> None:
        """Put manifests of these names, and no others, into the folder; the kind follows from the name."""
        for path in self.folder.glob("*.yaml"):
            path.unlink()
        for name in names:
            kind = _WATCHED[int(name.rpartition("-")[2]) % len(_WATCHED)]
            (self.folder / f"{name}.yaml").write_text(_manifest(kind, name, value, keep=not without))

    def _started(self, kubeconfig: Path) -> "subprocess.Popen[bytes]":
        verb = "release" if self.plot.task == "release" else "apply"
        return subprocess.Popen(
            [*self.program, verb, *self._arguments(verb, waiting="--timeout=2s")],
            env=os.environ | {"KUBECONFIG": str(kubeconfig)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def _run(self, verb: str, *options: str, check: bool = True) -> "subprocess.CompletedProcess[str]":
        done = subprocess.run(
            [sys.executable, "-m", "recon_action", verb, *self._arguments(verb), *options],
            env=os.environ | {"KUBECONFIG": str(self.lab.kubeconfig)},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert not check or done.returncode == 0, f"{self.plot}: {done.stderr}{done.stdout}"
        return done

    def _arguments(self, verb: str, *, waiting: str = "--no-wait") -> list[str]:
        """The arguments of a run; without controllers nothing gets healthy, so that waiting is only for the watches."""
        if verb == "release":
            return [self.name]
        applying = ["--max-prune", "all", waiting] if verb == "apply" else []
        return [str(self.folder), "-n", self.name, "--target", self.name, *applying]

    def _expire_lock(self) -> None:
        """A run that was killed keeps its lock for a minute, which nobody wants to wait for."""
        lease = f"leases/recon-action-{self.name}"
        patch = '{"spec":{"leaseDurationSeconds":1}}'
        with suppress(AssertionError):
            self._kubectl("-n", "recon-system", "patch", lease, "--type=merge", "-p", patch)

    def _kubectl(self, *arguments: str) -> str:
        end = time.monotonic() + 20
        while True:
            done = subprocess.run(
                [self.lab.kubectl, *arguments], env=self.lab.env(), capture_output=True, text=True, check=False
            )
            if done.returncode == 0:
                return done.stdout
            assert "refused" in done.stderr, done.stderr
            assert time.monotonic() < end, done.stderr
            time.sleep(0.5)


def _ours(objects: Iterable[dict[str, Any]]) -> set[tuple[str, str]]:
    """Kind and name of what carries a mark of ours."""
    return {
        (item["kind"], item["metadata"]["name"])
        for item in objects
        if any(entry["manager"] == _MANAGER for entry in item["metadata"].get("managedFields", ()))
        or PART_OF in item["metadata"].get("labels", {})
    }


def _names(inventory: Inventory) -> set[tuple[str, str]]:
    return {(ref.kind, ref.name) for ref in inventory.members}


def _manifest(kind: str, name: str, value: str, *, keep: bool) -> str:
    metadata = {"name": name, "annotations": {"value": value} | ({"dropped": "x"} if keep else {})}
    body: dict[str, Any] = {"apiVersion": "v1", "kind": kind, "metadata": metadata}
    match kind:
        case "configmap":
            body |= {"kind": "ConfigMap", "data": {"a": value}}
        case "secret":
            body |= {"kind": "Secret", "stringData": {"a": value}}
        case "service":
            body |= {"kind": "Service", "spec": {"ports": [{"port": 80, "targetPort": 8000 + int(value)}]}}
        case "serviceaccount":
            body |= {"kind": "ServiceAccount"}
        case "role":
            rule = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"][: int(value)]}
            body |= {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "rules": [rule]}
        case _:
            labels = {"app": name}
            container = {"name": "main", "image": f"registry.example/app:{value}"}
            template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
            spec = {"replicas": int(value), "selector": {"matchLabels": labels}, "template": template}
            body |= {"apiVersion": "apps/v1", "kind": "Deployment", "spec": spec}
    return json.dumps(body)
