"""The reader beside the table: what it leaves behind, and what its faults give away."""

import gc
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from recon_action.desired.documents import Document, split
from recon_action.desired.yaml_reader import Read, YamlReader, garbage_kept


def read(text: str) -> Read:
    return YamlReader().read(Document(text.encode(), 1, 0), "f.yaml")


@pytest.fixture
def collector() -> Iterator[None]:
    """The collector on, and on again afterwards."""
    gc.enable()
    yield
    gc.enable()


@pytest.mark.parametrize("text", ["a: 1", "a: [", "a: 1\na: 2"], ids=["good", "syntax", "fault"])
def test_collection_goes_on_afterwards(text: str, collector: None) -> None:
    """Also after an error the collector is as it was."""
    read(text)
    assert gc.isenabled()
    gc.disable()
    read(text)
    assert not gc.isenabled()


def test_collection_is_off_until_the_outermost_end(collector: None) -> None:
    """One reading inside another doesn't switch it on early."""
    with garbage_kept():
        with garbage_kept():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


SECRETS = (
    "a: 'hunter2",
    "a: [hunter2, hunter2",
    "a: hunter2: hunter2",
    "a: !!int hunter2",
    "a: !!binary hunter2!",
    "a: hunter2\na: hunter2",
    '"hunter2\n',
    "a: *x hunter2",
    "%hunter2",
    "a: @hunter2",
    'a: "hunter2\\q"',
    "a: hunter2\n\tb: hunter2",
    "a: hunter2\x07",
    "<<: hunter2",
    "a: |hunter2\n  x",
    "...\nhunter2: x",
    "a: >9z\n hunter2",
    "a: *hunter2",
    "a: &hunter2 [*hunter2]",
    "a: !hunter2 {",
    "a: !h!hunter2 x",
    "a: &hunter2! x",
    "{? [hunter2]: x}",
)


@pytest.mark.parametrize("text", SECRETS)
def test_faults_and_results_never_show_a_value(text: str) -> None:
    """Neither messages nor the repr of a result hold what the file says."""
    result = read(text)
    assert result.faults
    assert "hunter2" not in repr(result)
    assert "hunter2" not in "".join(map(str, result.faults))
    assert "hunter2" not in repr(read("a: hunter2"))


def test_what_was_learned_of_one_document_fits_the_next() -> None:
    """Scalars and keys that are remembered mean the same in another place."""
    reader = YamlReader()
    for text, value in (("y: y", {"true": True}), ("'y': 'y'", {"y": "y"}), ("y: !!str y", {"true": "y"})):
        assert reader.read(Document(text.encode(), 1, 0), "f").value == value
    faulty = Document(b"a: .inf\nb: .inf", 1, 0)
    assert [len(reader.read(faulty, "f").faults) for _ in range(2)] == [2, 2]


def test_aliases_are_copies() -> None:
    """Who changes one place doesn't change the other."""
    value = read("a: &x {b: [1]}\nc: *x\nd: {<<: *x}").value
    value["c"]["b"].append(2)
    value["d"]["b"].append(3)
    assert value == {"a": {"b": [1]}, "c": {"b": [1, 2]}, "d": {"b": [1, 3]}}


def test_a_chain_of_aliases_cannot_nest_too_deep() -> None:
    """Each anchor may hold the one before it, so depth adds up without brackets."""
    text = "a0: &a0 x\n" + "".join(f"a{n}: &a{n} [[[[[[[[[[*a{n - 1} ]]]]]]]]]]\n" for n in range(1, 40))
    result = read(text)
    assert [fault.message for fault in result.faults] == ["nested too deep through aliases"]
    assert sys.getrecursionlimit() >= 1000


def test_faults_of_one_document_are_limited() -> None:
    """A file made to fill the log can't."""
    assert len(read("a: .inf\n" * 5000).faults) == 100


def test_lines_of_documents_and_items() -> None:
    """The line of each mapping that is a list's item is known without a second reading."""
    result = YamlReader().read(Document(b"# c\nitems:\n- a: 1\n-\n  b: 2\n", 10, 0), "f")
    items = result.value["items"]
    assert [result.lines[id(value)] for value in (result.value, *items)] == [11, 12, 14]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(-1e9, 1e9) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def whole(value: Any) -> Any:
    """Floats without a fraction as integers, as kubectl prints them."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: whole(item) for key, item in value.items()}
    return [whole(item) for item in value] if isinstance(value, list) else value


@given(json_values)
def test_what_a_careful_writer_writes_is_read_back(value: Any) -> None:
    """PyYAML quotes whatever could be misread under YAML 1.1; with each text quoted the value comes back."""
    text = yaml.safe_dump(value, default_style='"', allow_unicode=False)
    documents = [each for each in split(text.encode(), "f") if isinstance(each, Document)]
    assert len(documents) == 1
    result = YamlReader().read(documents[0], "f")
    assert not result.faults
    assert result.value == whole(value)


@given(st.text(alphabet="ab:-[]{},&*!|>'\"%@#? \n\t0.<~", max_size=60))
def test_any_text_gives_a_value_or_faults(text: str) -> None:
    """Nothing that stands in a file can raise, and a fault always says where it is and what to do."""
    for document in split(text.encode(), "f"):
        if isinstance(document, Document):
            for fault in YamlReader().read(document, "f").faults:
                assert fault.message
                assert fault.hint
                assert 1 <= fault.position.line <= text.count("\n") + 2
