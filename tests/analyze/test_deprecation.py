"""What later versions say of the kinds that a set uses."""

from objects import body_of, manifest_of, resource_of

from recon_action.analyze.deprecation import Later, deprecated
from recon_action.analyze.resolve import Resolved

_OLD = "v1 Endpoints is deprecated in v1.35+"


def test_later_versions() -> None:
    """Each object of a kind is told what is coming, once; what else a server says of a sample is not theirs."""
    kinds = (("ConfigMap", "v1"), ("Endpoints", "v1"), ("CronJob", "batch/v1beta1"))
    manifests = [manifest_of(body_of(kind, "web", api=api)) for kind, api in kinds]
    resources = {one.ref: resource_of(kind, api) for one, (kind, api) in zip(manifests, kinds, strict=True)}
    resolved = Resolved({one.ref: one for one in manifests}, resources)
    gone, old, plain = ("batch", "CronJob", "v1beta1"), ("", "Endpoints", "v1"), ("", "ConfigMap", "v1")
    later = [
        Later("1.35", frozenset(), {old: [_OLD], plain: ["spec.x: odd"]}),
        Later("1.36", frozenset({gone}), {old: [_OLD, "odd"]}),
        Later("1.37", frozenset({gone}), {}),
    ]
    assert {ref.kind: told for ref, told in deprecated(resolved, later).items()} == {
        "Endpoints": [_OLD],
        "CronJob": ["batch/v1beta1 CronJob is gone in Kubernetes 1.36"],
    }
    assert deprecated(resolved, [Later("1.35", frozenset({plain}), {})])[manifests[0].ref] == [
        "v1 ConfigMap is gone in Kubernetes 1.35"
    ]
