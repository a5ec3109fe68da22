"""The one door to GitHub: addresses, pages, retries, and who we are."""

import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import responses
from fake_github import BOT, FakeGitHub, Fault, fake_github
from local_server import Answer, local_server

from recon_action.errors import PublishError
from recon_action.github.client import API, Access, Client, is_by
from recon_action.github.denied import Denied, Need, Reason
from recon_action.github.patience import Patience
from recon_action.lab.pki import Authority

NEED = Need("read comments", "pull-requests: write")
COMMENTS = "/issues/7/comments"
Connect = Callable[..., Client]


def test_nothing_is_sent_by_connecting(fake: FakeGitHub, client: Client) -> None:
    """A client costs no request until it is asked for something."""
    assert fake.asked == []
    assert "secret-token" not in repr(Access("secret-token"))


@pytest.mark.parametrize(
    ("url", "rest", "graphql"),
    [
        (API, "https://api.github.com:443/repos/acme/shop/pulls/7", "https://api.github.com:443/graphql"),
        (
            "https://ghe.example/api/v3",
            "https://ghe.example:443/api/v3/repos/acme/shop/pulls/7",
            "https://ghe.example:443/api/graphql",
        ),
        (
            "https://api.acme.ghe.com",
            "https://api.acme.ghe.com:443/repos/acme/shop/pulls/7",
            "https://api.acme.ghe.com:443/graphql",
        ),
    ],
    ids=["github.com", "Enterprise Server", "ghe.com"],
)
@responses.activate
def test_addresses(connect: Connect, url: str, rest: str, graphql: str) -> None:
    """REST and GraphQL are found wherever the runner says that GitHub is, with our token."""
    responses.get(rest, json={"number": 7})
    responses.post(graphql, json={"data": {"viewer": {"login": "recon[bot]"}}})
    client = connect(url)
    assert client.get("/pulls/7", NEED)["number"] == 7
    assert client.login() == "recon[bot]"
    assert {call.request.headers["Authorization"] for call in responses.calls} == {"token secret-token"}


@pytest.mark.parametrize(
    ("verify", "given"),
    [("true", True), ("False", False), ("/etc/ca.pem", "/etc/ca.pem")],
)
def test_access(verify: str, given: bool | str) -> None:
    """The address is the runner's, or github.com; ssl-verify is yes, no or a file."""
    environ = {"GITHUB_API_URL": "https://ghe.example/api/v3/"}
    assert Access.of(environ, "t", verify) == Access("t", "https://ghe.example/api/v3", given)
    assert Access.of({}, "t", "true").url == API


def test_access_of_an_odd_address() -> None:
    """PyGithub would stop at it with an assertion."""
    with pytest.raises(PublishError, match="GITHUB_API_URL"):
        Access.of({"GITHUB_API_URL": "ghe.example"}, "t", "true")


def test_all_pages(fake: FakeGitHub, client: Client) -> None:
    """Each page is asked for once, a hundred at a time."""
    for number in range(230):
        fake.state.add_comment(7, "octocat", f"comment {number}")
    assert [one["body"] for one in client.pages(COMMENTS, NEED)] == [f"comment {number}" for number in range(230)]
    assert [one.path.partition("?")[2] for one in fake.asked] == [f"page={n}&per_page=100" for n in (1, 2, 3)]


def test_pages_of_a_named_list(fake: FakeGitHub, client: Client) -> None:
    """Some lists lie inside of an object."""
    for number in range(101):
        fake.state.add_check(f"check {number}", "a" * 40, BOT)
    assert len(list(client.pages(f"/commits/{'a' * 40}/check-runs", NEED, key="check_runs"))) == 101


def test_a_page_that_fails_is_asked_for_again(fake: FakeGitHub, client: Client, waits: list[float]) -> None:
    """The pages before it are not."""
    for _ in range(150):
        fake.state.add_comment(7, "octocat", "x")
    fake.faults.append(Fault(path="page=2", status=502))
    assert len(list(client.pages(COMMENTS, NEED))) == 150
    assert (len(fake.asked), waits) == (3, [1])


SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
LIMITS = [
    pytest.param(Fault(status=429), [60], id="429 without a time"),
    pytest.param(Fault(status=429, headers={"Retry-After": "7"}), [7], id="429 with one"),
    pytest.param(Fault(status=403, message=SECONDARY), [60], id="secondary without a time"),
    pytest.param(Fault(status=403, message=SECONDARY, headers={"Retry-After": "30"}), [30], id="secondary with one"),
    pytest.param(Fault(status=502), [1], id="502"),
    pytest.param(Fault(reset=True), [1], id="no answer"),
]


@pytest.mark.parametrize(("fault", "pauses"), LIMITS)
def test_limits_between_pages(
    fake: FakeGitHub, client: Client, waits: list[float], fault: Fault, pauses: list[float]
) -> None:
    """Reading waits as long as GitHub asks, and goes on where it was."""
    for _ in range(150):
        fake.state.add_comment(7, "octocat", "x")
    fake.faults.append(replace(fault, path="page=2"))
    assert len(list(client.pages(COMMENTS, NEED))) == 150
    assert (len(fake.asked), waits) == (3, pauses)


