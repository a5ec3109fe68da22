"""How sources are rendered: what a run is told of kustomizations, charts and encrypted files."""

from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from recon_action.model.capabilities import Capabilities


@dataclass(frozen=True, slots=True)
class ChartSettings:
    """How some charts are rendered, as recon.yaml says; its paths are seen from the repository's root.

    Args:
        path: a glob of the charts' folders.
        release: the release's name; "" means the chart's.
        namespace: the release's namespace, also of objects that name none; "" means the run's.
        values: files of values, a later one outweighs.
        sets: single values, each as helm's `--set` takes it.
        crds: whether what lies in the chart's folder `crds` is rendered, too.
    """

    path: str = "*"
    release: str = ""
    namespace: str = ""
    values: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    crds: bool = True

    def has(self, folder: str) -> bool:
        """Whether the chart in `folder` is meant."""
        return fnmatchcase(folder, self.path.rstrip("/"))


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """How sources are rendered.

    Args:
        render: whether kustomizations are built and charts rendered; else each file is read as it is.
        network: whether the programs may use the network.
        decrypt: whether encrypted files are decrypted; None means yes, but not in a preview.
        release: the name of the only chart's release; "" means as recon.yaml says, or the chart's.
        values: files of values for every chart, which outweigh those of recon.yaml.
        sets: single values for every chart, which outweigh everything.
        charts: what recon.yaml says; of each chart the first entry counts.
        timeout: seconds that one program may take.
    """

    render: bool = True
    network: bool = False
    decrypt: bool | None = None
    release: str = ""
    values: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    charts: tuple[ChartSettings, ...] = ()
    timeout: float = 300.0

    @property
    def decrypts(self) -> bool:
        """Whether encrypted files are decrypted, where nobody has said that they are not."""
        return self.decrypt is not False


@dataclass(frozen=True, slots=True)
class RenderTarget:
    """What charts are rendered for.

    Args:
        capabilities: what the cluster serves.
        namespace: for objects that name none.
    """

    capabilities: Capabilities
    namespace: str = ""


AskTarget = Callable[[], RenderTarget]  # asked only where a chart is rendered
