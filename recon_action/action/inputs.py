"""What the workflow asks for: the action's inputs, checked, as settings and wishes."""

import os.path
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path, PurePath

from recon_action.config import default_target
from recon_action.config.access import ACCESS, GITHUB_OIDC
from recon_action.config.file import NAME, ConfigFile
from recon_action.config.inputs import INPUTS, SHARED
from recon_action.config.targets import settings_of_targets, without_access
from recon_action.errors import FailOn, UsageError
from recon_action.github import oidc
from recon_action.github.event import EventContext
from recon_action.github.found import Wishes
from recon_action.github.inputs import input_name, read_flag, read_input, read_list
from recon_action.github.kubeconfig import kubeconfig_file
from recon_action.github.runner import Runner
from recon_action.model import Access, Settings
from recon_action.model.settings import CommentOn, IssueOn

_MANY = 1_000


def choice(environ: Mapping[str, str], name: str) -> str:
    """The value of an input that knows only a few."""
    option = next(option for option in INPUTS if option.name == name)
    text = read_input(environ, name) or option.default
    if text not in option.choices:
        raise UsageError(
            f"{input_name(name)}: {text!r} is none of {', '.join(option.choices)}",
            hint=f"{input_name(name)}: {option.help}",
        )
    return text


def wishes_of(environ: Mapping[str, str], runner: Runner) -> Wishes:
    """What is to be published, and with which token."""
    token = read_input(environ, "github-token")
    if token:
        runner.mask([token])
    return Wishes(
        token=token,
        comment=choice(environ, "comment") != "off",
        comment_on=CommentOn(choice(environ, "comment-on")),
        check_run=choice(environ, "check-run") != "off",
        issue=IssueOn(choice(environ, "drift-issue")),
        close_after=_count(environ, "issue-close-after"),
        labels=read_list(environ, "issue-labels"),
        assignees=read_list(environ, "issue-assignees"),
        verify=read_input(environ, "ssl-verify") or "true",
    )


def _count(environ: Mapping[str, str], name: str) -> int:
    """The value of an input that is a number from 1 on."""
    option = next(option for option in INPUTS if option.name == name)
    text = read_input(environ, name) or option.default
    if not (text.isascii() and text.isdecimal() and 0 < int(text[:9]) < _MANY):
        raise UsageError(f"{input_name(name)}: {text!r} is no number from 1 to {_MANY - 1}", hint=option.help)
    return int(text)


def offline_settings(environ: Mapping[str, str], fail_on: FailOn, config: ConfigFile) -> Settings:
    """The settings of a run that reaches no cluster: of what would lead there, nothing is read."""
    apart = {option.name for option in ACCESS}
    values = {name: value for name, value in _values(environ, fail_on).items() if name not in apart}
    return _settings(environ, values, config)


@contextmanager
def settings_of(environ: Mapping[str, str], runner: Runner, fail_on: FailOn, config: ConfigFile) -> Iterator[Settings]:
    """The run's settings, with a kubeconfig that was pasted as a file for as long as this lasts."""
    values = _values(environ, fail_on)
    kubeconfig = str(values.get("kubeconfig", ""))
    named = nullcontext(kubeconfig) if "server" in values else kubeconfig_file(kubeconfig, environ, runner.mask)
    with named as file:
        chosen = _settings(environ, {**values, "kubeconfig": file}, config)
        yield replace(chosen, access=_with_token(chosen.access, environ, runner))


def look_in(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Where the repository is: the PATHs, else the folder of recon.yaml, which names them."""
    return read_list(environ, "paths") or (str(Path(read_input(environ, "config") or NAME).parent),)


def _settings(environ: Mapping[str, str], values: Mapping[str, str | bool], config: ConfigFile) -> Settings:
    """The settings of the one target that a step is about. How the cluster is reached, inputs alone say.

    Raises:
        UsageError: recon.yaml has targets, and no input says which is meant.
    """
    known = [one.name for one in config.targets if one.name]
    if known and "target" not in values:
        raise UsageError(
            f"recon.yaml has targets, and a step is about one: {', '.join(known)}",
            hint="name it by the input target; for all of them use a matrix, with target: ${{ matrix.target }}",
        )
    folder = os.path.dirname(read_input(environ, "config"))  # noqa: PTH120 - "" stays what it is
    entries, paths = without_access(config.targets), read_list(environ, "paths")
    return settings_of_targets(values, entries, paths=paths, folder=folder, names=input_name)[0]


def _values(environ: Mapping[str, str], fail_on: FailOn) -> dict[str, str | bool]:
    """What the workflow says of the options that the action shares with the command line.

    action.yml fills in what a workflow leaves out, so an input with its default's value counts as left out.
    """
    values: dict[str, str | bool] = {}
    for option in SHARED:
        text = read_input(environ, option.name)
        value = read_flag(environ, option.name, default=option.default == "true") if option.flag else text
        if text and value != (option.default == "true" if option.flag else option.default):
            values[option.name] = value
    return values | {"fail-on": fail_on.value}


def _with_token(access: Access, environ: Mapping[str, str], runner: Runner) -> Access:
    """`access` with the source of the job's token, if that is who asks."""
    if not access.audience:
        return access
    verify = read_input(environ, "ssl-verify") or "true"
    return replace(access, bearer=oidc.job_token(environ, access.audience, runner.mask, verify))


def target_of(environ: Mapping[str, str], event: EventContext) -> str:
    """The target's name, of a run that did not come so far as to say."""
    paths = read_list(environ, "paths")
    path = PurePath(paths[0]).as_posix() if paths else ""
    return read_input(environ, "target") or default_target(event.repository, path)


def has_credentials(environ: Mapping[str, str]) -> bool:
    """Whether there is anything to reach a cluster with."""
    if choice(environ, "auth") == GITHUB_OIDC:
        return bool(environ.get(oidc.URL))
    named = read_input(environ, "kubeconfig") or environ.get("KUBECONFIG")
    return bool(named or environ.get("KUBERNETES_SERVICE_HOST"))