@pytest.mark.parametrize(("minutes", "asked"), [(1, 2), (55, 1)], ids=["soon", "in an hour"])
def test_the_hourly_limit(fake: FakeGitHub, client: Client, waits: list[float], minutes: int, asked: int) -> None:
    """Waited for if it ends within the patience; given up at once if it doesn't."""
    reset = str(int(time.time()) + 60 * minutes)
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": reset}
    fake.faults.append(Fault(status=403, message="API rate limit exceeded for installation ID 1.", headers=headers))
    if asked == 2:
        assert client.get("/pulls/7", NEED)["number"] == 7
        assert 58 <= waits[0] <= 62
    else:
        with pytest.raises(Denied, match="rate limit") as caught:
            client.get("/pulls/7", NEED)
        assert caught.value.reason is Reason.LIMITED
        assert waits == []
    assert len(fake.asked) == asked


@pytest.mark.parametrize(
    ("status", "message", "hint"),
    [
        (401, "Bad credentials", "no token of this server"),
        (403, "Resource not accessible by integration", "add `pull-requests: write`"),
        (404, "Not Found", "add `pull-requests: write`"),
        (410, "This issue was deleted", "settings"),
        (422, "Validation Failed", "report this"),
    ],
)
def test_what_does_not_pass(
    fake: FakeGitHub, client: Client, waits: list[float], status: int, message: str, hint: str
) -> None:
    """Told apart, each with what to do; asked once."""
    fake.faults.append(Fault(status=status, message=message, times=9))
    with pytest.raises(Denied, match=message) as caught:
        client.get("/pulls/7", NEED)
    assert hint in caught.value.hint
    assert (len(fake.asked), waits) == (1, [])


@pytest.mark.parametrize("fault", [Fault(status=502, times=9), Fault(status=429, times=9), Fault(reset=True, times=9)])
def test_a_write_is_sent_once(fake: FakeGitHub, client: Client, fault: Fault) -> None:
    """Whatever happens to it: who sent it looks first what came of it."""
    fake.faults.append(fault)
    with pytest.raises(Denied) as caught:
        client.send("POST", COMMENTS, NEED, {"body": "x"})
    assert len(fake.asked) == 1
    assert caught.value.passing is not None


def test_a_lost_answer(fake: FakeGitHub, client: Client) -> None:
    """A 502 after all was done: nobody knows, and that is said."""
    fake.faults.append(Fault(method="POST", status=502, after=True))
    with pytest.raises(Denied) as caught:
        client.send("POST", COMMENTS, NEED, {"body": "x"})
    assert caught.value.passing is not None
    assert caught.value.passing.uncertain
    assert len(fake.state.comments) == 1


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        pytest.param({"body": {"message": "Not Found"}, "status": 404}, Reason.ABSENT, id="404"),
        pytest.param({"body": b"<html>captive portal</html>"}, Reason.BROKEN, id="a page"),
        pytest.param({"body": b"[{"}, Reason.UNREACHABLE, id="half an answer"),
        pytest.param({"body": [1]}, Reason.BROKEN, id="no objects"),
        pytest.param(
            {"body": {}, "status": 301, "headers": {"Location": "https://elsewhere.example/"}},
            Reason.UNREACHABLE,
            id="led away",
        ),
        pytest.param({"body": None, "status": 403, "headers": {}}, Reason.FORBIDDEN, id="nothing said"),
    ],
)
def test_answers_of_all_kinds(connect: Connect, answer: dict[str, Any], reason: Reason) -> None:
    """Whatever answers, it comes out as a Denied and never as a foreign exception."""
    headers = {"Content-Type": "application/json", **answer.pop("headers", {})}
    with local_server() as server:
        server.answers.append(Answer(**answer, headers=headers))
        with pytest.raises(Denied) as caught:
            list(connect(server.url).pages(COMMENTS, NEED))
    assert caught.value.reason is reason


def test_nobody_there(connect: Connect) -> None:
    """No server at all is an answer as well, after a few tries."""
    with pytest.raises(Denied) as caught:
        connect("http://127.0.0.1:9").get("/pulls/7", NEED)
    assert caught.value.reason is Reason.UNREACHABLE
    assert "network" in caught.value.hint


def test_writes_keep_their_distance(fake: FakeGitHub) -> None:
    """As GitHub asks for; reading does not wait."""
    client = Client(Access("t", fake.api, write_pause=0.3), "acme/shop", Patience(lambda _: False))
    began = time.monotonic()
    for _ in range(2):
        client.get("/pulls/7", NEED)
    assert time.monotonic() - began < 0.3
    for _ in range(2):
        client.send("POST", COMMENTS, NEED, {"body": "x"})
    assert time.monotonic() - began >= 0.3
    assert Access("t").write_pause == 1.0


