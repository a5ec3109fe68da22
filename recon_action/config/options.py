"""Options from wherever they come, made one frozen `Settings`.

`OPTIONS` is the one table of them: the command line, the action's inputs, the `RECON_*` variables
and the README's table are all made from it, so they can't drift apart. Nothing here reads the
environment or a file: values arrive as text; recon.yaml is `file`'s.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from recon_action.config.access import ACCESS, access_of
from recon_action.config.option import Option, option_name, parted
from recon_action.config.selection import SELECTION, selection_of
from recon_action.config.sources import SOURCES, sources_of
from recon_action.errors import FailOn, UsageError
from recon_action.model import Limit, Output, Settings
from recon_action.model.duration import duration
from recon_action.model.settings import LIVING_OWNERS, AdditiveMode, ReportFile

_DEFAULT = Settings(paths=())

OPTIONS: tuple[Option, ...] = (
    Option(
        "config",
        "Settings file. Default: recon.yaml in the current folder, if there is one.",
        metavar="FILE",
    ),
    *ACCESS,
    Option(
        "namespace",
        "Namespace for manifests that name none. Default: the context's.",
        metavar="NAME",
        short="n",
    ),
    Option(
        "target",
        "Name of the desired state and its inventory. Default: the repository's or folder's.",
        metavar="NAME",
    ),
    Option(
        "inventory-namespace",
        "Where the inventory lies; made if missing.",
        default=_DEFAULT.inventory_namespace,
        metavar="NAME",
    ),
    Option("prune", "Delete what the inventory holds and Git no longer has.", default="true", flag=True),
    Option(
        "max-prune",
        "Refuse to delete more: a count, a share such as 10%, or 'all'. "
        "Default: the larger of 3 and 20 % of the inventory, never more than half of it.",
        metavar="N|N%|all",
    ),
    Option(
        "allow-destructive",
        "Allow deleting Namespaces, CRDs, volumes and their claims.",
        default="false",
        flag=True,
    ),
    Option(
        "recreate",
        "Delete an object and create it anew, where Git changes a field that can't be changed.",
        default="false",
        flag=True,
    ),
    Option(
        "take-over-target",
        "Take over an inventory that another repository or other paths wrote.",
        default="false",
        flag=True,
    ),
    Option(
        "rebuild-inventory",
        "Take up again what a lost inventory held, by the objects' label and managedFields.",
        default="false",
        flag=True,
    ),
    Option(
        "adopt-from",
        "Take over objects of this target, as they have moved here; repeatable, or parted by commas.",
        metavar="TARGET",
        many=True,
    ),
    Option(
        "cluster-uid",
        "The only cluster that may be written: UID of its namespace kube-system. Default: clusterUID of recon.yaml.",
        metavar="UID",
    ),
    Option(
        "allow-rollback",
        "Allow applying a commit that is older than the last applied one.",
        default="false",
        flag=True,
    ),
    *SELECTION,
    Option("show-plan", "Show every action of the plan, in its order.", default="false", flag=True),
    Option(
        "plan",
        "The only plan that may be carried out: its digest, or the file of a JSON report that holds it.",
        metavar="DIGEST|FILE",
    ),
    Option(
        "take-over",
        "Apply what this tool still manages, in its place; repeatable, or parted by commas.",
        choices=tuple(LIVING_OWNERS),
        many=True,
    ),
    Option(
        "additive",
        "Fields that a person's tool added and Git does not mention: tell, remove, or pass over.",
        default=_DEFAULT.additive.value,
        choices=tuple(mode.value for mode in AdditiveMode),
    ),
    Option(
        "proof",
        "Ask the server only about objects that managedFields don't prove in sync; off asks about all.",
        default="true",
        flag=True,
    ),
    Option(
        "read-only",
        "Send nothing but reads: compare here what the server would be asked about. For diffs alone.",
        default="false",
        flag=True,
    ),
    Option("wait", "After an apply, wait until what it changed is healthy.", default="true", flag=True),
    Option("timeout", "How long that may take: 90s, 5m, 1h.", default="5m", metavar="DURATION"),
    Option(
        "lock-timeout",
        "How long an apply waits for another run of the same target: 0s, 5m.",
        default="5m",
        metavar="DURATION",
    ),
    Option(
        "max-file-size",
        "Refuse a larger file of manifests unread: bytes, or 500Ki, 64Mi.",
        default="16Mi",
        metavar="SIZE",
    ),
    *SOURCES,
    Option("concurrency", "Requests under way at once.", default=str(_DEFAULT.concurrency), metavar="N"),
    Option(
        "fail-on",
        "What fails the run: a difference that remains, errors only, or nothing.",
        default=FailOn.DRIFT.value,
        choices=tuple(policy.value for policy in FailOn),
    ),
    Option(
        "output",
        "Form of the report on stdout.",
        default=Output.TEXT.value,
        choices=tuple(form.value for form in Output),
        action=False,
        short="o",
    ),
    Option(
        "report",
        "Write a report to a file as well; repeatable.",
        metavar="FORMAT=FILE",
        many=True,
        action=False,
    ),
)

_Parsed = TypeVar("_Parsed")
# A DNS label with room for the prefix `recon-action-` of the inventory's name.
_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,48}[a-z0-9])?")
_SUFFIX = re.compile(r"\.(git|json|ya?ml)$")  # any other dot is a part of the name: shop.v1 is not shop.v2


def settings(
    values: Mapping[str, str | bool | Sequence[str]],
    *,
    paths: Sequence[str] | None,
    names: Callable[[str], str] = option_name,
    verbose: int = 0,
) -> Settings:
    """`Settings` from `values`, keyed by `Option.name`; what is missing or "" takes its default.

    Args:
        values: text per option; booleans or `true`/`false` for flags; a sequence for a repeatable one.
        paths: the PATHs, at least one; None for a command that takes none.
        names: how an error message calls an option: `--max-prune`, `input max-prune`.
        verbose: how much the log says.

    Raises:
        UsageError: a value is wrong; the message names it as `names` does.
    """
    if paths is not None and not paths:
        raise UsageError(
            "no manifests were named",
            hint="give a PATH: a file, a folder, a glob or -; or list targets in recon.yaml",
        )

    def read(name: str, parse: Callable[[str], _Parsed]) -> _Parsed:
        option = _BY_NAME[name]
        value = values.get(name)
        text = option.default if value is None or value == "" else value
        try:
            return parse(text.strip() if isinstance(text, str) else str(text).lower())
        except ValueError as error:
            raise UsageError(f"{names(name)}: {error}", hint=f"{names(name)}: {option.help}") from None

    reports = values.get("report") or ()
    if not isinstance(reports, Sequence) or isinstance(reports, str):
        reports = [str(reports)]
    return Settings(
        paths=tuple(paths or ()),
        target=read("target", _target),
        access=access_of(values, names),
        namespace=read("namespace", str),
        inventory_namespace=read("inventory-namespace", str),
        prune=read("prune", _flag),
        max_prune=read("max-prune", _limit),
        allow_destructive=read("allow-destructive", _flag),
        recreate=read("recreate", _flag),
        take_over_target=read("take-over-target", _flag),
        rebuild_inventory=read("rebuild-inventory", _flag),
        adopt_from=_targets(values.get("adopt-from") or "", names),
        cluster_uid=read("cluster-uid", str),
        allow_rollback=read("allow-rollback", _flag),
        plan=read("plan", str),
        show_plan=read("show-plan", _flag),
        take_over=_take_over(values.get("take-over") or "", names),
        additive=read("additive", lambda text: _choice(AdditiveMode, text)),
        proof=read("proof", _flag),
        read_only=read("read-only", _flag),
        wait=read("wait", _flag),
        timeout=read("timeout", duration),
        lock_timeout=read("lock-timeout", duration),
        concurrency=read("concurrency", _count),
        max_file_size=read("max-file-size", _size),
        sources=sources_of(values, names),
        selection=selection_of(values, names),
        fail_on=read("fail-on", lambda text: _choice(FailOn, text)),
        output=read("output", lambda text: _choice(Output, text)),
        reports=tuple(_report_file(text, names) for text in reports),
        verbose=verbose,
    )


def default_target(repository: str, path: str) -> str:
    """A target's name where none was given: the repository's, else the first path's, as a DNS label."""
    name = (repository or path.rstrip("/")).rpartition("/")[2]
    stem = _SUFFIX.sub("", name.lower())
    label = re.sub(r"[^a-z0-9]+", "-", stem).strip("-")[:50].strip("-")
    return label or "default"


