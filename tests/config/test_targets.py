"""The targets of recon.yaml: which are meant, and what outweighs what."""

from pathlib import Path
from typing import Any

import pytest

from recon_action.config.file import ConfigFile, read_config, with_config
from recon_action.config.targets import settings_of_targets, the_only, without_access
from recon_action.errors import UsageError
from recon_action.model import AdditiveMode, Settings

_TWO = """\
defaults: {namespace: usual, wait: false, access: {kubeconfig: clusters/kube.config, context: lab}}
targets:
- name: shop
  paths: [k8s/shop, "k8s/*.yaml"]
  namespace: shop
  prune: false
  additive: revert
  timeout: 90s
  clusterUID: uid-shop
  ignore:
  - match: {kind: A}
    pointers: [/spec/replicas]
- name: blog
  paths: [/srv/blog]
  access: {auth: github-oidc, audience: recon, server: "https://blog.example"}
ignore:
- match: {kind: B}
  pointers: [/spec/replicas]
"""


@pytest.fixture
def config(tmp_path: Path) -> ConfigFile:
    return _read(tmp_path, _TWO)


def _read(folder: Path, text: str) -> ConfigFile:
    (folder / "recon.yaml").write_text(text)
    return read_config(str(folder / "recon.yaml"))


def _settings(config: ConfigFile, *paths: str, folder: str = "", **given: Any) -> tuple[Settings, ...]:
    named = {name.replace("_", "-"): value for name, value in given.items()}
    return settings_of_targets(named, config.targets, paths=paths, folder=folder)


def test_all_of_them(config: ConfigFile) -> None:
    """Without a name and a PATH, in the file's order; each with what it says, and the defaults where it is silent."""
    shop, blog = _settings(config)
    assert (shop.target, shop.paths, shop.namespace, shop.cluster_uid) == (
        "shop", ("k8s/shop", "k8s/*.yaml"), "shop", "uid-shop",
    )  # fmt: skip
    assert (shop.prune, shop.additive, shop.wait, shop.timeout) == (False, AdditiveMode.REVERT, False, 90)
    assert (shop.access.kubeconfig, shop.access.context) == ("clusters/kube.config", "lab")
    assert (blog.target, blog.paths, blog.namespace) == ("blog", ("/srv/blog",), "usual")
    assert (blog.prune, blog.wait, blog.timeout) == (True, False, 300)


def test_who_names_a_cluster_takes_back_the_other_way(config: ConfigFile) -> None:
    """A server in the place of the defaults' kubeconfig, and a kubeconfig in the place of the target's server."""
    (blog,) = _settings(config, target="blog")
    assert (blog.access.server, blog.access.audience, blog.access.kubeconfig) == ("https://blog.example", "recon", "")
    (blog,) = _settings(config, target="blog", context="kind", auth="kubeconfig")
    assert (blog.access.server, blog.access.audience, blog.access.context) == ("", "", "kind")
    (shop,) = _settings(config, target="shop", server="https://a", auth="github-oidc", audience="x")
    assert (shop.access.server, shop.access.kubeconfig, shop.access.context) == ("https://a", "", "")


def test_what_was_said_outweighs_the_file(config: ConfigFile) -> None:
    """Also where it is "false", or what would be the default."""
    (shop,) = _settings(config, "other", target="shop", namespace="x", prune=True, timeout="5m", wait="true")
    assert (shop.paths, shop.namespace, shop.prune, shop.timeout, shop.wait) == (("other",), "x", True, 300, True)


def test_files_are_seen_from_recon_yaml(config: ConfigFile) -> None:
    """Wherever one stands; absolute ones, and those of a home, are where they are."""
    shop, blog = _settings(config, folder="../ops")
    assert shop.paths == ("../ops/k8s/shop", "../ops/k8s/*.yaml")
    assert shop.access.kubeconfig == "../ops/clusters/kube.config"
    assert blog.paths == ("/srv/blog",)


def test_a_home_is_where_it_is(tmp_path: Path) -> None:
    """The kubeconfig's reader knows whose it is."""
    config = _read(tmp_path, "defaults: {access: {kubeconfig: '~/.kube/a:b'}}\n")
    (one,) = _settings(config, "x", folder="ops")
    assert one.access.kubeconfig == "~/.kube/a:ops/b"


def test_rules_of_a_target_come_first(config: ConfigFile) -> None:
    """And are for no other target."""
    shop, blog = (with_config(one, config) for one in _settings(config))
    assert [rule.match.kind for rule in shop.ignore] == ["A", "B"]
    assert [rule.match.kind for rule in blog.ignore] == ["B"]


