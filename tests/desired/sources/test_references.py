"""What a kustomization names, field by field."""

from typing import Any

import pytest

from recon_action.desired.sources.references import Reference, Use, references


@pytest.mark.parametrize(
    ("value", "found"),
    [
        pytest.param(
            {"resources": ["a.yaml", "../base"]}, [("a.yaml", Use.SOURCE), ("../base", Use.SOURCE)], id="resources"
        ),
        pytest.param({"bases": ["b"], "components": ["c"]}, [("b", Use.SOURCE), ("c", Use.SOURCE)], id="bases"),
        pytest.param({"generators": ["g.yaml"]}, [("g.yaml", Use.PLUGIN)], id="plugins"),
        pytest.param({"transformers": ["kind: X\n"]}, [("kind: X\n", Use.PLUGIN)], id="a-plugin-in-place"),
        pytest.param({"patchesStrategicMerge": ["p.yaml", "kind: X\n"]}, [("p.yaml", Use.PART)], id="patches-in-place"),
        pytest.param(
            {"patches": [{"path": "p.yaml"}, {"patch": "- op: add"}, "odd"]}, [("p.yaml", Use.PART)], id="patches"
        ),
        pytest.param(
            {"replacements": [{"path": "r.yaml"}], "openapi": {"path": "s.json"}},
            [("r.yaml", Use.PART), ("s.json", Use.PART)],
            id="schema",
        ),
        pytest.param(
            {
                "secretGenerator": [{"files": ["key=a.txt", "b.txt"], "envs": ["c.env"]}],
                "configMapGenerator": [{"env": "d"}],
            },
            [("d", Use.VALUE), ("a.txt", Use.VALUE), ("b.txt", Use.VALUE), ("c.env", Use.VALUE)],
            id="generators",
        ),
        pytest.param(
            {"helmCharts": [{"name": "x", "valuesFile": "v.yaml"}]},
            [("v.yaml", Use.VALUE), ("charts/x", Use.CHART)],
            id="a-chart",
        ),
        pytest.param(
            {"helmGlobals": {"chartHome": "../c"}, "helmCharts": [{"name": "x", "version": "1", "repo": "https://r"}]},
            [("../c/x-1/x", Use.CHART)],
            id="a-chart-from-elsewhere",
        ),
        pytest.param(
            {"resources": "a.yaml", "patches": {"path": "b"}, "images": [{"name": "web"}]},
            [("a.yaml", Use.SOURCE)],
            id="odd-types",
        ),
    ],
)
def test_references(value: dict[str, Any], found: list[tuple[str, Use]]) -> None:
    """Files, folders and charts come out with what becomes of them; nothing else does."""
    assert [(one.text, one.use) for one in references(value)] == found


@pytest.mark.parametrize(
    ("text", "is_address"),
    [
        ("https://github.com/acme/shop//deploy?ref=v1", True),
        ("http://example.com/a.yaml", True),
        ("github.com/acme/shop/deploy", True),
        ("git@github.com:acme/shop.git", True),
        ("git::https://example.com/x.git", True),
        ("ssh://git@example.com/x.git", True),
        ("file:///etc/x", True),
        ("oci://ghcr.io/acme/x", True),
        ("../base", False),
        ("github.com.yaml", False),
        ("a:b.yaml", False),
        ("deploy/git@v1/x.yaml", False),
    ],
)
def test_addresses(text: str, is_address: bool) -> None:
    """What git or HTTP would fetch is told from what lies here."""
    assert Reference(text, (), Use.SOURCE).is_address is is_address
