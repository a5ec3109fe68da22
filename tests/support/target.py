"""One target on a lab, driven as a user drives it: write files, run the loop, use kubectl."""

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recon_action.lab import Lab
from recon_action.model import Access, Mode, Settings
from recon_action.reconcile import reconcile
from recon_action.report.document import Report


@dataclass
class Target:
    """A folder of manifests, and the namespace of a lab that they go to."""

    lab: Lab
    namespace: str
    folder: Path
    options: dict[str, Any] = field(default_factory=dict)

    def write(self, name: str, manifest: str) -> None:
        """Put a manifest into the folder; NAMESPACE in it becomes the namespace."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(manifest.replace("NAMESPACE", self.namespace), encoding="utf-8")

    def remove(self, name: str) -> None:
        """Take a manifest out of the folder."""
        (self.folder / name).unlink()

    def settings(self, **options: Any) -> Settings:
        """Settings of the target; waits for nothing unless told to."""
        given = {"wait": False, "namespace": self.namespace} | self.options | options
        return Settings(
            paths=(str(self.folder),),
            target=given.pop("target", self.namespace),
            access=given.pop("access", Access(str(self.lab.kubeconfig))),
            **given,
        )

    def diff(self, **options: Any) -> Report:
        """One diff."""
        return reconcile(self.settings(**options), Mode.DIFF)

    def apply(self, **options: Any) -> Report:
        """One apply."""
        return reconcile(self.settings(**options), Mode.APPLY)

    def kubectl(self, *arguments: str, stdin: str = "", check: bool = True) -> str:
        """What the lab's kubectl prints, in the target's namespace."""
        done = subprocess.run(
            [self.lab.kubectl, "-n", self.namespace, *arguments],
            env=self.lab.env(),
            input=stdin,
            text=True,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0 or not check, done.stderr
        return done.stdout

    def user(self, *rules: str) -> Access:
        """Access of somebody who may do what `rules` say everywhere, and nothing else; a rule is a flow mapping."""
        name = f"user-{self.namespace}"
        self.kubectl("apply", "-f", "-", stdin=cluster_role(name, *rules))
        return Access(str(self.lab.kubeconfig_for(name, [])))

    def get(self, kind: str, name: str) -> dict[str, Any]:
        """One object, managedFields included."""
        body: dict[str, Any] = json.loads(self.kubectl("get", kind, name, "-o", "json", "--show-managed-fields"))
        return body


CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: NAME
data:
  a: "1"
"""
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: web}
spec:
  replicas: 3
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: web
        image: registry.example/web:1
        ports:
        - containerPort: 80
"""


_DEFINITION = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: PLURAL.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: KIND, plural: PLURAL, singular: SINGULAR, listKind: KINDList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties: PROPERTIES
"""


_CLUSTER_ROLE = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: NAME}
rules:
RULES
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: NAME}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: NAME}
subjects:
- {apiGroup: rbac.authorization.k8s.io, kind: User, name: NAME}
"""


def cluster_role(name: str, *rules: str) -> str:
    """What the user `name` may do everywhere; a rule is a flow mapping."""
    return _CLUSTER_ROLE.replace("NAME", name).replace("RULES", "\n".join(f"- {rule}" for rule in rules))


def definition(kind: str, plural: str, properties: str) -> str:
    """A CRD of example.com/v1; `properties` are its spec's, as flow YAML."""
    text = _DEFINITION.replace("PLURAL", plural).replace("SINGULAR", kind.lower())
    return text.replace("KIND", kind).replace("PROPERTIES", properties)


def config_map(name: str) -> str:
    """A small ConfigMap."""
    return CONFIG_MAP.replace("NAME", name)


def told(report: Report) -> dict[str, str]:
    """What a report says of each object: `drifted modified spec.replicas`."""
    return {
        str(entry.ref): " ".join(
            part for part in (entry.bucket.value, entry.drift or "", *(change.path for change in entry.changes)) if part
        )
        for entry in report.entries
    }
