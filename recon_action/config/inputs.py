"""The inputs of the action: the options that it shares with the command line, and its own.

A table, from which action.yml and README.md are made too. How the runner hands an input over is `github.inputs`'.
"""

from dataclasses import replace

from recon_action.config.option import Option
from recon_action.config.options import OPTIONS
from recon_action.errors import FailOn
from recon_action.model import Mode
from recon_action.model.settings import CommentOn, IssueOn

_MODES = (Mode.DIFF, Mode.APPLY, Mode.PREVIEW, Mode.VALIDATE, Mode.PUBLISH)
_OWN = (
    Option(
        "paths",
        "Manifests: files, folders or globs, one a line or parted by commas. Default: those of recon.yaml's target.",
        many=True,
    ),
    Option(
        "mode",
        "What to do; auto is by the event.",
        default="auto",
        choices=("auto", *_MODES),
    ),
    Option(
        "artifact",
        "For mode publish: the JSON report that the run before has left, or the folder that it was unpacked in.",
    ),
    Option("self-heal", "Whether a scheduled run corrects drift, or only reports it.", default="true", flag=True),
    Option("apply-branches", "Branches whose pushes are applied, as globs. Default: the default branch.", many=True),
    Option(
        "command-permission",
        "What somebody has to be in the repository to give orders in a comment, such as `/recon apply`.",
        default="write",
        choices=("write", "maintain", "admin"),
    ),
    Option(
        "github-token", "Token that comment, check run and drift issue are written with.", default="${{ github.token }}"
    ),
    Option(
        "comment",
        "Whether a pull request gets a comment, which is kept current.",
        default="update",
        choices=("update", "off"),
    ),
    Option(
        "comment-on",
        "When it gets one: always, if anything differs, or if Git changes something. Kept current in any case.",
        default=CommentOn.ALWAYS.value,
        choices=tuple(on.value for on in CommentOn),
    ),
    Option(
        "check-run",
        "Whether a commit gets a check run: of pull requests, merge queues, schedules and pushes that are applied.",
        default="auto",
        choices=("auto", "off"),
    ),
    Option(
        "drift-issue",
        "When a target gets a drift issue: auto, if drift remains or a person's change was set back; or only if it "
        "remains. One that is open is kept current, and closed once the drift is gone.",
        default=IssueOn.AUTO.value,
        choices=tuple(on.value for on in IssueOn),
    ),
    Option("issue-close-after", "Full scans without drift, after which the drift issue is closed.", default="2"),
    Option("issue-labels", "Labels that a drift issue is given, beside recon-drift.", many=True),
    Option("issue-assignees", "Logins that a drift issue is assigned to.", many=True),
    Option(
        "ssl-verify",
        "Whether GitHub's certificate is checked: true, false, or a file with the authority to check it against.",
        default="true",
    ),
)


def _as_input(option: Option) -> Option:
    """An option as an input; two mean something else here than on a command line."""
    match option.name:
        case "kubeconfig":
            return replace(
                option, help="Kubeconfig: a path, or the file's text, plain or in base64. Default: KUBECONFIG."
            )
        case "fail-on":
            return replace(option, default=FailOn.ERROR.value)
        case _:
            return option


SHARED = tuple(_as_input(option) for option in OPTIONS if option.action)
INPUTS: tuple[Option, ...] = (*_OWN, *SHARED)
