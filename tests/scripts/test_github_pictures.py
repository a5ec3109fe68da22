"""The pictures of what people see on GitHub: drawn from reports that can still be read, and shown in the docs."""

import pytest

from recon_action.report.codec import from_json
from scripts import ROOT, script

IMAGES = ROOT / "docs/images"


@pytest.fixture
def pictures(monkeypatch: pytest.MonkeyPatch) -> object:
    """The script that draws them; none is drawn."""
    monkeypatch.syspath_prepend(ROOT / "scripts")
    return script("github_pictures")


def test_sources_can_be_drawn(pictures: object) -> None:
    """Each picture's report is read as today's reports are, and gives a page."""
    for name, place, width in pictures.PICTURES:  # type: ignore[attr-defined]
        shown = pictures.PAGES[place](from_json((IMAGES / f"{name}.json").read_text()))  # type: ignore[attr-defined]
        assert "shop" in shown
        assert (IMAGES / f"github-{place}-{width}.png").read_bytes().startswith(b"\x89PNG")


def test_every_picture_is_shown_and_small() -> None:
    """None lies about unseen, or weighs more than a page should."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    text = "".join(page.read_text() for page in pages)
    for picture in IMAGES.glob("*.png"):
        assert f"images/{picture.name}" in text
        assert picture.stat().st_size < 200_000


def test_the_report_of_the_terminals_picture_can_be_read() -> None:
    """It is an example of the format as well."""
    assert from_json((IMAGES / "drift.json").read_text()).entries
