"""The fake GitHub is strict: what GitHub's description does not allow is noticed, on both sides."""

import importlib.util
import json
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from fake_github import BOT, FakeGitHub, contract, fake_github
from fake_github.operations import _ACTS

REPO = "/repos/acme/shop"
SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "github_openapi.py"


def ask(fake: FakeGitHub, method: str, path: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(fake.api + path, data, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        return json.loads(error.read())


def test_every_operation_is_carried_out() -> None:
    """What is described is implemented, and nothing else."""
    described = {
        f"{method.upper()} {path.removeprefix('/repos/{owner}/{repo}')}"
        for path, methods in contract.DOCUMENT["paths"].items()
        for method in methods
    }
    assert described == set(_ACTS)


def test_what_is_described_is_what_the_script_keeps() -> None:
    """The description is only ever written by scripts/github_openapi.py."""
    spec = importlib.util.spec_from_file_location("github_openapi", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert {path: list(methods) for path, methods in contract.DOCUMENT["paths"].items()} == {
        path: sorted(methods) for path, methods in script.OPERATIONS.items()
    }
    assert script.PACKAGE in contract.DOCUMENT["info"]["title"]


def test_every_sample_is_valid() -> None:
    """The smallest thing of each schema keeps to it, so that answers begin as valid ones."""
    for name in contract.DOCUMENT["components"]["schemas"]:
        if isinstance(value := contract._smallest({"$ref": f"#/components/schemas/{name}"}), dict):
            assert list(contract._faults(name, {"$ref": f"urn:github#/components/schemas/{name}"}, value)) == []


@pytest.mark.parametrize(
    ("method", "path", "body", "fault"),
    [
        ("POST", "/issues/7/comments", {}, "'body' is a required property"),
        ("POST", "/issues/7/comments", {"body": "x", "note": "y"}, "'note' was unexpected"),
        ("GET", "/issues/7/comments?pages=2", None, "no parameter pages"),
        ("GET", "/issues/7/comments?page=two", None, "'two' is not of type 'integer'"),
        ("POST", "/check-runs", {"name": "x", "head_sha": "y", "conclusion": "good"}, "'good' is not one of"),
        (
            "POST",
            "/check-runs",
            {"name": "x", "head_sha": "y", "output": {"title": "t", "summary": "x" * 65_536}},
            "is too long",
        ),
        ("GET", "/releases", None, "no such operation"),
    ],
)
def test_bad_requests(fake: FakeGitHub, method: str, path: str, body: Any, fault: str) -> None:
    """A request that GitHub's description does not allow is noticed."""
    ask(fake, method, REPO + path, body)
    assert fault in "\n".join(fake.violations)
    fake.violations.clear()


def test_bad_answer(fake: FakeGitHub) -> None:
    """So is an answer: a fake that drifts from GitHub is no help."""
    fake.state.pulls[7].number = "seven"  # type: ignore[assignment]
    ask(fake, "GET", f"{REPO}/pulls/7")
    assert "'seven' is not of type 'integer'" in "\n".join(fake.violations)
    fake.violations.clear()


def test_what_is_noticed_fails_the_test() -> None:
    """However the code under test takes the answer."""
    running = fake_github()
    ask(running.__enter__(), "GET", "/nowhere")
    with pytest.raises(AssertionError, match="no such operation: GET /nowhere"):
        running.__exit__(None, None, None)


def test_what_the_description_leaves_out(fake: FakeGitHub) -> None:
    """A completed check needs a conclusion, no text has characters beyond U+FFFF, and no comment is too long."""
    check = {"name": "x", "head_sha": "a" * 40}
    output = {"title": "t", "summary": "🔥"}
    assert (
        "conclusion is required" in ask(fake, "POST", f"{REPO}/check-runs", check | {"status": "completed"})["message"]
    )
    assert "annotations invalid" in ask(fake, "POST", f"{REPO}/check-runs", check | {"output": output})["message"]
    assert ask(fake, "POST", f"{REPO}/issues/7/comments", {"body": "x" * 65_537})["message"] == "Validation Failed"


def test_a_private_repository_hides(fake: FakeGitHub) -> None:
    """Reading needs a permission, too, where not everybody may."""
    fake.is_public = False
    fake.permissions.clear()
    assert "not accessible" in ask(fake, "GET", f"{REPO}/issues/7/comments")["message"]
    fake.permissions["issues"] = "read"
    assert ask(fake, "GET", f"{REPO}/issues/7/comments") == []
    assert "not accessible" in ask(fake, "POST", f"{REPO}/issues/7/comments", {"body": "x"})["message"]


def test_issues(fake: FakeGitHub) -> None:
    """Issues are opened, found by label and creator, edited, and closed; pull requests are among them."""
    opened = ask(fake, "POST", f"{REPO}/issues", {"title": "drift", "body": "b", "labels": ["recon-drift"]})
    path = f"{REPO}/issues/{opened['number']}"
    assert [one["number"] for one in ask(fake, "GET", f"{REPO}/issues?creator={BOT}&labels=recon-drift")] == [8]
    assert {one["number"]: "pull_request" in one for one in ask(fake, "GET", f"{REPO}/issues")} == {8: False, 7: True}
    ask(fake, "POST", f"{path}/labels", {"labels": ["snooze"]})
    ask(fake, "PATCH", path, {"state": "closed", "state_reason": "completed"})
    closed = ask(fake, "GET", path)
    assert (closed["state"], closed["state_reason"], len(closed["labels"])) == ("closed", "completed", 2)
    assert ask(fake, "GET", f"{REPO}/issues?labels=snooze") == []
    fake.state.has_issues = False
    assert "disabled" in ask(fake, "GET", f"{REPO}/issues")["message"]


def test_people_and_commits(fake: FakeGitHub) -> None:
    """Permissions fold roles together; a commit knows its pull requests; a comment takes each reaction once."""
    fake.state.collaborators["octocat"] = "maintain"
    assert ask(fake, "GET", f"{REPO}/collaborators/octocat/permission")["permission"] == "write"
    assert ask(fake, "GET", f"{REPO}/collaborators/mallory/permission")["message"] == "Not Found"
    fake.state.add_pull(9, head="c" * 40, head_repository=None, merge_commit="d" * 40)
    for sha in ("c" * 40, "d" * 40):
        (found,) = ask(fake, "GET", f"{REPO}/commits/{sha}/pulls")
        assert (found["number"], found["head"]["repo"]) == (9, None)
    comment = fake.state.add_comment(7, "", "/recon diff")
    for _ in range(2):
        ask(fake, "POST", f"{REPO}/issues/comments/{comment.id}/reactions", {"content": "eyes"})
    assert comment.reactions == ["eyes"]
    assert ask(fake, "GET", f"{REPO}/issues/comments/{comment.id}")["user"] is None


def test_check_runs(fake: FakeGitHub) -> None:
    """Annotations are appended, the latest of a name is listed, and only its own app may edit one."""
    annotation = {"path": "a", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "m"}
    output = {"title": "t", "summary": "s", "annotations": [annotation]}
    body = {"name": "recon", "head_sha": "a" * 40, "conclusion": "success", "output": output}
    first, second = (ask(fake, "POST", f"{REPO}/check-runs", body)["id"] for _ in range(2))
    ask(fake, "PATCH", f"{REPO}/check-runs/{second}", {"output": output})
    listed = ask(fake, "GET", f"{REPO}/commits/{'a' * 40}/check-runs?check_name=recon")
    assert [one["id"] for one in listed["check_runs"]] == [second]
    assert ask(fake, "GET", f"{REPO}/check-runs/{second}")["output"]["annotations_count"] == 2
    assert len(ask(fake, "GET", f"{REPO}/check-runs/{second}/annotations")) == 2
    assert ask(fake, "GET", f"{REPO}/commits/{'a' * 40}/check-runs?filter=all")["total_count"] == 2
    fake.state.checks[first].app = "other[bot]"
    assert "Invalid app_id" in ask(fake, "PATCH", f"{REPO}/check-runs/{first}", {"conclusion": "failure"})["message"]
