"""An admission webhook on 127.0.0.1 that answers as a test tells it, and remembers what it was asked."""

import base64
import json
import ssl
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from local_server import Answer, Asked, LocalServer, local_server
from target import Target

from recon_action.lab.pki import Authority, Pair

Body = dict[str, Any]


@dataclass(frozen=True)
class Review:
    """One question of the API server.

    Args:
        operation: CREATE, UPDATE or DELETE.
        name: of the object.
        is_dry_run: nothing will be stored.
        body: the object as it would be stored; {} if it would be gone.
    """

    operation: str
    name: str
    is_dry_run: bool
    body: Body


# What is said to a review: a response, without its uid, or any other answer.
Behaviour = Callable[[Review], Body | Answer]


class Webhook(LocalServer):
    """Behaves as it was told last.

    Attributes:
        behaviour: what it says.
        reviews: what it was asked.
    """

    def __init__(self) -> None:
        super().__init__()
        self.behaviour: Behaviour = allow
        self.reviews: list[Review] = []

    @property
    def calls(self) -> tuple[int, int]:
        """How many dry runs, and how many real writes, it was asked about."""
        dry = sum(review.is_dry_run for review in self.reviews)
        return dry, len(self.reviews) - dry

    def next(self, request: Asked) -> Answer:
        """The answer to one review."""
        asked = request.json["request"]
        body = asked.get("object") or {}
        review = Review(asked["operation"], asked["name"], bool(asked.get("dryRun")), body)
        self.reviews.append(review)
        said = self.behaviour(review)
        if isinstance(said, Answer):
            return said
        response = {"uid": asked["uid"], **said}
        return Answer({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response})


def allow(_review: Review) -> Body:
    """Nothing against it."""
    return {"allowed": True}


def mutating(patch: Callable[[Body], Sequence[Body]]) -> Behaviour:
    """`patch` gives the operations of a JSON patch for an object."""

    def behave(review: Review) -> Body:
        operations = json.dumps(list(patch(review.body)) if review.body else []).encode()
        return {"allowed": True, "patchType": "JSONPatch", "patch": base64.b64encode(operations).decode()}

    return behave


def denying(message: str) -> Behaviour:
    """Refuses with these words."""
    return lambda _review: {"allowed": False, "status": {"message": message, "code": 403}}


def failing(status: int = 500) -> Behaviour:
    """Breaks down."""
    return lambda _review: Answer({}, status)


def closing(_review: Review) -> Answer:
    """Hangs up without a word."""
    return Answer(reset=True)


def slow(seconds: float) -> Behaviour:
    """Thinks for so long."""

    def behave(review: Review) -> Body:
        time.sleep(seconds)
        return allow(review)

    return behave


def when(condition: Callable[[Review], bool], then: Behaviour) -> Behaviour:
    """Behaves so to some reviews, and allows the others."""
    return lambda review: (then if condition(review) else allow)(review)


@contextmanager
def installed(
    target: Target,
    *,
    kind: str = "Validating",
    failure_policy: str = "Fail",
    timeout: int = 10,
) -> Iterator[Webhook]:
    """A webhook that judges the target's namespace, and nothing else; it allows everything until told otherwise."""
    webhook, authority = Webhook(), Authority(datetime.now(UTC))
    with local_server(webhook, _context(authority.server())):
        name = f"{target.namespace}-{kind.lower()}"
        body = {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": f"{kind}WebhookConfiguration",
            "metadata": {"name": name},
            "webhooks": [
                {
                    "name": "hook.example.com",
                    "admissionReviewVersions": ["v1"],
                    "sideEffects": "NoneOnDryRun",
                    "failurePolicy": failure_policy,
                    "timeoutSeconds": timeout,
                    "clientConfig": {
                        "url": webhook.url,
                        "caBundle": base64.b64encode(authority.certificate).decode(),
                    },
                    "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": target.namespace}},
                    "rules": [
                        {
                            "apiGroups": ["*"],
                            "apiVersions": ["*"],
                            "operations": ["CREATE", "UPDATE", "DELETE"],
                            "resources": ["*"],
                            "scope": "Namespaced",
                        }
                    ],
                }
            ],
        }
        target.kubectl("create", "-f", "-", stdin=json.dumps(body))
        try:
            _await(target, webhook)
            yield webhook
        finally:
            target.kubectl("delete", f"{kind.lower()}webhookconfiguration", name)


def _await(target: Target, webhook: Webhook) -> None:
    """A webhook takes a moment until it is asked."""
    end = time.monotonic() + 20
    while not webhook.reviews:
        assert time.monotonic() < end
        target.kubectl("create", "configmap", "probe", "--dry-run=server")
    webhook.reviews.clear()


def _context(pair: Pair) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory() as folder:  # ssl reads files only
        file = Path(folder, "server.pem")
        file.write_bytes(pair.certificate + pair.key)
        context.load_cert_chain(file)
    return context
