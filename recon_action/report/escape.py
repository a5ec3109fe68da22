"""Foreign text made harmless, per output: names, labels, values and messages come from strangers.

`visible` is for every output, `inert` for each that may land in a log; the rest is for GitHub's Markdown,
where foreign text stands only in `<code>` or in a fence, which neither mention nor link, and where each
character that could begin markup is an entity. Which text is shown may not be decided here.
"""

import re
from collections.abc import Iterable
from urllib.parse import quote

# Whatever could begin inline markup of CommonMark, of GitHub (mentions, issues, :emoji:, $math$, bare
# links) or of HTML.
_MARKUP = re.compile(r"[&<>`*_\[\]|@#~\\$]|:(?=\S)|(?<=www)\.")
_BLOCK = re.compile(r"[-+=]|\d+[.)]")  # the other characters that begin a block are entities already
_URL = re.compile(r"https?://[^\s/]+(?:/\S*)?", re.ASCII)


def visible(text: str) -> str:
    r"""`text` with control, bidirectional and other invisible characters spelled out, as `\x1b`."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _spelled(char) for char in text)


def visible_line(text: str) -> str:
    """The same, and a blank at the end, which no reader could see, is spelled out too."""
    return visible(text[:-1]) + "\\x20" if text.endswith(" ") else visible(text)


def inert(line: str) -> str:
    r"""`line`, as wide as it was, so that no GitHub runner that finds it in a step's log takes it for a command.

    A backslash takes the place of one character: `\:error::`, and `#\[error]`, the old form, which counts anywhere.
    """
    line = line.replace("##[", "#\\[")
    bare = line.lstrip()
    return f"{line[: len(line) - len(bare)]}\\{bare[1:]}" if bare.startswith("::") else line


def basic(text: str) -> str:
    r"""`text` in the alphabet that check runs take: characters beyond U+FFFF are spelled out, as `\U0001f525`."""
    return text if text.isascii() else "".join(char if char <= "\uffff" else _spelled(char) for char in text)


def entities(text: str) -> str:
    """`text` as inline Markdown that shows it literally."""
    return _MARKUP.sub(lambda found: f"&#{ord(found[0])};", visible(text))


def code(text: str) -> str:
    """`text` in a code span that holds anything, in a table's cell too."""
    return f"<code>{entities(text)}</code>"


def prose(text: str) -> str:
    """`text` as running words, which neither mention nor begin a list or a heading."""
    words = entities(text.strip())
    if _BLOCK.match(words):
        words = f"&#{ord(words[0])};{words[1:]}"
    # GitHub looks for mentions after it has read the entities; a zero-width space stops it.
    return re.sub("&#(?:64|35);", lambda found: found[0] + "&#8203;", words).replace("GH-", "GH&#8203;-")


def link(text: str, url: str) -> str:
    """`text` in code, linked to `url` if that is a web address."""
    if not _URL.fullmatch(url):
        return code(text)
    target = quote(url, safe=":/?#@!$&*+,;=%~-._'").replace("&", "&amp;")
    return f"[{code(text)}]({target})"


def fence(lines: Iterable[str], language: str) -> str:
    """A fenced block that no run of backticks among `lines` can close, and no line of which is a command."""
    body = "\n".join(map(inert, lines))
    ticks = "`" * max(3, 1 + max(map(len, re.findall("`+", body)), default=0))
    return f"{ticks}{language}\n{body}\n{ticks}"


def _spelled(char: str) -> str:
    simple = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(char)
    code_point = ord(char)
    width = (2, "x") if code_point < 0x100 else (4, "u") if code_point < 0x10000 else (8, "U")
    return simple or f"\\{width[1]}{code_point:0{width[0]}x}"
