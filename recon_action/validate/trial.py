"""What a control plane of our own says of a set: it is started for that, and gone afterwards.

What others are checked against is put on it; everything else is only tried, by a dry run each.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from recon_action.analyze.deprecation import Later, deprecated
from recon_action.analyze.groundwork import POLICIES, groundwork, presumed
from recon_action.analyze.payload import normalised
from recon_action.analyze.resolve import Resolved, resolve
from recon_action.analyze.unjudged import unjudged
from recon_action.cluster import Cluster, connect, discover
from recon_action.lab import LabOptions, start
from recon_action.lab.options import VERSIONS
from recon_action.model import Access, Body, Capabilities, LiveObject, Manifest, ObjectRef, Problem, Progress, Settings
from recon_action.model.capabilities import NAMESPACE
from recon_action.observe import Prediction, predict, sent_elsewhere
from recon_action.stop import Stop
from recon_action.validate.footing import Footing, put, stand_guard, stated

_USUAL = "default"  # where objects go that name no namespace, in most kubeconfigs
_ALWAYS = frozenset({_USUAL, "kube-node-lease", "kube-public", "kube-system"})  # namespaces of every cluster
_AHEAD = 2  # versions after the one that is asked for
_SERVED = 20.0  # seconds that a kind may take until it is served
_POLL = 0.1


@dataclass(frozen=True, slots=True)
class Trial:
    """What the server said.

    Args:
        version: of the server.
        manifests: the objects, where the server places them.
        problems: why it refuses some of them, or why nothing is known of them.
        warnings: what it says beside its answer.
        notes: what is to be known of the trial itself.
    """

    version: str
    manifests: Mapping[ObjectRef, Manifest]
    problems: Mapping[ObjectRef, Problem]
    warnings: Mapping[ObjectRef, Sequence[str]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def try_out(
    manifests: Sequence[Manifest], settings: Settings, kubernetes: str, stop: Stop, progress: Progress
) -> Trial:
    """Try `manifests` on a control plane that shows the behaviour of the version `kubernetes`.

    Raises:
        ReconError: the control plane can't be had, or an object is declared twice.
    """
    with start(LabOptions(kubernetes=kubernetes), progress=progress) as lab:
        cluster = connect(Access(str(lab.kubeconfig)), concurrency=settings.concurrency, stop=stop)
        progress.step("preparing the control plane")
        ground = _prepared(cluster, manifests, settings)
        resolved = ground.resolved
        asked = {
            ref: normalised(resolved.manifests[ref], resource)
            for ref, resource in resolved.resources.items()
            if resource.served and not resolved.manifests[ref].withheld and ref not in ground.problems
        }
        answers = predict(cluster, asked, resolved.resources, ground.objects, progress)
    refused = {ref: one.problem for ref, one in answers.items() if one.problem}
    problems = unjudged(resolved, {**refused, **ground.problems}, kubernetes)
    warnings = {ref: one.warnings for ref, one in answers.items() if one.warnings}
    later = [_asked_later(version, answers, resolved, settings, stop, progress) for version in _following(kubernetes)]
    ahead = deprecated(resolved, later)
    return Trial(
        ground.version,
        resolved.manifests,
        problems,
        {ref: tuple(dict.fromkeys((*warnings.get(ref, ()), *ahead.get(ref, ())))) for ref in (*warnings, *ahead)},
        _notes(resolved.manifests),
    )


@dataclass(frozen=True, slots=True)
class _Ground:
    """The server once everything is there that others are checked against."""

    version: str
    resolved: Resolved
    objects: Mapping[ObjectRef, LiveObject]
    problems: Mapping[ObjectRef, Problem]


def _prepared(cluster: Cluster, manifests: Sequence[Manifest], settings: Settings) -> _Ground:
    """Put the groundwork of the set on the server, stage by stage."""
    namespace = settings.namespace or _USUAL
    capabilities = discover(cluster)
    resolved = resolve(manifests, capabilities, namespace)
    footing = Footing()
    cluster.each(lambda name: cluster.apply(NAMESPACE, _namespace(name)), presumed(resolved.manifests))
    for number, stage in enumerate(groundwork(resolved.manifests)):
        refs = [ref for ref in stage if ref in resolved.resources and resolved.resources[ref].served]
        footing = put(cluster, refs, resolved, footing)
        if not number and resolved.definitions:
            capabilities = _served(cluster, resolved, footing)
            resolved = resolve(manifests, capabilities, namespace)
    if any((ref.group, ref.kind) in POLICIES for ref in footing.objects):
        stand_guard(cluster, capabilities)
    return _Ground(capabilities.version, resolved, footing.objects, footing.problems)


def _served(cluster: Cluster, resolved: Resolved, footing: Footing) -> Capabilities:
    """What the server serves once it serves the kinds of the CRDs that it has taken."""
    wanted = {key for key, one in resolved.definitions.items() if one.ref in footing.objects}
    end = time.monotonic() + _SERVED
    while True:
        capabilities = discover(cluster)
        missing = [key for key in wanted if capabilities.find(*key) is None]
        if not missing or time.monotonic() > end or cluster.stop.wait(_POLL):
            return capabilities


def _following(kubernetes: str) -> Sequence[str]:
    """The versions after `kubernetes` that a lab can show."""
    at = VERSIONS.index(kubernetes)
    return VERSIONS[at + 1 : at + 1 + _AHEAD]


def _asked_later(
    version: str,
    answers: Mapping[ObjectRef, Prediction],
    resolved: Resolved,
    settings: Settings,
    stop: Stop,
    progress: Progress,
) -> Later:
    """What a later version says of Kubernetes' own kinds in the versions that the set uses: of one object each."""
    samples: dict[tuple[str, str, str], ObjectRef] = {}
    for ref, one in answers.items():
        if one.body is not None and resolved.resources[ref].built_in:
            samples.setdefault((ref.group, ref.kind, resolved.resources[ref].version), ref)
    if not samples:
        return Later(version, frozenset(), {})
    with start(LabOptions(kubernetes=version), progress=progress) as lab:
        cluster = connect(Access(str(lab.kubeconfig)), concurrency=settings.concurrency, stop=stop)
        capabilities = discover(cluster)
        served = {key: ref for key, ref in samples.items() if capabilities.find(*key)}
        payloads = stated(resolved, served.values())
        homeless = {ref: payload for ref, payload in payloads.items() if ref.namespace}
        moved = {ref: one.payload for ref, one in sent_elsewhere(homeless).items()}
        said = predict(cluster, payloads | moved, resolved.resources, {}, progress)
    warnings = {key: said[ref].warnings for key, ref in served.items()}
    return Later(version, frozenset(samples) - frozenset(served), warnings)


def _namespace(name: str) -> Body:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def _notes(manifests: Mapping[ObjectRef, Manifest]) -> tuple[str, ...]:
    """What the trial could not know."""
    there = [f"Namespace {name}" for name in presumed(manifests) if name not in _ALWAYS]
    withheld = [str(ref) for ref, one in manifests.items() if one.withheld]
    said = (("Not declared here, and taken to be there, without labels", there), ("Encrypted, so not tried", withheld))
    return tuple(f"{what}: {', '.join(names)}." for what, names in said if names)
