r"""Go's regular expressions: what they match, what isn't read, and that no pattern takes long."""

import re
import time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from recon_action.analyze.go_pattern import is_match

_DNS = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
_QUANTITY = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
    r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        pytest.param("", ["", "a"], [], id="empty"),
        pytest.param("b", ["b", "abc"], ["", "ac"], id="anywhere"),
        pytest.param("^b", ["b", "bc"], ["ab"], id="begin"),
        pytest.param("b$", ["b", "ab"], ["bc", "b\n"], id="end-is-the-very-end"),
        pytest.param("^(a|bc)$", ["a", "bc"], ["abc", "b", ""], id="alternatives"),
        pytest.param("^a*$", ["", "aaa"], ["ab"], id="any-number"),
        pytest.param("^a+?$", ["a", "aaa"], [""], id="one-or-more-lazy"),
        pytest.param("^a?b$", ["b", "ab"], ["aab"], id="optional"),
        pytest.param("^a{2}$", ["aa"], ["a", "aaa"], id="exactly"),
        pytest.param("^a{2,}$", ["aa", "aaaa"], ["a"], id="at-least"),
        pytest.param("^a{1,3}$", ["a", "aaa"], ["", "aaaa"], id="between"),
        pytest.param("^a{0}$", [""], ["a"], id="never"),
        pytest.param("^(ab){2}$", ["abab"], ["ab"], id="group-repeated"),
        pytest.param("^(?:a*)*$", ["", "aa"], ["b"], id="nothing-repeated"),
        pytest.param("^[a-c_]$", ["b", "_"], ["d", "-"], id="class"),
        pytest.param("^[^a-c]$", ["d", "\n"], ["a"], id="other-class"),
        pytest.param("^[^ab-c]$", ["d"], ["a", "b", "c"], id="other-class-in-one-piece"),
        pytest.param("^[]a-]$", ["]", "a", "-"], ["b"], id="class-of-its-own-signs"),
        pytest.param(r"^[\d.\-]+$", ["1.-2"], ["a", "٣"], id="class-of-classes"),
        pytest.param(r"^\w\s\S\D$", ["a b!"], ["é b!", "a b1"], id="classes"),
        pytest.param(r"^\W$", ["é", "-"], ["_"], id="no-word"),
        pytest.param(r"^\.\t\/$", [".\t/"], ["x\t/"], id="escapes"),
        pytest.param("^.$", ["a", "é"], ["\n", "ab"], id="any-but-a-break"),
        pytest.param("^$|^x$", ["", "x"], ["y"], id="nothing-or-x"),
        pytest.param(_DNS, ["a", "a-b.c9", "9"], ["", "a-", "-a", "a..b", "A"], id="dns"),
        pytest.param(_QUANTITY, ["1", "1.5Gi", ".5", "1e3", "-2"], ["", "1 Gi", "G"], id="quantity"),
    ],
)
def test_what_matches(pattern: str, yes: list[str], no: list[str]) -> None:
    """As Go matches."""
    assert [is_match(pattern, text) for text in yes] == [True] * len(yes)
    assert [is_match(pattern, text) for text in no] == [False] * len(no)


@pytest.mark.parametrize(
    "pattern",
    [
        "(",
        "(a|",
        "(a[",
        "a)",
        "[a",
        "[b-a]",
        r"[\d-x]",
        "[[:alpha:]]",
        "*",
        "a**",
        "a{",
        "a{x}",
        "a{,3}",
        "a{2,1}",
        "a{1001}",
        "a{99999}",
        "a{2}{3}*+",
        "{2}",
        "(?i)a",
        "(?P<x>a)",
        r"\pL",
        r"\b",
        r"\1",
        "a\\",
        "(" * 60 + ")" * 60,
        "(((a{100}){100}){100})",
    ],
)
def test_what_is_not_read(pattern: str) -> None:
    """Neither matches nor fails to: it isn't known."""
    assert is_match(pattern, "a") is None


def test_a_pattern_that_keeps_others_busy() -> None:
    """One of a real CRD, and a text for which trying would never end; and one that is too much even so."""
    pattern = "^(([0-9]*(\\.[0-9]*)?(ms|s|h|m|us)+)+|Auto)$"
    began = time.monotonic()
    assert is_match(pattern, "m" * 5000 + "!") is False
    assert time.monotonic() - began < 5
    assert is_match(pattern, "m" * 1_000_000) is None


_ATOMS = st.sampled_from(["a", "b", "[ab]", "[^a]", ".", "(a|b)", "(?:ab)", r"\d", "^", "$"])
_PARTS = st.tuples(_ATOMS, st.sampled_from(["", "*", "+", "?", "{2}", "{1,2}", "{2,}"])).map("".join)
_PATTERNS = st.recursive(
    st.lists(_PARTS, min_size=1, max_size=4).map("".join),
    lambda inner: st.tuples(inner, inner).map("|".join) | inner.map("({})*".format),
    max_leaves=4,
)


@given(_PATTERNS, st.text("ab1c", max_size=6))
def test_as_python_where_the_two_agree(pattern: str, text: str) -> None:
    """Texts are short, and no line break is in them: there both say the same."""
    assume(not re.search(r"[\^$][*+?{]", pattern))
    assert is_match(pattern, text) == bool(re.search(pattern, text, re.ASCII))
