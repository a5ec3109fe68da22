"""Events as GitHub's own examples have them, and what the readers make of payloads that somebody has mangled."""

import copy
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
from fake_runner import FakeRunner
from hypothesis import given
from hypothesis import strategies as st
from payloads import EXAMPLES, SCHEMAS, faults_of, payload

from recon_action.action import mode_of
from recon_action.errors import ReconError, UsageError
from recon_action.github.event import EventContext, read_event
from recon_action.github.publish import channels_of
from recon_action.model import Mode

SHA, HEAD, BASE = "c" * 40, "a" * 40, "b" * 40
OURS, FORK = "Codertocat/Hello-World", {"full_name": "mallory/Hello-World"}
OPENED, CLOSED, LABELED = "pull-request-opened", "pull-request-closed", "pull-request-labeled"
ENDED, QUEUED = "workflow-run-completed", "merge-group-checks-requested"
DISPATCHED = "repository-dispatch-sample.collected"
PULL = {"pull_request.head.sha": HEAD, "pull_request.base.sha": BASE}
RUN = {"workflow_run.head_sha": HEAD, "workflow_run.event": "pull_request", "workflow_run.head_branch": "patch-1"}
QUEUE = "refs/heads/gh-readonly-queue/main/pr-104-" + HEAD


def fork_of(example: str) -> Mapping[str, Any]:
    """Changes that move the head of the example's pull request to a fork."""
    whole = EXAMPLES["examples"][example]["pull_request"]["head"]["repo"]
    return {"pull_request.head.repo": {**payload(example)["pull_request"]["head"]["repo"], **whole, **FORK}}


def user(login: str, example: str = OPENED) -> Mapping[str, Any]:
    return {"pull_request.user": {**EXAMPLES["examples"][example]["pull_request"]["user"], "login": login}}


def read(tmp_path: Path, name: str, given: object, repository: str = OURS, **more: str) -> EventContext:
    environ = FakeRunner(tmp_path).environ(name, given, GITHUB_REPOSITORY=repository, GITHUB_SHA=SHA, **more)
    return read_event(environ)


@pytest.mark.parametrize(
    ("name", "example", "changes", "expected"),
    [
        pytest.param(
            "push",
            "push",
            {"before": BASE, "created": False},
            {"head": SHA, "base": BASE, "branch": "main", "default_branch": "master"},
            id="push",
        ),
        pytest.param("push", "push", {}, {"head": SHA, "base": ""}, id="push of a new branch"),
        pytest.param("push", "push", {"deleted": True}, {"deleted": True}, id="push that deletes"),
        pytest.param(
            "pull_request",
            OPENED,
            PULL,
            {"head": HEAD, "base": BASE, "action": "opened", "foreign": False, "dependabot": False},
            id="pull request",
        ),
        pytest.param(
            "pull_request",
            OPENED,
            {**PULL, **fork_of(OPENED)},
            {"head": HEAD, "base": BASE, "foreign": True},
            id="pull request of a fork",
        ),
        pytest.param(
            "pull_request",
            LABELED,
            {**PULL, "pull_request.head.repo": None},
            {"head": HEAD, "base": BASE, "foreign": True},
            id="pull request of a fork that is gone",
        ),
        pytest.param(
            "pull_request",
            OPENED,
            {**PULL, **user("dependabot[bot]")},
            {"head": HEAD, "foreign": False, "dependabot": True},
            id="pull request of Dependabot",
        ),
        pytest.param(
            "pull_request_target",
            OPENED,
            PULL,
            {"head": HEAD, "base": BASE, "foreign": False},
            id="pull_request_target",
        ),
        pytest.param(
            "merge_group",
            QUEUED,
            {"merge_group.head_sha": HEAD, "merge_group.base_sha": BASE},
            {"head": HEAD, "base": BASE, "foreign": False},
            id="merge group",
        ),
        pytest.param("workflow_dispatch", "workflow-dispatch", {}, {"head": SHA, "base": ""}, id="by hand"),
        pytest.param("issue_comment", "issue-comment-created", {}, {"head": SHA, "base": ""}, id="comment"),
        pytest.param("workflow_run", ENDED, RUN, {"head": HEAD, "base": "", "foreign": False}, id="workflow run"),
        pytest.param(
            "repository_dispatch", DISPATCHED, {}, {"head": SHA, "base": "", "action": "on-demand-test"}, id="dispatch"
        ),
    ],
)
def test_head_and_base(
    tmp_path: Path, name: str, example: str, changes: Mapping[str, Any], expected: Mapping[str, Any]
) -> None:
    """The commits that a report speaks of, and whose they are, on each event as GitHub sends it."""
    event = read(tmp_path, name, payload(example, changes))
    assert {field: getattr(event, field) for field in expected} == expected
    assert (event.name, event.sha) == (name, SHA)


