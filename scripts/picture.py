"""Draws the README's picture, docs/images/drift.svg, from a real report: docs/images/drift.json.

`recon-action demo` leaves such a report; `python -m scripts.picture recon-report.json` takes it over and draws it,
without an argument the old one is drawn again. The picture is what a terminal shows, and needs nothing from elsewhere.
"""

import io
import re
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from recon_action.model import Output
from recon_action.report.codec import from_json
from recon_action.report.render import render

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
REPORT = IMAGES / "drift.json"
PICTURE = IMAGES / "drift.svg"
WIDTH = 100
_TITLE = "recon-action diff shop/"
_FONTS = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace'


def drawn(report: str) -> str:
    """The picture of a report, given as JSON."""
    text = render(from_json(report), Output.TEXT, width=WIDTH, color=True)
    console = Console(width=WIDTH, record=True, file=io.StringIO(), force_terminal=True, legacy_windows=False)
    console.print(Text.from_ansi(text.strip("\n")), end="\n\n")
    svg = console.export_svg(title=_TITLE, unique_id="drift")
    # GitHub shows images without anything that they would have to fetch.
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    return re.sub(r"font-family: (?:Fira Code|arial)[^;]*;", f"font-family: {_FONTS};", svg)


def main() -> None:
    """Take a report over, if one is named, and draw."""
    if len(sys.argv) > 1:
        REPORT.write_text(Path(sys.argv[1]).read_text())
    PICTURE.write_text(drawn(REPORT.read_text()))
    print(f"{PICTURE} drawn")


if __name__ == "__main__":
    main()