def _target(text: str) -> str:
    if text and not _LABEL.fullmatch(text):
        raise ValueError(f"{text!r} is no target name; use up to 50 lower-case letters, digits and dashes")
    return text


def _flag(text: str) -> bool:
    if text.lower() not in {"true", "false"}:
        raise ValueError(f"{text!r} is neither true nor false")
    return text.lower() == "true"


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"{text!r} is no number above 0")
    return int(text)


def _size(text: str) -> int:
    found = re.fullmatch(r"(\d{1,12})(Ki|Mi|Gi)?", text)
    size = int(found[1]) << {None: 0, "Ki": 10, "Mi": 20, "Gi": 30}[found[2]] if found else 0
    if not size:
        raise ValueError(f"{text!r} is no size; write bytes (1000000), or 500Ki, 64Mi or 1Gi")
    return size


def _limit(text: str) -> Limit | None:
    if not text:
        return None
    if text == "all":
        return Limit(unlimited=True)
    number = re.fullmatch(r"(\d+)(%?)", text)
    if number is None or (number[2] and int(number[1]) > 100):
        raise ValueError(f"{text!r} is no limit; write a count (5), a share (10%) or 'all'")
    return Limit(share=int(number[1]) / 100) if number[2] else Limit(count=int(number[1]))


_Choice = TypeVar("_Choice", AdditiveMode, FailOn, Output)


def _choice(kind: type[_Choice], text: str) -> _Choice:
    try:
        return kind(text)
    except ValueError:
        raise ValueError(f"{text!r} is none of {', '.join(kind)}") from None


def _targets(given: object, names: Callable[[str], str]) -> frozenset[str]:
    try:
        return frozenset(map(_target, parted(given)))
    except ValueError as error:
        raise UsageError(
            f"{names('adopt-from')}: {error}", hint=f"{names('adopt-from')} takes the name that the other runs have"
        ) from None


def _take_over(given: object, names: Callable[[str], str]) -> frozenset[str]:
    tools = frozenset(parted(given))
    if unknown := sorted(tools - set(LIVING_OWNERS)):
        known = ", ".join(LIVING_OWNERS)
        raise UsageError(f"{names('take-over')}: {unknown[0]!r} is none of {known}", hint=f"write one of {known}")
    return tools


def _report_file(text: str, names: Callable[[str], str]) -> ReportFile:
    form, _, file = text.partition("=")
    if form not in set(Output) or not file:
        raise UsageError(
            f"{names('report')}: {text!r} is not FORMAT=FILE",
            hint=f"write one of {', '.join(f'{output}=FILE' for output in Output)}",
        )
    return ReportFile(Output(form), file)


_BY_NAME = {option.name: option for option in OPTIONS}
