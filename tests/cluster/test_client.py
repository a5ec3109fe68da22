"""One connection: what is sent, what is read, and what is done about a server that stumbles."""

import json
import threading
import time
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from local_server import Answer, LocalServer, status
from objects import body_of, ref, resource_of

from recon_action.cluster import Cluster, RequestError
from recon_action.cluster.client import path_of
from recon_action.model import Body, Problem, Trouble

_WEB = ref("Deployment", "web", "shop", "apps")
_DEPLOYMENT = resource_of("Deployment", "apps/v1")
_OBJECT = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}}


def _query(path: str) -> dict[str, str]:
    return {name: value for name, (value,) in parse_qs(urlsplit(path).query).items()}


def _trouble(caught: pytest.ExceptionInfo[RequestError]) -> tuple[Trouble, int]:
    return caught.value.problem.trouble, caught.value.problem.status


@pytest.mark.parametrize(
    ("path", "url"),
    [
        pytest.param(path_of(resource_of(), "shop", "web"), "/api/v1/namespaces/shop/configmaps/web", id="core"),
        pytest.param(path_of(_DEPLOYMENT, "shop"), "/apis/apps/v1/namespaces/shop/deployments", id="collection"),
        pytest.param(path_of(_DEPLOYMENT), "/apis/apps/v1/deployments", id="all-namespaces"),
        pytest.param(path_of(resource_of("Namespace"), "", "shop"), "/api/v1/namespaces/shop", id="namespace-itself"),
        pytest.param(path_of(resource_of("Namespace"), "x", "shop"), "/api/v1/namespaces/shop", id="cluster-scoped"),
        pytest.param(
            path_of(resource_of("ClusterRole", "rbac.authorization.k8s.io/v1"), "", "system:node"),
            "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode",
            id="colon",
        ),
        pytest.param(path_of(resource_of(), "a/b", "../c?d#e"), "/api/v1/namespaces/a%2Fb/configmaps/..%2Fc%3Fd%23e"),
    ],
)
def test_paths_are_quoted(path: str, url: str) -> None:
    """A name can't leave its place in the URL."""
    assert path == url


def test_an_object_is_read_with_our_credentials(server: LocalServer, cluster: Cluster) -> None:
    """GET, with the kubeconfig's token and our name as the user agent."""
    server.answers = [Answer(_OBJECT)]
    assert cluster.get(_DEPLOYMENT, _WEB) == _OBJECT
    (asked,) = server.asked
    assert (asked.method, asked.path) == ("GET", "/apis/apps/v1/namespaces/shop/deployments/web")
    assert asked.headers["Authorization"] == "Bearer t0ken"
    assert asked.headers["User-Agent"] == "recon-action"


@pytest.mark.parametrize("dry_run", [False, True], ids=["real", "dry-run"])
def test_an_apply_is_forced_strict_and_ours(server: LocalServer, cluster: Cluster, *, dry_run: bool) -> None:
    """Server-side apply: the content type says so, the query names manager, force and validation."""
    server.answers = [Answer(_OBJECT)]
    body = body_of("Deployment", api="apps/v1", namespace="shop")
    assert cluster.apply(_DEPLOYMENT, body, dry_run=dry_run) == _OBJECT
    (asked,) = server.asked
    assert (asked.method, urlsplit(asked.path).path) == ("PATCH", "/apis/apps/v1/namespaces/shop/deployments/web")
    expected = {"fieldManager": "recon-action", "force": "true", "fieldValidation": "Strict"}
    assert _query(asked.path) == expected | ({"dryRun": "All"} if dry_run else {})
    assert asked.headers["Content-Type"] == "application/apply-patch+yaml"
    assert asked.json == body


def test_a_creation_is_posted(server: LocalServer, cluster: Cluster) -> None:
    """To the collection, not to the object."""
    server.answers = [Answer(_OBJECT, 201)]
    assert cluster.create(_DEPLOYMENT, body_of("Deployment", namespace="shop")) == _OBJECT
    assert (server.asked[0].method, server.asked[0].path) == ("POST", "/apis/apps/v1/namespaces/shop/deployments")


def test_a_deletion_names_the_uid(server: LocalServer, cluster: Cluster) -> None:
    """An object that someone made anew under the same name is not deleted."""
    server.answers = [Answer({"kind": "Status"})]
    cluster.delete(_DEPLOYMENT, _WEB, uid="u1")
    assert server.asked[0].method == "DELETE"
    assert server.asked[0].json["preconditions"] == {"uid": "u1"}
    assert server.asked[0].json["propagationPolicy"] == "Background"