def test_defaults_without_targets(tmp_path: Path) -> None:
    """They hold for whatever the command line names."""
    config = _read(tmp_path, "defaults: {namespace: usual, timeout: 1m}\n")
    (one,) = _settings(config, "k8s", target="any")
    assert (one.target, one.paths, one.namespace, one.timeout) == ("any", ("k8s",), "usual", 60)


@pytest.mark.parametrize(
    ("paths", "target", "words"),
    [
        (("k8s",), "", "PATHs are one target's, and recon.yaml has shop, blog"),
        ((), "shpo", "--target: recon.yaml has no target shpo; it has shop, blog"),
    ],
    ids=["paths-for-several", "unknown"],
)
def test_nothing_is_guessed(config: ConfigFile, paths: tuple[str, ...], target: str, words: str) -> None:
    """A typing error must not begin another inventory."""
    with pytest.raises(UsageError, match=words):
        _settings(config, *paths, target=target)


def test_a_target_that_has_left_the_file(config: ConfigFile) -> None:
    """A command that takes no PATH, as `release` does, is for those as well."""
    (gone,) = settings_of_targets({"target": "gone"}, config.targets, paths=None)
    assert (gone.target, gone.paths, gone.access.kubeconfig) == ("gone", (), "")
    (shop,) = settings_of_targets({"target": "shop"}, config.targets, paths=None)
    assert (shop.target, shop.paths, shop.access.context) == ("shop", (), "lab")


def test_the_only_one(config: ConfigFile) -> None:
    """What is for one target says so."""
    shop, blog = _settings(config)
    assert the_only([shop], "watch") is shop
    with pytest.raises(UsageError, match="watch takes one target, and"):
        the_only([shop, blog], "watch")


def test_without_access(config: ConfigFile) -> None:
    """The defaults' neither; all else stays."""
    shop, blog = settings_of_targets({}, without_access(config.targets), paths=())
    assert shop.access == blog.access == Settings(()).access
    assert shop.namespace == "shop"


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        pytest.param("targets: []\n", ["1:1: targets is empty"], id="none"),
        pytest.param("targets:\n- paths: [a]\n", ["2:3: the target lacks name"], id="name"),
        pytest.param("targets:\n- name: a\n", ["2:3: the target lacks paths"], id="paths"),
        pytest.param("targets:\n- {name: A, paths: [a]}\n", ["2:4: name: 'A' can't be it — Names the"], id="no-label"),
        pytest.param("targets:\n- {name: a, paths: ['-']}\n", ["2:21: this: '-' can't be it"], id="stdin"),
        pytest.param("defaults: {additive: x}\n", ["1:12: additive: 'x' is none of report, revert"], id="choice"),
        pytest.param("defaults: {prune: 1}\n", ["1:12: prune must be true or false"], id="flag"),
        pytest.param("defaults: {timeout: soon}\n", ["1:1: timeout: 'soon' is no duration"], id="duration"),
        pytest.param(
            "defaults: {timeout: soon}\ntargets:\n- {name: a, paths: [a]}\n",
            ["1:1: timeout: 'soon' is no duration"],
            id="duration-told-once",
        ),
        pytest.param("defaults: {paths: [a]}\n", ["1:12: unknown key 'paths'"], id="not-for-all"),
        pytest.param(
            "targets:\n- {name: a, paths: [a]}\n- {name: a, paths: [b]}\n",
            ["3:4: there is a target a already"],
            id="twice",
        ),
        pytest.param(
            "targets:\n- {name: a, paths: [a], access: {server: https://a}}\n",
            ["2:3: server goes with auth github-oidc alone"],
            id="access",
        ),
        pytest.param(
            "targets:\n- name: a\n  paths: [a]\n  ignore:\n  - match: {kind: A}\n    fields: ['a[']\n",
            ["6:14: 'a[' can't be read"],
            id="rule",
        ),
        pytest.param(
            "targets:\n- name: a\n  paths: [a]\n  ignore:\n  - fields: [a]\n", ["5:5: the rule lacks match"], id="match"
        ),
    ],
)
def test_faults(tmp_path: Path, text: str, faults: list[str]) -> None:
    """Each with its place."""
    with pytest.raises(UsageError) as caught:
        _read(tmp_path, text)
    lines = caught.value.message.splitlines()
    assert len(lines) == len(faults), lines
    for line, fault in zip(lines, faults, strict=True):
        assert line.startswith(f"{tmp_path / 'recon.yaml'}:{fault}"), line


def test_access_may_be_completed_by_targets(tmp_path: Path) -> None:
    """So that what is common to all clusters is said once."""
    text = "defaults: {access: {auth: github-oidc}}\ntargets:\n- {name: a, paths: [a], access: {audience: x}}\n"
    (one,) = _settings(_read(tmp_path, text))
    assert one.access.audience == "x"
