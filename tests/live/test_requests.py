"""What a run costs the API server, counted in its audit log: the budget, case by case, with its exact numbers."""

from collections.abc import Callable
from pathlib import Path

import pytest
from target import DEPLOYMENT, Target, config_map

from recon_action.lab import Lab
from recon_action.report.document import Report

# version, two of discovery, inventory, kube-system, and the lists of webhook configurations, policies, bindings.
_ACQUAINTANCE = 8
_DEFINITIONS = 1  # the list of CRDs, where custom resources are in use
_AUTOSCALERS = 1  # the list of HorizontalPodAutoscalers, where workloads can be scaled
_BUDGET = 9
_LOCK = 2  # an apply takes its lock, and gives it back
_PAGE = 500

# A reference inside an atomic value keeps its default unsaid in Git: nothing that managedFields could prove.
_SUSPECT = """\
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: NAME}
spec:
  podSelector: {}
  ingress: [{ports: [{port: 80}]}]
"""


@pytest.fixture
def target(lab: Lab, namespace: str, tmp_path: Path) -> Target:
    """An empty target."""
    return Target(lab, namespace, tmp_path)


def _cost(target: Target, run: Callable[[], Report]) -> tuple[int, int]:
    """How many requests `run` sends, and how many of them are dry runs."""
    before = len(target.lab.audit())
    report = run()
    assert report.exit_code == 0
    events = target.lab.audit()[before:]
    return len(events), sum("dryRun" in event.uri for event in events)


def test_in_sync(target: Target) -> None:
    """One LIST a kind, one for autoscalers, and nothing per object."""
    for number in range(30):
        target.write(f"{number}.yaml", config_map(f"c{number}"))
    target.write("web.yaml", DEPLOYMENT)
    target.apply()
    kinds = 2
    assert _cost(target, target.diff) == (_ACQUAINTANCE + kinds + _AUTOSCALERS, 0)
    assert _ACQUAINTANCE + kinds + _AUTOSCALERS <= _BUDGET + kinds + _AUTOSCALERS
    assert _cost(target, target.apply) == (_ACQUAINTANCE + kinds + _AUTOSCALERS + _LOCK, 0)


def test_one_kind_costs_one_list(target: Target) -> None:
    """Without anything to scale, autoscalers are not asked for."""
    target.write("a.yaml", config_map("a"))
    target.apply()
    assert _cost(target, target.diff) == (_ACQUAINTANCE + 1, 0)


def test_pages(target: Target) -> None:
    """A kind of more than a page costs a request a page."""
    items = "".join(f"---\n{config_map(f'c{number}')}" for number in range(_PAGE + 1))
    target.write("many.yaml", items)
    target.apply()
    assert _cost(target, target.diff) == (_ACQUAINTANCE + 2, 0)


def test_suspects_cost_their_request_once(target: Target) -> None:
    """Three suspects add three to a diff, and none once an apply has remembered them."""
    for name in ("a", "b", "c"):
        target.write(f"{name}.yaml", _SUSPECT.replace("NAME", name))
    target.apply()
    assert _cost(target, target.diff) == (_ACQUAINTANCE + 1 + 3, 3)
    assert _cost(target, target.diff) == (_ACQUAINTANCE + 1 + 3, 3)  # a diff never writes
    written = 1
    assert _cost(target, target.apply) == (_ACQUAINTANCE + 1 + 3 + written + _LOCK, 3)
    assert _cost(target, target.diff) == (_ACQUAINTANCE + 1, 0)


def test_custom_resources(own_lab: Callable[..., Lab], tmp_path: Path) -> None:
    """Custom resources add the list of their definitions."""
    target = Target(own_lab(), "default", tmp_path)
    definition = Path(__file__).parent / "proof" / "widgets.yaml"
    target.write("crd.yaml", definition.read_text(encoding="utf-8"))
    target.write("w.yaml", "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {enabled: true}\n")
    target.apply()
    target.apply()  # the definition itself is a suspect, once: the server fills in its names
    kinds = 2
    assert _cost(target, target.diff) == (_ACQUAINTANCE + _DEFINITIONS + kinds + _AUTOSCALERS, 0)  # widgets scale
    assert _ACQUAINTANCE + _DEFINITIONS == _BUDGET


def test_proof_off_asks_about_everything(target: Target) -> None:
    """With the proof switched off each object costs its dry run."""
    for name in ("a", "b", "c"):
        target.write(f"{name}.yaml", config_map(name))
    target.apply()
    assert _cost(target, lambda: target.diff(proof=False)) == (_ACQUAINTANCE + 1 + 3, 3)


def test_what_we_may_not_read_of_the_epoch_asks_about_everything(target: Target) -> None:
    """Someone who may not list webhooks can't rely on the proof."""
    for name in ("a", "b"):
        target.write(f"{name}.yaml", config_map(name))
    target.apply()
    access = target.user('{apiGroups: [""], resources: [configmaps, namespaces], verbs: [get, list, patch]}')
    requests, dry_runs = _cost(target, lambda: target.diff(access=access))
    assert dry_runs == 2
    assert requests <= _ACQUAINTANCE + 1 + 2  # after the first refusal the others need not be sent
