"""Foreign text can't act on a terminal, nor be taken for Markdown, HTML or a mention."""

import html
import re

import pytest
from fake_runner import COMMANDS, parse_command
from hypothesis import given
from markdown_it import MarkdownIt
from report_strategies import text as foreign

from recon_action.report.escape import (
    anchor,
    breakable,
    code,
    entities,
    fence,
    inert,
    link,
    prose,
    visible,
    visible_line,
)

MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain ünïcödé 😀", "plain ünïcödé 😀"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\nb\r\tc", "a\\nb\\r\\tc"),
        ("\u202eabc\u2066", "\\u202eabc\\u2066"),
        ("a\u00a0b\u200b", "a\\xa0b\\u200b"),
        ("\U000e0041", "\\U000e0041"),
        ("\x9b31m\x7f", "\\x9b31m\\x7f"),
    ],
)
def test_invisible_characters_are_spelled_out(text: str, expected: str) -> None:
    """Controls, bidirectional marks, odd blanks and tags; letters and symbols stay."""
    assert visible(text) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("::error::x", "\\:error::x"),
        ("  \t::error::x", "  \t\\:error::x"),
        ("a ::error::x : y::z", "a ::error::x : y::z"),
        ("a ##[error]x ##[b]", "a #\\[error]x #\\[b]"),
        ("# [x] ## [y]", "# [x] ## [y]"),
    ],
)
def test_no_line_is_a_command(line: str, expected: str) -> None:
    """Of the runner that finds it in a log, in today's form or the old one; all else stays as it is."""
    assert inert(line) == expected


@given(foreign)
def test_a_runner_obeys_nothing(text: str) -> None:
    """Whatever it looks like."""
    assert all(parse_command(inert(line), COMMANDS) is None for line in text.splitlines())


def test_a_blank_at_the_end_is_spelled_out() -> None:
    """Two lines that differ by it alone would look the same."""
    assert (visible_line("a "), visible_line(" a"), visible_line("")) == ("a\\x20", " a", "")


def shown(markup: str) -> str:
    """The text that a reader sees: rendered, without tags."""
    return html.unescape(re.sub(r"<[^>]*>", "", MARKDOWN.render(markup)))


@given(foreign)
def test_code_shows_exactly_the_text(text: str) -> None:
    """Rendered, it is one code element with the text, whatever the text."""
    rendered = MARKDOWN.render(f"x {code(text)} y")
    assert re.fullmatch(r"<p>x <code>(?:[^<]|<wbr>)*</code> y</p>\n", rendered)
    assert shown(f"x {code(text)} y") == shown(f"x {breakable(text)} y") == f"x {visible(text)} y\n"


def test_long_words_break_between_their_parts() -> None:
    """Where a path or an address has a joint, and nowhere else."""
    assert breakable("spec.replicas") == "<code>spec.<wbr>replicas</code>"
    assert breakable("web:1.27.3") == "<code>web:<wbr>1.27.3</code>"
    assert breakable("a/b:c[d=e].f... g") == "<code>a/<wbr>b:<wbr>c&#91;<wbr>d=e&#93;.<wbr>f... g</code>"


def test_mail_is_no_link() -> None:
    """GitHub links an address even within a code element; a tag keeps it from seeing one, and is not copied."""
    assert code("a@b.example") == "<code>a&#64;<wbr>b.example</code>"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://a.example/x?y=1&z=(2)", "[run](https://a.example/x?y=1&amp;z=%282%29)"),
        ("javascript:x()", "run"),
        ("", "run"),
    ],
)
def test_anchor(url: str, expected: str) -> None:
    """Our own words, linked where there is an address."""
    assert anchor("run", url) == expected


@given(foreign)
def test_prose_is_one_paragraph_without_markup(text: str) -> None:
    """No list, heading, code block, link, emphasis or image comes out of foreign words."""
    rendered = MARKDOWN.render(prose(text))
    assert re.fullmatch(r"(?:<p>[^<]*</p>\n)?", rendered)
    assert shown(prose(text)).replace("\u200b", "").strip() == visible(text.strip()).strip()


@given(foreign)
def test_prose_mentions_nobody(text: str) -> None:
    """GitHub looks for mentions and issues in the rendered text: each sign is followed by nothing it knows."""
    assert not re.search(r"[@#](?!\u200b)|GH-", shown(prose(text)))


@given(foreign)
def test_a_fence_holds_its_lines(text: str) -> None:
    """Whatever the lines hold, the block ends where it should."""
    lines = [inert(visible(line)) for line in text.split("\n")]
    tokens = MARKDOWN.parse(fence(lines, "diff") + "\n\nafter")
    assert [token.type for token in tokens] == ["fence", "paragraph_open", "inline", "paragraph_close"]
    assert (tokens[0].content, tokens[0].info) == ("\n".join(lines) + "\n", "diff")


@pytest.mark.parametrize(
    ("url", "href"),
    [
        ("https://github.com/a/b#L1", "https://github.com/a/b#L1"),
        ("https://h/a(b)|<c>`d`?x=1&y=2", "https://h/a%28b%29%7C%3Cc%3E%60d%60?x=1&amp;y=2"),
        ("https://h", "https://h"),
        ("javascript:alert(1)", None),
        ("https://h/a b", None),
        ("https:///x", None),
        ("//evil.example", None),
        ("", None),
    ],
)
def test_only_web_addresses_are_linked(url: str, href: str | None) -> None:
    """An address from a report can't leave its link."""
    rendered = MARKDOWN.render(link("a.yaml:1", url))
    code_span = "<code>a.yaml:1</code>"
    expected = code_span if href is None else f'<a href="{href}">{code_span}</a>'
    assert rendered == f"<p>{expected}</p>\n"


def test_bare_links_are_broken() -> None:
    """GitHub links `www.` and `http:` wherever they stand."""
    assert entities("www.example.com http://x") == "www&#46;example.com http&#58;//x"
