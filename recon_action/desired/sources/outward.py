"""What the sources in a folder need from outside of it: a commit is laid out only as far as it is asked for."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from recon_action.desired.sources.detection import CHARTS, KUSTOMIZATIONS


def outward(root: Path, files: Iterable[str]) -> Iterator[str]:
    """Paths that the kustomizations and charts among `files` name, all as seen from `root`; some may not exist."""
    for path in files:
        name = PurePosixPath(path).name
        if name in KUSTOMIZATIONS or name in CHARTS:
            for text in _named(root / path):
                inside = os.path.normpath(PurePosixPath(path).parent / text)
                if not inside.startswith((".." + os.sep, os.sep)) and inside not in {"..", "."}:
                    yield inside


def _named(file: Path) -> Iterator[str]:
    """What one of them names."""
    from recon_action.desired.config_file import config_document  # noqa: PLC0415 - few commits have any
    from recon_action.desired.sources.charts import LOCAL, dependencies  # noqa: PLC0415 - the same
    from recon_action.desired.sources.references import references  # noqa: PLC0415 - the same

    if file.is_symlink():  # its target is laid out in its own place
        return
    document = config_document(str(file))
    if file.name in CHARTS:
        yield from (one.repository.removeprefix(LOCAL) for one in dependencies(document) if one.is_local)
    elif isinstance(document.value, dict):
        yield from (one.text for one in references(document.value) if not (one.is_address or one.is_inline))
