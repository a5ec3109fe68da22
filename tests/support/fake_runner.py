"""A GitHub runner as strict as the real one: it hands a step its environment, and reads back log and files.

What it knows is actions/runner's own source: `ActionCommand.TryParseV2` and `TryParse`, `ActionCommandManager`,
`EnvFileKeyValuePairs`, `CreateStepSummaryCommand`, `ExecutionContext.AddIssue`.
"""

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

SUMMARY_LIMIT = 1024 * 1024
ISSUES_PER_LEVEL = 10
MESSAGE_LIMIT = 4096
LEVELS = ("error", "warning", "notice")
COMMANDS = {
    *LEVELS,
    *("add-mask", "add-matcher", "add-path", "debug", "echo", "endgroup", "group", "remove-matcher"),
    *("save-state", "set-env", "set-output", "stop-commands"),
}
# The runner refuses or deprecates these; an action of today has no business writing them.
OUTDATED = {"add-path", "save-state", "set-env", "set-output"}
FILES = ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_STATE", "GITHUB_ENV", "GITHUB_PATH")
DATA = (("%0D", "\r"), ("%0A", "\n"), ("%25", "%"))
PROPERTY = (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%"))
OLD = (("%3B", ";"), ("%0D", "\r"), ("%0A", "\n"), ("%5D", "]"), ("%25", "%"))


@dataclass(frozen=True)
class Command:
    """A command that the runner obeyed."""

    name: str
    data: str
    properties: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """What the runner makes of a step.

    Args:
        result: what the step's function returned.
        log: the lines that people see: commands taken out, secrets masked.
        commands: the commands obeyed, in order.
        issues: the annotations that are kept.
        outputs: of GITHUB_OUTPUT.
        summary: of GITHUB_STEP_SUMMARY, masked; "" if there is none or it was discarded.
        errors: what the runner itself complains about; any of them fails the step.
    """

    result: Any
    log: tuple[str, ...]
    commands: tuple[Command, ...]
    issues: tuple[Command, ...]
    outputs: Mapping[str, str]
    summary: str
    errors: tuple[str, ...]

    @property
    def text(self) -> str:
        """The log as one text."""
        return "\n".join(self.log)

    def named(self, name: str) -> list[Command]:
        """The commands of that name."""
        return [command for command in self.commands if command.name == name]


def unescape(text: str, table: tuple[tuple[str, str], ...]) -> str:
    """As the runner does: one replacement after the other, in the table's order."""
    for replacement, token in table:
        text = text.replace(replacement, token)
    return text


def parse_command(line: str, registered: set[str]) -> Command | None:
    """The command that the runner finds in a line of the log, in today's form or in the old `##[…]` one."""
    text = line.lstrip()
    end = text.find("::", 2)
    if text.startswith("::") and end >= 0 and _name(text[2:end]) in registered:
        info, data = text[2:end], text[end + 2 :]
        return Command(_name(info), unescape(data, DATA), dict(_properties(info, ",", PROPERTY)))
    start = line.find("##[")
    end = line.find("]", start)
    if start >= 0 and end >= 0 and _name(line[start + 3 : end]) in registered:
        info, data = line[start + 3 : end], line[end + 1 :]
        return Command(_name(info), unescape(data, OLD), dict(_properties(info, ";", OLD)))
    return None


def parse_pairs(text: str) -> dict[str, str]:
    """GITHUB_OUTPUT, GITHUB_STATE or GITHUB_ENV as the runner reads it; ValueError in its own words."""
    lines = text.split("\n")
    ended = lines[-1] == ""
    if ended:
        lines.pop()
    pairs: dict[str, str] = {}
    rest = iter(enumerate(lines))
    for _, line in rest:
        if not line:
            continue
        equals, heredoc = line.find("="), line.find("<<")
        if equals >= 0 and (heredoc < 0 or equals < heredoc):
            name, value = line.split("=", 1)
        elif heredoc >= 0:
            name, delimiter = line.split("<<", 1)
            if not name or not delimiter:
                raise ValueError(f"Invalid format '{line}'. Name and delimiter must not be empty")
            value = _heredoc(rest, delimiter, len(lines) - 1, ended=ended)
        else:
            raise ValueError(f"Invalid format '{line}'")
        pairs[name] = value
    return pairs


def _heredoc(rest: Iterator[tuple[int, str]], delimiter: str, last: int, *, ended: bool) -> str:
    value: list[str] = []
    for number, line in rest:
        if line == delimiter:
            return "\n".join(value)
        if number == last and not ended:
            raise ValueError("Invalid value. EOF marker missing new line.")
        value.append(line)
    raise ValueError(f"Invalid value. Matching delimiter not found '{delimiter}'")


def _name(info: str) -> str:
    return info.split(" ", 1)[0]


def _properties(info: str, separator: str, table: tuple[tuple[str, str], ...]) -> Iterator[tuple[str, str]]:
    for pair in info.partition(" ")[2].strip().split(separator):
        key, _, value = pair.partition("=")
        if key and value:
            yield key, unescape(value, table)


@dataclass
class _Reader:
    """The state the runner keeps while it reads a log."""

    log: list[str] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    issues: list[Command] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    masks: list[str] = field(default_factory=list)
    stopped: str = ""

    def read(self, line: str) -> None:
        found = parse_command(line, COMMANDS | ({self.stopped} if self.stopped else set()))
        if self.stopped and found is not None and found.name == self.stopped:
            self.stopped = ""
        elif self.stopped or found is None:
            self.log.append(self.masked(line))
        else:
            self.obey(found)

    def obey(self, command: Command) -> None:
        self.commands.append(command)
        if command.name in OUTDATED:
            self.errors.append(f"The `{command.name}` command is deprecated or disabled")
        elif command.name == "stop-commands":
            if not command.data or command.data in COMMANDS:
                self.errors.append(f"Invalid stop token {command.data!r}")
            self.stopped = command.data
        elif command.name == "add-mask":
            self.add_mask(command.data)
        elif command.name in LEVELS:
            kept = sum(issue.name == command.name for issue in self.issues)
            if kept < ISSUES_PER_LEVEL:
                message = self.masked(command.data)[:MESSAGE_LIMIT]
                self.issues.append(Command(command.name, message, command.properties))

    def add_mask(self, value: str) -> None:
        if not value.strip():
            self.errors.append("Can't add secret mask for empty string in ##[add-mask] command.")
            return
        self.masks += [value, *(line.strip() for line in value.splitlines() if line.strip())]

    def masked(self, text: str) -> str:
        for mask in sorted(set(self.masks), key=len, reverse=True):
            text = text.replace(mask, "***")
        return text


class FakeRunner:
    """Runs functions as a runner runs a container: `root` holds what a container finds in /github."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.workspace = root / "workspace"
        self.temp = root / "runner_temp"
        for folder in (self.workspace, self.temp, *(root / name for name in ("home", "file_commands", "workflow"))):
            folder.mkdir(parents=True)
        for name in FILES:
            self.file(name).touch()

    def file(self, name: str) -> Path:
        """The file behind one of the runner's variables."""
        return self.root / "file_commands" / name.lower()

    def environ(
        self, event: str, payload: object = None, *, inputs: Mapping[str, str] | None = None, **more: str
    ) -> dict[str, str]:
        """The environment of a step that `event` started; inputs are spelt as the runner spells them."""
        path = self.root / "workflow" / "event.json"
        path.write_text(json.dumps({} if payload is None else payload))
        return {
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTOR": "octocat",
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(path),
            "GITHUB_REF": "refs/heads/main",
            "GITHUB_REPOSITORY": "acme/shop",
            "GITHUB_RUN_ID": "123",
            "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_WORKSPACE": str(self.workspace),
            "HOME": str(self.root / "home"),
            "RUNNER_TEMP": str(self.temp),
            **{name: str(self.file(name)) for name in FILES},
            **{f"INPUT_{name.replace(' ', '_').upper()}": value for name, value in (inputs or {}).items()},
            **more,
        }

    def step(self, function: Callable[[TextIO], Any]) -> Step:
        """What a step comes to whose work `function` does, given its stdout."""
        stdout = io.StringIO()
        result = function(stdout)
        return self.read(stdout.getvalue(), result)

    def read(self, log: str, result: Any = None) -> Step:
        """What a step comes to that wrote `log` and the files."""
        reader = _Reader()
        for line in re.split(r"\r\n|\r|\n", log):  # .NET's ReadLine ends lines at each of these
            reader.read(line)
        if reader.stopped:
            reader.errors.append("commands were never resumed")
        outputs = self._pairs(reader, "GITHUB_OUTPUT")
        for name in ("GITHUB_STATE", "GITHUB_ENV"):
            self._pairs(reader, name)
        return Step(
            result=result,
            log=tuple(reader.log),
            commands=tuple(reader.commands),
            issues=tuple(reader.issues),
            outputs=outputs,
            summary=self._summary(reader),
            errors=tuple(reader.errors),
        )

    def _pairs(self, reader: _Reader, name: str) -> dict[str, str]:
        try:
            return parse_pairs(self.file(name).read_bytes().decode())
        except ValueError as error:
            reader.errors.append(f"Unable to process file command '{name}' successfully. {error}")
            return {}

    def _summary(self, reader: _Reader) -> str:
        content = self.file("GITHUB_STEP_SUMMARY").read_bytes()
        if len(content) > SUMMARY_LIMIT:
            reader.errors.append("$GITHUB_STEP_SUMMARY upload aborted, supports content up to a size of 1024k")
            return ""
        return "\n".join(reader.masked(line) for line in content.decode().split("\n"))
