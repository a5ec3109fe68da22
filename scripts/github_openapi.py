"""Writes the part of GitHub's own API description that the fake GitHub of the tests is held to.

`python scripts/github_openapi.py` gets the npm package below (27 MB; npm has to be there), keeps the operations that
we call and the schemas that they name, and drops everything that only people read. OpenAPI 3.0's `nullable` becomes
JSON Schema's null, so that the outcome is OpenAPI 3.1, which any validator of JSON Schema understands.
"""

import json
import subprocess
import tarfile
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

PACKAGE = "@octokit/openapi@23.0.2"
MEMBER = "package/generated/api.github.com.json"
TARGET = Path(__file__).resolve().parent.parent / "tests" / "support" / "fake_github" / "openapi.json"
REPO = "/repos/{owner}/{repo}"
OPERATIONS = {
    "/user": ["get"],
    f"{REPO}/branches/{{branch}}": ["get"],
    f"{REPO}/check-runs": ["post"],
    f"{REPO}/check-runs/{{check_run_id}}": ["get", "patch"],
    f"{REPO}/check-runs/{{check_run_id}}/annotations": ["get"],
    f"{REPO}/collaborators/{{username}}/permission": ["get"],
    f"{REPO}/commits/{{commit_sha}}/pulls": ["get"],
    f"{REPO}/commits/{{ref}}/check-runs": ["get"],
    f"{REPO}/issues": ["get", "post"],
    f"{REPO}/issues/comments/{{comment_id}}": ["get", "patch", "delete"],
    f"{REPO}/issues/comments/{{comment_id}}/reactions": ["post"],
    f"{REPO}/issues/{{issue_number}}": ["get", "patch"],
    f"{REPO}/issues/{{issue_number}}/comments": ["get", "post"],
    f"{REPO}/issues/{{issue_number}}/labels": ["post"],
    f"{REPO}/pulls": ["get"],
    f"{REPO}/pulls/{{pull_number}}": ["get"],
}
PROSE = {"description", "summary", "title", "example", "examples", "externalDocs", "tags", "deprecated", "headers"}


def fetch(package: str, member: str) -> Any:
    """The JSON file `member` of an npm package."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["npm", "pack", "--silent", package], cwd=folder, check=True, capture_output=True)
        (file,) = Path(folder).glob("*.tgz")
        with tarfile.open(file) as archive:
            file_in_it = archive.extractfile(member)
            if file_in_it is None:
                raise FileNotFoundError(f"{package} has no {member}")
            return json.load(file_in_it)


def subset(whole: Mapping[str, Any], operations: Mapping[str, Iterable[str]]) -> dict[str, Any]:
    """The description of `operations` alone."""
    paths = {
        path: {method: operation(whole, whole["paths"][path][method]) for method in methods}
        for path, methods in operations.items()
    }
    return {
        "openapi": "3.1.0",
        "info": {**whole["info"], "title": f"the part of {PACKAGE} that recon-action calls", "description": ""},
        "paths": paths,
        "components": {"schemas": schemas(whole, named(paths))},
    }


def schemas(whole: Mapping[str, Any], wanted: set[str]) -> dict[str, Any]:
    """The schemas `wanted`, and all that they name."""
    found: dict[str, Any] = {}
    while missing := wanted - set(found):
        found |= {name: schema(whole["components"]["schemas"][name]) for name in missing}
        wanted = wanted | named([found[name] for name in missing])
    return found


def operation(whole: Mapping[str, Any], of: Mapping[str, Any]) -> dict[str, Any]:
    """One operation: parameters, body and answers, without a detour by way of components."""
    parameters = (resolved(whole, parameter) for parameter in of.get("parameters", ()))
    answers = {status: content(resolved(whole, answer)) for status, answer in of["responses"].items()}
    return {
        "operationId": of["operationId"],
        "parameters": [
            {key: one[key] for key in ("name", "in", "required") if key in one} | {"schema": schema(one["schema"])}
            for one in parameters
        ],
        "requestBody": content(of.get("requestBody", {})),
        "responses": answers,
    }


def content(of: Mapping[str, Any]) -> dict[str, Any]:
    """What a body or an answer holds as JSON; {} if nothing."""
    found = of.get("content", {}).get("application/json", {})
    return {"content": {"application/json": {"schema": schema(found["schema"])}}} if "schema" in found else {}


def resolved(whole: Mapping[str, Any], of: Mapping[str, Any]) -> Mapping[str, Any]:
    """`of`, or the component that it refers to."""
    if "$ref" not in of:
        return of
    _, _, kind, name = of["$ref"].split("/")
    return dict(whole["components"][kind][name])


def schema(of: Any) -> Any:
    """A schema of OpenAPI 3.0 as one of JSON Schema, without prose."""
    if isinstance(of, list):
        return [schema(item) for item in of]
    if not isinstance(of, dict):
        return of
    kept = {key: value for key, value in of.items() if key not in PROSE | {"nullable"} and not key.startswith("x-")}
    plain = {
        key: {name: schema(item) for name, item in value.items()} if key == "properties" else schema(value)
        for key, value in kept.items()
    }
    if not of.get("nullable"):
        return plain
    if isinstance(plain.get("type"), str) and not {"allOf", "anyOf", "oneOf"} & set(plain):
        plain["type"] = [plain["type"], "null"]
        if "enum" in plain:
            plain["enum"] = list(dict.fromkeys([*plain["enum"], None]))
        return plain
    return {"anyOf": [plain, {"type": "null"}]}


def named(of: Any) -> set[str]:
    """The schemas that are referred to."""
    if isinstance(of, list):
        return {name for item in of for name in named(item)}
    if not isinstance(of, dict):
        return set()
    here = {of["$ref"].rpartition("/")[2]} if isinstance(of.get("$ref"), str) else set()
    return here | {name for item in of.values() for name in named(item)}


def main() -> None:
    """Get, cut, write."""
    text = json.dumps(subset(fetch(PACKAGE, MEMBER), OPERATIONS), indent=1, sort_keys=True, ensure_ascii=False)
    TARGET.write_text(f"{text}\n", encoding="utf-8")
    print(f"{TARGET}: {len(text):,} characters")


if __name__ == "__main__":
    main()
