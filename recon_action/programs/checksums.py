"""The pinned checksums of official releases: a table that is committed, read here, and written by `pin`.

An entry may be absent: then nothing is downloaded, as there would be nothing to hold the download against.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from recon_action.programs.program import Platform, Program

TABLE = Path(__file__).with_name("checksums.json")


@dataclass(frozen=True, slots=True)
class Checksums:
    """`{program: {version: {os/arch: sha256 of the published file}}}`."""

    table: Mapping[str, Mapping[str, Mapping[str, str]]] = field(default_factory=dict)

    def of(self, program: Program, platform: Platform) -> str:
        """The pinned sha256, "" if there is none."""
        return self.table.get(program.name, {}).get(program.version, {}).get(str(platform), "")


def read_checksums(file: Path = TABLE) -> Checksums:
    """The committed table."""
    return Checksums(json.loads(file.read_text(encoding="utf-8")))


def write_checksums(checksums: Checksums, file: Path = TABLE) -> None:
    """Write the table, in an order that makes a readable change."""
    file.write_text(json.dumps(checksums.table, indent=2, sort_keys=True) + "\n", encoding="utf-8")
