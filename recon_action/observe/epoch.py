"""The epoch, read from the cluster: generations tell, bodies are not asked for."""

from collections.abc import Iterable
from functools import partial

from recon_action.cluster import Cluster, RequestError, path_of
from recon_action.model import Capabilities, Epoch, Resource, Trouble
from recon_action.model.epoch import ADMISSION, DEFINITION

_METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"


def read_epoch(cluster: Cluster, capabilities: Capabilities, kinds: Iterable[Resource]) -> Epoch | None:
    """The epoch as far as it concerns `kinds`; None if a part of it may not be read.

    Raises:
        RequestError: something else than permission is in the way.
    """
    custom = {f"{kind.plural}.{kind.group}" for kind in kinds if not kind.built_in}
    sources = (*ADMISSION, *([DEFINITION] if custom else []))
    served = [resource for source in sources if (resource := capabilities.find(*source)) is not None]
    try:
        found = cluster.each(partial(_generations, cluster), served)
    except RequestError as error:
        if error.problem.trouble is Trouble.FORBIDDEN:
            return None
        raise
    rows = [row for listed in found for row in listed if row[0] != DEFINITION[1] or row[1] in custom]
    return Epoch(capabilities.version, tuple(sorted(rows)))


def _generations(cluster: Cluster, resource: Resource) -> list[tuple[str, str, str, str]]:
    answer = cluster.read(path_of(resource), verb="list", accept=_METADATA)
    metadata = [item["metadata"] for item in answer.get("items") or ()]
    return [(resource.kind, item["name"], item["uid"], str(item.get("generation", ""))) for item in metadata]
