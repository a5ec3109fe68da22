"""The ownership proof against the server: never a false "in sync", and the budget that it buys."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from proving import Body, Round, is_refused, verdicts

from recon_action.analyze.proof import is_proven
from recon_action.lab import Lab, start
from recon_action.lab.binaries import Binaries
from recon_action.model import Bucket

_ROUNDS = int(os.environ.get("RECON_PROOF_ROUNDS", "6"))
_FIRST = int(os.environ.get("RECON_PROOF_SEED", "1"))


@pytest.fixture(scope="module")
def widgets_lab(binaries: Binaries) -> Iterator[Lab]:
    """A control plane that knows widgets."""
    with start() as lab:
        definition = Path(__file__).parent / "proof" / "widgets.yaml"
        _kubectl(lab, "apply", "-f", str(definition))
        _kubectl(lab, "wait", "--for=condition=Established", "crd/widgets.example.com", "--timeout=30s")
        yield lab


@pytest.mark.parametrize("seed", range(_FIRST, _FIRST + _ROUNDS))
def test_proof_server_and_kubectl_agree(seed: int, widgets_lab: Lab, tmp_path: Path) -> None:
    """Verdict and paths are the same with and without the proof, and kubectl's apply changes just what we said."""
    this = Round(widgets_lab, str(seed), tmp_path)
    assert len(this.bodies) >= 50
    applied = this.target.apply()
    assert applied.exit_code == 0, verdicts(applied)
    assert this.target.diff().exit_code == 0
    this.mutate()
    assert this.changed > this.refused
    proven, asked = this.target.diff(), this.target.diff(proof=False)
    assert verdicts(proven) == verdicts(asked)
    assert proven.counts == asked.counts
    differing = {
        str(entry.ref)
        for entry in asked.entries
        if entry.bucket in {Bucket.PENDING, Bucket.DRIFTED} and not is_refused(entry)
    }
    assert differing
    assert this.oracle(asked) == differing


def _any_order(payload: Body, live: Body, built_in: bool) -> bool:
    """A broken proof, to which the order of list items means nothing."""
    return is_proven(payload, _as_ordered(live, payload), built_in=built_in)


def _any_type(payload: Body, live: Body, built_in: bool) -> bool:
    """A broken proof, to which true is 1."""
    return is_proven(_untyped(payload), _untyped(live), built_in=built_in)


def _any_key(payload: Body, live: Body, built_in: bool) -> bool:
    """A broken proof, which fills in the key fields that Git leaves to their default."""
    return is_proven(_filled(payload, live), live, built_in=built_in)


def _true_proof(payload: Body, live: Body, built_in: bool) -> bool:
    return is_proven(payload, live, built_in=built_in)


@pytest.mark.parametrize(
    ("prove", "is_caught"),
    [
        pytest.param(_true_proof, False, id="the-proof"),
        pytest.param(_any_order, True, id="order-ignored"),
        pytest.param(_any_type, True, id="types-ignored"),
        pytest.param(_any_key, True, id="key-defaults-filled-in"),
    ],
)
def test_broken_proofs_are_caught(
    prove: Callable[[Body, Body, bool], bool], is_caught: bool, widgets_lab: Lab, tmp_path: Path, request: Any
) -> None:
    """The comparison with the server finds false proofs where there are some, and none in ours."""
    wrong: list[str] = []
    for seed in range(1, 7):
        folder = tmp_path / str(seed)
        folder.mkdir()
        this = Round(widgets_lab, f"{request.node.callspec.id}-{seed}", folder)
        this.target.apply()
        _provoke(this)
        wrong += this.false_proofs(prove)
        this.mutate()
        wrong += this.false_proofs(prove)
        if wrong and is_caught:
            break
    assert bool(wrong) is is_caught, wrong


def _provoke(this: Round) -> None:
    """In Git: a free-form value of another type, a key field dropped, a list in another order."""
    for body in this.bodies[:15]:
        if body["kind"] == "Widget" and "free" in body["spec"]:
            body["spec"]["free"]["a"] = True
        if body["kind"] == "Deployment":
            container = body["spec"]["template"]["spec"]["containers"][0]
            container["env"].reverse()
        if body["kind"] == "Service":
            body["spec"]["ports"].reverse()
    for body in this.bodies[15:30]:
        if body["metadata"]["name"].startswith("two"):
            del body["spec"]["keyed"][0]["protocol"]
    this.write()


def _as_ordered(live: Any, payload: Any) -> Any:
    if isinstance(live, dict) and isinstance(payload, dict):
        return {key: _as_ordered(value, payload.get(key)) for key, value in live.items()}
    if isinstance(live, list) and isinstance(payload, list):
        wanted = [_identity(item) for item in payload]
        places = {identity: index for index, identity in enumerate(wanted)}
        ordered = sorted(live, key=lambda item: places.get(_identity(item), len(wanted)))
        return [
            _as_ordered(item, payload[places[_identity(item)]] if _identity(item) in places else None)
            for item in ordered
        ]
    return live


def _identity(item: Any) -> str:
    if isinstance(item, dict):
        return str([item.get(key) for key in ("name", "port", "containerPort", "protocol") if key in item])
    return str(item)


def _untyped(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _untyped(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_untyped(item) for item in value]
    return int(value) if isinstance(value, bool | float) and value == int(value) else value


def _filled(payload: Any, live: Any) -> Any:
    if isinstance(payload, dict) and isinstance(live, dict):
        return {key: _filled(value, live.get(key)) for key, value in payload.items()}
    if isinstance(payload, list) and isinstance(live, list):
        return [_filled_item(item, live) for item in payload]
    return payload


def _filled_item(item: Any, live: list[Any]) -> Any:
    for number in ("port", "containerPort"):
        if isinstance(item, dict) and number in item and "protocol" not in item:
            same = [other for other in live if isinstance(other, dict) and other.get(number) == item[number]]
            if len(same) == 1 and "protocol" in same[0]:
                return item | {"protocol": same[0]["protocol"]}
    return item


def _kubectl(lab: Lab, *arguments: str) -> None:
    subprocess.run([lab.kubectl, *arguments], env=lab.env(), check=True, capture_output=True)
