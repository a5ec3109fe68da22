"""The options and the part of recon.yaml that say how sources are rendered."""

from pathlib import Path
from typing import Any

import pytest

from recon_action.config import settings
from recon_action.config.file import with_file
from recon_action.errors import UsageError
from recon_action.model import ChartSettings, SourceSettings


def _sources(**values: Any) -> SourceSettings:
    return settings({name.replace("_", "-"): value for name, value in values.items()}, paths=["k8s"]).sources


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        pytest.param({}, {}, id="defaults"),
        pytest.param({"render": "false"}, {"render": False}, id="render"),
        pytest.param({"decrypt": "true"}, {"decrypt": True}, id="decrypt"),
        pytest.param({"decrypt": "False"}, {"decrypt": False}, id="do-not-decrypt"),
        pytest.param({"decrypt": "auto"}, {"decrypt": None}, id="auto"),
        pytest.param({"allow_network": True}, {"network": True}, id="network"),
        pytest.param({"release_name": " a "}, {"release": "a"}, id="release"),
        pytest.param({"values": ("b.yaml", "a.yaml")}, {"values": ("b.yaml", "a.yaml")}, id="values-in-their-order"),
        pytest.param(
            {"values": "b.yaml, a.yaml\nc.yaml"}, {"values": ("b.yaml", "a.yaml", "c.yaml")}, id="values-as-input"
        ),
        pytest.param({"set": "a=1,b=2\nc=x, y"}, {"sets": ("a=1,b=2", "c=x, y")}, id="commas-are-helm-s"),
    ],
)
def test_options(given: dict[str, Any], meant: dict[str, Any]) -> None:
    """Text, or what click has made of it, becomes settings."""
    assert _sources(**given) == SourceSettings(**meant)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        pytest.param({"decrypt": "maybe"}, "--decrypt: 'maybe' is none of auto, true, false", id="decrypt"),
        pytest.param({"set": "a"}, "--set: 'a' is not KEY=VALUE", id="set"),
        pytest.param({"allow_network": "perhaps"}, "--allow-network: 'perhaps' is neither true nor false", id="flag"),
    ],
)
def test_wrong_options(given: dict[str, Any], told: str) -> None:
    """Each is told by its name."""
    with pytest.raises(UsageError) as caught:
        _sources(**given)
    assert caught.value.message == told


def _with_file(folder: Path, text: str, **values: Any) -> SourceSettings:
    file = folder / "recon.yaml"
    file.write_text(text, encoding="utf-8")
    chosen = settings({name.replace("_", "-"): value for name, value in values.items()}, paths=["k8s"])
    return with_file(chosen, str(file)).sources


def test_recon_yaml(tmp_path: Path) -> None:
    """Charts by their folders; values of any plain type are written as helm takes them."""
    text = """\
sources:
  decrypt: true
  allowNetwork: true
  charts:
  - path: charts/shop/
    release: front
    namespace: market
    values: [values/a.yaml, values/b.yaml]
    set: {image.tag: "1.27", replicas: 3, on: true, none: null, list: "a,b"}
    crds: false
  - path: charts/*
"""
    assert _with_file(tmp_path, text.replace(" on:", " 'on':")) == SourceSettings(
        decrypt=True,
        network=True,
        charts=(
            ChartSettings(
                "charts/shop",
                "front",
                "market",
                ("values/a.yaml", "values/b.yaml"),
                ("image.tag=1.27", "replicas=3", "on=true", "none=null", r"list=a\,b"),
                crds=False,
            ),
            ChartSettings("charts/*"),
        ),
    )
    assert ChartSettings("charts/*").has("charts/shop")
    assert not ChartSettings("charts/shop").has("charts/other")


def test_an_option_outweighs_recon_yaml(tmp_path: Path) -> None:
    """Where it says anything."""
    assert _with_file(tmp_path, "sources: {decrypt: true}", decrypt="false").decrypt is False
    assert _with_file(tmp_path, "sources: {decrypt: true}").decrypt is True


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("sources: {decrypt: 1}", "decrypt must be true or false", id="type"),
        pytest.param("sources: {charts: [{release: a}]}", "the rule lacks path", id="no-path"),
        pytest.param("sources: {charts: [{path: a, set: {b: [1]}}]}", "b must be a plain value", id="no-plain-value"),
        pytest.param("sources: {helm: 1}", "unknown key 'helm'", id="unknown"),
    ],
)
def test_wrong_recon_yaml(tmp_path: Path, text: str, told: str) -> None:
    """Told with its place."""
    with pytest.raises(UsageError) as caught:
        _with_file(tmp_path, text)
    assert told in caught.value.message
