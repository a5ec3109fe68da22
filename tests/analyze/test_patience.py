"""How long an object says it may take."""

import pytest
from objects import body_of, manifest_of

from recon_action.analyze.patience import TIMEOUT, misread, patience
from recon_action.model import Body


def _annotated(value: object) -> Body:
    return body_of(metadata={"annotations": {TIMEOUT: value}})


@pytest.mark.parametrize(
    ("body", "seconds", "told"),
    [
        pytest.param(body_of(), None, False, id="no-annotations"),
        pytest.param(body_of(metadata={"annotations": None}), None, False, id="null"),
        pytest.param(body_of(metadata={"annotations": {"other": "5m"}}), None, False, id="another"),
        pytest.param(_annotated("1h30m"), 5400.0, False, id="hours"),
        pytest.param(_annotated(" 90s "), 90.0, False, id="blanks"),
        pytest.param(_annotated("0"), 0.0, False, id="none"),
        pytest.param(_annotated(90), 90.0, False, id="a-number-in-yaml"),
        pytest.param(_annotated("10 minutes"), None, True, id="words"),
        pytest.param(_annotated(""), None, True, id="empty"),
    ],
)
def test_the_annotation(body: Body, seconds: float | None, *, told: bool) -> None:
    """Is read as the option is; what can't be read is told, with its place, and does not count."""
    assert patience(body) == seconds
    sentences = misread([manifest_of(body, file="app.yaml", line=3)])
    assert bool(sentences) is told
    assert all(sentence.startswith(f"app.yaml:3: ConfigMap web: {TIMEOUT}: ") for sentence in sentences)
