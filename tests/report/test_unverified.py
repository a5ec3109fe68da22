"""A report that a stranger wrote: what it says is shown, and nothing that it claims to be."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from report_strategies import reports

from recon_action.errors import ExitCode, PublishError
from recon_action.model import AmendmentKind, Bucket, Mode, ObjectRef, Output, Problem, Revision, Trouble
from recon_action.report import from_json, render, to_json
from recon_action.report.document import Amended, Counts, Entry, Fault, Place, PlannedAction, Report
from recon_action.report.unverified import Known, unverified

PAGE, RUN = "https://github.com/acme/shop", "https://github.com/acme/shop/actions/runs/5"
KNOWN = Known("shop", "a" * 40, "b" * 40, PAGE, RUN)
REF = ObjectRef("", "Secret", "shop", "db")
TOKEN = "ghp_" + "A1b2C3d4" * 5


def claimed(**more: object) -> Report:
    """A validation that says what `more` says."""
    return Report(Mode.VALIDATE, "shop", "valid", ExitCode.OK, **more)  # type: ignore[arg-type]


@settings(deadline=None, max_examples=100)
@given(of=reports)
def test_nothing_but_what_it_says(of: Report) -> None:
    """Whatever is in it: a validation of our target, with our links alone, and no verdict on a cluster."""
    report = unverified(replace(of, mode=Mode.VALIDATE, target="shop"), KNOWN)
    assert (report.mode, report.target, report.run_url, report.base) == (Mode.VALIDATE, "shop", RUN, "b" * 40)
    assert (report.server, report.cluster_uid, report.digest, report.plan, report.corrections) == ("", "", "", (), ())
    assert report.counts == Counts(unasked=report.counts.unasked, failed=len(report.entries))
    is_fine = not (report.faults or report.problems or report.entries)
    assert report.exit_code is (ExitCode.OK if is_fine else ExitCode.DESIRED)
    assert report.result == ("valid" if is_fine else "error")
    assert all(entry == replace(entry, bucket=Bucket.FAILED, drift=None, changes=()) for entry in report.entries)
    places = [one.place for one in (*report.faults, *report.amendments, *report.entries) if one.place]
    assert all(place.url == "" or place.url.startswith(f"{PAGE}/blob/") for place in places)
    assert from_json(to_json(report)) == report
    assert "sync" not in render(report, Output.MARKDOWN).split("\n", 1)[0]


def test_claims_are_not_repeated() -> None:
    """A report that says it is in sync, of a cluster, with a plan and links elsewhere."""
    evil = "https://evil.example/x"
    report = unverified(
        claimed(
            counts=Counts(in_sync=40, unasked=2),
            entries=(Entry(REF, Bucket.IN_SYNC), Entry(REF, Bucket.PENDING, problem=Problem(Trouble.INVALID, "bad"))),
            plan=(PlannedAction(1, "delete", REF),),
            digest="f" * 16,
            show_plan=True,
            notes=("[click](https://evil.example)",),
            server=evil,
            cluster_uid="uid",
            revision=Revision("c" * 40, url=evil),
            run_url=evil,
            base="d" * 40,
            faults=(Fault(Place("k8s/a.yaml", 1, evil), "odd"),),
            amendments=(Amended(REF, AmendmentKind.REMOVED, (), Place("k8s/db.yaml", 2, evil)),),
        ),
        KNOWN,
    )
    text = render(report, Output.MARKDOWN)
    assert "evil.example/x" not in text
    assert "](https://evil" not in text
    assert "in sync" not in text
    assert "delete" not in text
    assert f"({PAGE}/blob/{'a' * 40}/k8s/a.yaml#L1)" in text
    assert f"({PAGE}/blob/{'b' * 40}/k8s/db.yaml#L2)" in text
    assert [entry.problem for entry in report.entries] == [Problem(Trouble.INVALID, "bad")]


@pytest.mark.parametrize(
    "file",
    ["../../../mallory/evil", "k8s/../../../evil", "/etc/passwd", "a//b", "k8s\\..\\x", "./a", ""],
)
def test_a_place_outside_has_no_link(file: str) -> None:
    """A browser would follow the dots to a page of somebody else."""
    (fault,) = unverified(claimed(faults=(Fault(Place(file, 1), "odd"),)), KNOWN).faults
    assert fault.place == Place(file, 1)


def test_a_file_name_stays_one() -> None:
    """What would end the address, or add to it, is percent-encoded."""
    (fault,) = unverified(claimed(faults=(Fault(Place("a b?x=1#y)[.yaml", 3), "odd"),)), KNOWN).faults
    assert fault.place.url == f"{PAGE}/blob/{'a' * 40}/a%20b%3Fx%3D1%23y%29%5B.yaml#L3"


@pytest.mark.parametrize(
    "secret",
    [
        TOKEN,
        "github_pat_" + "a1B2" * 8,
        "AKIAIOSFODNN7EXAMPLE",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----",
        "xoxb-1234567890-abcdef",
        "glpat-abcdefghij0123456789",
    ],
)
def test_what_looks_like_a_credential_is_masked(secret: str) -> None:
    """Wherever it stands: a comment stays in mails and in its history."""
    report = unverified(
        claimed(
            faults=(Fault(Place(secret, 1), f"x {secret} y", secret),),
            notes=(secret,),
            problems=(Problem(Trouble.INVALID, secret, secret, secret),),
            amendments=(Amended(replace(REF, name=secret), AmendmentKind.CHANGED, (f"data.{secret}",)),),
        ),
        KNOWN,
    )
    for output in Output:
        assert secret.rsplit("\n", maxsplit=1)[-1][:20] not in render(report, output).replace("&#95;", "_")
    assert report.notes == ("***",)


def test_huge_texts_and_numbers() -> None:
    """Nothing is as long, or as large, as somebody likes."""
    report = unverified(
        claimed(
            notes=("x" * 5_000_000,),
            counts=Counts(unasked=-5),
            files=10**18,
            faults=tuple(Fault(Place("a.yaml", -1), "`" * 100_000) for _ in range(3)),
        ),
        KNOWN,
    )
    assert (report.counts.unasked, report.files, len(report.notes[0])) == (0, 1_000_000, 2_000)
    assert len(render(report, Output.MARKDOWN).encode()) <= 60_000


@pytest.mark.parametrize(
    ("report", "why"),
    [
        (claimed(), None),
        (replace(claimed(), target="prod"), "another target than shop"),
        (replace(claimed(), mode=Mode.PREVIEW), "not of a validation"),
        (replace(claimed(), mode=Mode.APPLY), "not of a validation"),
    ],
    ids=["fine", "another target", "preview", "apply"],
)
def test_another_target_or_mode(report: Report, why: str | None) -> None:
    """What speaks for another target, or of a cluster, is not published."""
    if why is None:
        assert unverified(report, KNOWN).exit_code is ExitCode.OK
        return
    with pytest.raises(PublishError, match=why):
        unverified(report, KNOWN)
