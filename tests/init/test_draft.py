"""What is written, given what was seen."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from recon_action.config.file import read_config
from recon_action.errors import UsageError
from recon_action.init import Draft, Pin, Sight, draft
from recon_action.init.draft import WORKFLOWS, Cluster
from recon_action.init.sight import Found, Sort

_PIN = Pin("recon-action/recon-action", "0" * 40, "v9.8.7")
_NOBODY = Cluster()
_K8S = Found("k8s", Sort.PLAIN)


def _draft(*paths: str, cluster: Cluster = _NOBODY, **seen: Any) -> Draft:
    sight = Sight(Path("/r"), **{"repository": "github.com/acme/shop", "sources": (_K8S,)} | seen)
    return draft(sight, paths, _PIN, cluster)


def _step(text: str) -> dict[str, Any]:
    """The step with the action."""
    (job,) = yaml.safe_load(text)["jobs"].values()
    (step,) = [step for step in job["steps"] if step["uses"].startswith(_PIN.action)]
    return dict(step)


def _workflows(made: Draft) -> dict[str, str]:
    return {file.path.removeprefix(".github/workflows/recon-"): file.text for file in made.files[1:]}


def test_files() -> None:
    """recon.yaml and a workflow an event, pinned, for the only manifests that there are."""
    made = _draft()
    workflows = [f".github/workflows/recon-{name}.yml" for name in WORKFLOWS]
    assert [file.path for file in made.files] == ["recon.yaml", *workflows]
    for text in _workflows(made).values():
        assert f"uses: {_PIN.action}@{_PIN.ref} # v9.8.7\n" in text
        assert _step(text)["with"]["paths"] == "k8s"
        assert "env" not in _step(text)
    assert list(made.secrets) == ["KUBECONFIG"]


def test_as_the_examples_are() -> None:
    """But for what is this repository's own, a workflow is the example of the documentation."""
    examples = Path(__file__).parents[2] / "docs/examples"
    for name, text in _workflows(_draft()).items():
        example = (examples / name).read_text()
        assert text.replace(f"@{_PIN.ref} # v9.8.7", "@v1") == example


def test_branch() -> None:
    """What is applied is what is pushed to the default branch, whatever it is called."""
    for branch in ("release/1", "on", "1.0", "a'b"):
        text = _workflows(_draft(branch=branch))["push.yml"]
        assert yaml.safe_load(text)[True]["push"]["branches"] == [branch]


@pytest.mark.parametrize("paths", [("a", "b c"), ("yes",), ("a#b",)], ids=["two", "word", "comment"])
def test_paths(paths: tuple[str, ...]) -> None:
    """PATHs that were named are handed over as they are."""
    made = _draft(*paths)
    assert made.paths == paths
    for text in _workflows(made).values():
        assert _step(text)["with"]["paths"].strip().split("\n") == list(paths)


def test_an_expression_is_no_path() -> None:
    """What a runner would evaluate does not get into a workflow."""
    with pytest.raises(UsageError, match="can't name"):
        _draft("${{ github.token }}")


def test_encrypted() -> None:
    """An apply gets the age key; a preview of a pull request, which decrypts nothing, does not."""
    made = _draft(is_encrypted=True, has_age=True)
    keys = {name: _step(text).get("env", {}) for name, text in _workflows(made).items()}
    expected = {"SOPS_AGE_KEY": "${{ secrets.SOPS_AGE_KEY }}"}
    assert keys == {"pull-request.yml": {}, "push.yml": expected, "schedule.yml": expected}
    assert list(made.secrets) == ["KUBECONFIG", "SOPS_AGE_KEY"]


def test_several_sources() -> None:
    """Which of several make one cluster is not guessed: all are listed."""
    many = tuple(Found(f"overlays/{number:02}", Sort.KUSTOMIZE) for number in range(14))
    with pytest.raises(UsageError) as caught:
        _draft(sources=many)
    assert "overlays/00: a kustomization" in caught.value.message
    assert "and 2 more" in caught.value.message
    assert caught.value.hint == "name them: recon-action init overlays/00"
    assert _draft("overlays/00", sources=many[:1]).paths == ("overlays/00",)


@pytest.mark.parametrize("paths", [(), ("empty",)])
def test_no_manifests(paths: tuple[str, ...]) -> None:
    """Without manifests there is nothing to write."""
    with pytest.raises(UsageError, match="no Kubernetes manifests"):
        _draft(*paths, sources=())


def test_config(tmp_path: Path) -> None:
    """recon.yaml names the cluster that answered, and is valid either way."""
    file = tmp_path / "recon.yaml"
    file.write_text(_draft(cluster=Cluster("https://c:6443", "uid-1")).files[0].text)
    assert read_config(str(file)).cluster_uid == "uid-1"
    assert "# https://c:6443 and no other" in file.read_text()
    file.write_text(_draft().files[0].text)
    assert read_config(str(file)).cluster_uid == ""


def test_a_tag() -> None:
    """Where no commit is known, the tag stands there alone."""
    made = draft(Sight(Path("/r"), sources=(_K8S,)), (), Pin("a/b", "v1"), Cluster())
    assert all("      - uses: a/b@v1\n        with:\n" in file.text for file in made.files[1:])
