"""The report of a validation: what is wrong, what the change does, and never a word of what runs."""

import re
from html import unescape
from typing import Any

import pytest
from objects import body_of, manifest_of

from recon_action.errors import ExitCode
from recon_action.model import (
    Amendment,
    AmendmentKind,
    Desired,
    FieldPath,
    Mode,
    Output,
    Position,
    Problem,
    Revision,
    Trouble,
)
from recon_action.redact import Secrets
from recon_action.report import from_json, render, to_json
from recon_action.report.build import Facts
from recon_action.report.document import Report
from recon_action.report.validation import Checked, validation

PAGE = "https://github.com/acme/shop"
HEAD = Revision("a" * 40, url=PAGE, root="/home/runner/work")
BASE = Revision("b" * 40, url=PAGE)
WEB = manifest_of(body_of(namespace="shop"), file="k8s/web.yaml", line=7)


DESIRED = Desired((WEB,), files=3, revision=HEAD)
NOTHING = Secrets.nothing()


def made(secrets: Secrets = NOTHING, desired: Desired = DESIRED, **more: Any) -> Report:
    return validation("shop", Checked(desired, **more), secrets, Facts(run_url=f"{PAGE}/actions/runs/1"))


def texts(report: Report) -> list[str]:
    return [unescape(render(report, output)) for output in (Output.TEXT, Output.MARKDOWN)]


def test_nothing_is_wrong() -> None:
    """The manifests are valid; that is all."""
    report = made()
    assert (report.mode, report.exit_code, report.result) == (Mode.VALIDATE, ExitCode.OK, "valid")
    assert (report.counts.unasked, report.counts.total, report.counts.in_sync) == (1, 1, 0)
    assert report.revision == Revision("a" * 40, url=PAGE)
    assert from_json(to_json(report)) == report
    for text in texts(report):
        assert "no cluster was asked" in text.lower()
        assert "sync" not in text.lower()
        assert "✅" not in text


def test_faults() -> None:
    """Each with its place, its link and what to write instead; the run has failed."""
    faults = [(Position("k8s/a b.yaml", 4, 2), "kind is no text", "write one"), (Position("/tmp/x", 1), "odd", "")]
    report = made(desired=Desired((), revision=HEAD), faults=faults)
    assert (report.exit_code, report.result, report.counts.total) == (ExitCode.DESIRED, "error", 0)
    inside, outside = report.faults
    assert (inside.place.line, inside.place.url) == (4, f"{PAGE}/blob/{'a' * 40}/k8s/a%20b.yaml#L4")
    assert outside.place.url == ""
    for text in texts(report):
        assert "k8s/a b.yaml:4" in text
        assert "kind is no text" in text
        assert "write one" in text
        assert "2 faults" in text


def test_what_the_change_does() -> None:
    """By object and field, without a value; what is gone links to the commit that had it."""
    gone = manifest_of(body_of("Secret", "db"), file="k8s/db.yaml", line=3)
    amendments = [
        Amendment(AmendmentKind.REMOVED, gone),
        Amendment(AmendmentKind.CHANGED, WEB, (FieldPath(("data", "color")), FieldPath(("data", "size")))),
    ]
    report = made(amendments=amendments, base=BASE)
    removed, changed = report.amendments
    assert removed.place is not None
    assert changed.place is not None
    assert (removed.place.url, changed.place.url) == (
        f"{PAGE}/blob/{'b' * 40}/k8s/db.yaml#L3",
        f"{PAGE}/blob/{'a' * 40}/k8s/web.yaml#L7",
    )
    assert changed.paths == ("data.color", "data.size")
    assert report.exit_code is ExitCode.OK
    for text in texts(report):
        assert "changed: data.color, data.size" in re.sub(r"<[^>]*>", "", text)
        assert "1 removed" in text
        assert text.index("Secret db") < text.index("ConfigMap shop/web")


def test_nothing_secret() -> None:
    """A key may be a secret's value elsewhere: no text passes unseen."""
    secrets = Secrets(frozenset({"hunter2-hunter2"}))
    report = made(
        secrets,
        faults=[(Position("a.yaml", 1), "hunter2-hunter2 is odd", "not hunter2-hunter2")],
        amendments=[Amendment(AmendmentKind.CHANGED, WEB, (FieldPath(("data", "hunter2-hunter2")),))],
        notes=["see hunter2-hunter2"],
        problems=[Problem(Trouble.INVALID, "hunter2-hunter2")],
    )
    for text in (*texts(report), to_json(report)):
        assert "hunter2" not in text
        assert "***" in text


@pytest.mark.parametrize("budget", [2_000, 6_000])
def test_more_than_there_is_room_for(budget: int) -> None:
    """It is cut between faults and between objects, and says how many are missing."""
    faults = [(Position(f"k8s/{number}.yaml", number + 1), "x" * 60, "y" * 60) for number in range(300)]
    amendments = [Amendment(AmendmentKind.ADDED, manifest_of(body_of(name=f"c{number}"))) for number in range(300)]
    text = render(made(faults=faults, amendments=amendments), Output.MARKDOWN, budget=budget)
    assert len(text.encode()) <= budget
    assert "faults not shown**, to keep the text within its limit" in text
    assert "objects not shown**, to keep the text within its limit" in text
    shown = text.count("- <code>k8s/") + text.count("- [<code>k8s/")
    hidden = int(text.partition(" faults not shown")[0].rpartition("**")[2].rpartition(" ")[2])
    assert shown + hidden == 300


def test_tried_on_a_control_plane() -> None:
    """The version is named, and still that no cluster was asked."""
    report = made(server_version="v1.34 (emulated by v1.37.2)")
    text = render(report, Output.TEXT)
    assert text.startswith("shop: checked on v1.34 (emulated by v1.37.2)")
    assert "tried on an API server that had nothing but these manifests" in text
    assert from_json(to_json(report)) == report
