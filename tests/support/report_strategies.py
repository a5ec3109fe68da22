"""Reports as hypothesis makes them: every field, hostile text, any JSON."""

from hypothesis import strategies as st

from recon_action.errors import ExitCode
from recon_action.model import (
    ActionKind,
    AmendmentKind,
    Bucket,
    Cause,
    Correction,
    DriftKind,
    Mode,
    ObjectRef,
    Outcome,
    Problem,
    Revision,
    Severity,
    Trouble,
)
from recon_action.report.document import Amended, Change, Counts, Entry, Fault, Partial, Place, PlannedAction, Report

_PIECES = (
    "`", "```", "````", "~~~", "|", "\n", "\r\n", "</details>", "<details>", "-->", "<!--", "@team", "#1", "GH-1",
    "![x](http://a.b/c)", "[a](b)", "http://a.example", "www.a.example", "a@b.example", "::error::x", "*", "_", "**b**",
    "\x1b[31m", "\x07", "\u202e", "\u2066", "\u200b", "\u2028", "\t", " ", "    ", "- ", "1. ", "> ", "# ", "+ ", "===",
    "&lt;", "&#64;", "\\", "$x$", "<script>", "<img src=x>", ":tada:", "word", "é", "😀", "\x00", "%0A", "'", '"',
    "{", "}",
)  # fmt: skip

text = st.lists(st.sampled_from(_PIECES) | st.text(max_size=6), max_size=6).map("".join)
json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=12,
)
numbers = st.integers(0, 10_000)
refs = st.builds(ObjectRef, text, text, text, text)
urls = st.just("") | text | text.map("https://github.com/acme/{}".format)
places = st.builds(Place, file=text, line=st.integers(1, 9999), url=urls)
problems = st.builds(Problem, st.sampled_from(Trouble), message=text, hint=text, verb=text, status=numbers)


@st.composite
def changes(draw: st.DrawFn) -> Change:
    has_desired, has_live, redacted = draw(st.booleans()), draw(st.booleans()), draw(st.booleans())
    return Change(
        path=draw(text),
        cause=draw(st.sampled_from(Cause)),
        has_desired=has_desired,
        desired=draw(json) if has_desired and not redacted else None,
        has_live=has_live,
        live=draw(json) if has_live and not redacted else None,
        redacted=redacted,
        tool=draw(text),
        since=draw(text | st.just("2026-11-30T14:02:11Z")),
        additive=draw(st.booleans()),
        place=draw(st.none() | places),
    )


entries = st.builds(
    Entry,
    ref=refs,
    bucket=st.sampled_from(Bucket),
    drift=st.none() | st.sampled_from(DriftKind),
    cause=st.none() | st.sampled_from(Cause),
    severity=st.sampled_from(Severity),
    changes=st.lists(changes(), max_size=3).map(tuple),
    place=st.none() | places,
    reason=text,
    problem=st.none() | problems,
    managed=st.booleans(),
    predicted=st.booleans(),
    local=st.booleans(),
    outcome=st.none() | st.sampled_from(Outcome),
    health=st.sampled_from(["", "Current", "InProgress", "Failed", "NotFound"]) | text,
    health_message=text,
)
amended = st.builds(
    Amended,
    refs,
    st.sampled_from(AmendmentKind),
    st.lists(text, max_size=7).map(tuple),
    st.none() | places,
)
reports = st.builds(
    Report,
    mode=st.sampled_from(Mode),
    target=text,
    result=st.sampled_from(["in-sync", "different", "applied", "incomplete", "unhealthy", "refused", "valid", "error"]),
    exit_code=st.sampled_from(ExitCode),
    counts=st.builds(Counts, *[numbers] * 11),
    entries=st.lists(entries, max_size=4).map(tuple),
    problems=st.lists(problems, max_size=2).map(tuple),
    faults=st.lists(st.builds(Fault, places, text, text), max_size=2).map(tuple),
    amendments=st.lists(amended, max_size=2).map(tuple),
    plan=st.lists(
        st.builds(
            PlannedAction,
            st.integers(1, 5),
            st.sampled_from([kind.value for kind in ActionKind]),
            refs,
            needs=st.lists(refs, max_size=7).map(tuple),
            awaits=st.lists(refs, max_size=2).map(tuple),
            wave=st.integers(-1, 1),
            fingerprint=text,
        ),
        max_size=4,
    ).map(tuple),
    digest=text | st.just("9f86d081884c7d65-a1b2c3d4"),
    show_plan=st.booleans(),
    notes=st.lists(text, max_size=2).map(tuple),
    partial=st.none() | st.builds(Partial, numbers, numbers, text),
    server=text,
    server_version=text,
    cluster_uid=text,
    revision=st.none() | st.builds(Revision, commit=text, branch=text, dirty=st.booleans(), repository=text, url=urls),
    files=numbers,
    skipped_files=numbers,
    started=text | st.just("2026-11-30T14:05:00Z"),
    seconds=st.floats(0, 1e6),
    run_url=urls,
    base=text,
    applied=text,
    corrections=st.lists(st.builds(Correction, text, refs, text, text), max_size=2).map(tuple),
    version=text,
)
