"""One door to the output formats; each is a module of its own."""

from typing import Final

from recon_action.model import Output
from recon_action.report import codec, markdown, terminal
from recon_action.report.document import Report

WIDTH: Final = 100
# GitHub takes 65,536 characters in a comment; the rest is for what publishing adds.
BUDGET: Final = 60_000


def render(report: Report, output: Output, *, width: int = WIDTH, color: bool = False, budget: int = BUDGET) -> str:
    """The report in the form `output`.

    Args:
        report: what to show.
        output: the form.
        width: columns of text output.
        color: whether text output has ANSI colours.
        budget: bytes that Markdown may take.
    """
    draw = {
        Output.TEXT: lambda: terminal.render(report, width=width, color=color),
        Output.JSON: lambda: codec.to_json(report),
        Output.MARKDOWN: lambda: markdown.render(report, budget=budget),
    }
    return draw[output]()
