"""One connection to one API server: the verbs, as data in and data out.

Bodies are JSON as the server sends them. Every method raises `RequestError` and nothing else.
"""

import logging
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from functools import partial
from typing import Any, Self, TypeVar
from urllib.parse import quote, urlencode

import orjson
from urllib3 import PoolManager, Timeout
from urllib3.exceptions import HTTPError
from urllib3.response import BaseHTTPResponse

from recon_action.cluster.credentials import Credentials
from recon_action.cluster.failure import RequestError, refused, unanswered, unreachable, unsent, without_token
from recon_action.cluster.retry import Patience
from recon_action.cluster.sockets import Sockets
from recon_action.errors import ClusterError
from recon_action.model import Body, ObjectRef, Problem, Resource, Trouble, ref_of
from recon_action.model.live import FIELD_MANAGER
from recon_action.stop import Stop

_log = logging.getLogger(__name__)

_PAGE = 500
_TIMEOUT = Timeout(connect=5, read=60)
_JSON = {"Accept": "application/json", "Content-Type": "application/json"}
# JSON is YAML; the server knows server-side apply by this type.
_APPLY = {"Accept": "application/json", "Content-Type": "application/apply-patch+yaml"}
_JSON_PATCH = {"Accept": "application/json", "Content-Type": "application/json-patch+json"}
_WARNING = re.compile(r'\b299 \S+ "((?:[^"\\]|\\.)*)"')
_UNAUTHORISED = 401
_GONE = 410
_GRACE = 2.0  # seconds that requests under way have for their answer once the run is to end
_SETTLING = 1.0  # the same for each request that settles what is known

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class Cluster:
    """A connection; safe to use from several threads.

    Attributes:
        server: the API server's address.
        namespace: the context's namespace.
        stop: once the run is to end, nothing more is sent, and nothing waited for.
        patience: how long requests are tried.
    """

    def __init__(
        self,
        server: str,
        pool: PoolManager,
        credentials: Credentials,
        namespace: str,
        concurrency: int,
        stop: Stop | None = None,
    ) -> None:
        self.server = server
        self.namespace = namespace
        self._credentials = credentials
        self._pool = pool
        self._concurrency = concurrency
        self.stop = stop or Stop()
        self.patience = Patience(self.stop.wait)
        self._timeout = _TIMEOUT
        self._sockets = Sockets(pool)
        self.stop.follow(self._cut_soon)

    def brief(self, seconds: float) -> Self:
        """The same connection, on which a request is tried once, for so long at most."""
        other = copy(self)
        other._timeout = Timeout(total=seconds)  # noqa: SLF001 - its own copy
        other.patience = Patience(lambda _: True)
        return other

    def settling(self) -> Self:
        """The connection for what has to be sent last: once the run is to end, one that does send, briefly.

        What is still under way then is cut off.
        """
        if self.stop.problem is None:
            return self
        self._sockets.cut()
        other = self.brief(_SETTLING)
        other.stop = Stop()
        return other

    def read(self, path: str, *, verb: str = "get", accept: str = "application/json") -> Body:
        """The answer to a GET of `path`, decoded."""
        return _decoded(verb, self._send("GET", path, verb, headers={"Accept": accept}))

    def get(self, resource: Resource, ref: ObjectRef) -> Body:
        """One object."""
        return self.read(path_of(resource, ref.namespace, ref.name))

    def list_all(self, resource: Resource, *, namespace: str = "", selector: str = "") -> tuple[list[Body], str]:
        """All objects of a kind, page by page, and the resourceVersion of the list.

        Args:
            resource: the kind.
            namespace: "" means all namespaces.
            selector: a label selector.
        """
        query = {"limit": str(_PAGE)} | ({"labelSelector": selector} if selector else {})
        items: list[Body] = []
        token = ""
        while True:
            page = query | ({"continue": token} if token else {})
            try:
                answer = self.read(f"{path_of(resource, namespace)}?{urlencode(page)}", verb="list")
            except RequestError as error:
                if error.problem.status != _GONE or not token:
                    raise
                # The snapshot expired between two pages: begin again, with one page that can't.
                items, token = [], ""
                del query["limit"]
                continue
            items += answer.get("items") or ()
            metadata = answer.get("metadata") or {}
            token = metadata.get("continue", "")
            if not token:
                break
        for item in items:  # a list states them once for all items
            item["apiVersion"], item["kind"] = resource.api_version, resource.kind
        return items, str(metadata.get("resourceVersion", ""))

    def apply(
        self,
        resource: Resource,
        body: Body,
        *,
        dry_run: bool = False,
        subresource: str = "",
        warnings: list[str] | None = None,
    ) -> Body:
        """Server-side apply with force, as our field manager; gives the object as it is (or would be) stored.

        Args:
            resource: the kind.
            body: what is applied.
            dry_run: whether nothing is stored.
            subresource: what of the object it is about; "" for the object itself.
            warnings: gets what the server says beside its answer.
        """
        metadata = body["metadata"]
        query = {"fieldManager": FIELD_MANAGER, "force": "true", "fieldValidation": "Strict"}
        query |= {"dryRun": "All"} if dry_run else {}
        verb = "dry-run" if dry_run else "apply"
        of = f"/{subresource}" if subresource else ""
        path = f"{path_of(resource, metadata.get('namespace', ''), metadata['name'])}{of}?{urlencode(query)}"
        answer = self._send("PATCH", path, verb, body=orjson.dumps(body), headers=_APPLY, is_new=not resource.served)
        if warnings is not None:
            warnings += (text for line in answer.headers.getlist("Warning") for text in _warnings(line))
        return _decoded(verb, answer)

    def patch(
        self, resource: Resource, ref: ObjectRef, operations: Sequence[Body], *, manager: str = FIELD_MANAGER
    ) -> Body:
        """JSON patch of one object, on behalf of its apply unless `manager` says else; gives it as it is stored."""
        path = f"{path_of(resource, ref.namespace, ref.name)}?{urlencode({'fieldManager': manager})}"
        body, is_new = orjson.dumps(operations), not resource.served
        return _decoded("apply", self._send("PATCH", path, "apply", body=body, headers=_JSON_PATCH, is_new=is_new))

    def create(self, resource: Resource, body: Body, *, dry_run: bool = False) -> Body:
        """POST of one object; if the answer to the first attempt was lost, what it made is found."""
        path = path_of(resource, body["metadata"].get("namespace", ""))
        if dry_run:
            query = {"dryRun": "All", "fieldManager": FIELD_MANAGER, "fieldValidation": "Strict"}
            path = f"{path}?{urlencode(query)}"
        try:
            answer = self._send("POST", path, "create", body=orjson.dumps(body))
        except RequestError as error:
            if error.problem.trouble is not Trouble.CONFLICT or error.tries == 1 or dry_run:
                raise
            found = self.get(resource, ref_of(body))
            if not _holds(found, body):
                raise
            return found
        return _decoded("create", answer)

    def delete(
        self, resource: Resource, ref: ObjectRef, *, uid: str, version: str = "", foreground: bool = False
    ) -> Body | None:
        """Delete the object iff it still is this one; gives what is left of it, None if it is gone at once.

        Args:
            resource: the kind.
            ref: the object.
            uid: its UID.
            version: its resourceVersion; "" means any.
            foreground: whether it stays until all that it owns is gone; else that is collected in the background.
        """
        options = {
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "propagationPolicy": "Foreground" if foreground else "Background",
            "preconditions": {"uid": uid} | ({"resourceVersion": version} if version else {}),
        }
        path = path_of(resource, ref.namespace, ref.name)
        answer = _decoded("delete", self._send("DELETE", path, "delete", body=orjson.dumps(options)))
        return answer if (answer.get("metadata") or {}).get("deletionTimestamp") else None

    def watch(
        self, resource: Resource, *, namespace: str, selector: str, resource_version: str, seconds: float
    ) -> Iterator[tuple[str, Body]]:
        """Events since `resource_version`, as (type, object), until the server ends the stream.

        Raises:
            RequestError: status 410 if the version is too old; list again, then.
        """
        query = {
            "watch": "1",
            "labelSelector": selector,
            "resourceVersion": resource_version,
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(max(1, round(seconds))),
        }
        path = f"{path_of(resource, namespace)}?{urlencode(query)}"
        # Not tried again: who watches lists anew when a stream ends, whatever the reason.
        answer = self._send_once("GET", path, "watch", stream_for=seconds + 5)
        try:
            for line in _lines(answer):
                yield _event(line)
        except (HTTPError, OSError) as error:
            raise unreachable("watch", self.server, error) from error
        finally:
            answer.close()

    def each(self, function: Callable[[_Item], _Result], items: Sequence[_Item]) -> list[_Result]:
        """`function` of every item, concurrently; results in the order of `items`.

        An exception starts no further call and leaves once those under way ended. That the run is to end is none:
        every call finds out by itself, as soon as it sends something.
        """
        if len(items) <= 1:
            return [function(item) for item in items]
        with ThreadPoolExecutor(min(self._concurrency, len(items))) as threads:
            futures = [threads.submit(function, item) for item in items]
            try:
                return [future.result() for future in futures]
            except BaseException:
                threads.shutdown(wait=False, cancel_futures=True)
                raise

    def _send(
        self,
        method: str,
        path: str,
        verb: str,
        *,
        body: bytes | None = None,
        headers: dict[str, str] = _JSON,
        is_new: bool = False,
    ) -> BaseHTTPResponse:
        """Send one request, again where what made it fail passes.

        All that is sent may be sent twice: a read, an apply or a dry run ends as it would have after one; a patch
        names the resourceVersion that it starts from, a deletion the UID; what `create` made is found.
        """
        send = partial(self._send_once, method, path, verb, body=body, headers=headers, is_new=is_new)
        return self.patience.insist(send, f"{verb} {path.partition('?')[0]}")

    def _send_once(
        self,
        method: str,
        path: str,
        verb: str,
        *,
        body: bytes | None = None,
        headers: dict[str, str] = _JSON,
        is_new: bool = False,
        stream_for: float | None = None,
    ) -> BaseHTTPResponse:
        """Send one request; `stream_for` leaves the answer's body unread and allows it that many seconds."""
        if self.stop.problem is not None:
            raise unsent(self.stop.undone(verb))
        send = partial(
            self._pool.request,
            method,
            self.server + path,
            body=body,
            timeout=self._timeout if stream_for is None else Timeout(connect=5, read=stream_for),
            retries=False,
            redirect=False,
            preload_content=stream_for is None,
        )
        try:
            answer = self._send_known(send, verb, {"User-Agent": FIELD_MANAGER} | headers)
            _log.debug("%s %s -> %d", method, path, answer.status)
            if answer.status >= 400:
                said, after = self._credentials.hidden(answer.data), answer.headers.get("Retry-After", "")
                remedy = self._credentials.remedy() if answer.status == _UNAUTHORISED else ""
                raise refused(verb, answer.status, said, after=after, is_new=is_new, remedy=remedy)
        except (HTTPError, OSError) as error:
            if (problem := self.stop.problem) is not None:
                raise unanswered(verb, problem) from error
            raise unreachable(verb, self.server, error) from error
        return answer

    def _send_known(
        self, send: Callable[..., BaseHTTPResponse], verb: str, headers: dict[str, str]
    ) -> BaseHTTPResponse:
        """The answer to a request that says who we are; once more with a newer token, if one isn't taken."""
        header = self._header(verb)
        answer = send(headers=headers | {"Authorization": header} if header else headers)
        if answer.status == _UNAUTHORISED and (newer := self._header(verb, header)):
            answer.close()
            answer = send(headers=headers | {"Authorization": newer})
        return answer

    def _header(self, verb: str, refused: str | None = None) -> str:
        try:
            return self._credentials.header() if refused is None else self._credentials.another(refused)
        except ClusterError as error:
            if self.stop.problem is not None:
                raise unsent(self.stop.undone(verb)) from error
            raise without_token(verb, error) from error

    def _cut_soon(self, _problem: Problem) -> None:
        timer = threading.Timer(_GRACE, self._sockets.cut)
        timer.daemon = True
        timer.start()


