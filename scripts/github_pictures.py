"""Draws what people see on GitHub, docs/images/github-*.png, from real reports: docs/images/github-*.json.

`python scripts/github_pictures.py` draws those; with a folder, every report in it (`*.json`) in every place, to be
looked at. Needs chromium (`apt-get install chromium-headless-shell fonts-liberation fonts-noto-color-emoji`), and
pngquant to keep the pictures small. Nothing is fetched.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

from github_page import Frame, page

from recon_action.errors import FailOn
from recon_action.github.check import conclusion
from recon_action.model import Output
from recon_action.model.memory import Memory
from recon_action.report import comment, issue, words
from recon_action.report.codec import from_json
from recon_action.report.document import Report
from recon_action.report.drift import drift_of
from recon_action.report.render import render

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
WIDTHS = {"wide": 1012, "narrow": 375}
# Each picture: the report that it shows, where, and how wide.
PICTURES = (
    ("github-preview", "comment", "wide"),
    ("github-preview", "comment", "narrow"),
    ("github-preview", "check", "wide"),
    ("github-drift", "issue", "wide"),
    ("github-drift", "issue", "narrow"),
    ("github-applied", "summary", "wide"),
)
_RUN = "https://github.com/acme/shop/actions/runs/123"
_HEIGHT = re.compile(r'data-height="(\d+)"')
_MEASURE = "<script>document.documentElement.dataset.height = document.documentElement.scrollHeight</script>"


def comment_page(report: Report) -> str:
    """The comment on a pull request."""
    head = report.revision.commit if report.revision else ""
    return page(comment.body(report, comment.Beside(head, report.base, _RUN, report.digest)), Frame("comment"))


def check_page(report: Report) -> str:
    """The check run of a commit."""
    title = f"recon-action: {report.target} — {words.title(report)}: {words.summary(report)}"
    state = conclusion(report.exit_code, FailOn.ERROR)
    return page(render(report, Output.MARKDOWN), Frame("check", title, state))


def summary_page(report: Report) -> str:
    """The job's summary."""
    return page(render(report, Output.MARKDOWN), Frame("summary", "Reconcile summary"))


def issue_page(report: Report) -> str:
    """The drift issue."""
    at = int(datetime.fromisoformat(report.started).timestamp())
    memory = Memory(since=at - 3 * 86_400, seen=72, last=at, applied=report.applied, applied_at=at - 4 * 86_400)
    text = issue.body(report, issue.State(memory, drift_of(report), at, 2, url=_RUN))
    return page(text, Frame("issue", issue.title(report.target), "Open"))


PAGES: Mapping[str, Callable[[Report], str]] = {
    "comment": comment_page,
    "check": check_page,
    "summary": summary_page,
    "issue": issue_page,
}


def draw(shown: str, picture: Path, width: int) -> None:
    """A page as a picture, as high as it needs to be."""
    browser = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "google-chrome"))), None)
    if browser is None:
        sys.exit("no chromium: apt-get install chromium-headless-shell")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "page.html")
        file.write_text(shown.replace("</body>", f"{_MEASURE}</body>"))
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={folder}/user"]

        def browse(*more: str, height: int) -> str:
            command = [browser, *options, f"--window-size={width},{height}", *more, file.as_uri()]
            return subprocess.run(command, check=True, capture_output=True, text=True).stdout

        measured = _HEIGHT.search(browse("--dump-dom", height=100))
        height = int(measured[1]) if measured else 600
        browse("--force-device-scale-factor=2", f"--screenshot={picture}", height=height)
    if shutil.which("pngquant"):
        subprocess.run(["pngquant", "--force", "--strip", "--ext", ".png", "64", str(picture)], check=True)


def main() -> None:
    """Draw the pictures of the docs, or of all reports in a folder."""
    if len(sys.argv) > 1:
        for file in sorted(Path(sys.argv[1]).glob("*.json")):
            report = from_json(file.read_text())
            for place, shown in PAGES.items():
                for name, width in WIDTHS.items():
                    draw(shown(report), file.with_name(f"{file.stem}-{place}-{name}.png"), width)
        return
    for name, place, width in PICTURES:
        report = from_json((IMAGES / f"{name}.json").read_text())
        picture = IMAGES / f"github-{place}-{width}.png"
        draw(PAGES[place](report), picture, WIDTHS[width])
        print(f"{picture.relative_to(Path.cwd()) if picture.is_relative_to(Path.cwd()) else picture} drawn")


if __name__ == "__main__":
    main()
