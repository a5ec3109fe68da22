"""What objects of a set need of each other: named, unnamed, by their nature, and by annotations."""

from typing import Any

import pytest
from objects import body_of, live_of, manifest_of, ref

from recon_action.analyze.prerequisites import Objects, Strength
from recon_action.model import Body, Bucket, Directives, ObjectRef, Verdict, ref_of

_RBAC = "rbac.authorization.k8s.io/v1"
_ADMISSION = "admissionregistration.k8s.io/v1"
_EXTENSIONS = "apiextensions.k8s.io/v1"


def _verdict(body: Body, **directives: Any) -> Verdict:
    return Verdict(ref_of(body), Bucket.PENDING, manifest_of(body), directives=Directives(**directives))


def _objects(*bodies: Body) -> Objects:
    return Objects(map(_verdict, bodies))


def _workload(kind: str = "Deployment", name: str = "web", labels: Body | None = None, **spec: Any) -> Body:
    template = {"metadata": {"labels": labels or {"app": name}}, "spec": spec}
    api = "batch/v1" if kind == "Job" else "apps/v1"
    return body_of(kind, name, api=api, namespace="shop", spec={"template": template})


_WEB = _workload()
_HOME = body_of("Namespace", "shop")
_WIDGETS = body_of("CustomResourceDefinition", "w.x", api=_EXTENSIONS, spec={"group": "x", "names": {"kind": "Widget"}})
_WIDGET = body_of("Widget", "w", api="x/v1", namespace="shop")
_BINDING = body_of(
    "RoleBinding",
    "b",
    api=_RBAC,
    namespace="shop",
    roleRef={"kind": "Role", "name": "r"},
    subjects=[{"kind": "ServiceAccount", "name": "default"}],
)
_EVERYWHERE = body_of(
    "ClusterRoleBinding",
    "b",
    api=_RBAC,
    roleRef={"kind": "ClusterRole", "name": "r"},
    subjects=[{"kind": "ServiceAccount", "name": "default", "namespace": "shop"}],
)
_SERVICE = body_of("Service", "hooks", namespace="shop", spec={"selector": {"app": "web"}})
_CALLED = {"service": {"name": "hooks", "namespace": "shop"}}
_HOOK = body_of("ValidatingWebhookConfiguration", "h", api=_ADMISSION, webhooks=[{"clientConfig": _CALLED}])
_API = body_of("APIService", "v1.x", api="apiregistration.k8s.io/v1", spec=_CALLED)


def _budget(selector: Any) -> Body:
    return body_of("PodDisruptionBudget", "b", api="policy/v1", namespace="shop", spec={"selector": selector})


@pytest.mark.parametrize(
    ("user", "needed"),
    [
        pytest.param(_WEB, _HOME, id="namespace"),
        pytest.param(_WIDGET, _WIDGETS, id="definition"),
        pytest.param(_WEB, body_of("ServiceAccount", "default", namespace="shop"), id="default-account"),
        pytest.param(_workload("Job"), body_of("ServiceAccount", "default", namespace="shop"), id="account-of-a-job"),
        pytest.param(_WEB, _BINDING, id="binding-of-its-account"),
        pytest.param(_WEB, _EVERYWHERE, id="cluster-wide-binding-of-its-account"),
        pytest.param(_WEB, body_of("ResourceQuota", "q", namespace="shop"), id="quota"),
        pytest.param(_WEB, body_of("LimitRange", "l", namespace="shop"), id="limits"),
        pytest.param(
            body_of("PersistentVolumeClaim", "c", namespace="shop"),
            body_of("PersistentVolume", "disk", spec={"claimRef": {"name": "c", "namespace": "shop"}}),
            id="volume-kept-for-a-claim",
        ),
        pytest.param(_budget({"matchLabels": {"app": "web"}}), _WEB, id="budget"),
        pytest.param(_budget({}), _WEB, id="budget-for-all"),
        pytest.param(_HOOK, _SERVICE, id="service-of-a-webhook"),
        pytest.param(_API, _SERVICE, id="service-of-an-api"),
        pytest.param(
            body_of("ValidatingAdmissionPolicy", "p", api=_ADMISSION, spec={"paramKind": _WIDGET}),
            _WIDGETS,
            id="parameters",
        ),
    ],
)
def test_one_needs_the_other(user: Body, needed: Body) -> None:
    """And not the other way round."""
    objects = _objects(user, needed)
    assert set(objects.needs(ref_of(user))) == {ref_of(needed)}
    assert objects.needs(ref_of(needed)) == {}


@pytest.mark.parametrize(
    ("user", "other"),
    [
        pytest.param(_WEB, body_of("Namespace", "blog"), id="another-namespace"),
        pytest.param(_WEB, body_of("ResourceQuota", "q", namespace="blog"), id="another-namespace-s-quota"),
        pytest.param(_workload(serviceAccountName="own"), _BINDING, id="another-account-s-binding"),
        pytest.param(body_of("Widget", "w", api="y/v1"), _WIDGETS, id="another-group-s-definition"),
        pytest.param(_budget({"matchLabels": {"app": "api"}}), _WEB, id="another-s-budget"),
        pytest.param(_budget(None), _WEB, id="budget-without-a-selector"),
        pytest.param(body_of("ValidatingAdmissionPolicy", "p", api=_ADMISSION, spec={}), _WIDGETS, id="no-parameters"),
        pytest.param(_SERVICE, _WEB, id="service-that-nothing-stands-on"),
    ],
)
def test_one_has_nothing_to_do_with_the_other(user: Body, other: Body) -> None:
    """Neither needs the other."""
    objects = _objects(user, other)
    assert (objects.needs(ref_of(user)), objects.needs(ref_of(other))) == ({}, {})


