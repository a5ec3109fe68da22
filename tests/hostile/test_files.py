"""Files that want a machine's memory, or its hours: read, or told what is wrong, soon and in little room.

Most are tried in a size that is quick; RECON_HOSTILE_MIB=16 tries the full one that is read by default.
"""

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest

from recon_action.desired import ManifestError, load
from recon_action.desired.limits import DEFAULT, Limits

_MEMORY = 1 << 30
_SECONDS = 10.0  # of the processor: the machine may have other work
_QUICK = int(os.environ.get("RECON_HOSTILE_MIB", "2")) << 20
_HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
_JSON = '{"apiVersion":"v1","kind":"C","metadata":{"name":"a"},"d":['
_VALUES = "the file holds more than {values:,} keys and values"
_DOCUMENTS = "the file holds more than {documents:,} documents"
_ALIASES = "aliases that stand for more than a file may hold"
_REPEATED = "aliases make up too much"


@dataclass(frozen=True)
class Case:
    """A hostile file.

    Args:
        make: its text, of about so many bytes.
        expected: what is said of it; "" if it is read.
        suffix: of its name.
        is_full: whether it is tried in full size always.
    """

    make: Callable[[int], str]
    expected: str = ""
    suffix: str = ".yaml"
    is_full: bool = False


def _filled(head: str, unit: str, tail: str = "") -> Callable[[int], str]:
    """`unit` over and over."""
    return lambda size: head + unit * ((size - len(head) - len(tail)) // len(unit)) + tail


def _numbered(head: str, unit: str, tail: str = "", share: float = 0.9) -> Callable[[int], str]:
    """`unit` over and over, # being another number each time."""

    def make(size: int) -> str:
        parts, room = [], int(size * share)
        for number in count():
            parts.append(unit.replace("#", str(number)))
            room -= len(parts[-1])
            if room < 0:
                return f"{head}{''.join(parts)}{tail}"
        raise AssertionError

    return make


def _of_any_size(text: str) -> Callable[[int], str]:
    return lambda _: text


_BOMB = f"{_HEAD}a: &a [{','.join('x' * 100)}]\nb: [{'*a,' * 3900}]\n---\n"
_CASES = {
    "beyond-the-limit": Case(lambda _: " " * 100 * (1 << 20), "larger than {limits}, so it isn't read"),
    "maps": Case(_filled(f"{_HEAD}a: [", "{},", "]"), _VALUES, is_full=True),
    "lists": Case(_filled(f"{_HEAD}a: [", "[],", "]"), _VALUES),
    "texts": Case(_numbered(f"{_HEAD}a:\n", " - a text of some length: #\n".replace(": ", " "))),
    "keys": Case(_numbered(f"{_HEAD}a:\n", " a-key-of-some-length-#: 1\n")),
    "items-that-are-no-objects": Case(
        _filled("apiVersion: v1\nkind: List\nitems: [", "{  }      ,", "]"), "10000 faults"
    ),
    "a-key-twice": Case(_numbered(f"{_HEAD}a:\n", " a-key-of-some-length-#: 1\n", " a: 1\n a: 2\n"), "'a' is repeated"),
    "one-key": Case(_filled(f"{_HEAD}a:\n", " a: 1\n"), "'a' is repeated"),
    "no-name": Case(
        _filled(f"{_HEAD.replace('name', 'nam')}a: [", "'a text of some length',", "]"), "no metadata.name"
    ),
    "documents": Case(_filled("", "a\n---\n"), _DOCUMENTS),
    "no-documents": Case(_filled("", "---\n"), _DOCUMENTS),
    "objects": Case(_filled("", f"{_HEAD}---\n"), _DOCUMENTS),
    "separators": Case(_filled("", "--- x\n"), "only a comment may follow ---"),
    "bombs": Case(_filled("", _BOMB), _ALIASES),
    "one-text-many-times": Case(lambda size: f"{_HEAD}a: &a {'z' * (size // 2)}\nb: [{'*a,' * 900}]\n", _ALIASES),
    "nine-by-nine": Case(
        _of_any_size("a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{f'*a{n - 1},' * 9}]\n" for n in range(1, 10))), _REPEATED
    ),
    "merges": Case(
        _of_any_size(
            "m0: &m0 {a: 1}\n" + "".join(f"m{n}: &m{n} {{<<: [{f'*m{n - 1},' * 10}], k{n}: 1}}\n" for n in range(1, 12))
        ),
        _REPEATED,
    ),
    "an-alias-in-itself": Case(_of_any_size(f"{_HEAD}a: &a [*a]\n"), "an alias within its own anchor"),
    "deep-flow": Case(_of_any_size(f"{_HEAD}a: {'[' * 10_000}{']' * 10_000}"), "nesting"),
    "deep-block": Case(_of_any_size("".join(" " * n + "a:\n" for n in range(1000))), "nested more than 200"),
    "deep-json": Case(_of_any_size('{"a":' * 10_000 + "1" + "}" * 10_000), "nested more than 200", ".json"),
    "json-lists": Case(_filled(_JSON, "[],", "1]}"), _VALUES, ".json"),
    "json-objects": Case(_filled(_JSON, "{},", "1]}"), _VALUES, ".json"),
    "json-numbers": Case(_filled(_JSON, "1,", "1]}"), _VALUES, ".json"),
    "json-documents": Case(_filled("", "{}"), _DOCUMENTS, ".json"),
    "json-halves": Case(_filled(f'{_JSON}"', "\\ud83d", '"]}'), "", ".json"),
    "json-digits": Case(_filled('{"a":', "1", "}"), "a number is too large", ".json"),
    "digits": Case(_filled(f"{_HEAD}a: ", "1")),
    "tags": Case(_filled(f"{_HEAD}a: [", "!!int 1,        ", "]")),
    "a-long-key": Case(_filled(f"{_HEAD}? ", "k", "\n: 1\n")),
    "quotes": Case(_filled(f'{_HEAD}a: "', "\\'", '"\n'), "unknown escape"),
    "templates": Case(_filled("", f"{_HEAD}a: {{{{ .Values.x }}}}\n"), "Helm template"),
    "comments": Case(_filled("", "# x\n")),
    "blanks": Case(_filled("", " ")),
    "no-text": Case(_filled(_HEAD, "\x00"), "U+0000 may not stand in YAML"),
}
_CHILD = """\
import sys, resource
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[3]),) * 2)
from recon_action.desired import load, locate
from recon_action.errors import ReconError
from recon_action.model import FieldPath
try:
    desired = load([sys.argv[1]], max_size=int(sys.argv[2]))
    locate(desired, {manifest.ref: [FieldPath(("a",))] for manifest in desired.manifests})
    print("read")
except ReconError as error:
    print(error.message[:2000])
"""


