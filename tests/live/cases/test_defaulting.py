"""Manifests that say something in another way than the server stores it: none of that is a difference.

Each object is applied by us in one namespace and by kubectl in another; one diff of each serves them all.
"""

from collections.abc import Callable

import pytest
from target import Target, told

from recon_action.report.document import Report

_WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: OBJECT}
spec:
  selector: {matchLabels: {app: OBJECT}}
  template:
    metadata: {labels: {app: OBJECT}}
    spec:
      containers:
      - name: web
        image: registry.example/web:1
"""
_EMPTIES = _WEB.replace(
    "    spec:", "    spec:\n      hostNetwork: false\n      tolerations: []\n      nodeSelector: {}"
)
_CLAIMS = """\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: OBJECT}
spec:
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: db, image: "registry.example/db:1"}]}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 3072Mi}}}
"""
_QUANTITIES = """\
        resources:
          requests: {cpu: 0.1, memory: 3072Mi}
          limits: {cpu: 1000m, memory: 4000M}
"""
_QUOTA = """\
apiVersion: v1
kind: ResourceQuota
metadata: {name: OBJECT}
spec: {hard: {requests.cpu: 1000m, requests.memory: 1000M, pods: 1e3}}
"""
_METRICS = """\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: OBJECT}
spec:
  maxReplicas: 3
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: other}
  metrics:
  - {type: Resource, resource: {name: memory, target: {type: Utilization, averageUtilization: 80}}}
  - {type: Pods, pods: {metric: {name: hits}, target: {type: AverageValue, averageValue: "1000m"}}}
  - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}
"""
_HOOK = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: NAMESPACE-OBJECT}
webhooks:
- name: a.example.com
  sideEffects: None
  admissionReviewVersions: [v1]
  clientConfig: {service: {name: hook, namespace: default}}
  rules: [{apiGroups: [none.example.com], apiVersions: [v1], operations: [CREATE], resources: [things]}]
"""
_PRINTED = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  creationTimestamp: null
  labels: {app: OBJECT}
  name: OBJECT
spec:
  replicas: 1
  selector: {matchLabels: {app: OBJECT}}
  strategy: {}
  template:
    metadata:
      creationTimestamp: null
      labels: {app: OBJECT}
    spec:
      containers:
      - image: registry.example/web:1
        name: web
        resources: {}
status: {}
"""
_ROUTE = """\
apiVersion: example.com/v1
kind: Route
metadata: {name: OBJECT}
spec: {host: a.example}
status: {loadBalancer: {}}
"""
_AGGREGATED = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: NAMESPACE-OBJECT}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {none: none}}]}
rules: []
"""


def _thing(spec: str) -> str:
    return f"apiVersion: example.com/v1\nkind: Thing\nmetadata: {{name: OBJECT}}\nspec: {{{spec}}}\n"


_MANIFESTS = {
    "custom-resource-with-empties": _thing("skip: false, files: [], rules: [], title: ''"),
    "workload-with-empties": _EMPTIES,
    "container-without-resources": _WEB,
    "container-with-empty-resources": _WEB + "        resources: {}\n",
    "claim-templates-without-kind": _CLAIMS,
    "quantities-in-other-units": _WEB + _QUANTITIES,
    "quota-in-other-units": _QUOTA,
    "metrics-in-an-order-of-their-own": _METRICS,
    "webhook-without-its-defaults": _HOOK,
    "status-in-git": _WEB + "status: {replicas: 5}\n",
    "status-that-no-schema-declares": _ROUTE,
    "as-kubectl-create-prints-it": _PRINTED,
    "nulls": _WEB.replace("spec:\n  sel", "spec:\n  replicas: null\n  minReadySeconds: null\n  sel"),
    "empty-rules-that-a-controller-aggregates": _AGGREGATED,
    "duration-respelled": _thing("timeout: 60s"),
    "integer-beyond-a-double": _thing("size: 9007199254740993"),
    "integral-fraction": _thing("ratio: 1.0"),
    "exponent": _thing("size: 1e3"),
    "port-as-number": _thing("port: 80"),
    "port-as-text": _thing("port: '80'"),
    "quantity-of-a-custom-resource": _thing("memory: 1000M"),
}


@pytest.fixture(scope="module", params=["applied-by-us", "applied-by-kubectl"])
def reports(request: pytest.FixtureRequest, new_target: Callable[[], Target]) -> dict[str, Report]:
    """A diff each with the proof, without it, and by local comparison."""
    target = new_target()
    for name, manifest in _MANIFESTS.items():
        target.write(f"{name}.yaml", manifest.replace("OBJECT", name))
    if request.param == "applied-by-us":
        applied = target.apply()
        assert applied.exit_code == 0, [entry.problem for entry in applied.entries if entry.problem]
    else:
        target.kubectl("apply", "--validate=ignore", "-f", str(target.folder))
    target.kubectl(
        *("patch", "deployment", "status-in-git", "--subresource=status", "--type=merge"),
        *("--field-manager=kube-controller-manager", "-p", '{"status": {"replicas": 3}}'),
    )
    diffs = {"proof": target.diff(), "server": target.diff(proof=False), "local": target.diff(read_only=True)}
    for name in ("webhook-without-its-defaults", "empty-rules-that-a-controller-aggregates"):
        target.kubectl("delete", "-f", str(target.folder / f"{name}.yaml"))
    return diffs


@pytest.mark.parametrize("name", _MANIFESTS)
def test_it_is_no_difference(name: str, reports: dict[str, Report]) -> None:
    """By the proof, by the server and by our own comparison."""
    found = {way: said for way, report in reports.items() for ref, said in told(report).items() if ref.endswith(name)}
    assert found == {}
    assert {report.counts.failed for report in reports.values()} == {0}
