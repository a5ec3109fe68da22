"""Writes the bench mix: so many objects in one file, the same for everyone who measures.

Two in five are Deployments, three Services and three ConfigMaps in ten, and 20 Namespaces hold them.
`python benchmarks/manifests.py 1000 FILE` gives 1,020 objects.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

NAMESPACES = 20

_DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-{number}
  namespace: ns-{home}
  labels: {{app: web-{number}, tier: front}}
spec:
  replicas: 3
  selector:
    matchLabels: {{app: web-{number}}}
  template:
    metadata:
      labels: {{app: web-{number}}}
    spec:
      containers:
      - name: web
        image: nginx:1.27
        ports:
        - containerPort: 80
        env:
        - name: A
          value: "1"
        - name: B
          value: "2"
        resources:
          requests: {{cpu: 100m, memory: 128Mi}}
          limits: {{cpu: "1", memory: 1000M}}
"""
_SERVICE = """\
apiVersion: v1
kind: Service
metadata: {{name: web-{number}, namespace: ns-{home}}}
spec:
  selector: {{app: web-{number}}}
  ports:
  - {{name: http, port: 80, targetPort: 80}}
"""
_CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata: {{name: cfg-{number}, namespace: ns-{home}}}
data:
  a: "1"
  app.conf: |
    key = value
    other = {number}
"""
_NAMESPACE = """\
apiVersion: v1
kind: Namespace
metadata: {{name: ns-{home}}}
"""
_SHARES = ((_DEPLOYMENT, 4), (_SERVICE, 3), (_CONFIG_MAP, 3))  # of ten


def documents(count: int) -> Iterator[str]:
    """The bench mix of `count` objects and their Namespaces, one document each."""
    for home in range(NAMESPACES):
        yield _NAMESPACE.format(home=home)
    for template, tenths in _SHARES:
        for number in range(count * tenths // 10):
            yield template.format(number=number, home=number % NAMESPACES)


def bench_mix(count: int) -> bytes:
    """The bench mix as one file."""
    return "---\n".join(documents(count)).encode()


if __name__ == "__main__":
    Path(sys.argv[2]).write_bytes(bench_mix(int(sys.argv[1])))
