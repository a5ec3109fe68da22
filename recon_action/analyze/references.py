"""What an object says it needs: the names by which its fields refer to others, and the labels that it selects.

Reads one object at a time. Whether what it names exists, and in which order the two then come, is decided in
`prerequisites` and `order`.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from recon_action.analyze.autoscale import AUTOSCALERS, scale_target
from recon_action.analyze.value import as_map, as_maps
from recon_action.model import Body, ObjectRef

RBAC: Final = "rbac.authorization.k8s.io"
_ADMISSION: Final = "admissionregistration.k8s.io"
_TEMPLATE: Final = ("spec", "template")
# Where each kind that makes Pods holds their template.
TEMPLATES: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("", "Pod"): (),
    ("", "ReplicationController"): _TEMPLATE,
    ("apps", "DaemonSet"): _TEMPLATE,
    ("apps", "Deployment"): _TEMPLATE,
    ("apps", "ReplicaSet"): _TEMPLATE,
    ("apps", "StatefulSet"): _TEMPLATE,
    ("batch", "CronJob"): ("spec", "jobTemplate", *_TEMPLATE),
    ("batch", "Job"): _TEMPLATE,
}
# Those whose Pods stay, and so may stand behind a Service.
SERVING: Final = tuple(kind for kind in TEMPLATES if kind not in {("batch", "CronJob"), ("batch", "Job")})
BINDINGS: Final = ((RBAC, "ClusterRoleBinding"), (RBAC, "RoleBinding"))
HOOKS: Final = ((_ADMISSION, "MutatingWebhookConfiguration"), (_ADMISSION, "ValidatingWebhookConfiguration"))
API_SERVICE: Final = ("apiregistration.k8s.io", "APIService")
POLICIES: Final = ((_ADMISSION, "MutatingAdmissionPolicy"), (_ADMISSION, "ValidatingAdmissionPolicy"))
_POLICY_BINDINGS: Final = {(group, f"{kind}Binding"): kind for group, kind in POLICIES}
_ACCOUNT: Final = "kubernetes.io/service-account.name"


def references(ref: ObjectRef, body: Body) -> Iterator[ObjectRef]:
    """What `body` names, whether it exists or not; a name may come twice."""
    reader = _READERS.get((ref.group, ref.kind))
    return reader(ref, body) if reader else iter(())


def pods_of(ref: ObjectRef, body: Body) -> tuple[dict[str, Any], dict[str, Any]]:
    """Labels and spec of the Pods that `body` is or makes; its kind has to be one of `TEMPLATES`."""
    template: Any = body
    for key in TEMPLATES[ref.group, ref.kind]:
        template = as_map(template.get(key))
    return as_map(as_map(template.get("metadata")).get("labels")), as_map(template.get("spec"))


def account_of(ref: ObjectRef, spec: Mapping[str, Any]) -> ObjectRef:
    """The ServiceAccount that Pods of that spec run under."""
    name = spec.get("serviceAccountName") or spec.get("serviceAccount") or "default"
    return ObjectRef("", "ServiceAccount", ref.namespace, str(name))


def accounts_of(ref: ObjectRef, body: Body) -> list[ObjectRef]:
    """The ServiceAccounts among the subjects of a binding."""
    return [
        ObjectRef("", "ServiceAccount", str(subject.get("namespace") or ref.namespace), str(subject.get("name", "")))
        for subject in as_maps(body.get("subjects"))
        if subject.get("kind") == "ServiceAccount"
    ]


def services_of(ref: ObjectRef, body: Body) -> list[ObjectRef]:
    """The Services that answer for an APIService or a webhook configuration."""
    if (ref.group, ref.kind) == API_SERVICE:
        named = [as_map(body.get("spec")).get("service")]
    else:
        named = [as_map(hook.get("clientConfig")).get("service") for hook in as_maps(body.get("webhooks"))]
    return [
        ObjectRef("", "Service", str(service.get("namespace", "")), str(service.get("name", "")))
        for service in map(as_map, named)
        if service
    ]


def claim_of(body: Body) -> ObjectRef:
    """The claim that a PersistentVolume is kept for."""
    claim = as_map(as_map(body.get("spec")).get("claimRef"))
    return ObjectRef("", "PersistentVolumeClaim", str(claim.get("namespace", "")), str(claim.get("name", "")))


def parameters_of(body: Body) -> tuple[str, str]:
    """Group and kind of the parameters of an admission policy; empty if it has none."""
    kind = as_map(as_map(body.get("spec")).get("paramKind"))
    return str(kind.get("apiVersion", "")).rpartition("/")[0], str(kind.get("kind", ""))


def selects(selector: Any, labels: Mapping[str, Any]) -> bool:
    """Whether a label selector (`matchLabels`, `matchExpressions`) takes `labels`; an empty one takes all."""
    wanted = as_map(as_map(selector).get("matchLabels"))
    expressions = as_maps(as_map(selector).get("matchExpressions"))
    return all(labels.get(key) == value for key, value in wanted.items()) and all(
        _holds(expression, labels) for expression in expressions
    )


def _holds(expression: Mapping[str, Any], labels: Mapping[str, Any]) -> bool:
    key, values = str(expression.get("key", "")), expression.get("values")
    values = values if isinstance(values, list) else []
    match expression.get("operator"):
        case "In":
            return key in labels and labels[key] in values
        case "NotIn":
            return key not in labels or labels[key] not in values
        case "Exists":
            return key in labels
        case "DoesNotExist":
            return key not in labels
        case _:
            return False


def _named(group: str, kind: str, namespace: str, *names: Any) -> Iterator[ObjectRef]:
    return (ObjectRef(group, kind, namespace, name) for name in names if isinstance(name, str) and name)


def _of_workload(ref: ObjectRef, body: Body) -> Iterator[ObjectRef]:
    _, spec = pods_of(ref, body)
    yield account_of(ref, spec)
    yield from _named("scheduling.k8s.io", "PriorityClass", "", spec.get("priorityClassName"))
    yield from _named("node.k8s.io", "RuntimeClass", "", spec.get("runtimeClassName"))
    for pull in as_maps(spec.get("imagePullSecrets")):
        yield from _named("", "Secret", ref.namespace, pull.get("name"))
    for containers in ("initContainers", "containers", "ephemeralContainers"):
        for container in as_maps(spec.get(containers)):
            yield from _of_container(ref, container)
    for volume in as_maps(spec.get("volumes")):
        yield from _of_volume(ref, volume)
    for claim in as_maps(as_map(body.get("spec")).get("volumeClaimTemplates")):
        yield from _of_claim(ref, claim)


def _of_container(ref: ObjectRef, container: Body) -> Iterator[ObjectRef]:
    for source in as_maps(container.get("envFrom")):
        yield from _named("", "ConfigMap", ref.namespace, as_map(source.get("configMapRef")).get("name"))
        yield from _named("", "Secret", ref.namespace, as_map(source.get("secretRef")).get("name"))
    for variable in as_maps(container.get("env")):
        source = as_map(variable.get("valueFrom"))
        yield from _named("", "ConfigMap", ref.namespace, as_map(source.get("configMapKeyRef")).get("name"))
        yield from _named("", "Secret", ref.namespace, as_map(source.get("secretKeyRef")).get("name"))


def _of_volume(ref: ObjectRef, volume: Body) -> Iterator[ObjectRef]:
    claim = as_map(volume.get("persistentVolumeClaim"))
    yield from _named("", "PersistentVolumeClaim", ref.namespace, claim.get("claimName"))
    for source in (volume, *as_maps(as_map(volume.get("projected")).get("sources"))):
        secret = as_map(source.get("secret"))
        yield from _named("", "ConfigMap", ref.namespace, as_map(source.get("configMap")).get("name"))
        # A volume says `secretName`, a projected source `name`.
        yield from _named("", "Secret", ref.namespace, secret.get("secretName"), secret.get("name"))
    published = as_map(as_map(volume.get("csi")).get("nodePublishSecretRef"))
    yield from _named("", "Secret", ref.namespace, published.get("name"))
    yield from _of_claim(ref, as_map(as_map(volume.get("ephemeral")).get("volumeClaimTemplate")))


def _of_claim(_ref: ObjectRef, body: Body) -> Iterator[ObjectRef]:
    spec = as_map(body.get("spec"))
    yield from _named("storage.k8s.io", "StorageClass", "", spec.get("storageClassName"))
    yield from _named("", "PersistentVolume", "", spec.get("volumeName"))


def _of_secret(ref: ObjectRef, body: Body) -> Iterator[ObjectRef]:
    # A token is only made, and only kept, for an account that exists.
    annotations = as_map(as_map(body.get("metadata")).get("annotations"))
    return _named("", "ServiceAccount", ref.namespace, annotations.get(_ACCOUNT))


def _of_binding(ref: ObjectRef, body: Body) -> Iterator[ObjectRef]:
    role = as_map(body.get("roleRef"))
    kind = str(role.get("kind", ""))
    yield from _named(RBAC, kind, ref.namespace if kind == "Role" else "", role.get("name"))
    yield from accounts_of(ref, body)


def _of_ingress(ref: ObjectRef, body: Body) -> Iterator[ObjectRef]:
    spec = as_map(body.get("spec"))
    yield from _named("networking.k8s.io", "IngressClass", "", spec.get("ingressClassName"))
    backends = [as_map(spec.get("defaultBackend"))]
    for rule in as_maps(spec.get("rules")):
        backends += [as_map(path.get("backend")) for path in as_maps(as_map(rule.get("http")).get("paths"))]
    for backend in backends:
        yield from _named("", "Service", ref.namespace, as_map(backend.get("service")).get("name"))
    for tls in as_maps(spec.get("tls")):
        yield from _named("", "Secret", ref.namespace, tls.get("secretName"))


def _of_policy_binding(ref: ObjectRef, body: Body) -> Iterator[ObjectRef]:
    policy = as_map(body.get("spec")).get("policyName")
    return _named(ref.group, _POLICY_BINDINGS[ref.group, ref.kind], "", policy)


def _of_autoscaler(_ref: ObjectRef, body: Body) -> Iterator[ObjectRef]:
    return iter((scale_target(body),))


def _of_served(ref: ObjectRef, body: Body) -> Iterator[ObjectRef]:
    return iter(services_of(ref, body))


_Reader = Callable[[ObjectRef, Body], Iterator[ObjectRef]]
_READERS: Final[Mapping[tuple[str, str], _Reader]] = {
    **dict.fromkeys(TEMPLATES, _of_workload),
    **dict.fromkeys(AUTOSCALERS, _of_autoscaler),
    **dict.fromkeys(BINDINGS, _of_binding),
    **dict.fromkeys(_POLICY_BINDINGS, _of_policy_binding),
    **dict.fromkeys((API_SERVICE, *HOOKS), _of_served),
    ("", "PersistentVolume"): _of_claim,
    ("", "PersistentVolumeClaim"): _of_claim,
    ("", "Secret"): _of_secret,
    ("networking.k8s.io", "Ingress"): _of_ingress,
}