def test_schedule(tmp_path: Path) -> None:
    """A schedule has no description; it names its cron line and the repository."""
    event = read(tmp_path, "schedule", {"schedule": "7 */6 * * *", "repository": payload("push")["repository"]})
    assert (event.head, event.base, event.default_branch, event.pull) == (SHA, "", "master", None)


def test_pull_request_that_is_closed_or_a_draft(tmp_path: Path) -> None:
    """Merged or not, it says so; and a draft does."""
    closed = read(tmp_path / "closed", "pull_request", payload(CLOSED)).pull
    draft = read(tmp_path / "draft", "pull_request", payload(OPENED, {"pull_request.draft": True})).pull
    assert closed is not None
    assert draft is not None
    assert (closed.closed, draft.closed, draft.draft) == (True, False, True)
    assert (draft.number, draft.base_branch, draft.author) == (2, "master", "Codertocat")


def test_merge_group_names_its_pull_request(tmp_path: Path) -> None:
    """By the name of the queue's branch alone: there is no such key."""
    event = read(tmp_path, "merge_group", payload(QUEUED), "octo-org/octo-repo", GITHUB_REF=QUEUE)
    assert event.pull is not None
    assert event.pull.number == 104


def test_comment_on_a_pull_request(tmp_path: Path) -> None:
    """A key of the issue tells, and nothing else does; no head is known."""
    link = dict.fromkeys(("url", "diff_url", "html_url", "patch_url"), "https://api.github.com/x")
    on_issue = read(tmp_path / "issue", "issue_comment", payload("issue-comment-created")).comment
    pull = payload("issue-comment-created", {"issue.pull_request": link, "comment.user": None})
    on_pull = read(tmp_path / "pull", "issue_comment", pull).comment
    assert on_issue is not None
    assert on_pull is not None
    assert (on_issue.on_pull_request, on_issue.author, on_issue.is_bot) == (False, "Codertocat", False)
    assert (on_pull.on_pull_request, on_pull.author, on_pull.is_bot) == (True, "", True)


@pytest.mark.parametrize(
    ("repository", "name"), [(FORK, "mallory/Hello-World"), (None, "")], ids=["fork", "fork that is gone"]
)
def test_the_run_of_a_fork(tmp_path: Path, repository: Mapping[str, Any] | None, name: str) -> None:
    """It names commit, branch and repository, and no pull request."""
    whole = payload(ENDED)["workflow_run"]["head_repository"]
    head = None if repository is None else {**whole, **repository}
    given = payload(ENDED, {**RUN, "workflow_run.head_repository": head, "workflow_run.run_attempt": 3})
    source = read(tmp_path, "workflow_run", given).source
    assert source is not None
    assert given["workflow_run"]["pull_requests"] == []
    assert (source.event, source.head, source.head_repository) == ("pull_request", HEAD, name)
    assert (source.branch, source.attempt, source.conclusion) == ("patch-1", 3, "success")


def test_a_pull_request_of_which_nothing_is_known_is_a_strangers(tmp_path: Path) -> None:
    """Some runners in Kubernetes mount no payload, and have an identity in the cluster all the same."""
    assert read(tmp_path, "pull_request", {}).foreign


def test_every_example_is_one() -> None:
    """A payload that GitHub would not send is told from one that it would."""
    assert set(EXAMPLES["examples"]) == set(SCHEMAS["events"])
    assert list(faults_of("push", {})) != []
    with pytest.raises(ValueError, match=r"pull_request\.number"):
        payload(OPENED, {"pull_request.number": "2"})


JUNK = (None, True, -5, 2**70, 1.5, "", "../..", ["x", None], {"sha": {"sha": 1}})
NAMES = st.sampled_from(
    [
        *("push", "schedule", "pull_request", "pull_request_target", "merge_group", "workflow_dispatch"),
        *("workflow_run", "issue_comment", "repository_dispatch", "pull_request_review", "", "\ufffd"),
    ]
)


