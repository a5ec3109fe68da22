"""What the fake GitHub does on each operation that its description has."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from local_server import Answer

from fake_github.contract import Operation, sample
from fake_github.state import Check, Comment, Issue, State, time_of

MAX_BODY = 65_536
JSON = {"Content-Type": "application/json; charset=utf-8"}
_COMMENT = "/issues/comments/{comment_id}"
_ISSUE = "/issues/{issue_number}"
_CHECK = "/check-runs/{check_run_id}"


@dataclass(frozen=True)
class Call:
    """A request that keeps to the description; `url` is the API's."""

    of: Operation
    query: Mapping[str, str]
    body: Mapping[str, Any]
    url: str


class RefusedError(Exception):
    """A request that GitHub would refuse."""

    def __init__(
        self, status: int, message: str, headers: Mapping[str, str] | None = None, errors: Sequence[Any] = ()
    ) -> None:
        super().__init__(message)
        body = {"message": message, "documentation_url": "https://docs.github.com"}
        self.answer = Answer(body | ({"errors": errors} if errors else {}), status, JSON | dict(headers or {}))


Act = Callable[[State, Call], Answer]
_ACTS: dict[str, Act] = {}


def carry_out(state: State, call: Call) -> Answer:
    """The answer of `call`, with what it changes done."""
    return _ACTS[call.of.name](state, call)


def ask_graphql(state: State, body: Mapping[str, Any]) -> Answer:
    """The few things that are asked by GraphQL."""
    if not state.login:
        return Answer({"message": "Resource not accessible by personal access token"}, 403, JSON)
    if "viewer" in body["query"]:
        return _found({"data": {"viewer": {"login": state.login}}})
    given = body["variables"]["input"]
    comment = next((one for one in state.comments.values() if one.node == given["subjectId"]), None)
    if "minimizeComment" not in body["query"] or comment is None:
        error = {"type": "NOT_FOUND", "message": f"Could not resolve to a node with the global id of {given}"}
        return _found({"data": {"minimizeComment": None}, "errors": [error]})
    comment.minimized = given["classifier"].lower()
    return _found({"data": {"minimizeComment": {"minimizedComment": {"isMinimized": True}}}})


def _on(*names: str) -> Callable[[Act], Act]:
    def register(act: Act) -> Act:
        _ACTS.update(dict.fromkeys(names, act))
        return act

    return register


@_on("GET /user")
def _user(state: State, _: Call) -> Answer:
    if not state.user:
        raise RefusedError(403, "Resource not accessible by integration")
    return _found(sample("private-user") | {"login": state.user})


@_on(f"GET {_ISSUE}/comments")
def _comments(state: State, call: Call) -> Answer:
    issue = _one(state.issues, call, "issue_number")
    listed = [one for one in state.comments.values() if one.number == issue.number]
    return _page([one.json(call.url) for one in listed], call)


@_on(f"POST {_ISSUE}/comments")
def _write_comment(state: State, call: Call) -> Answer:
    issue = _one(state.issues, call, "issue_number")
    if issue.locked:
        raise RefusedError(403, "Unable to create comment because issue is locked.")
    _is_writable(call.body["body"])
    return _found(state.add_comment(issue.number, state.author, call.body["body"]).json(call.url), 201)


@_on(f"GET {_COMMENT}")
def _comment(state: State, call: Call) -> Answer:
    return _found(_one(state.comments, call, "comment_id").json(call.url))


@_on(f"PATCH {_COMMENT}")
def _edit_comment(state: State, call: Call) -> Answer:
    comment: Comment = _one(state.comments, call, "comment_id")
    _is_writable(call.body["body"])
    comment.body, comment.updated = call.body["body"], state.tick()
    return _found(comment.json(call.url))


@_on(f"DELETE {_COMMENT}")
def _delete_comment(state: State, call: Call) -> Answer:
    del state.comments[_one(state.comments, call, "comment_id").id]
    return Answer(b"", 204)


@_on(f"POST {_COMMENT}/reactions")
def _react(state: State, call: Call) -> Answer:
    comment: Comment = _one(state.comments, call, "comment_id")
    is_new = call.body["content"] not in comment.reactions
    comment.reactions += [call.body["content"]] if is_new else []
    return _found(sample("reaction") | {"content": call.body["content"]}, 201 if is_new else 200)


