"""What Git says: manifests, where they come from, and the revision they are of."""

from dataclasses import dataclass, field

from recon_action.model.pattern import FieldPattern
from recon_action.model.ref import Body, ObjectRef


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a file; line and column count from 1."""

    file: str
    line: int
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a manifest comes from.

    Args:
        file: the path as the user would type it ("-" for stdin); relative to the repository's root if
            the file lies in one, so that reports can link to it.
        document: index of the YAML document in the file, from 0.
        line: the line on which the object begins.
        item: indexes into `items`, outermost first, if the object came out of a List; else ().
        source: how it was made: "plain", "kustomize", "helm", "sops".
        via: of a rendered one: the folder of the kustomization, or of the chart.
        parts: of a rendered one: other files that its fields may come from, the most likely first.
    """

    file: str
    document: int = 0
    line: int = 1
    item: tuple[int, ...] = ()
    source: str = "plain"
    via: str = ""
    parts: tuple[str, ...] = field(default=(), repr=False)

    @property
    def position(self) -> Position:
        """Where the object begins."""
        return Position(self.file, self.line)


@dataclass(frozen=True, slots=True)
class Manifest:
    """One desired object.

    Args:
        ref: identity; its namespace is as written until `analyze.resolve` fills it in.
        body: the object as the file states it, scalars resolved as kubectl resolves them.
        origin: where it stands.
        source_hash: of a Secret, and of what holds values that were encrypted: sha256 (hex) of the document's bytes,
            or of those of encrypted files, so that the inventory can tell "Git moved" without a hash of the values.
        secret: fields that hold values that were encrypted, unless it is a Secret, of which everything is secret.
        withheld: why it is passed over: it is encrypted, and only its identity may be known. "" if it isn't.
        default_namespace: its namespace if it names none, where that is not the run's.
    """

    ref: ObjectRef
    body: Body = field(repr=False)  # may hold secrets: never in a traceback
    origin: Origin
    source_hash: str = ""
    secret: tuple[FieldPattern, ...] = ()
    withheld: str = ""
    default_namespace: str = ""

    @property
    def version(self) -> str:
        """The version without the group: `v1`, `v1beta1`."""
        return str(self.body["apiVersion"]).rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was read and holds no Kubernetes object, and why it was left out."""

    file: str
    reason: str


@dataclass(frozen=True, slots=True)
class Revision:
    """What Git says of the folder that the manifests lie in.

    Args:
        commit: full SHA of HEAD.
        branch: the branch's name, "" on a detached HEAD.
        dirty: whether a file under the given paths differs from the commit.
        repository: `host/owner/name` of the origin remote, "" without one.
        url: the repository's web address (`https://host/owner/name`), "" where none can be made.
        root: the folder of the work tree, absolute.
    """

    commit: str
    branch: str = ""
    dirty: bool = False
    repository: str = ""
    url: str = ""
    root: str = ""


@dataclass(frozen=True, slots=True)
class Desired:
    """Everything that was read from the paths of one target.

    Args:
        manifests: in the order of the files, of the documents, of the items.
        files: how many files were read, skipped ones included.
        skipped: files without a Kubernetes object.
        revision: of the repository that holds the paths; None outside of one.
        identity: the paths as the inventory remembers them: relative to the repository's root, sorted;
            absolute outside of a repository.
        secrets: values that were encrypted in the files.
    """

    manifests: tuple[Manifest, ...]
    files: int = 0
    skipped: tuple[Skipped, ...] = ()
    revision: Revision | None = None
    identity: tuple[str, ...] = ()
    secrets: frozenset[str] = field(default=frozenset(), repr=False)