@pytest.mark.parametrize("trusted", [True, False], ids=["its authority named", "unknown"])
def test_own_authority(connect: Connect, tmp_path: Path, trusted: bool) -> None:
    """An Enterprise Server's certificate is trusted if ssl-verify names its authority, and not by default."""
    authority = Authority(datetime.now(UTC))
    pair = authority.server()
    (tmp_path / "ca.pem").write_bytes(authority.certificate)
    (tmp_path / "server.pem").write_bytes(pair.certificate + pair.key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "server.pem")
    with fake_github("/api/v3", tls=context) as fake:
        fake.state.add_pull(7)
        client = connect(fake.api, str(tmp_path / "ca.pem") if trusted else True)
        if trusted:
            assert client.get("/pulls/7", NEED)["number"] == 7
            assert client.login() == BOT
        else:
            with pytest.raises(Denied, match="certificate") as caught:
                client.get("/pulls/7", NEED)
            assert "ssl-verify" in caught.value.hint


def test_proxy(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    """The runner's proxy variables are heeded."""
    with local_server() as proxy:
        proxy.answers.append(Answer({"number": 7}, headers={"Content-Type": "application/json"}))
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        assert connect("http://ghe.example/api/v3").get("/pulls/7", NEED)["number"] == 7
        assert [one.path for one in proxy.asked] == ["http://ghe.example:80/api/v3/repos/acme/shop/pulls/7"]


@pytest.mark.parametrize("variable", ["NO_PROXY", "no_proxy"])
def test_no_proxy(fake: FakeGitHub, connect: Connect, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    """Nor does what they leave out go through it."""
    with local_server() as proxy:
        proxy.answers.append(Answer(status=502))
        for name in ("HTTP_PROXY", "http_proxy"):
            monkeypatch.setenv(name, proxy.url)
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv(variable, "other.example,127.0.0.1")
        assert connect(fake.api).get("/pulls/7", NEED)["number"] == 7
        assert proxy.asked == []


def test_certificate_unchecked(connect: Connect) -> None:
    """With ssl-verify: false, any; a step's log is not filled with warnings about it."""
    pair = Authority(datetime.now(UTC)).server()
    with tempfile.NamedTemporaryFile() as file:
        file.write(pair.certificate + pair.key)
        file.flush()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file.name)
    with fake_github("/api/v3", tls=context) as fake:
        fake.state.add_pull(7)
        assert connect(fake.api, verify=False).get("/pulls/7", NEED)["number"] == 7


@pytest.mark.parametrize(
    ("viewer", "user", "login"),
    [
        pytest.param(BOT, "", BOT, id="a job's token"),
        pytest.param("octocat", "octocat", "octocat", id="a person's"),
        pytest.param("", "octocat", "octocat", id="a person's that may not use GraphQL"),
        pytest.param("", "", BOT, id="nothing to be learned"),
    ],
)
def test_who_we_are(fake: FakeGitHub, client: Client, viewer: str, user: str, login: str) -> None:
    """GraphQL knows, else REST, else it is the job's own token; it is asked once."""
    fake.state.login, fake.state.user = viewer, user
    assert client.login() == login
    asked = len(fake.asked)
    assert client.login() == login
    assert len(fake.asked) == asked


@pytest.mark.parametrize(
    ("author", "login", "ours"),
    [
        (BOT, BOT, True),
        (BOT, "github-actions", True),
        ("github-actions", BOT, False),
        ("octocat", BOT, False),
        ("", "", False),
    ],
)
def test_is_by(author: str, login: str, ours: bool) -> None:
    """REST adds [bot] to an app's name, GraphQL may not; a person who is called like an app is not the app."""
    assert is_by(author, login) is ours


def test_graphql_errors(fake: FakeGitHub, client: Client) -> None:
    """An error inside of a 200 is an error."""
    query = "mutation ($input: MinimizeCommentInput!) { minimizeComment(input: $input) { clientMutationId } }"
    with pytest.raises(Denied, match="Could not resolve"):
        client.graphql(query, {"input": {"subjectId": "IC_0", "classifier": "OUTDATED"}}, NEED)


def test_pygithub_is_imported_when_a_client_is_made() -> None:
    """A quarter of a second that no other command pays for."""
    program = "import sys, recon_action.action; print('github.Requester' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"


@pytest.mark.parametrize("body", [[], {"data": None}, {"data": []}], ids=str)
def test_graphql_of_another_shape(fake: FakeGitHub, client: Client, body: Any) -> None:
    """An answer that holds no data is none."""
    fake.faults.append(Fault(path="graphql", status=200, body=body))
    with pytest.raises(Denied) as caught:
        client.graphql("query { viewer { login } }", {}, NEED)
    assert caught.value.reason is Reason.BROKEN


def test_a_certificate_file_that_is_missing(connect: Connect) -> None:
    """Is told as that, and not tried again."""
    with pytest.raises(Denied, match=r"invalid path: /nowhere/ca\.pem") as caught:
        connect("https://ghe.example/api/v3", "/nowhere/ca.pem").get("/pulls/7", NEED)
    assert "ssl-verify" in caught.value.hint
    assert caught.value.passing is None
