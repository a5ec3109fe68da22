"""All that a run is told, checked and frozen; `config` makes it."""

from dataclasses import dataclass, field
from enum import StrEnum

from recon_action.errors import FailOn
from recon_action.model.bearer import BearerOf
from recon_action.model.rules import IgnoreRule, RedactRule
from recon_action.model.selection import Selection
from recon_action.model.sources import SourceSettings


class Mode(StrEnum):
    """What a run does."""

    DIFF = "diff"
    APPLY = "apply"
    PREVIEW = "preview"  # a diff of two commits beside the cluster
    VALIDATE = "validate"  # the manifests are checked, and no cluster is asked
    PUBLISH = "publish"  # what another run's validation said is told on its pull request
    RELEASE = "release"  # objects are given back
    DELETE = "delete"  # objects are deleted

    @property
    def writes(self) -> bool:
        """Whether it changes the cluster."""
        return self in {Mode.APPLY, Mode.RELEASE, Mode.DELETE}


class Output(StrEnum):
    """The forms of a report."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    SARIF = "sarif"


class CommentOn(StrEnum):
    """When a pull request that has no comment gets one; one that is there is always kept current."""

    ALWAYS = "always"
    DRIFT = "drift"  # if anything differs, or failed
    CHANGES = "changes"  # if Git changes something, or anything failed


class IssueOn(StrEnum):
    """When a target gets a drift issue; one that is open is always kept current."""

    AUTO = "auto"  # if drift remains, or a person's change was set back
    REMAINING = "remaining"
    OFF = "off"


class AdditiveMode(StrEnum):
    """What is done about fields that a person's tool added and Git does not mention."""

    REPORT = "report"
    REVERT = "revert"
    IGNORE = "ignore"


# Tools that keep managing what they applied, by the name that `take_over` has for them.
LIVING_OWNERS = {"argocd": "Argo CD", "flux": "Flux", "helm": "Helm"}


@dataclass(frozen=True, slots=True)
class Access:
    """How to reach the cluster.

    Args:
        kubeconfig: path(s) as in KUBECONFIG; "" means the usual places, then in-cluster.
        context: the context's name; "" means the current one.
        audience: whom the job's OIDC token is meant for that requests carry; "" means the kubeconfig's own user.
        server: the API server's URL, in place of a kubeconfig.
        authority: that signed its certificate: a file, or PEM, plain or in base64; "" means the system's.
        bearer: makes the source of that token, once somebody has said where it comes from.
    """

    kubeconfig: str = ""
    context: str = ""
    audience: str = ""
    server: str = ""
    authority: str = field(default="", repr=False)
    bearer: BearerOf | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Limit:
    """How many deletions a run may do: a count, a share of the inventory (0 to 1), or no limit."""

    count: int | None = None
    share: float | None = None
    unlimited: bool = False


@dataclass(frozen=True, slots=True)
class ReportFile:
    """A report to be written beside stdout's."""

    output: Output
    file: str


_AS_USUAL = SourceSettings()
_ALL = Selection()


@dataclass(frozen=True, slots=True)
class Settings:
    """One target and how to treat it.

    Args:
        paths: files, folders, globs, or "-" for stdin.
        target: names the inventory; "" is replaced by the repository's or folder's name.
        access: how to reach the cluster.
        namespace: for namespaced manifests that name none; "" means the context's, then `default`.
        inventory_namespace: where the inventory lies.
        prune: whether members that Git no longer has are deleted.
        max_prune: the guard's limit; None means the default (DESIGN: the larger of 3 and 20 %).
        allow_destructive: whether Namespaces, CRDs and volumes may be deleted.
        take_over_target: whether an inventory of another repository or other paths may be taken over.
        rebuild_inventory: whether a lost inventory is rebuilt from the objects' labels and managedFields.
        adopt_from: targets whose objects may change hands to this one.
        cluster_uid: UID of kube-system of the only cluster that may be written; "" means any.
        allow_rollback: whether a commit may be applied that is older than the last applied one.
        recreate: whether an object of which a field can't be changed may be deleted and created anew.
        plan: the digest, or the report's file, of the only plan that may be carried out; "" means any.
        show_plan: whether the report holds every action of the plan, and its digest.
        take_over: living owners (`argocd`, `flux`, `helm`) whose objects are applied all the same.
        additive: what is done about fields that a person's tool added.
        proof: whether objects that are proven in sync are spared the server's dry run.
        read_only: whether nothing but reads is sent: what is not proven is compared here.
        wait: whether an apply waits until what it changed is healthy.
        timeout: seconds that waiting may take.
        lock_timeout: seconds to wait for another run's lock.
        lock_duration: seconds after which others may take our lock, should we be killed.
        concurrency: requests under way at once.
        fail_on: what makes the run fail.
        output: the form of the report on stdout.
        reports: reports written to files.
        verbose: how much the log on stderr says: 0, 1, 2.
        max_file_size: bytes above which a file is refused unread.
        sources: how kustomizations, charts and encrypted files are rendered.
        ignore: fields that keep their live value.
        redact: fields whose values appear in no output.
        selection: which objects the run is about.
    """

    paths: tuple[str, ...]
    target: str = ""
    access: Access = Access()
    namespace: str = ""
    inventory_namespace: str = "recon-system"
    prune: bool = True
    max_prune: Limit | None = None
    allow_destructive: bool = False
    take_over_target: bool = False
    rebuild_inventory: bool = False
    adopt_from: frozenset[str] = frozenset()
    cluster_uid: str = ""
    allow_rollback: bool = False
    recreate: bool = False
    plan: str = ""
    show_plan: bool = False
    take_over: frozenset[str] = frozenset()
    additive: AdditiveMode = AdditiveMode.REPORT
    proof: bool = True
    read_only: bool = False
    wait: bool = True
    timeout: float = 300.0
    lock_timeout: float = 300.0
    lock_duration: float = 60.0
    concurrency: int = 16
    fail_on: FailOn = FailOn.DRIFT
    output: Output = Output.TEXT
    reports: tuple[ReportFile, ...] = ()
    verbose: int = 0
    max_file_size: int = 16 * 1024 * 1024
    sources: SourceSettings = _AS_USUAL
    ignore: tuple[IgnoreRule, ...] = ()
    redact: tuple[RedactRule, ...] = ()
    selection: Selection = _ALL
