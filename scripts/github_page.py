"""Markdown as GitHub shows it: rendered by GitHub's own cmark-gfm, cleaned of what it strips, in a page like its own.

Only for looking and for tests; GitHub's stylesheet and fonts are its own, so this one resembles it. What GitHub links
by itself (mentions, issues) is linked here as well, which shows what of a stranger's text would be.
"""

import html
import re
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

import cmarkgfm
import nh3
from cmarkgfm.cmark import Options

STYLE = Path(__file__).with_name("github_page.css")
# As html-pipeline, which GitHub began with, lets them through.
TAGS = frozenset(
    [
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "br",
        "b",
        "i",
        "strong",
        "em",
        "a",
        "pre",
        "code",
        "img",
        "tt",
        "div",
        "ins",
        "del",
        "sup",
        "sub",
        "p",
        "ol",
        "ul",
        "table",
        "thead",
        "tbody",
        "tfoot",
        "blockquote",
        "dl",
        "dt",
        "dd",
        "kbd",
        "q",
        "samp",
        "var",
        "hr",
        "ruby",
        "rt",
        "rp",
        "li",
        "tr",
        "td",
        "th",
        "s",
        "strike",
        "summary",
        "details",
        "caption",
        "figure",
        "figcaption",
        "abbr",
        "bdo",
        "cite",
        "dfn",
        "mark",
        "small",
        "span",
        "time",
        "wbr",
    ]
)
_ATTRIBUTES = {
    "a": {"href"},
    "img": {"src", "alt", "width", "height"},
    "pre": {"lang"},
    "td": {"align"},
    "th": {"align"},
    "details": {"open"},
}
_ALERT = re.compile(
    r"<blockquote>\s*<p>\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*(?:<br>)?\s*(.*?)</blockquote>", re.DOTALL
)
_DIFF = re.compile(r'<pre lang="diff"><code>(.*?)</code></pre>', re.DOTALL)
_SIGNS = {"-": "deleted", "+": "inserted", "@": "header", "!": "changed"}
_PLAIN = frozenset({"a", "code", "pre", "tt"})  # within these GitHub links nothing
_LINKED = re.compile(
    r"(?<![\w/.`-])@(?P<mention>[a-z0-9][a-z0-9-]*(?:/[\w.-]+)?)"
    r"|(?<![\w&/])(?P<issue>(?:[\w.-]+/[\w.-]+)?\#\d+|GH-\d+)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around a text.

    Args:
        kind: `comment`, `issue`, `check` or `summary`.
        title: of an issue or a check run.
        state: of the same: "Open", "neutral".
    """

    kind: str
    title: str = ""
    state: str = ""


def rendered(markdown: str, *, breaks: bool = True) -> str:
    """The HTML that GitHub makes of `markdown`.

    Args:
        markdown: a comment, an issue's body, a summary.
        breaks: whether a line's end is one, as in comments and issues.
    """
    options = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_GITHUB_PRE_LANG
    options |= Options.CMARK_OPT_HARDBREAKS if breaks else 0
    raw = cmarkgfm.github_flavored_markdown_to_html(markdown, options)
    clean = nh3.clean(raw, tags=set(TAGS), attributes=_ATTRIBUTES, url_schemes={"http", "https", "mailto"})
    return _DIFF.sub(_coloured, _ALERT.sub(_alert, _linked(clean)))


def page(markdown: str, frame: Frame) -> str:
    """A whole page that shows `markdown` where GitHub would."""
    body = rendered(markdown, breaks=frame.kind in {"comment", "issue"})
    title, state = html.escape(frame.title), html.escape(frame.state)
    said = '<b>github-actions</b> <span class="label">bot</span> commented 2 minutes ago'
    box = f'<div class="box"><div class="head">{said}</div><div class="markdown-body">{body}</div></div>'
    match frame.kind:
        case "comment":
            shown = f'<div class="row"><div class="avatar"></div>{box}</div>'
        case "issue":
            number = '<span class="number">#42</span>'
            shown = f'<h1>{title} {number}</h1><p class="state">◎ {state}</p>'
            shown += f'<div class="row"><div class="avatar"></div>{box}</div>'
        case "check":
            shown = (
                f'<h2 class="check"><span class="{state}">■</span> {title}</h2><div class="markdown-body">{body}</div>'
            )
        case _:
            shown = (
                f'<div class="box"><div class="head"><b>{title}</b></div><div class="markdown-body">{body}</div></div>'
            )
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title or frame.kind}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE.read_text()}</style>'
        f"<body>{shown}</body></html>"
    )


def _alert(found: re.Match[str]) -> str:
    kind, rest = found[1].lower(), found[2]
    return f'<div class="alert {kind}"><p class="alert-title">{kind.capitalize()}</p>\n<p>{rest}</div>'


def _coloured(found: re.Match[str]) -> str:
    lines = found[1].split("\n")
    spans = [f'<span class="{_SIGNS[line[0]]}">{line}</span>' if line[:1] in _SIGNS else line for line in lines]
    return f'<pre lang="diff"><code>{chr(10).join(spans)}</code></pre>'


def _linked(clean: str) -> str:
    linker = _Linker()
    linker.feed(clean)
    linker.close()
    return "".join(linker.written)


class _Linker(HTMLParser):
    """Writes HTML as it was, with mentions and issues in it as links."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.written: list[str] = []
        self._within: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - as it is called
        """As it was."""
        self.written.append(self.get_starttag_text() or "")
        if tag in _PLAIN:
            self._within.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """As it was."""
        self.written.append(f"</{tag}>")
        if tag in _PLAIN and self._within:
            self._within.pop()

    def handle_data(self, data: str) -> None:
        """With links in it, unless it is code or linked already."""
        self.written.append(html.escape(data, quote=False) if self._within else _with_links(data))


def _with_links(text: str) -> str:
    written, end = [], 0
    for found in _LINKED.finditer(text):
        kind = found.lastgroup or ""
        written += [html.escape(text[end : found.start()], quote=False)]
        written += [f'<a class="{kind}" href="https://github.com/">{html.escape(found[0], quote=False)}</a>']
        end = found.end()
    return "".join([*written, html.escape(text[end:], quote=False)])
