"""kubectl's reading of files against ours: every file of the corpus, and the table of odd documents.

`kubectl label --local` needs no server: it prints what it read, with a label that we add to ours too.
"""

import copy
import json
import runpy
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pytest

from recon_action.desired import ManifestError, load
from recon_action.model import SourceSettings

ODD = Path(__file__).parent.parent / "desired" / "odd_documents.py"
TABLE = runpy.run_path(str(ODD))
LABEL = "recon-test"
BATCH = 100

# What we refuse in files of the corpus, and kubectl's label command doesn't: neither could be applied.
REFUSED = ("the object has no metadata", "only generateName")


@dataclass(frozen=True)
class Told:
    """What kubectl made of some files."""

    accepted: bool
    objects: tuple[Any, ...]
    stderr: str


def ask(kubectl: Path, files: Sequence[Path]) -> Told:
    """What kubectl makes of `files`."""
    arguments = [part for file in files for part in ("-f", str(file))]
    done = subprocess.run(
        [kubectl, "label", "--local", "--overwrite", "-o", "json", *arguments, f"{LABEL}=1"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    decoder, objects, position = json.JSONDecoder(), [], 0
    while position < len(done.stdout.rstrip()):
        _, end = decoder.raw_decode(done.stdout, position)
        objects.append(orjson.loads(done.stdout[position:end]))
        position = end + 1
    return Told(done.returncode == 0, tuple(objects), done.stderr)


def labelled(body: Any) -> Any:
    """Our reading, with the label, and without what kubectl's printer leaves out."""
    body = copy.deepcopy(body)
    body["metadata"]["labels"] = {**(body["metadata"].get("labels") or {}), LABEL: "1"}
    body["metadata"].pop("managedFields", None)
    return body


def exactly(value: Any) -> bytes:
    """JSON in which types and values, but not the order of keys, tell."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def ours(file: Path) -> list[Any]:
    """Our reading of a file, as kubectl prints it; nothing of one with encrypted objects."""
    manifests = load([str(file)], settings=SourceSettings(render=False, decrypt=False)).manifests
    return [] if any(manifest.withheld for manifest in manifests) else [labelled(one.body) for one in manifests]


def disagreements(kubectl: Path, readings: Sequence[tuple[Path, list[Any]]]) -> list[str]:
    """The files of which kubectl prints something else; halves are asked for until each is found."""
    told = ask(kubectl, [file for file, _ in readings])
    expected = [exactly(body) for _, bodies in readings for body in bodies]
    if told.accepted and [exactly(body) for body in told.objects] == expected:
        return []
    if len(readings) == 1:
        return [f"{readings[0][0]}: {told.stderr or 'other values'}"]
    half = len(readings) // 2
    return disagreements(kubectl, readings[:half]) + disagreements(kubectl, readings[half:])


def test_corpus(kubectl: Path, corpus: Path) -> None:
    """Every file of the corpus gives the objects that kubectl reads, or a fault that is known and meant."""
    files = sorted(file for file in corpus.rglob("*") if file.suffix in {".yaml", ".yml", ".json"})
    readings, unknown = [], []
    for file in files:
        try:
            if bodies := ours(file):
                readings.append((file, bodies))
        except ManifestError as error:
            known = any(word in str(error) for word in REFUSED)
            unknown += [] if known else [str(error)]
    assert not unknown
    assert len(files) > 1300
    assert sum(len(bodies) for _, bodies in readings) > 2000
    batches = [readings[start : start + BATCH] for start in range(0, len(readings), BATCH)]
    assert not [each for batch in batches for each in disagreements(kubectl, batch)]


def write(folder: Path, name: str, text: str) -> Path:
    file = folder / f"{name}.yaml"
    file.write_text(f"{TABLE['HEAD']}data:\n  {text}\n")
    return file


def test_scalars_and_keys(kubectl: Path, tmp_path: Path) -> None:
    """The table's scalars and keys are kubectl's own."""
    scalars = [
        (write(tmp_path, f"scalar{index}", f"v: {text}"), [labelled(TABLE["config_map"]({"v": value}))])
        for index, (text, value) in enumerate(TABLE["SCALARS"].items())
    ]
    keys = [
        (write(tmp_path, f"key{index}", f"{text}: x"), [labelled(TABLE["config_map"]({key: "x"}))])
        for index, (text, key) in enumerate(TABLE["KEYS"].items())
    ]
    assert not disagreements(kubectl, scalars)
    assert not disagreements(kubectl, keys)


def test_bad_scalars_and_keys(kubectl: Path, tmp_path: Path) -> None:
    """What is a fault in the table is refused by kubectl too."""
    files = {f"v: {text}": write(tmp_path, f"scalar{n}", f"v: {text}") for n, text in enumerate(TABLE["BAD_SCALARS"])}
    files |= {f"{text}: x": write(tmp_path, f"key{n}", f"{text}: x") for n, text in enumerate(TABLE["BAD_KEYS"])}
    assert not [text for text, file in files.items() if ask(kubectl, [file]).accepted]


@pytest.mark.parametrize("row", TABLE["DOCUMENTS"], ids=lambda row: row.name)
def test_document(row: Any, kubectl: Path, tmp_path: Path) -> None:
    """A file is to kubectl what the table says it is; where we differ on purpose, it really differs."""
    file = tmp_path / f"a{row.suffix}"
    file.write_bytes(row.data)
    told = ask(kubectl, [file])
    if row.faults:
        agrees = not told.accepted
    else:
        expected = [exactly(labelled(body)) for body in row.objects]
        agrees = told.accepted and [exactly(body) for body in told.objects] == expected
    assert agrees != bool(row.differs), told