def places(of: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a payload."""
    found = [path] if path else []
    keys = list(of) if isinstance(of, dict) else range(len(of)) if isinstance(of, list) else ()
    for key in keys:
        found += places(of[key], (*path, key))  # type: ignore[index]
    return found


KEYS = {
    *("action", "before", "default_branch", "deleted", "repository", "full_name"),
    *("pull_request", "head", "base", "repo", "sha", "ref", "number", "state", "draft"),
    *("comment", "issue", "body", "id", "user", "login", "type"),
    *("merge_group", "head_sha", "base_sha"),
    *("workflow_run", "event", "head_branch", "head_repository", "conclusion", "run_attempt"),
}
# Where anything that could be read stands.
READ = {
    name: [place for place in places(example) if len(place) <= 4 and place[-1] in KEYS]
    for name, example in EXAMPLES["examples"].items()
}


GONE = object()


def put(made: Any, place: tuple[Any, ...], value: object) -> None:
    """Put `value` there, if the place is still there."""
    try:
        for key in place[:-1]:
            made = made[key]
        if value is GONE:
            del made[place[-1]]
        else:
            made[place[-1]] = value
    except (KeyError, IndexError, TypeError):
        return


@st.composite
def mangled(draw: st.DrawFn) -> object:
    """An example in which keys are gone, null, or of another type; now and then nothing is left of it."""
    example = draw(st.sampled_from(sorted(READ)))
    made: Any = copy.deepcopy(EXAMPLES["examples"][example])
    for place in draw(st.lists(st.sampled_from(READ[example]), max_size=9)):
        put(made, place, draw(st.sampled_from((GONE, *JUNK))))
    return draw(st.sampled_from((made,) * 20 + JUNK))


def is_typed(value: object) -> bool:
    """Whether a context holds what its fields say: numbers that count, texts, and nothing of the payload's own."""
    if is_dataclass(value):
        return all(is_typed(getattr(value, field.name)) for field in fields(value))
    if isinstance(value, tuple):
        return all(isinstance(item, str) for item in value)
    return value is None or isinstance(value, str) or (isinstance(value, int) and value >= 0)


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> FakeRunner:
    return FakeRunner(tmp_path_factory.mktemp("runner"))


def check(event: EventContext) -> None:
    """Whatever a payload says, what comes of it holds together."""
    assert is_typed(event)
    if event.name.startswith("pull_request") and (event.pull is None or event.pull.head_repository != OURS):
        assert event.foreign
    try:
        mode: Mode | None = mode_of(event, "auto", (), self_heal=True)
    except ReconError:
        mode = None
    assert isinstance(channels_of(event, mode), tuple)


@pytest.mark.parametrize("example", sorted(READ))
def test_no_part_of_a_payload_is_taken_for_granted(runner: FakeRunner, example: str) -> None:
    """Whatever is missing, null or of another type is unknown; and what is not known to be ours is not trusted."""
    name = example.partition("-")[0] + "_" + example.split("-")[1] if "-" in example else example
    for place in READ[example]:
        for value in (GONE, *JUNK):
            made = copy.deepcopy(EXAMPLES["examples"][example])
            put(made, place, value)
            check(read_event(runner.environ(name, made, GITHUB_REPOSITORY=OURS, GITHUB_SHA=SHA)))


@given(name=NAMES, content=mangled(), ref=st.sampled_from(["refs/heads/main", QUEUE, "refs/tags/v1", "", "main"]))
def test_no_payload_is_too_odd(runner: FakeRunner, name: str, content: object, ref: str) -> None:
    """Nor does it matter what comes together, or which event it is said to be."""
    check(read_event(runner.environ(name, content, GITHUB_REPOSITORY=OURS, GITHUB_SHA=SHA, GITHUB_REF=ref)))


@given(cut=st.integers(0, 8_000), odd=st.binary(max_size=4))
def test_no_file_is_too_broken(runner: FakeRunner, cut: int, odd: bytes) -> None:
    """A payload that is no JSON is a usage error, and nothing else."""
    environ = runner.environ("pull_request", EXAMPLES["examples"][OPENED])
    file = Path(environ["GITHUB_EVENT_PATH"])
    file.write_bytes(file.read_bytes()[:cut] + odd)
    try:
        assert is_typed(read_event(environ))
    except UsageError as error:
        assert "can't be read" in error.message  # noqa: PT017 - most, but not all, of them are broken


def test_deep_payload(runner: FakeRunner) -> None:
    """Nesting that no reader follows is a usage error too."""
    environ = runner.environ("push")
    Path(environ["GITHUB_EVENT_PATH"]).write_text('{"a":' * 100_000 + "1" + "}" * 100_000)
    with pytest.raises(UsageError, match="can't be read"):
        read_event(environ)


def test_the_scripts_keep_the_same_events() -> None:
    """What is described and what is shown come from one list of one script."""
    script = Path(__file__).resolve().parents[2] / "scripts" / "github_payloads.py"
    text = script.read_text(encoding="utf-8")
    assert all(f'"{name}": (' in text for name in SCHEMAS["events"])
    assert SCHEMAS["info"]["title"].split(" ")[3] in text
    assert EXAMPLES["info"]["title"].split(" ")[2] in text
