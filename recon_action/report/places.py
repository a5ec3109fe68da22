"""Where something stands in Git, as a report names it."""

from dataclasses import replace
from urllib.parse import quote

from recon_action.model import Origin, Position, Revision
from recon_action.report.document import Place


def place_of(position: Position, revision: Revision | None, origin: Origin | None = None) -> Place:
    """The place at `position`, linked if it lies in the repository of `revision`; `origin` says what was made of it."""
    # Python keeps a file name's undecodable bytes as surrogates, which no output can hold.
    file, via = (text.encode("utf-8", "replace").decode() for text in (position.file, origin.via if origin else ""))
    place = Place(file, position.line, source=origin.source if origin else "plain", via=via)
    if revision is None or not revision.url or not revision.commit or not place.is_inside:
        return place
    return replace(place, url=f"{revision.url}/blob/{revision.commit}/{quote(place.file)}#L{place.line}")
