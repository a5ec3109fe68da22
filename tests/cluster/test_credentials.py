"""A token that is renewed: read from a file, or got by somebody else, and what a 401 does."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fake_issuer import server_tls
from local_server import Answer, Asked, LocalServer, local_server, status

from recon_action.cluster import Cluster, RequestError, connect
from recon_action.cluster.credentials import TokenFile
from recon_action.errors import ClusterError, UsageError
from recon_action.model import Access, Resource, Trouble
from recon_action.stop import Stop

Write = Callable[..., str]
_RESOURCE = Resource("", "v1", "ConfigMap", "configmaps", namespaced=True, verbs=frozenset(), subresources=frozenset())
_UNAUTHORISED = status(401, "Unauthorized", "Unauthorized")


class Tokens:
    """A source that has as many as it was given, and hands out the next when one is refused."""

    def __init__(self, *tokens: str) -> None:
        self.tokens = list(tokens)
        self.refused: list[str] = []
        self.failure: ClusterError | None = None

    def token(self, refused: str = "") -> str:
        """The first one."""
        if self.failure:
            raise self.failure
        if refused:
            self.refused.append(refused)
            if refused == self.tokens[0] and len(self.tokens) > 1:
                self.tokens.pop(0)
        return self.tokens[0]

    def remedy(self) -> str:
        """What to do."""
        return "tell the server of us"


@pytest.fixture
def api(tmp_path: Path) -> Iterator[tuple[LocalServer, str]]:
    """An API server that speaks TLS, and the certificate of its authority."""
    authority = tmp_path / "ca.pem"
    with local_server(tls=server_tls(tmp_path, authority)) as running:
        running.answers = [Answer({"gitVersion": "v1"})]
        yield running, str(authority)


def _connect(api: tuple[LocalServer, str], tokens: Tokens, stop: Stop | None = None) -> Cluster:
    server, authority = api
    access = Access(audience="a", server=f"{server.url}/", authority=authority, bearer=lambda _: tokens)
    return connect(access, concurrency=4, stop=stop)


def _sent(server: LocalServer) -> list[str | None]:
    return [one.headers.get("Authorization") for one in server.asked]


def test_an_address_and_a_token_are_enough(api: tuple[LocalServer, str]) -> None:
    """No kubeconfig is looked for; the namespace is `default`."""
    cluster = _connect(api, Tokens("one"))
    assert (cluster.server, cluster.namespace) == (api[0].url, "default")
    assert cluster.read("/version") == {"gitVersion": "v1"}
    assert _sent(api[0]) == ["Bearer one"]


def test_a_kubeconfigs_user_gives_way(api: tuple[LocalServer, str], kubeconfig: Write) -> None:
    """Server, authority and namespace are the kubeconfig's; its token, plugin and certificate are not used."""
    server, authority = api
    clusters = [{"name": "lab", "cluster": {"server": server.url, "certificate-authority": authority}}]
    user = {
        "token": "theirs",
        "client-certificate": "/gone",
        "exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "no-such-plugin"},
    }
    access = Access(kubeconfig("", user, clusters=clusters), audience="a", bearer=lambda _: Tokens("ours"))
    cluster = connect(access, concurrency=1)
    cluster.read("/version")
    assert (cluster.namespace, _sent(server)) == ("shop", ["Bearer ours"])


def test_a_token_travels_over_tls_alone(kubeconfig: Write, server: LocalServer) -> None:
    """A kubeconfig with an http address gets none."""
    with pytest.raises(UsageError, match="only over https"):
        connect(Access(kubeconfig(server.url), audience="a", bearer=lambda _: Tokens("ours")), concurrency=1)


def test_a_refused_token_is_replaced_once(api: tuple[LocalServer, str]) -> None:
    """The request is sent again with another token; one that gets none in its turn fails."""
    server, tokens = api[0], Tokens("one", "two")
    server.answers = [_UNAUTHORISED, Answer({"gitVersion": "v1"})]
    cluster = _connect(api, tokens)
    assert cluster.read("/version") == {"gitVersion": "v1"}
    assert (_sent(server), tokens.refused) == (["Bearer one", "Bearer two"], ["one"])
    server.answers = [_UNAUTHORISED]
    with pytest.raises(RequestError) as caught:
        cluster.read("/version")
    assert (caught.value.problem.status, caught.value.hint) == (401, "tell the server of us")
    assert len(server.asked) == 3
    tokens.tokens = ["two", "three", "four"]
    with pytest.raises(RequestError):
        cluster.read("/version")
    assert _sent(server)[3:] == ["Bearer two", "Bearer three"]


