"""What renders and decrypts for one reading. All that it takes is imported when something needs it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Self

from recon_action.desired.sources.detection import Folder
from recon_action.desired.sources.rendered import Rendered
from recon_action.model import SourceSettings

if TYPE_CHECKING:
    from pathlib import Path

    from recon_action.desired.sources.rendering import Surroundings
    from recon_action.desired.sources.toolbox import Toolbox


class Opening:
    """Opens what is no plain file.

    Args:
        settings: how sources are rendered.
        environ: whose programs, and whose keys.
        limit: bytes that a program may write.
    """

    def __init__(self, settings: SourceSettings, environ: Mapping[str, str], limit: int) -> None:
        self._settings = settings
        self._environ = environ
        self._limit = limit
        self._toolbox: Toolbox | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._toolbox:
            self._toolbox.close()

    def render(
        self, folders: Sequence[Folder], around: "Surroundings"
    ) -> tuple[dict[Folder, Rendered], "Sequence[Path]"]:
        """What each folder gives, and the files that it is made from.

        Raises:
            ProgramError: a program is missing.
            ClusterError: a chart has to be rendered, and the cluster can't be asked.
        """
        from recon_action.desired.sources.rendering import files_of, render, traced  # noqa: PLC0415 - few need it

        sources = traced(folders, around)
        return render(sources, around, self._tools()), files_of(sources)

    def unlock(self, data: bytes, name: str, shown: str) -> Rendered | None:
        """What a file holds that may be encrypted; None if it is not.

        Raises:
            ProgramError: sops is missing.
        """
        from recon_action.desired.sources.unlocking import unlock  # noqa: PLC0415 - few need it

        return unlock(data, name, shown, self._tools(), decrypts=self._settings.decrypts)

    def _tools(self) -> "Toolbox":
        from recon_action.desired.sources.toolbox import Toolbox  # noqa: PLC0415 - few need it

        if self._toolbox is None:
            settings = self._settings
            self._toolbox = Toolbox(
                self._environ, network=settings.network, timeout=settings.timeout, limit=self._limit
            )
        return self._toolbox
