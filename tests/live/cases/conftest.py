"""One control plane for all cases: it knows a few custom kinds, and webhooks while a test needs one."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from target import Target, definition

from recon_action.lab import Lab, start
from recon_action.lab.binaries import Binaries

_numbers = itertools.count(1)
_THING = definition(
    "Thing",
    "things",
    "{skip: {type: boolean}, title: {type: string}, files: {type: array, items: {type: string}}, "
    "timeout: {type: string}, size: {type: integer, format: int64}, ratio: {type: number}, "
    "memory: {type: string}, port: {x-kubernetes-int-or-string: true}, maxReplicaCount: {type: integer}, "
    "rules: {type: array, items: {type: object, x-kubernetes-preserve-unknown-fields: true}}}",
)
_POLICY = definition("Policy", "policies", "{action: {type: string}}").replace("Namespaced", "Cluster")
_ROUTE = definition("Route", "routes", "{host: {type: string}}") + "    subresources: {status: {}}\n"


@pytest.fixture(scope="session")
def cases_lab(binaries: Binaries) -> Iterator[Lab]:
    """The control plane."""
    with start() as lab:
        target = Target(lab, "default", Path())
        target.kubectl("create", "-f", "-", stdin=f"{_THING}---\n{_POLICY}---\n{_ROUTE}")
        target.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s")
        yield lab


@pytest.fixture(scope="session")
def new_target(cases_lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Target]:
    """`new_target()`: an empty target in a namespace of its own."""

    def make() -> Target:
        name = f"case-{next(_numbers)}"
        target = Target(cases_lab, name, tmp_path_factory.mktemp(name))
        target.kubectl("create", "namespace", name)
        return target

    return make


@pytest.fixture
def target(new_target: Callable[[], Target]) -> Target:
    """An empty target in a namespace of its own."""
    return new_target()