@pytest.mark.parametrize("name", _CASES)
def test_a_hostile_file(name: str, tmp_path: Path) -> None:
    """Within 1 GiB and 10 s, and without a traceback."""
    case = _CASES[name]
    limits = DEFAULT if case.is_full else Limits(_QUICK)
    path = tmp_path / f"a{case.suffix}"
    path.write_text(case.make(limits.size))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", _CHILD, str(path), str(limits.size), str(_MEMORY)]
    # Tracing for coverage would double the time.
    untraced = {key: value for key, value in os.environ.items() if not key.startswith("COVERAGE_")}
    done = subprocess.run(command, env=untraced, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert (done.returncode, done.stderr) == (0, "")
    expected = case.expected.format(limits=limits, values=limits.values, documents=limits.documents)
    assert (expected or "read\n") in done.stdout
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert spent < _SECONDS, f"{spent:.1f} s"


def test_the_limit_may_be_raised(tmp_path: Path) -> None:
    """And lowered: what a file may hold grows with it."""
    path = tmp_path / "a.yaml"
    path.write_text(f"{_HEAD}a: [" + "1," * 3000 + "]")
    assert load([str(path)], max_size=100_000).manifests
    with pytest.raises(ManifestError, match="larger than 1001 bytes"):
        load([str(path)], max_size=1001)
    with pytest.raises(ManifestError, match="more than 700 keys and values"):
        load([str(path)], max_size=7000)


def test_aliases_of_all_files_count_together(tmp_path: Path) -> None:
    """Many small files must not do what one may not."""
    for number in range(20):
        body = f"{_HEAD.replace('name: a', f'name: a{number}')}a: &a [{'x,' * 100}]\nb: [{'*a,' * 900}]\n"
        (tmp_path / f"{number}.yaml").write_text(body)
    assert load([str(tmp_path / "0.yaml")]).manifests
    with pytest.raises(ManifestError, match=_ALIASES):
        load([str(tmp_path)])
