"""Pure: builds a report from verdicts and results, and renders it.

`document` is the data, `build` fills it (redacted), `codec` turns it into JSON and back, and one
module per output format draws it. Nothing here reads a clock, a file or an environment; an output
format is a function from `Report` to text.
"""
