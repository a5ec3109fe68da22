"""One Lease, claimed by one holder: every write names the version that it replaces. When to write, `lock` decides."""

from dataclasses import dataclass
from datetime import UTC, datetime

from recon_action.act.inventory import ensure_namespace
from recon_action.cluster import Cluster, RequestError
from recon_action.model import Body, ObjectRef, Progress, Trouble
from recon_action.model.capabilities import LEASE

RENEWALS = 4  # in the time for which a claim counts; an attempt may take half of the time between two
_ATTEMPTS = 3  # at giving it back, if a renewal comes in between


@dataclass(frozen=True, slots=True)
class Held:
    """A Lease as it was read.

    Args:
        uid: its UID.
        version: its resourceVersion.
        holder: "" if nobody holds it.
        since: when that one got it, as that one's clock said; RFC 3339.
        duration: seconds that it counts without being renewed.
        transitions: how often it changed hands.
    """

    uid: str
    version: str
    holder: str
    since: str
    duration: float
    transitions: int

    @classmethod
    def of(cls, body: Body) -> "Held":
        """What the Lease `body` says."""
        metadata, spec = body["metadata"], body.get("spec") or {}
        return cls(
            uid=metadata["uid"],
            version=metadata["resourceVersion"],
            holder=spec.get("holderIdentity") or "",
            since=spec.get("acquireTime") or "",
            duration=float(spec.get("leaseDurationSeconds") or 0),
            transitions=int(spec.get("leaseTransitions") or 0),
        )

    def __str__(self) -> str:
        """Who, and since when; what others wrote, without characters that would move a cursor."""
        since = self.since.partition(".")[0].replace("T", " ").removesuffix("Z")
        text = self.holder.rpartition("#")[0] or self.holder
        text += f", since {since} UTC" if since else ""
        return "".join(character for character in text if character.isprintable())


class Claim:
    """Our claim on one Lease, and what it was written as last."""

    def __init__(self, cluster: Cluster, ref: ObjectRef, holder: str, duration: float) -> None:
        self.cluster = cluster
        self.holder = holder
        self.duration = duration
        self._ref = ref
        self._since = ""
        self._ours: Held | None = None

    def create(self) -> bool:
        """Take the lock if there is none; gives whether it is ours."""
        try:
            return self._created()
        except RequestError as error:
            if error.problem.trouble is not Trouble.MISSING:
                raise
        ensure_namespace(self.cluster, self._ref.namespace)
        return self._created()

    def take(self, held: Held) -> bool:
        """Take the lock out of the hands of `held`; gives whether it is ours."""
        if held.holder == self.holder:  # the answer to our own writing was lost
            self._ours, self._since = held, held.since
            return True
        self._since = _now()
        return self._write(self.cluster, held, held.transitions + 1)

    def renew(self) -> bool:
        """Say that we are alive; gives False if the lock is no longer ours."""
        cluster = self.cluster.brief(self.duration / RENEWALS / 2)
        held = self._ours
        while held is not None and held.holder == self.holder:
            if self._write(cluster, held, held.transitions):
                return True
            held = self.read(cluster)
        return False

    def release(self, progress: Progress) -> None:
        """Give the lock back, and never another's; one that can't be given back ends by itself."""
        cluster, held = self.cluster.settling(), self._ours
        try:
            for _ in range(_ATTEMPTS):
                if held is None or held.holder != self.holder or self._deleted(cluster, held):
                    return
                held = self.read(cluster)
        except RequestError as error:
            progress.note(f"the lock could not be given back, so it ends in {self.duration:.0f} s: {error.message}")

    def read(self, cluster: Cluster) -> Held | None:
        """The lock as it is; None if there is none."""
        try:
            return Held.of(cluster.get(LEASE, self._ref))
        except RequestError as error:
            if error.problem.trouble is Trouble.MISSING:
                return None
            raise

    def _created(self) -> bool:
        self._since = _now()
        metadata = {"name": self._ref.name, "namespace": self._ref.namespace}
        body = {"apiVersion": LEASE.api_version, "kind": LEASE.kind, "metadata": metadata, "spec": self._spec(0)}
        try:
            self._ours = Held.of(self.cluster.create(LEASE, body))
        except RequestError as error:
            if error.problem.trouble is Trouble.CONFLICT:
                return False
            raise
        return True

    def _write(self, cluster: Cluster, held: Held, transitions: int) -> bool:
        """Put our name into the very version `held`; gives whether that was still the one."""
        operations: list[Body] = [
            {"op": "replace", "path": "/metadata/resourceVersion", "value": held.version},
            {"op": "add", "path": "/spec", "value": self._spec(transitions)},
        ]
        try:
            self._ours = Held.of(cluster.patch(LEASE, self._ref, operations))
        except RequestError as error:
            if error.problem.trouble in {Trouble.CONFLICT, Trouble.MISSING}:
                return False
            raise
        return True

    def _deleted(self, cluster: Cluster, held: Held) -> bool:
        try:
            cluster.delete(LEASE, self._ref, uid=held.uid, version=held.version)
        except RequestError as error:
            if error.problem.trouble is Trouble.CONFLICT:
                return False
            if error.problem.trouble is not Trouble.MISSING:
                raise
        return True

    def _spec(self, transitions: int) -> Body:
        return {
            "holderIdentity": self.holder,
            "leaseDurationSeconds": max(1, round(self.duration)),
            "acquireTime": self._since,
            "renewTime": _now(),
            "leaseTransitions": transitions,
        }


def _now() -> str:
    """The time as Leases state it: for people alone, nothing is decided by it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
