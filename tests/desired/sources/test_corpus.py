"""Real repositories: each kustomization gives what `kustomize build` gives, object by object, from where it says.

`corpus.json` holds, for each, how many objects there are, or why there are none; of how many a variable is left that
Flux would fill in; and which come from another file than kustomize says. SOPS files are made anew with a key of
the test and placeholders in the place of what they hold.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from encryption import encrypt, make_key
from sourcing import keyed, objects

from recon_action.desired import ManifestError, load
from recon_action.desired.documents import Document, split
from recon_action.desired.sources.detection import KUSTOMIZATIONS
from recon_action.desired.sources.sops import format_of
from recon_action.desired.sources.tools import FOLDER
from recon_action.desired.yaml_reader import YamlReader

TABLE = Path(__file__).with_name("corpus.json")
APPS = tuple(json.loads(TABLE.read_text(encoding="utf-8")))
Key = tuple[str, str, str, str]
_ORIGIN = "config.kubernetes.io/origin"
_VARIABLE = re.compile(r"\$\{\w+[^}]*\}")


@pytest.fixture(scope="module")
def repository(corpus: Path, tools: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Any:
    """`repository(app)`: a copy of it, decrypted once and encrypted anew, and the same without encryption."""
    key = make_key()

    def copied(app: str) -> tuple[Path, Path, str]:
        folder = tmp_path_factory.mktemp(app)
        plain, cipher = folder / "plain", folder / "cipher"
        shutil.copytree(corpus / app, plain)
        for file in sorted(plain.rglob("*")):
            if file.is_file() and format_of(file.read_bytes(), file.name) == "yaml":
                file.write_text(json.dumps(_placeholders(file.read_bytes())), encoding="utf-8")
        shutil.copytree(plain, cipher)
        for file in sorted((corpus / app).rglob("*")):
            if file.is_file() and format_of(file.read_bytes(), file.name) == "yaml":
                inside = cipher / file.relative_to(corpus / app)
                text = file.read_text(encoding="utf-8")
                found = re.search(r"encrypted_regex: (.+)", text)
                options = ("--encrypted-regex", found[1].strip("'\"")) if found else ("--unencrypted-suffix", "_none")
                encrypt(tools["sops"], inside, key.recipient, *options)
                command = [tools["sops"], "decrypt", inside]
                environ = {"SOPS_AGE_KEY": key.secret, "HOME": str(folder)}
                done = subprocess.run(command, capture_output=True, check=True, env=environ)
                (plain / file.relative_to(corpus / app)).write_bytes(done.stdout)
        for tree in (plain, cipher):
            (tree / ".git").mkdir()  # a repository, within which a kustomization may take files from anywhere
        return plain, cipher, key.secret

    return copied


def _placeholders(data: bytes) -> Any:
    """What a file holds without its encryption, as nobody knows it."""
    (document,) = [part for part in split(data, "") if isinstance(part, Document)][:1]
    value = YamlReader().read(document, "").value
    value.pop("sops")
    return _replaced(value)


def _replaced(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _replaced(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_replaced(item) for item in value]
    return "cGxhY2Vob2xkZXI=" if isinstance(value, str) and value.startswith("ENC[") else value


def kustomizations(root: Path) -> list[str]:
    """The folders that hold one."""
    return sorted(str(file.parent.relative_to(root)) for name in KUSTOMIZATIONS for file in root.rglob(name))


def alone(kustomize: Path, root: Path, folder: str) -> tuple[dict[Key, Any], dict[Key, str]] | None:
    """What kustomize makes of a folder, and where it says that each object comes from; None if it fails."""
    file = next(file for name in KUSTOMIZATIONS if (file := root / folder / name).is_file())
    text = file.read_text(encoding="utf-8")
    file.write_text(f"{text}\nbuildMetadata: [originAnnotations]\n", encoding="utf-8")
    command = [kustomize, "build", "--load-restrictor", "LoadRestrictionsNone", folder]
    done = subprocess.run(command, cwd=root, capture_output=True, check=False)
    file.write_text(text, encoding="utf-8")
    if done.returncode:
        return None
    found, places = objects(done.stdout), {}
    for key, body in found.items():
        origin = yaml.safe_load(body["metadata"]["annotations"].pop(_ORIGIN))
        places[key] = os.path.normpath(Path(folder, origin.get("path") or origin["configuredIn"]))
        if not body["metadata"]["annotations"]:
            del body["metadata"]["annotations"]
    return found, places


def verdicts(repository: Any, tools: Mapping[str, Path], app: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Of each kustomization: how many objects, equal to kustomize's, or why none."""
    plain, cipher, secret = repository(app)
    environ = {"PATH": os.environ["PATH"], "HOME": str(plain), "SOPS_AGE_KEY": secret, FOLDER: os.environ[FOLDER]}
    said: dict[str, Any] = {}
    monkeypatch.chdir(cipher)
    for folder in kustomizations(cipher):
        made = alone(tools["kustomize"], plain, folder)
        try:
            desired = load([folder], environ=environ)
        except ManifestError as error:
            said[folder] = re.sub(r"^.*?:\d+:\d+: ", "", str(error.faults[0]))[:160]
            assert made is None, folder
            continue
        assert made, folder
        ours = keyed(desired)
        assert ours == made[0], folder
        places = dict(zip(ours, (one.origin.file for one in desired.manifests), strict=True))
        variables = sum(bool(_VARIABLE.search(json.dumps(one.body))) for one in desired.manifests)
        elsewhere = {key[3]: place for key, place in places.items() if place != made[1][key]}
        facts = {"objects": len(desired.manifests), "variables": variables, "not where kustomize says": elsewhere}
        said[folder] = {name: fact for name, fact in facts.items() if fact or name == "objects"}
    return said


@pytest.mark.parametrize("app", APPS)
def test_real_repositories(
    repository: Any, tools: Mapping[str, Path], app: str, monkeypatch: pytest.MonkeyPatch, rewrite_golden: bool
) -> None:
    """What is rendered equals the program's own; what isn't rendered stands in the table with its reason."""
    said = verdicts(repository, tools, app, monkeypatch)
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    if rewrite_golden:
        TABLE.write_text(json.dumps(table | {app: said}, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    else:
        assert said == table[app]
