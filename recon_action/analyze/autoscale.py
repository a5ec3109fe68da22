"""Which fields autoscalers own: an autoscaler, in Git or live, takes what it scales out of Git's hands."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from recon_action.analyze.value import as_map, as_maps
from recon_action.model import Body, FieldPattern, IgnoreRule, Manifest, Match, ObjectRef, Resource, ref_of
from recon_action.model.pattern import ANY, KeyStep, parse_field

AUTOSCALERS: Final = (
    ("autoscaling", "HorizontalPodAutoscaler"),
    ("keda.sh", "ScaledObject"),
    ("autoscaling.k8s.io", "VerticalPodAutoscaler"),
)
_REPLICAS: Final = (parse_field("spec.replicas"),)
_VERTICAL: Final = "VerticalPodAutoscaler"
# What that one scales beside the kinds with a scale subresource.
_ONLY_VERTICAL: Final = frozenset({("apps", "DaemonSet"), ("batch", "CronJob"), ("batch", "Job")})
_TEMPLATE: Final = ("spec", "template", "spec")
_TEMPLATES: Final = {"CronJob": ("spec", "jobTemplate", *_TEMPLATE)}
_SHOWN: Final = 10


def is_scalable(resource: Resource) -> bool:
    """Whether an autoscaler can be in charge of objects of this kind."""
    return "scale" in resource.subresources or (resource.group, resource.kind) in _ONLY_VERTICAL


def scaled(manifests: Mapping[ObjectRef, Manifest], live: Iterable[Body]) -> dict[ObjectRef, tuple[IgnoreRule, ...]]:
    """What autoscalers own of each workload of Git, as rules whose reason names the autoscaler.

    Args:
        manifests: Git's objects, autoscalers among them; of two for one workload the first counts.
        live: the cluster's autoscalers.
    """
    found: dict[ObjectRef, dict[tuple[FieldPattern, ...], IgnoreRule]] = {}
    desired = [manifest.body for ref, manifest in manifests.items() if (ref.group, ref.kind) in AUTOSCALERS]
    for body in (*desired, *live):
        target = scale_target(body)
        if target not in manifests:
            continue
        patterns = _resources(body, manifests[target].body) if body["kind"] == _VERTICAL else _REPLICAS
        if patterns:
            match = Match(target.group, target.kind, target.namespace, target.name)
            rule = IgnoreRule(match, patterns, (), f"{body['kind']} {body['metadata']['name']}")
            found.setdefault(target, {}).setdefault(patterns, rule)
    return {ref: tuple(rules.values()) for ref, rules in found.items()}


def scale_target(body: Body) -> ObjectRef:
    """The workload that the autoscaler `body` scales."""
    spec, ref = as_map(body.get("spec")), ref_of(body)
    named = as_map(spec.get("targetRef" if ref.kind == _VERTICAL else "scaleTargetRef"))
    if ref.kind == "ScaledObject":
        named = {"kind": "Deployment", "apiVersion": "apps/v1"} | named
    group = str(named.get("apiVersion", "")).rpartition("/")[0]
    return ObjectRef(group, str(named.get("kind", "")), ref.namespace, str(named.get("name", "")))


def told(left: Mapping[ObjectRef, Iterable[IgnoreRule]]) -> list[str]:
    """What a report says of the workloads whose fields were left to autoscalers."""
    lines = [
        f"{', '.join(map(str, rule.patterns))} of {ref} ({rule.reason})"
        for ref, rules in sorted(left.items())
        for rule in rules
    ]
    if not lines:
        return []
    more = f"; and {len(lines) - _SHOWN} more" if len(lines) > _SHOWN else ""
    return [f"Left to autoscalers: {'; '.join(lines[:_SHOWN])}{more}."]


def _resources(body: Body, workload: Body) -> tuple[FieldPattern, ...]:
    """The containers' resources that a VerticalPodAutoscaler sets; none if it only recommends."""
    spec = as_map(body.get("spec"))
    if as_map(spec.get("updatePolicy")).get("updateMode", "Auto") == "Off":
        return ()
    policies = as_maps(as_map(spec.get("resourcePolicy")).get("containerPolicies"))
    modes = {policy.get("containerName"): policy.get("mode", "Auto") for policy in policies}
    route = _TEMPLATES.get(str(workload["kind"]), _TEMPLATE)
    template: Any = workload
    for key in route:
        template = as_map(template.get(key))
    names = [str(container.get("name", "")) for container in as_maps(template.get("containers"))]
    chosen = [name for name in names if modes.get(name, modes.get("*", "Auto")) != "Off"]
    if chosen == names:
        return (FieldPattern(f"{'.'.join(route)}.containers[*].resources", (*route, "containers", ANY, "resources")),)
    return tuple(
        FieldPattern(
            f"{'.'.join(route)}.containers[name={name}].resources",
            (*route, "containers", KeyStep((("name", name),)), "resources"),
        )
        for name in chosen
    )
