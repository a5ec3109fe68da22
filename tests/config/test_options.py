"""Options from text to Settings: what is taken, what is refused, and in whose words."""

from collections.abc import Sequence
from typing import Any

import pytest

from recon_action.config import OPTIONS, default_target, option_name, settings
from recon_action.errors import FailOn, UsageError
from recon_action.model import Limit, Output, Settings
from recon_action.model.settings import AdditiveMode, ReportFile

_DEFAULTS = Settings(("manifests",))


def _settings(**values: Any) -> Settings:
    return settings({key.replace("_", "-"): value for key, value in values.items()}, paths=["manifests"])


@pytest.mark.parametrize(
    "values",
    [{}, {option.name: "" for option in OPTIONS}, {option.name: option.default for option in OPTIONS}],
    ids=["absent", "empty", "written-out"],
)
def test_defaults_are_the_models(values: dict[str, str]) -> None:
    """An option that is absent or empty has the default that `Settings` states."""
    assert settings(values, paths=["manifests"]) == _DEFAULTS


@pytest.mark.parametrize(
    ("name", "text", "field", "value"),
    [
        ("target", "shop-2", "target", "shop-2"),
        ("namespace", " shop ", "namespace", "shop"),
        ("inventory-namespace", "ops", "inventory_namespace", "ops"),
        ("prune", "false", "prune", False),
        ("prune", False, "prune", False),
        ("prune", "TRUE", "prune", True),
        ("wait", "False", "wait", False),
        ("allow-destructive", True, "allow_destructive", True),
        ("take-over-target", "true", "take_over_target", True),
        ("take-over", "argocd", "take_over", frozenset({"argocd"})),
        ("take-over", ["helm", "flux"], "take_over", frozenset({"flux", "helm"})),
        ("take-over", "helm, flux\nargocd", "take_over", frozenset({"argocd", "flux", "helm"})),
        ("adopt-from", ["blog", "wiki,shop"], "adopt_from", frozenset({"blog", "shop", "wiki"})),
        ("rebuild-inventory", "true", "rebuild_inventory", True),
        ("allow-rollback", "true", "allow_rollback", True),
        ("cluster-uid", " uid ", "cluster_uid", "uid"),
        ("plan", "0123456789abcdef", "plan", "0123456789abcdef"),
        ("additive", "revert", "additive", AdditiveMode.REVERT),
        ("max-prune", "5", "max_prune", Limit(count=5)),
        ("max-prune", "0", "max_prune", Limit(count=0)),
        ("max-prune", "10%", "max_prune", Limit(share=0.1)),
        ("max-prune", "100%", "max_prune", Limit(share=1.0)),
        ("max-prune", "all", "max_prune", Limit(unlimited=True)),
        ("timeout", "90s", "timeout", 90.0),
        ("concurrency", "1", "concurrency", 1),
        ("max-file-size", "64Mi", "max_file_size", 64 << 20),
        ("max-file-size", "500Ki", "max_file_size", 500 << 10),
        ("max-file-size", "1000", "max_file_size", 1000),
        ("fail-on", "never", "fail_on", FailOn.NEVER),
        ("output", "json", "output", Output.JSON),
        (
            "report",
            ["json=a=b.json", "text=c"],
            "reports",
            (ReportFile(Output.JSON, "a=b.json"), ReportFile(Output.TEXT, "c")),
        ),
        ("report", "markdown=r.md", "reports", (ReportFile(Output.MARKDOWN, "r.md"),)),
    ],
)
def test_a_value_is_read(name: str, text: str | bool | Sequence[str], field: str, value: object) -> None:
    """Text, or what the command line has parsed already, becomes the field's type."""
    assert getattr(settings({name: text}, paths=["x"]), field) == value


