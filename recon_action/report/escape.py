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
_BREAKS = re.compile(r"(?<=[/:\[\]])(?=\w)|(?<=\.)(?=[^\W\d])")  # not within a version
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


def inert_json(text: str) -> str:
    r"""JSON that means the same, and in a step's log holds no old form of a command: `\\u0023#[error]`."""
    return text.replace("##[", "\\u0023#[")


def basic(text: str) -> str:
    r"""`text` in the alphabet that check runs take: characters beyond U+FFFF are spelled out, as `\U0001f525`."""
    return text if text.isascii() else "".join(char if char <= "\uffff" else _spelled(char) for char in text)


def entities(text: str) -> str:
    """`text` as inline Markdown that shows it literally."""
    return _MARKUP.sub(lambda found: f"&#{ord(found[0])};", visible(text))


def code(text: str) -> str:
    """`text` in a code span that holds anything, in a table's cell too."""
    return _code([text])


def breakable(text: str) -> str:
    """The same, with places at which a narrow table may break a long word; nobody copies them."""
    return _code(_BREAKS.split(text))


def running(text: str) -> str:
    """`text` within a line of words, which neither mentions nor links."""
    # GitHub looks for mentions after it has read the entities; a zero-width space stops it.
    words = re.sub("&#(?:64|35);", lambda found: found[0] + "&#8203;", entities(text))
    return words.replace("GH-", "GH&#8203;-")


def prose(text: str) -> str:
    """`text` as words of its own, which don't begin a list or a heading either."""
    words = running(text.strip())
    return f"&#{ord(words[0])};{words[1:]}" if _BLOCK.match(words) else words


def link(text: str, url: str) -> str:
    """`text` in code, linked to `url` if that is a web address."""
    target = address(url).replace("&", "&amp;")
    return f"[{code(text)}]({target})" if target else code(text)


def anchor(words: str, url: str) -> str:
    """Our own `words`, linked to `url` if that is a web address."""
    target = address(url).replace("&", "&amp;")
    return f"[{entities(words)}]({target})" if target else entities(words)


def address(url: str) -> str:
    """`url` with what could end it early percent-encoded; "" if it is no web address."""
    return quote(url, safe=":/?#@!$&*+,;=%~-._'") if _URL.fullmatch(url) else ""


def fence(lines: Iterable[str], language: str) -> str:
    """A fenced block that no run of backticks among `lines` can close, and no line of which is a command."""
    body = "\n".join(map(inert, lines))
    ticks = "`" * max(3, 1 + max(map(len, re.findall("`+", body)), default=0))
    return f"{ticks}{language}\n{body}\n{ticks}"


def _code(parts: Iterable[str]) -> str:
    # GitHub takes an address of mail for one in here, too, after it has read the entities; a mere tag stops it.
    return f"<code>{'<wbr>'.join(map(entities, parts)).replace('&#64;', '&#64;<wbr>')}</code>"


def _spelled(char: str) -> str:
    simple = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(char)
    code_point = ord(char)
    width = (2, "x") if code_point < 0x100 else (4, "u") if code_point < 0x10000 else (8, "U")
    return simple or f"\\{width[1]}{code_point:0{width[0]}x}"