def test_a_watch_is_begun_again(api: tuple[LocalServer, str]) -> None:
    """Its answer is a stream; the first one is let go of."""
    server = api[0]
    server.answers = [_UNAUTHORISED, Answer(chunks=(b'{"type": "ADDED", "object": {"kind": "ConfigMap"}}\n',))]
    events = _connect(api, Tokens("one", "two")).watch(
        _RESOURCE, namespace="a", selector="", resource_version="1", seconds=5
    )
    assert [kind for kind, _ in events] == ["ADDED"]
    assert _sent(server) == ["Bearer one", "Bearer two"]


def test_no_token(api: tuple[LocalServer, str]) -> None:
    """Nothing is sent, and the source's own words say why; it is not tried again here."""
    tokens, stop = Tokens("one"), Stop()
    tokens.failure = ClusterError("GitHub is away", hint="look there")
    cluster = _connect(api, tokens, stop)
    with pytest.raises(RequestError) as caught:
        cluster.read("/version")
    problem = caught.value.problem
    assert (problem.trouble, problem.message, problem.hint) == (Trouble.UNREACHABLE, "GitHub is away", "look there")
    assert (caught.value.tries, api[0].asked) == (1, [])


def test_the_source_waits_as_the_run_does(api: tuple[LocalServer, str]) -> None:
    """A run that is to end does not wait for a token."""
    waits: list[Callable[[float], bool]] = []
    server, authority = api
    stop = Stop()

    def source(wait: Callable[[float], bool]) -> Tokens:
        waits.append(wait)
        return Tokens("one")

    access = Access(audience="a", server=server.url, authority=authority, bearer=source)
    connect(access, concurrency=1, stop=stop)
    assert waits == [stop.wait]


def test_threads_that_are_refused_together(api: tuple[LocalServer, str]) -> None:
    """Each sends its request again; none of them fails."""
    server, authority = api
    tokens = _Renewed()

    class Script(LocalServer):
        def next(self, request: Asked) -> Answer:
            good = request.headers["Authorization"] == "Bearer new"
            return Answer({"gitVersion": "v1"}) if good else _UNAUTHORISED

    server.next = Script().next  # type: ignore[method-assign]
    access = Access(audience="a", server=server.url, authority=authority, bearer=lambda _: tokens)
    cluster = connect(access, concurrency=8)
    assert cluster.each(lambda _: cluster.read("/version"), range(32)) == [{"gitVersion": "v1"}] * 32
    assert tokens.renewed == 1


class _Renewed:
    """Renews a refused token once, whoever was refused."""

    def __init__(self) -> None:
        self.renewed = 0
        self._token = "old"
        self._lock = threading.Lock()

    def token(self, refused: str = "") -> str:
        with self._lock:
            if refused == self._token == "old":
                self._token, self.renewed = "new", self.renewed + 1
            return self._token

    def remedy(self) -> str:
        return ""


def test_a_file_is_read_each_minute(tmp_path: Path) -> None:
    """Kubelet puts a new token there long before the old one ends."""
    file, now = tmp_path / "token", [0.0]
    file.write_text("one\n")
    source = TokenFile(file, lambda: now[0])
    assert source.token() == "one"
    file.write_text("two\n")
    now[0] = 59
    assert source.token() == "one"
    assert source.token(refused="zero") == "one"
    now[0] = 60
    assert source.token() == "two"
    file.write_text("three")
    assert source.token(refused="two") == "three"
    assert source.token(refused="three") == "three"


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "No such file"), (b"", "holds none"), (b" \n", "holds none"), (b"a b", "holds none"), (b"\xff", "no text")],
    ids=["missing", "empty", "blank", "words", "bytes"],
)
def test_a_file_without_a_token(tmp_path: Path, content: bytes | None, message: str) -> None:
    """It is named, and not shown."""
    file = tmp_path / "token"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ClusterError, match=message) as caught:
        TokenFile(file).token()
    assert str(file) in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("token", "said"),
    [("x.eyJleHAiOjE2MDAwMDAwMDB9.y", "expired at 2020-09-13 12:26 UTC"), ("opaque", "wrong, withdrawn")],
)
def test_what_a_refused_file_says(tmp_path: Path, token: str, said: str) -> None:
    """Whether its token has ended, where it tells."""
    file = tmp_path / "token"
    file.write_text(token)
    source = TokenFile(file)
    source.token()
    assert said in source.remedy()
    assert str(file) in source.remedy()
    assert token not in source.remedy()