def test_the_way_to_the_cluster_is_read() -> None:
    """Kubeconfig and context travel together."""
    access = _settings(kubeconfig="a:b", context="lab").access
    assert (access.kubeconfig, access.context) == ("a:b", "lab")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("target", "Shop"),
        ("target", "-shop"),
        ("adopt-from", ["-shop", "blog"]),
        ("target", "a/b"),
        ("target", "a" * 51),
        ("prune", "yes"),
        ("prune", "1"),
        ("max-prune", "-1"),
        ("max-prune", "101%"),
        ("max-prune", "1.5"),
        ("max-prune", "some"),
        ("timeout", "5 minutes"),
        ("timeout", "-5s"),
        ("concurrency", "0"),
        ("concurrency", "many"),
        ("max-file-size", "0"),
        ("max-file-size", "0Mi"),
        ("max-file-size", "16M"),
        ("max-file-size", "-1"),
        ("fail-on", "always"),
        ("additive", "delete"),
        ("take-over", "kapp"),
        ("take-over", ["spinnaker"]),
        ("output", "xml"),
        ("report", ["json"]),
        ("report", ["json="]),
        ("report", ["xml=a"]),
        ("selector", "app in web"),
        ("include", "a/b/c/d"),
        ("exclude", ["a//b"]),
    ],
)
@pytest.mark.parametrize("names", [option_name, lambda name: f"input {name}"], ids=["option", "input"])
def test_a_wrong_value_is_named_as_the_user_knows_it(name: str, text: str | list[str], names: Any) -> None:
    """The message says which option or input, quotes the value, and the hint what to write."""
    with pytest.raises(UsageError) as caught:
        settings({name: text}, paths=["x"], names=names)
    assert caught.value.message.startswith(f"{names(name)}: ")
    assert (text if isinstance(text, str) else text[0]) in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("values", "text"),
    [
        pytest.param({}, "", id="none"),
        pytest.param({"selector": " ", "include": (), "exclude": ""}, "", id="empty"),
        pytest.param({"selector": "app=web"}, "selector app=web", id="selector"),
        pytest.param({"include": "Deployment, shop/Service/*"}, "include Deployment, shop/Service/*", id="commas"),
        pytest.param(
            {"exclude": ["Secret", "Secret"], "include": ("A\nB",)}, "include A, B; exclude Secret", id="several"
        ),
    ],
)
def test_what_a_run_is_about(values: dict[str, Any], text: str) -> None:
    """Said as it was written, for reports."""
    chosen = settings(values, paths=["x"]).selection
    assert chosen.text == text
    assert chosen.is_all is not bool(text)
    assert len(chosen.include) == text.count("Deployment") + text.count("Service") + text.count("A, B") * 2


def test_no_path_is_an_error() -> None:
    """There is no default folder: applying the wrong one would be costly."""
    with pytest.raises(UsageError, match="no manifests were named"):
        settings({}, paths=[])


@pytest.mark.parametrize(
    ("repository", "path", "target"),
    [
        pytest.param("github.com/acme/shop", "deploy", "shop", id="repository"),
        pytest.param("github.com/acme/my.shop", "deploy", "my-shop", id="dot-in-the-name"),
        pytest.param("github.com/acme/.github", "deploy", "github", id="leading-dot"),
        pytest.param("github.com/acme/Shop_2", "deploy", "shop-2", id="made-a-label"),
        pytest.param("", "/srv/manifests/", "manifests", id="folder"),
        pytest.param("", "shop.v2", "shop-v2", id="folder-with-a-dot"),
        pytest.param("", "deploy/web.yaml", "web", id="file"),
        pytest.param("", "-", "default", id="stdin"),
        pytest.param("", "ÄÖÜ", "default", id="nothing-usable"),
        pytest.param("github.com/acme/" + "a" * 49 + "-b", "", "a" * 49, id="cut"),
    ],
)
def test_a_target_is_named_after_its_repository_or_folder(repository: str, path: str, target: str) -> None:
    """As a DNS label that the inventory's name has room for, and that `--target` would accept."""
    assert default_target(repository, path) == target
    assert _settings(target=target).target == target


def test_names_are_the_same_everywhere() -> None:
    """One name in three spellings."""
    spellings = {option.name: (option.key, option.variable) for option in OPTIONS}
    assert spellings["max-prune"] == ("max_prune", "RECON_MAX_PRUNE")
    assert len(spellings) == len(OPTIONS)
