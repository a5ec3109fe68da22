"""An object tried under another name, or in another namespace, and the answer as if it had been tried as itself.

For what can't be asked about in its place: an object in a namespace that comes with the same set, or one whose name is
taken. Pure: what is sent, and what the answer means. Who asks is `observe`.
"""

import hashlib
import re
from dataclasses import dataclass, field
from typing import Any

from recon_action.model import Body, Problem, Trouble

HOME = "default"  # a namespace that every cluster has

_MARK = 10  # hex digits that make a name free
_SHORTEST_LIMIT = 52  # characters that a name may have, by the kind that allows the fewest (CronJob)
_UNCHECKED = "could not be checked: its namespace is new too"
# What the server says of the namespace that it was tried in.
_OF_THE_NAMESPACE = (
    (re.compile(r"exceeded quota|failed quota"), "a quota"),
    (re.compile(r"violates PodSecurity"), "a pod security level"),
    (re.compile(r"(?:maximum|minimum) \S+ usage per|limit to request ratio per"), "limits"),
)


@dataclass(frozen=True, slots=True)
class StandIn:
    """What is sent in an object's place.

    Args:
        payload: under the free name.
        name: the object's own.
        namespace: the object's own; "" if there is none.
    """

    payload: Body = field(repr=False)
    name: str
    namespace: str

    def restored(self, answer: Body) -> Body:
        """An answer, its keys and texts, as if it had been about the object itself."""
        body: Body = self._restored(answer)
        return body | {"metadata": body["metadata"] | ({"namespace": self.namespace} if self.namespace else {})}

    def _restored(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {self.retold(key): self._restored(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._restored(item) for item in value]
        return self.retold(value) if isinstance(value, str) else value

    def retold(self, text: str) -> str:
        """A message about the object itself."""
        metadata = self.payload["metadata"]
        home = re.escape(metadata.get("namespace", ""))
        text = text.replace(metadata["name"], self.name)
        if not home or metadata["namespace"] == self.namespace:
            return text
        text = re.sub(rf"""(\bnamespace:? ["']?){home}\b""", rf"\g<1>{self.namespace}", text)
        return re.sub(rf"(?<![\w./-]){home}/(?=[a-z0-9])", f"{self.namespace}/", text)


def stand_in(payload: Body, *, salt: str, namespace: str = "") -> StandIn:
    """`payload` under a name that nothing has.

    The name stays as right or wrong as it was: its first and last characters, its length where that could matter.

    Args:
        payload: what would be sent.
        salt: what tells the name from others that are made; the same gives the same name.
        namespace: where to try it; "" means where it belongs.
    """
    metadata = payload["metadata"]
    own: str = metadata["name"]
    mark = hashlib.sha256(salt.encode()).hexdigest()[:_MARK]
    room = max(len(own), _SHORTEST_LIMIT) - _MARK - 1
    free = own[:1] + mark + own[1:][-room:]
    moved = {key: value for key, value in metadata.items() if key != "resourceVersion"} | {"name": free}
    moved |= {"namespace": namespace} if namespace else {}
    return StandIn(payload | {"metadata": moved}, own, metadata.get("namespace", ""))


def unchecked(problem: Problem) -> str | None:
    """Why a refusal in another namespace says nothing certain of the object in its own; None if it does.

    Args:
        problem: the refusal, retold.
    """
    if problem.trouble is Trouble.FORBIDDEN:
        return ""
    of_admission = problem.trouble in {Trouble.DENIED, Trouble.MISSING}
    if not of_admission and "webhook" not in problem.message:
        return None
    for pattern, what in _OF_THE_NAMESPACE:
        if pattern.search(problem.message):
            return f"could not be checked: its namespace is new too, and the one that it was tried in has {what}"
    return (
        f"could not be checked: its namespace is new too, and in another one the server refuses it: {problem.message}"
    )