@_on("GET /issues")
def _list_issues(state: State, call: Call) -> Answer:
    _has_issues(state)
    wanted = set(filter(None, call.query.get("labels", "").split(",")))
    listed = [
        one
        for one in sorted(state.issues.values(), key=lambda one: -one.number)
        if call.query.get("state", "open") in {"all", one.state}
        and wanted <= set(one.labels)
        and call.query.get("creator", one.author) == one.author
    ]
    return _page([one.json(call.url, is_pull=one.number in state.pulls) for one in listed], call)


@_on(f"GET {_ISSUE}")
def _issue(state: State, call: Call) -> Answer:
    issue: Issue = _one(state.issues, call, "issue_number")
    return _found(issue.json(call.url, is_pull=issue.number in state.pulls))


@_on("POST /issues")
def _open_issue(state: State, call: Call) -> Answer:
    _has_issues(state)
    _is_issue(state, call.body)
    issue = state.add_issue(max(state.issues, default=0) + 1, author=state.author)
    dropped = {"labels"} if state.drops_labels else set()
    body = {key: value for key, value in call.body.items() if key not in dropped}
    return _found(_set_issue(state, issue, body).json(call.url, is_pull=False), 201)


@_on(f"PATCH {_ISSUE}")
def _edit_issue(state: State, call: Call) -> Answer:
    issue: Issue = _one(state.issues, call, "issue_number")
    return _found(_set_issue(state, issue, call.body).json(call.url, is_pull=issue.number in state.pulls))


@_on(f"POST {_ISSUE}/labels")
def _label(state: State, call: Call) -> Answer:
    issue: Issue = _one(state.issues, call, "issue_number")
    _is_issue(state, call.body)
    issue.labels += [name for name in call.body["labels"] if name not in issue.labels]
    return _found(issue.json(call.url, is_pull=False)["labels"])


@_on("GET /pulls")
def _pulls(state: State, call: Call) -> Answer:
    wanted = call.query.get("state", "open")
    listed = [one for one in state.pulls.values() if wanted in {"all", one.state}]
    listed = [one for one in listed if call.query.get("head", one.label) == one.label]
    return _page([one.json("pull-request-simple") for one in listed], call)


@_on("GET /pulls/{pull_number}")
def _pull(state: State, call: Call) -> Answer:
    return _found(_one(state.pulls, call, "pull_number").json("pull-request"))


@_on("GET /commits/{commit_sha}/pulls")
def _pulls_of_commit(state: State, call: Call) -> Answer:
    about = [one for one in state.pulls.values() if call.of.values["commit_sha"] in {one.head, one.merge_commit}]
    return _page([one.json("pull-request-simple") for one in about], call)


@_on("GET /branches/{branch}")
def _branch(state: State, call: Call) -> Answer:
    name = call.of.values["branch"]
    if name not in state.branches:
        raise RefusedError(404, "Branch not found")
    whole = sample("branch-with-protection")
    return _found(whole | {"name": name, "commit": whole["commit"] | {"sha": state.branches[name]}})


@_on("GET /collaborators/{username}/permission")
def _permission(state: State, call: Call) -> Answer:
    role = state.collaborators.get(call.of.values["username"])
    if role is None:
        raise RefusedError(404, "Not Found")
    level = {"maintain": "write", "triage": "read"}.get(role, role)
    return _found(sample("repository-collaborator-permission") | {"permission": level, "role_name": role})


@_on("POST /check-runs")
def _create_check(state: State, call: Call) -> Answer:
    _is_check(call.body)
    check = state.add_check(call.body["name"], call.body["head_sha"], state.author)
    return _found(_set_check(check, call.body).json(call.url), 201)


@_on(f"GET {_CHECK}")
def _check(state: State, call: Call) -> Answer:
    return _found(_one(state.checks, call, "check_run_id").json(call.url))


@_on(f"PATCH {_CHECK}")
def _edit_check(state: State, call: Call) -> Answer:
    check: Check = _one(state.checks, call, "check_run_id")
    if check.app != state.author:
        raise RefusedError(403, "Invalid app_id `15368` - check run can only be modified by the GitHub App")
    _is_check(call.body)
    return _found(_set_check(check, call.body).json(call.url))


