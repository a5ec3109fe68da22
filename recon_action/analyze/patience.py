"""How long an object may take to become healthy: what its own annotation says. Pure."""

from collections.abc import Iterable

from recon_action.model import Body, Manifest
from recon_action.model.duration import duration

TIMEOUT = "recon-action.github.io/timeout"


def patience(body: Body) -> float | None:
    """Seconds; None where the annotation is missing, or can't be understood."""
    text = _annotated(body)
    try:
        return None if text is None else duration(text)
    except ValueError:
        return None


def misread(manifests: Iterable[Manifest]) -> list[str]:
    """A sentence about each annotation that can't be understood."""
    told = []
    for manifest in manifests:
        text = _annotated(manifest.body)
        if text is not None and patience(manifest.body) is None:
            place = f"{manifest.origin.position}: {manifest.ref}"
            told.append(f"{place}: {TIMEOUT}: {text!r} is no duration, as 90s or 5m: the general timeout holds.")
    return told


def _annotated(body: Body) -> str | None:
    annotations = body["metadata"].get("annotations")
    text = annotations.get(TIMEOUT) if isinstance(annotations, dict) else None
    return None if text is None else str(text).strip()
