"""Pure: builds a report from verdicts and results, and renders it.

`document` is the data, `build` fills it (redacted), `codec` turns it into JSON and back, and one
module per output format draws it. Nothing here reads a clock, a file or an environment; an output
format is a function from `Report` to text.
"""

from recon_action.report.build import Facts, build
from recon_action.report.codec import from_json, to_json
from recon_action.report.render import render

__all__ = ["Facts", "build", "from_json", "render", "to_json"]