@_on("GET /commits/{ref}/check-runs")
def _checks(state: State, call: Call) -> Answer:
    found = [one for one in state.checks.values() if one.head == call.of.values["ref"]]
    found = [one for one in found if call.query.get("check_name", one.name) == one.name]
    if call.query.get("filter", "latest") == "latest":
        found = list({(one.app, one.name): one for one in found}.values())
    page = _page([one.json(call.url) for one in found], call)
    return Answer({"total_count": len(found), "check_runs": page.body}, 200, page.headers)


@_on(f"GET {_CHECK}/annotations")
def _annotations(state: State, call: Call) -> Answer:
    bare = dict.fromkeys(("blob_href", "end_column", "start_column", "raw_details", "title"))
    listed = [bare | {"blob_href": ""} | one for one in _one(state.checks, call, "check_run_id").annotations]
    return _page(listed, call)


def _is_issue(state: State, body: Mapping[str, Any]) -> None:
    """What the description does not say of an issue's labels and assignees."""
    known = {one.lower() for one in state.assignable}
    wrong = [("assignees", one) for one in body.get("assignees", ()) if one.lower() not in known]
    wrong += [("labels", one) for one in body.get("labels", ()) if len(one) > 50]
    if wrong:
        errors = [{"resource": "Issue", "code": "invalid", "field": key, "value": value} for key, value in wrong]
        raise RefusedError(422, "Validation Failed", errors=errors)


def _set_issue(state: State, issue: Issue, body: Mapping[str, Any]) -> Issue:
    if len(body.get("body") or "") > MAX_BODY:
        _is_writable(body["body"])
    if body.get("state", issue.state) != issue.state:
        issue.closed = time_of(state.tick()) if body["state"] == "closed" else None
    for key in ("title", "body", "state", "state_reason", "labels"):
        setattr(issue, key, body.get(key, getattr(issue, key)))
    given = {one.lower() for one in body.get("assignees", ())}
    issue.assignees += [one for one in sorted(state.assignable) if one.lower() in given]
    return issue


def _set_check(check: Check, body: Mapping[str, Any]) -> Check:
    check.status = "completed" if "conclusion" in body else body.get("status", check.status)
    for key in ("conclusion", "external_id", "details_url"):
        setattr(check, key, body.get(key, getattr(check, key)))
    output = body.get("output", {})
    for key in ("title", "summary", "text"):
        setattr(check, key, output.get(key, getattr(check, key)))
    check.annotations += output.get("annotations", ())
    return check


def _is_check(body: Mapping[str, Any]) -> None:
    """What the description does not say of a check run."""
    output = body.get("output", {})
    if body.get("status") == "completed" and "conclusion" not in body:
        raise RefusedError(422, "Invalid request.\n\nconclusion is required if status is completed")
    if any(ord(char) > 0xFFFF for char in json.dumps(body, ensure_ascii=False)):
        raise RefusedError(422, "Invalid request.\n\nannotations invalid")
    if any(len(output.get(key, "")) > 65_535 for key in ("summary", "text")):
        raise RefusedError(422, "Invalid request.\n\nOnly 65535 characters are allowed")
    if len(output.get("annotations", ())) > 50:
        raise RefusedError(422, "Invalid request.\n\nNo more than 50 items are allowed")


def _is_writable(text: str) -> None:
    if not text or len(text) > MAX_BODY:
        message = f"Body is too long (maximum is {MAX_BODY} characters)" if text else "Body can't be blank"
        error = {"resource": "IssueComment", "code": "unprocessable", "field": "data", "message": message}
        raise RefusedError(422, "Validation Failed", errors=[error])


def _has_issues(state: State) -> None:
    if not state.has_issues:
        raise RefusedError(410, "Issues has been disabled in this repository.")


def _one(things: Mapping[int, Any], call: Call, name: str) -> Any:
    number = call.of.values[name]
    if not number.isdecimal() or int(number) not in things:
        raise RefusedError(404, "Not Found")
    return things[int(number)]


def _found(body: Any, status: int = 200) -> Answer:
    return Answer(body, status, JSON)


def _page(items: Sequence[Any], call: Call) -> Answer:
    size, number = min(int(call.query.get("per_page", "30")), 100), int(call.query.get("page", "1"))
    shown = list(items[size * (number - 1) : size * number])
    path = call.of.template.format(**call.of.values)
    more = f'<{call.url}{path}?per_page={size}&page={number + 1}>; rel="next"'
    return Answer(shown, 200, JSON | ({"Link": more} if size * number < len(items) else {}))
