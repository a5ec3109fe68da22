"""The floor: what any Python process must do that compares manifests with a cluster, and nothing more.

It imports the `kubernetes` package, reads the YAML with CSafeLoader (garbage collection off) and LISTs each kind
once, cluster-wide, without comparing anything.

    python benchmarks/peers/floor.py kinds KUBECONFIG FILE        prints what to LIST, one path a line
    python benchmarks/peers/floor.py run KUBECONFIG FILE PATH...  is what is measured
"""

import gc

gc.disable()

import sys  # noqa: E402 - imports are part of what is measured
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import orjson  # noqa: E402
import yaml  # noqa: E402
from kubernetes import client, config  # noqa: E402


class _Loader(yaml.CSafeLoader):
    """Knows a bare `=` as well, which kube-prometheus has in an enum."""


_Loader.add_constructor("tag:yaml.org,2002:value", _Loader.construct_yaml_str)  # type: ignore[type-var]


def manifests(file: Path) -> list[dict[str, Any]]:
    """The objects of `file`, those inside of a list too."""
    objects: list[dict[str, Any]] = []
    for document in yaml.load_all(file.read_bytes(), Loader=_Loader):
        if document:
            objects += document["items"] if document["kind"].endswith("List") else [document]
    return objects


class Api:
    """GET and decode, over the pool that the package makes."""

    def __init__(self, kubeconfig: str) -> None:
        configuration = client.Configuration()
        config.load_kube_config(kubeconfig, client_configuration=configuration)
        self._host = configuration.host
        self._pool = client.rest.RESTClientObject(configuration).pool_manager

    def get(self, path: str) -> dict[str, Any]:
        """The answer to a GET of `path`."""
        answer = self._pool.request("GET", self._host + path)
        if answer.status != 200:
            sys.exit(f"{path}: {answer.status}")
        body: dict[str, Any] = orjson.loads(answer.data)
        return body


def kinds(api: Api, file: Path) -> list[str]:
    """The collection of each kind in `file`."""
    paths: list[str] = []
    wanted = {(body["apiVersion"], body["kind"]) for body in manifests(file)}
    for version in sorted({version for version, _ in wanted}):
        root = f"/apis/{version}" if "/" in version else f"/api/{version}"
        paths += [
            f"{root}/{resource['name']}"
            for resource in api.get(root)["resources"]
            if "/" not in resource["name"] and (version, resource["kind"]) in wanted
        ]
    return paths


def main(verb: str, kubeconfig: str, file: Path, paths: list[str]) -> None:
    """Do what `verb` says."""
    if verb == "kinds":
        print("\n".join(kinds(Api(kubeconfig), file)))
        return
    declared = len(manifests(file))
    api = Api(kubeconfig)
    live = sum(len(api.get(path)["items"]) for path in paths)
    print(f"{declared} declared, {live} live")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4:])