def test_a_deletion_may_name_the_version_and_wait_for_dependents(server: LocalServer, cluster: Cluster) -> None:
    """What was judged is deleted, not what has become of it."""
    server.answers = [Answer({"kind": "Status"})]
    cluster.delete(_DEPLOYMENT, _WEB, uid="u1", version="7", foreground=True)
    assert server.asked[0].json["preconditions"] == {"uid": "u1", "resourceVersion": "7"}
    assert server.asked[0].json["propagationPolicy"] == "Foreground"


@pytest.mark.parametrize(
    ("answer", "is_left"),
    [
        pytest.param({"kind": "Status", "metadata": {}, "status": "Success"}, False, id="a-status"),
        pytest.param(_OBJECT, False, id="the-object-as-it-was"),
        pytest.param(_OBJECT | {"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}, True, id="terminating"),
    ],
)
def test_what_a_deletion_leaves(server: LocalServer, cluster: Cluster, answer: Body, *, is_left: bool) -> None:
    """Some kinds answer with the object, deleted or not; what is held by a finalizer has a time of deletion."""
    server.answers = [Answer(answer)]
    assert cluster.delete(_DEPLOYMENT, _WEB, uid="u1") == (answer if is_left else None)


def test_a_creation_may_only_be_asked_about(server: LocalServer, cluster: Cluster) -> None:
    """A dry run, as strict as an apply; that it exists is told as that."""
    server.answers = [_EXISTS]
    with pytest.raises(RequestError, match="already exists"):
        cluster.create(_DEPLOYMENT, _OBJECT, dry_run=True)
    (asked,) = server.asked
    assert _query(asked.path) == {"dryRun": "All", "fieldManager": "recon-action", "fieldValidation": "Strict"}


def _page(*names: str, token: str = "") -> Answer:
    items = [{"metadata": {"name": name}} for name in names]
    return Answer({"kind": "DeploymentList", "metadata": {"resourceVersion": "7", "continue": token}, "items": items})


def _listed(items: list[Body]) -> list[str]:
    assert all((item["apiVersion"], item["kind"]) == ("apps/v1", "Deployment") for item in items)
    return [item["metadata"]["name"] for item in items]


def test_a_list_is_read_page_by_page(server: LocalServer, cluster: Cluster) -> None:
    """Each page asks for the next; items get the kind that a list states only once."""
    server.answers = [_page("a", "b", token="t/1"), _page("c")]
    items, version = cluster.list_all(_DEPLOYMENT, namespace="shop", selector="a/b=c")
    assert (_listed(items), version) == (["a", "b", "c"], "7")
    first, second = (_query(asked.path) for asked in server.asked)
    assert first == {"limit": "500", "labelSelector": "a/b=c"}
    assert second == first | {"continue": "t/1"}


@pytest.mark.parametrize("items", [None, []], ids=["null", "empty"])
def test_an_empty_list(server: LocalServer, cluster: Cluster, items: object) -> None:
    """A server may say null."""
    server.answers = [Answer({"kind": "DeploymentList", "metadata": {}, "items": items})]
    assert cluster.list_all(_DEPLOYMENT) == ([], "")


def test_a_snapshot_that_expires_between_two_pages_is_read_anew(server: LocalServer, cluster: Cluster) -> None:
    """410 in mid-paging: from the beginning, without duplicates, and in one page, which can't expire again."""
    server.answers = [_page("a", token="t1"), status(410, "Expired"), _page("a", "b")]
    assert _listed(cluster.list_all(_DEPLOYMENT, selector="a=b")[0]) == ["a", "b"]
    assert _query(server.asked[2].path) == {"labelSelector": "a=b"}


def test_a_list_that_is_gone_from_the_start_is_an_error(server: LocalServer, cluster: Cluster) -> None:
    """Without a page to continue there is nothing to begin anew."""
    server.answers = [status(410, "Expired", "gone")]
    with pytest.raises(RequestError) as caught:
        cluster.list_all(_DEPLOYMENT)
    assert caught.value.problem.status == 410
    assert len(server.asked) == 1


_UNCALLED = 'Internal error occurred: failed calling webhook "a": Post "https://a": connect: connection refused'
_UNMADE = 'pods "a" is forbidden: error looking up service account shop/default: serviceaccount "default" not found'
_UNCOUNTED = 'pods "a" is forbidden: status unknown for quota: small, resources: pods'


@pytest.mark.parametrize(
    "stumble",
    [
        pytest.param(status(429), id="busy"),
        pytest.param(status(500, "InternalError", "Internal error occurred: etcdserver: leader changed"), id="etcd"),
        pytest.param(status(500, "InternalError", _UNCALLED), id="webhook"),
        pytest.param(status(403, "Forbidden", _UNCOUNTED), id="quota"),
        pytest.param(status(403, "Forbidden", _UNMADE), id="new-namespace"),
        pytest.param(status(502), id="proxy"),
        pytest.param(status(503), id="restart"),
        pytest.param(status(504), id="slow"),
        pytest.param(Answer(reset=True), id="reset"),
        pytest.param(Answer(b"{", headers={"X-Cut": "1"}, chunks=(b"{",), reset=True), id="cut"),
    ],
)
def test_a_stumbling_server_is_asked_again(
    server: LocalServer, cluster: Cluster, sleeps: list[float], stumble: Answer
) -> None:
    """Overload, a restart, a broken connection: all that we send may be sent twice."""
    server.answers = [stumble, stumble, Answer(_OBJECT)]
    assert cluster.apply(_DEPLOYMENT, _OBJECT) == _OBJECT
    assert len(server.asked) == 3
    assert len({asked.body for asked in server.asked}) == 1
    assert len(sleeps) == 2


@pytest.mark.parametrize(
    ("header", "details", "waited"),
    [
        pytest.param("7", {}, 7, id="header"),
        pytest.param("soon", {}, 0, id="nonsense"),
        pytest.param("", {"retryAfterSeconds": 3}, 3, id="answer"),
        pytest.param("Fri, 31 Dec 1999 23:59:59 GMT", {}, 0, id="past-date"),
    ],
)
def test_the_server_says_when_to_come_back(
    server: LocalServer, cluster: Cluster, sleeps: list[float], header: str, details: Body, waited: float
) -> None:
    """In the header Retry-After, or in the answer itself."""
    body = {"kind": "Status", "message": "busy", "details": details}
    server.answers = [Answer(body, 429, {"Retry-After": header} if header else {}), Answer(_OBJECT)]
    cluster.get(_DEPLOYMENT, _WEB)
    assert waited <= sleeps[0] <= waited * 1.5


def test_a_server_that_keeps_stumbling_is_given_up(server: LocalServer, cluster: Cluster, sleeps: list[float]) -> None:
    """After half a minute, with the server's own words."""
    server.answers = [status(503, message="come back later")]
    with pytest.raises(RequestError, match="come back later") as caught:
        cluster.get(_DEPLOYMENT, _WEB)
    assert _trouble(caught) == (Trouble.UNAVAILABLE, 503)
    assert sum(sleeps) == pytest.approx(30)


def test_a_server_that_keeps_breaking_off_is_given_up(
    server: LocalServer, cluster: Cluster, sleeps: list[float]
) -> None:
    """Some objects make an API server drop the connection: their failure, no endless retry."""
    server.answers = [Answer({"gitVersion": "v1"}), Answer(reset=True)]
    cluster.read("/version")
    with pytest.raises(RequestError) as caught:
        cluster.apply(_DEPLOYMENT, _OBJECT, dry_run=True)
    assert _trouble(caught) == (Trouble.UNREACHABLE, 0)
    assert caught.value.problem.verb == "dry-run"
    assert len(server.asked) == 1 + caught.value.tries
    assert sum(sleeps) == pytest.approx(30)


def test_a_run_that_is_to_end_is_not_kept_by_a_stumbling_server(server: LocalServer, cluster: Cluster) -> None:
    """The pause ends at once, and nothing more is sent."""
    server.answers = [status(503, Retry_After="15")]
    ending = threading.Timer(0.2, cluster.stop.ask, [Problem(Trouble.INTERRUPTED, "interrupted")])
    ending.start()
    began = time.monotonic()
    with pytest.raises(RequestError):
        cluster.get(_DEPLOYMENT, _WEB)
    assert time.monotonic() - began < 5
    assert len(server.asked) == 1


@pytest.mark.parametrize("words", ["404 page not found\n", "the server could not find the requested resource"])
def test_a_kind_that_is_only_just_defined_is_waited_for(
    server: LocalServer, cluster: Cluster, sleeps: list[float], words: str
) -> None:
    """An API server serves a new kind a moment after its CRD says so."""
    unserved = status(404, "NotFound", words)
    server.answers = [unserved, unserved, unserved, Answer(_OBJECT)]
    assert cluster.apply(resource_of("Deployment", "apps/v1", served=False), _OBJECT) == _OBJECT
    assert len(sleeps) == 3


@pytest.mark.parametrize(
    ("served", "message"),
    [
        pytest.param(True, "the server could not find the requested resource", id="a-known-kind"),
        pytest.param(False, 'namespaces "shop" not found', id="another-thing"),
    ],
)
def test_what_else_is_not_found_is_final(server: LocalServer, cluster: Cluster, *, served: bool, message: str) -> None:
    """Nothing is on its way."""
    server.answers = [status(404, "NotFound", message)]
    with pytest.raises(RequestError, match=message):
        cluster.apply(resource_of("Deployment", "apps/v1", served=served), _OBJECT)
    assert len(server.asked) == 1


_EXISTS = status(409, "AlreadyExists", 'deployments "web" already exists')
_MADE = _OBJECT | {"metadata": {"name": "web", "uid": "u1"}, "spec": {"replicas": 2, "paused": False}}


@pytest.mark.parametrize("lost", [Answer(reset=True), status(504)], ids=["reset", "timeout"])
def test_a_creation_whose_answer_was_lost_is_found(
    server: LocalServer, cluster: Cluster, sleeps: list[float], lost: Answer
) -> None:
    """The second attempt says that it exists: it is the one that the first attempt made."""
    server.answers = [lost, _EXISTS, Answer(_MADE)]
    assert cluster.create(_DEPLOYMENT, _OBJECT | {"spec": {"replicas": 2}}) == _MADE
    assert [asked.method for asked in server.asked] == ["POST", "POST", "GET"]


@pytest.mark.parametrize(
    ("answers", "replicas"),
    [
        pytest.param([_EXISTS, Answer(_MADE)], 2, id="it-was-there-before"),
        pytest.param([status(503), _EXISTS, Answer(_MADE)], 3, id="someone-elses"),
        pytest.param([status(503), _EXISTS, status(404)], 2, id="gone-again"),
    ],
)
def test_what_someone_else_created_is_a_conflict(
    server: LocalServer, cluster: Cluster, sleeps: list[float], answers: list[Answer], replicas: int
) -> None:
    """Only what answers to what was sent is taken for ours."""
    server.answers = answers
    with pytest.raises(RequestError):
        cluster.create(_DEPLOYMENT, _OBJECT | {"spec": {"replicas": replicas}})


@pytest.mark.parametrize(
    ("code", "trouble"),
    [
        (400, Trouble.INVALID),
        (403, Trouble.FORBIDDEN),
        (404, Trouble.MISSING),
        (409, Trouble.CONFLICT),
        (422, Trouble.INVALID),
    ],
)
def test_a_refusal_is_final(server: LocalServer, cluster: Cluster, code: int, trouble: Trouble) -> None:
    """The server has spoken: asking again would give the same."""
    server.answers = [status(code, message="no")]
    with pytest.raises(RequestError) as caught:
        cluster.apply(_DEPLOYMENT, _OBJECT)
    assert _trouble(caught) == (trouble, code)
    assert caught.value.problem.verb == "apply"
    assert len(server.asked) == 1


@pytest.mark.parametrize("body", [b"<html>Sign in</html>", b"[]", b""], ids=["page", "array", "empty"])
def test_an_answer_that_is_no_object_is_an_error(server: LocalServer, cluster: Cluster, body: bytes) -> None:
    """A login page or a proxy is no API server."""
    server.answers = [Answer(body)]
    with pytest.raises(RequestError, match="is this address an API server") as caught:
        cluster.apply(_DEPLOYMENT, _OBJECT)
    assert caught.value.problem.verb == "apply"


def test_a_closed_port_is_unreachable(server: LocalServer, cluster: Cluster, sleeps: list[float]) -> None:
    """The message names the server and the reason, not the library's objects."""
    cluster.server = "http://127.0.0.1:1"
    with pytest.raises(RequestError) as caught:
        cluster.read("/version")
    assert caught.value.problem.trouble is Trouble.UNREACHABLE
    assert caught.value.message.startswith("no answer from http://127.0.0.1:1: ")
    assert "refused" in caught.value.message
    assert "object at" not in caught.value.message
    assert "HTTPConnection" not in caught.value.message
    assert len(sleeps) <= 3


def _events(*events: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


_ADDED = {"type": "ADDED", "object": {"metadata": {"name": "ä"}}}
_MODIFIED = {"type": "MODIFIED", "object": {"metadata": {"name": "b"}}}


def _watch(cluster: Cluster) -> list[tuple[str, Body]]:
    return list(cluster.watch(_DEPLOYMENT, namespace="shop", selector="a=b", resource_version="7", seconds=0.2))


def test_a_watch_asks_from_where_the_list_ended(server: LocalServer, cluster: Cluster) -> None:
    """The server ends the stream by itself, after a whole second at least."""
    server.answers = [Answer(chunks=(_events(_ADDED),))]
    assert _watch(cluster) == [("ADDED", _ADDED["object"])]
    assert _query(server.asked[0].path) == {
        "watch": "1",
        "labelSelector": "a=b",
        "resourceVersion": "7",
        "allowWatchBookmarks": "true",
        "timeoutSeconds": "1",
    }


@pytest.mark.parametrize("size", [1, 7, 50, 10_000])
def test_events_are_whole_however_they_are_cut(server: LocalServer, cluster: Cluster, size: int) -> None:
    """Chunks end anywhere: within a line, within a character, or after several lines; blank lines are nothing."""
    stream = _events(_ADDED) + b"\n" + _events(_MODIFIED)
    chunks = tuple(stream[start : start + size] for start in range(0, len(stream), size))
    server.answers = [Answer(chunks=chunks)]
    assert [kind for kind, _ in _watch(cluster)] == ["ADDED", "MODIFIED"]


def test_half_an_event_at_the_end_is_none(server: LocalServer, cluster: Cluster) -> None:
    """A stream that the server ends in mid-line gives what was whole."""
    server.answers = [Answer(chunks=(_events(_ADDED), b'{"type":"MODI'))]
    assert [kind for kind, _ in _watch(cluster)] == ["ADDED"]


def test_a_watch_too_old_says_so(server: LocalServer, cluster: Cluster) -> None:
    """410 arrives as an event; the caller lists again."""
    gone = {"type": "ERROR", "object": {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old"}}
    server.answers = [Answer(chunks=(_events(_ADDED, gone),))]
    with pytest.raises(RequestError, match="too old") as caught:
        _watch(cluster)
    assert caught.value.problem.status == 410


@pytest.mark.parametrize(
    "chunks",
    [(b"<html>bad gateway</html>\n",), (b"[]\n",), (b'{"kind":"Status"}\n',), (b'{"type":"ADDED"}\n',)],
    ids=["page", "array", "no-event", "no-object"],
)
def test_a_stream_of_something_else_is_an_error(
    server: LocalServer, cluster: Cluster, chunks: tuple[bytes, ...]
) -> None:
    """What is no event is the connection's failure, told like any other."""
    server.answers = [Answer(chunks=chunks)]
    with pytest.raises(RequestError) as caught:
        _watch(cluster)
    assert caught.value.problem.verb == "watch"


def test_a_stream_that_breaks_is_an_error(server: LocalServer, cluster: Cluster) -> None:
    """The events before the break count; the break is told."""
    server.answers = [Answer(chunks=(_events(_ADDED),), reset=True)]
    seen = cluster.watch(_DEPLOYMENT, namespace="", selector="", resource_version="", seconds=1)
    assert next(seen)[0] == "ADDED"
    with pytest.raises(RequestError) as caught:
        next(seen)
    assert caught.value.problem.trouble is Trouble.UNREACHABLE


def test_a_refused_watch_is_an_error(server: LocalServer, cluster: Cluster) -> None:
    """The reason is read although the answer is a stream."""
    server.answers = [status(403, "Forbidden", "not you")]
    with pytest.raises(RequestError, match="not you"):
        _watch(cluster)


@pytest.mark.parametrize("count", [0, 1, 9])
def test_results_stand_in_the_order_of_the_items(cluster: Cluster, count: int) -> None:
    """Whichever of the concurrent calls ends first."""
    assert cluster.each(lambda number: number * 2, range(count)) == [number * 2 for number in range(count)]


@pytest.mark.parametrize("raised", [KeyError("a bug"), KeyboardInterrupt()], ids=["error", "interrupt"])
def test_an_exception_starts_no_further_call(cluster: Cluster, raised: BaseException) -> None:
    """What waits is cancelled, what runs is let end, and the exception leaves."""
    started: list[int] = []

    def call(number: int) -> None:
        started.append(number)
        raise raised

    with pytest.raises(type(raised)):
        cluster.each(call, range(1000))
    assert len(started) < 1000


def test_warnings(cluster: Cluster, server: LocalServer) -> None:
    """What the server says beside its answer is kept, for whoever asks; and a subresource has its own path."""
    header = '299 - "v1 \\"Endpoints\\" is deprecated", 299 - "odd"'
    server.answers = [Answer(_OBJECT, headers={"Warning": header})]
    said: list[str] = []
    cluster.apply(_DEPLOYMENT, _OBJECT, dry_run=True, subresource="status", warnings=said)
    assert said == ['v1 "Endpoints" is deprecated', "odd"]
    assert urlsplit(server.asked[-1].path).path.endswith("/deployments/web/status")
