"""What was rendered is told with what it was rendered of, in every format."""

from dataclasses import replace

import pytest
from report_scenarios import REVISION, manifest, missing, ref, report

from recon_action.model import Origin, Output
from recon_action.report import render
from recon_action.report.document import Place
from recon_action.report.places import place_of
from recon_action.report.words import origin

WEB = ref("Deployment", "web")


@pytest.mark.parametrize(
    ("place", "said"),
    [
        pytest.param(Place("k8s/web.yaml", 3), "k8s/web.yaml:3", id="plain"),
        pytest.param(Place("a.sops.yaml", 3, source="sops"), "a.sops.yaml:3", id="decrypted"),
        pytest.param(
            Place("b/w.yaml", 3, source="kustomize", via="prod"), "b/w.yaml:3, from overlay prod", id="overlay"
        ),
        pytest.param(Place("c/t/w.yaml", 3, source="helm", via="c"), "c/t/w.yaml:3, from chart c", id="chart"),
    ],
)
def test_words(place: Place, said: str) -> None:
    """An overlay, or a chart; of anything else the place alone."""
    assert origin(place) == said


def test_every_format_tells() -> None:
    """With a link to the file that the object was made from."""
    made = Origin("base/web.yaml", 0, 7, source="kustomize", via="overlays/prod")
    verdict = replace(missing(WEB), manifest=replace(manifest(WEB), origin=made))
    found = report(verdict)
    place = found.entries[0].place
    assert place is not None
    assert (place.source, place.via) == ("kustomize", "overlays/prod")
    assert place.url.endswith("/base/web.yaml#L7")
    for output in (Output.TEXT, Output.MARKDOWN):
        assert "base/web.yaml" in render(found, output)
        assert "from overlay overlays/prod" in " ".join(render(found, output).split())
    assert '"via": "overlays/prod"' in render(found, Output.JSON)


def test_a_name_that_no_output_can_hold() -> None:
    """Python keeps undecodable bytes as surrogates."""
    made = Origin("base/web.yaml", source="kustomize", via="over\udcfflay")
    assert place_of(made.position, REVISION, made).via == "over?lay"