def path_of(resource: Resource, namespace: str = "", name: str = "") -> str:
    """The URL path of an object, or of a kind's collection where `name` is ""."""
    root = f"/apis/{resource.group}/{resource.version}" if resource.group else f"/api/{resource.version}"
    scope = f"/namespaces/{quote(namespace, safe='')}" if namespace and resource.namespaced else ""
    return f"{root}{scope}/{resource.plural}" + (f"/{quote(name, safe='')}" if name else "")


def _warnings(header: str) -> list[str]:
    """The texts of a Warning header: `299 - "policy/v1beta1 … is deprecated", 299 - "…"`."""
    return [found.replace('\\"', '"').replace("\\\\", "\\") for found in _WARNING.findall(header)]


def _holds(found: Any, body: Any) -> bool:
    """Whether all of `body` is in `found`, which the server may have completed."""
    if isinstance(found, dict) and isinstance(body, dict):
        return all(key in found and _holds(found[key], value) for key, value in body.items())
    return bool(found == body)


def _lines(answer: BaseHTTPResponse) -> Iterator[bytes]:
    rest = b""
    for chunk in answer.stream(amt=None, decode_content=True):
        *lines, rest = (rest + chunk).split(b"\n")
        yield from (line for line in lines if line.strip())


def _event(line: bytes) -> tuple[str, Body]:
    try:
        event: Any = orjson.loads(line)
        kind, body = str(event["type"]), dict(event["object"])
    except (KeyError, TypeError, ValueError):
        raise refused(
            "watch", 502, b"the stream holds something else than events; is this address an API server?"
        ) from None
    if kind == "ERROR":
        raise refused("watch", int(body.get("code", 500)), orjson.dumps(body))
    return kind, body


def _decoded(verb: str, answer: BaseHTTPResponse) -> Body:
    try:
        decoded: Any = orjson.loads(answer.data)
    except orjson.JSONDecodeError:
        decoded = None
    if not isinstance(decoded, dict):
        raise refused(verb, 502, b"the answer is no Kubernetes object; is this address an API server?")
    return decoded