@pytest.mark.parametrize("caller", [_HOOK, _API], ids=["webhook", "api"])
def test_what_is_served_needs_the_workload_behind_it_to_be_ready(caller: Body) -> None:
    """Only what keeps Pods running stands behind a Service, though a Job may carry the same labels."""
    job = _workload("Job", "setup", {"app": "web"})
    needs = _objects(caller, _SERVICE, _WEB, job).needs(ref_of(caller))
    assert {other: need.ready for other, need in needs.items()} == {ref_of(_SERVICE): False, ref_of(_WEB): True}


@pytest.mark.parametrize("selector", [{}, {"app": "api"}], ids=["none", "another"])
def test_a_service_may_have_nothing_behind_it_here(selector: Body) -> None:
    """Without a selector its endpoints are made by someone else."""
    service = body_of("Service", "hooks", namespace="shop", spec={"selector": selector})
    assert set(_objects(_HOOK, service, _WEB).needs(ref_of(_HOOK))) == {ref_of(service)}


def test_what_is_not_in_the_set_is_not_waited_for() -> None:
    """A name of something that is elsewhere, or nowhere, orders nothing."""
    assert _objects(_WEB, _HOOK, _WIDGET, _BINDING).needs(ref_of(_HOOK)) == {}
    asking = _verdict(_WEB, depends_on=(ref("ConfigMap", "elsewhere"),))
    assert Objects([asking]).needs(asking.ref) == {}


def test_nature_is_stronger_than_annotations_and_they_than_names() -> None:
    """What is needed for several reasons is needed for the strongest one."""
    account = body_of("ServiceAccount", "default", namespace="shop")
    objects = Objects([_verdict(_HOME), _verdict(account), _verdict(_WEB, depends_on=(ref_of(account), ref_of(_HOME)))])
    strengths = {other: need.strength for other, need in objects.needs(ref_of(_WEB)).items()}
    assert strengths == {ref_of(account): Strength.ORDER, ref_of(_HOME): Strength.NATURE}
    assert all(need.ready for need in objects.firm(ref_of(_WEB)).values())


@pytest.mark.parametrize("directives", [{"wave": 1}, {"depends_on": (ref_of(_WEB),)}], ids=["wave", "depends-on"])
def test_annotations_win_over_names(directives: dict[str, Any]) -> None:
    """A quota that is told to come after a workload of its namespace does."""
    quota = body_of("ResourceQuota", "q", namespace="shop")
    assert Objects([_verdict(quota, **directives), _verdict(_WEB)]).needs(ref_of(_WEB)) == {}


def test_a_definition_of_definitions_does_not_wait_for_itself() -> None:
    """Nobody gets it past a server, but a manifest may say so."""
    odd = body_of(
        "CustomResourceDefinition",
        "odd",
        api=_EXTENSIONS,
        spec={"group": "apiextensions.k8s.io", "names": {"kind": "CustomResourceDefinition"}},
    )
    assert _objects(odd).needs(ref_of(odd)) == {}


@pytest.mark.parametrize(
    ("body", "orphan", "held"),
    [
        pytest.param(_WIDGET, True, True, id="custom"),
        pytest.param(_WIDGET, False, False, id="in-git"),
        pytest.param(body_of("ConfigMap", "c", namespace="shop"), True, False, id="built-in"),
    ],
)
def test_an_orphan_with_finalizers_goes_before_the_workloads(body: Body, orphan: bool, held: bool) -> None:
    """One of them may be the controller that lets it go."""
    live = live_of(body | {"metadata": body["metadata"] | {"finalizers": ["x/clean-up"]}})
    verdict = Verdict(live.ref, Bucket.PENDING, None if orphan else manifest_of(live.body), live)
    assert set(Objects([verdict, _verdict(_WEB)]).needs(verdict.ref)) == ({ref_of(_WEB)} if held else set())
    free = Verdict(live.ref, Bucket.PENDING, live=live_of(body))
    assert Objects([free, _verdict(_WEB)]).needs(free.ref) == {}


def test_orphans_are_read_as_they_live() -> None:
    """Git has no body of them; of what is not even there nothing can be read."""
    live = live_of(_WEB)
    quota = live_of(body_of("ResourceQuota", "q", namespace="shop"))
    gone: ObjectRef = ref("HorizontalPodAutoscaler", "h", "shop", "autoscaling")
    objects = Objects(
        [
            Verdict(live.ref, Bucket.PENDING, live=live),
            Verdict(quota.ref, Bucket.PENDING, live=quota),
            Verdict(gone, Bucket.FAILED),
        ]
    )
    assert set(objects.needs(live.ref)) == {quota.ref}
    assert objects.needs(gone) == {}
    assert set(objects) == {live.ref, quota.ref, gone}
