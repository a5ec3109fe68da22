"""One door to the output formats; each is a module of its own."""

from typing import Final

from recon_action.model import Output
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
    # One form is asked for, and the others would be a tenth of a small diff's imports.
    if output is Output.TEXT:
        from recon_action.report import terminal  # noqa: PLC0415

        return terminal.render(report, width=width, color=color)
    if output is Output.JSON:
        from recon_action.report import codec  # noqa: PLC0415

        return codec.to_json(report)
    if output is Output.SARIF:
        from recon_action.report import sarif  # noqa: PLC0415

        return sarif.render(report)
    from recon_action.report import markdown  # noqa: PLC0415

    return markdown.render(report, budget=budget)
