"""What autoscalers own of the workloads that they scale."""

from typing import Any

import pytest
from objects import body_of, manifest_of, ref, resource_of

from recon_action.analyze.autoscale import is_scalable, scaled, told
from recon_action.model import Body, Manifest, ObjectRef

_CONTAINERS = [{"name": "web"}, {"name": "log"}]


def _workload(kind: str = "Deployment", api: str = "apps/v1", name: str = "web") -> dict[ObjectRef, Manifest]:
    template = {"spec": {"containers": _CONTAINERS}}
    spec = {"jobTemplate": {"spec": {"template": template}}} if kind == "CronJob" else {"template": template}
    manifest = manifest_of(body_of(kind, name, api=api, namespace="shop", spec=spec))
    return {manifest.ref: manifest}


def _hpa(**target: str) -> Body:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"} | target
    return body_of(
        "HorizontalPodAutoscaler", "h", api="autoscaling/v2", namespace="shop", spec={"scaleTargetRef": target}
    )


def _keda(**target: str) -> Body:
    return body_of("ScaledObject", "k", api="keda.sh/v1alpha1", namespace="shop", spec={"scaleTargetRef": target})


def _vpa(kind: str = "Deployment", api: str = "apps/v1", **spec: Any) -> Body:
    spec = {"targetRef": {"apiVersion": api, "kind": kind, "name": "web"}, **spec}
    return body_of("VerticalPodAutoscaler", "v", api="autoscaling.k8s.io/v1", namespace="shop", spec=spec)


def _paths(workloads: dict[ObjectRef, Manifest], *autoscalers: Body) -> list[str]:
    return [str(path) for rules in scaled(workloads, autoscalers).values() for rule in rules for path in rule.patterns]


@pytest.mark.parametrize(
    ("autoscaler", "paths"),
    [
        pytest.param(_hpa(), ["spec.replicas"], id="hpa"),
        pytest.param(_hpa(name="api"), [], id="hpa-of-another"),
        pytest.param(_hpa(kind="StatefulSet"), [], id="hpa-of-another-kind"),
        pytest.param(_hpa(apiVersion="apps.example/v1"), [], id="hpa-of-another-group"),
        pytest.param(_keda(name="web"), ["spec.replicas"], id="keda-defaults-to-deployments"),
        pytest.param(_keda(name="web", kind="StatefulSet"), [], id="keda-of-another-kind"),
        pytest.param(_keda(), [], id="no-target"),
        pytest.param(body_of("ScaledObject", api="keda.sh/v1alpha1", spec="?"), [], id="no-spec"),
    ],
)
def test_replicas(autoscaler: Body, paths: list[str]) -> None:
    """Horizontal ones own the number of replicas of their target, and nothing else's."""
    assert _paths(_workload(), autoscaler) == paths


@pytest.mark.parametrize("mode", ["Auto", "Recreate", "Initial", "InPlaceOrRecreate"])
def test_resources(mode: str) -> None:
    """A vertical one that acts owns the containers' resources; Auto is its default."""
    expected = ["spec.template.spec.containers[*].resources"]
    assert _paths(_workload(), _vpa(updatePolicy={"updateMode": mode})) == expected
    assert _paths(_workload(), _vpa()) == expected


def test_a_vertical_one_that_only_recommends() -> None:
    """Mode Off owns nothing."""
    assert not _paths(_workload(), _vpa(updatePolicy={"updateMode": "Off"}))


@pytest.mark.parametrize(
    ("policies", "names"),
    [
        ([{"containerName": "log", "mode": "Off"}], ["web"]),
        ([{"containerName": "*", "mode": "Off"}, {"containerName": "log"}], ["log"]),
        ([{"containerName": "*", "mode": "Off"}], []),
        ([{"containerName": "log"}], ["*"]),
        ("?", ["*"]),
    ],
)
def test_containers_that_a_policy_leaves_out(policies: Any, names: list[str]) -> None:
    """Each container by its own policy, else by that of the rest."""
    found = _paths(_workload(), _vpa(resourcePolicy={"containerPolicies": policies}))
    chosen = ["[*]" if name == "*" else f"[name={name}]" for name in names]
    assert found == [f"spec.template.spec.containers{name}.resources" for name in chosen]


def test_a_cron_job_s_template_lies_deeper() -> None:
    """Its containers are in the template of its jobs."""
    workload = _workload("CronJob", "batch/v1")
    expected = ["spec.jobTemplate.spec.template.spec.containers[*].resources"]
    assert _paths(workload, _vpa("CronJob", "batch/v1")) == expected


def test_the_first_autoscaler_is_named_once() -> None:
    """KEDA makes an autoscaler of its own: both own the same field."""
    ((rule,),) = scaled(_workload(), [_keda(name="web"), _hpa()]).values()
    assert rule.reason == "ScaledObject k"
    assert rule.match.has(next(iter(_workload())))
    assert len(next(iter(scaled(_workload(), [_hpa(), _vpa()]).values()))) == 2


def test_in_git_or_live() -> None:
    """An autoscaler that Git declares counts before it exists."""
    manifest = manifest_of(_hpa())
    ((rule,),) = scaled(_workload() | {manifest.ref: manifest}, [_keda(name="web")]).values()
    assert rule.reason == "HorizontalPodAutoscaler h"


def test_told() -> None:
    """One sentence a run, with the workloads and the autoscalers named, and an end."""
    rules = scaled(_workload(), [_hpa(), _vpa()])
    (note,) = told(rules)
    assert note == (
        "Left to autoscalers: spec.replicas of Deployment shop/web (HorizontalPodAutoscaler h); "
        "spec.template.spec.containers[*].resources of Deployment shop/web (VerticalPodAutoscaler v)."
    )
    many = {ref("Deployment", f"w{number:02}"): rules[next(iter(rules))][:1] for number in range(12)}
    assert told(many)[0].endswith("Deployment w09 (HorizontalPodAutoscaler h); and 2 more.")
    assert told({}) == []


@pytest.mark.parametrize(
    ("kind", "api", "subresources", "scalable"),
    [
        ("Deployment", "apps/v1", ("status", "scale"), True),
        ("Rollout", "argoproj.io/v1alpha1", ("scale",), True),
        ("DaemonSet", "apps/v1", ("status",), True),
        ("CronJob", "batch/v1", (), True),
        ("ConfigMap", "v1", (), False),
    ],
)
def test_is_scalable(kind: str, api: str, subresources: tuple[str, ...], scalable: bool) -> None:
    """What can be scaled, in number or in size."""
    assert is_scalable(resource_of(kind, api, *subresources)) is scalable
