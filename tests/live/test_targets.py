"""Several targets of one recon.yaml, by the command line: each for itself, and one exit code."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from repository import git
from target import Target, config_map

from recon_action.errors import ExitCode
from recon_action.lab import Lab

_FILE = """\
defaults:
  namespace: NAMESPACE
  wait: false
  access: {kubeconfig: KUBECONFIG}
targets:
- name: NAMESPACE-shop
  paths: [k8s/shop]
- name: NAMESPACE-blog
  paths: [k8s/blog]
  prune: false
"""


@pytest.fixture
def target(lab: Lab, namespace: str, tmp_path: Path) -> Target:
    """Two targets of one object each in a repository, and an object more that the blog will lose."""
    found = Target(lab, namespace, tmp_path)
    found.write("k8s/shop/a.yaml", config_map("shop"))
    found.write("k8s/blog/a.yaml", config_map("blog"))
    found.write("k8s/blog/b.yaml", config_map("gone"))
    found.write("recon.yaml", _FILE.replace("KUBECONFIG", str(lab.kubeconfig)))
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    git(tmp_path, "add", "--all", ".")
    git(tmp_path, "commit", "--quiet", "--message=first")
    return found


def _run(target: Target, *arguments: str, **variables: str) -> tuple[int, str, str]:
    """What `recon-action` does in the repository, where no kubeconfig leads anywhere by itself."""
    done = subprocess.run(
        [sys.executable, "-m", "recon_action", *arguments],
        cwd=target.folder,
        env={**os.environ, "KUBECONFIG": os.devnull, **variables},
        text=True,
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_each_target_for_itself(target: Target) -> None:
    """Applied one after the other; one that can't be built is told, and the others are applied all the same."""
    shop, blog = f"{target.namespace}-shop", f"{target.namespace}-blog"
    code, out, errors = _run(target, "apply", "--report", "json=r.json")
    assert code == ExitCode.OK, errors
    assert [line.partition(":")[0] for line in out.splitlines() if " — " in line] == [shop, blog]
    reports = {name: json.loads((target.folder / f"r-{name}.json").read_text()) for name in (shop, blog)}
    assert [reports[name]["counts"]["total"] for name in (shop, blog)] == [1, 2]

    target.remove("k8s/blog/b.yaml")
    assert _run(target, "apply", "--target", blog)[0] == ExitCode.DIFFERENT  # the file keeps what Git has lost
    target.get("configmap", "gone")
    target.write("k8s/shop/a.yaml", "kind: [\n")
    code, out, errors = _run(target, "diff", RECON_PRUNE="true")
    assert code == ExitCode.DESIRED
    assert f"error: {shop}: " in errors
    assert f"{blog}: " in out
    code, _, errors = _run(target, "apply", "--target", blog, RECON_PRUNE="true", RECON_MAX_PRUNE="1")
    assert code == ExitCode.OK, errors
    assert "gone" not in target.kubectl("get", "configmap", "-o", "name")


def test_a_preview_takes_the_base_s_targets(target: Target) -> None:
    """A change to recon.yaml is judged by the file that it changes."""
    target.write("k8s/shop/new.yaml", config_map("new"))
    target.write("recon.yaml", "targets:\n- {name: elsewhere, paths: [k8s/blog]}\n")
    git(target.folder, "add", "--all", ".")
    git(target.folder, "commit", "--quiet", "--message=change")
    part = ("--include", "ConfigMap/new")
    code, out, errors = _run(target, "preview", "--base", "HEAD~1", "--target", f"{target.namespace}-shop", *part)
    assert code == ExitCode.DIFFERENT, errors
    assert "partial: 1 of 2 objects, selected by include ConfigMap/new" in out
    assert "1 new" in out
