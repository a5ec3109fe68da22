"""Writes what is said twice from where it is said once: `make docs`; `--check` only compares.

The options of `recon_action.config` and the action's inputs and outputs make those of action.yml, of its composite twin
and of the reusable workflow, and the tables of docs/inputs.md; `docs/examples/*.yml` are shown in the pages that ask
for them. Each place is a block between `<!-- NAME -->` and `<!-- /NAME -->` (in YAML `# NAME` and `# /NAME`); the rest
of a file is written by hand.
"""

import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from textwrap import indent

from recon_action.config import OPTIONS, Option
from recon_action.config.inputs import INPUTS
from recon_action.github.deliver import OUTPUTS

ROOT = Path(__file__).resolve().parent.parent
ACTION = ROOT / "action.yml"
COMPOSITE = ROOT / "composite" / "action.yml"
CALLED = ROOT / ".github" / "workflows" / "reconcile.yml"
README = ROOT / "README.md"
TABLES = ROOT / "docs" / "inputs.md"
EXAMPLES = ROOT / "docs" / "examples"
# Of a workflow that is called, these are secrets: the runner then keeps them out of the log itself.
SECRETS = {"kubeconfig": "secrets.kubeconfig", "github-token": "secrets.github-token || github.token"}


def inputs_yaml(*, called: bool = False) -> str:
    """The inputs of an action, or of a workflow that is called. JSON strings are YAML, whatever is in them."""
    lines = []
    for option in INPUTS:
        if called and option.name in SECRETS:
            continue
        lines += [f"{option.name}:", f"  description: {json.dumps(described(option), ensure_ascii=False)}"]
        if called:
            lines.append("  type: string")
        lines.append(f"  default: {json.dumps(option.default, ensure_ascii=False)}")
    return "\n".join(lines)


def outputs_yaml(source: str = "") -> str:
    """The outputs of an action or a workflow; `source` has outputs of the same names, where there is one."""
    lines = []
    for name, text in OUTPUTS.items():
        lines += [f"{name}:", f"  description: {json.dumps(text, ensure_ascii=False)}"]
        if source:
            lines.append(f"  value: {expression(f'{source}.outputs.{name}')}")
    return "\n".join(lines)


def passed_inputs() -> str:
    """The inputs of the workflow, handed to the action."""
    return "\n".join(
        f"{option.name}: {expression(SECRETS.get(option.name, f'inputs.{option.name}'))}" for option in INPUTS
    )


def passed_outputs() -> str:
    """The outputs of the workflow's job, taken from the action."""
    return "\n".join(f"{name}: {expression(f'steps.recon.outputs.{name}')}" for name in OUTPUTS)


def variables() -> str:
    """The inputs of the composite action as variables, which the runner makes of a Docker action's alone.

    With underscores, as a shell may drop a variable whose name it could not have given itself.
    """
    return "\n".join(
        f"INPUT_{option.name.upper().replace('-', '_')}: {expression(f'inputs.{option.name}')}" for option in INPUTS
    )


def expression(text: str) -> str:
    """An expression as GitHub Actions writes it."""
    return f"${{{{ {text} }}}}"


def options_table() -> str:
    """Every option: as an input of the action, on the command line, as a variable."""
    inputs = {option.name: option for option in INPUTS}
    shared = {option.name: option for option in OPTIONS}
    rows = [["Input", "Command line", "Variable", "Default", "Meaning"], ["---"] * 5]
    for name in dict.fromkeys([*inputs, *shared]):
        option = inputs.get(name) or shared[name]
        rows.append(
            [
                f"`{name}`" if name in inputs else "–",
                flags(shared[name]) if name in shared else "`PATH…`" if name == "paths" else "–",
                f"`{shared[name].variable}`" if name in shared else "–",
                defaults(option, shared.get(name)),
                described(option).replace("|", "\\|"),
            ]
        )
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def outputs_table() -> str:
    """Every output of the action."""
    rows = [["Output", "Meaning"], ["---", "---"], *([f"`{name}`", text] for name, text in OUTPUTS.items())]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def described(option: Option) -> str:
    """An option's meaning, with the values it knows."""
    return option.help + (f" One of: {', '.join(option.choices)}." if option.choices else "")


def flags(option: Option) -> str:
    """An option as it is typed."""
    short = f"`-{option.short}`, " if option.short else ""
    return f"{short}`--{option.name}`" + (f", `--no-{option.name}`" if option.flag else "")


def defaults(option: Option, shared: Option | None) -> str:
    """The default, both where the action's is another than the command line's."""
    shown = f"`{option.default}`" if option.default else ""
    if shared is not None and shared.default != option.default:
        shown += f" (command line: `{shared.default}`)"
    return shown


def pages() -> Iterator[Path]:
    """The files that people read."""
    yield README
    yield from sorted((ROOT / "docs").rglob("*.md"))


def blocks() -> Iterator[tuple[Path, str, str]]:
    """Each generated block: its file, its name, its text."""
    for action, source in ((ACTION, ""), (COMPOSITE, "steps.run")):
        yield action, "inputs", f"inputs:\n{indent(inputs_yaml(), '  ')}"
        yield action, "outputs", f"outputs:\n{indent(outputs_yaml(source), '  ')}"
    yield COMPOSITE, "variables", indent(variables(), " " * 8)
    yield CALLED, "inputs", indent(inputs_yaml(called=True), " " * 6)
    yield CALLED, "outputs", f"    outputs:\n{indent(outputs_yaml('jobs.reconcile'), ' ' * 6)}"
    yield CALLED, "passed outputs", f"    outputs:\n{indent(passed_outputs(), ' ' * 6)}"
    yield CALLED, "passed inputs", f"        with:\n{indent(passed_inputs(), ' ' * 10)}"
    yield TABLES, "options", options_table()
    yield TABLES, "outputs", outputs_table()
    for page in pages():
        text = page.read_text()
        for example in sorted(EXAMPLES.glob("*.yml")):
            name = f"docs/examples/{example.name}"
            if f"<!-- {name} -->" in text:
                yield page, name, f"```yaml\n{example.read_text()}```"


def rewritten(text: str, name: str, block: str) -> str:
    """`text` with the block `name` replaced.

    Raises:
        ValueError: there is no such block, or more than one.
    """
    mark = re.escape(name)
    pattern = re.compile(rf"(?m)^( *(?:# |<!-- ){mark}(?: -->)?\n).*?^( *(?:# |<!-- )/{mark}(?: -->)?)$", re.DOTALL)
    found = len(pattern.findall(text))
    if found != 1:
        raise ValueError(f"{found} blocks {name!r} instead of one")
    return pattern.sub(lambda match: f"{match[1]}{block}\n{match[2]}", text)


def generated(chosen: Iterable[tuple[Path, str, str]]) -> dict[Path, str]:
    """The files as they should be."""
    texts: dict[Path, str] = {}
    for file, name, block in chosen:
        texts[file] = rewritten(texts.get(file) or file.read_text(), name, block)
    return texts


def main() -> int:
    """Write, or with `--check` name the files that differ."""
    texts = generated(blocks())
    stale = [file for file, text in texts.items() if file.read_text() != text]
    for file in stale:
        if "--check" in sys.argv[1:]:
            print(f"{file.relative_to(ROOT)} is not what `make docs` writes")
        else:
            file.write_text(texts[file])
            print(f"{file.relative_to(ROOT)} written")
    return 1 if stale and "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
