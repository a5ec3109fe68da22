"""What annotations ask for, tool by tool."""

from typing import Any

import pytest
from objects import body_of, ref

from recon_action.analyze.directives import NOTHING, asked_of, directives_of, faults, notes_of_annotations
from recon_action.model import NO_DIRECTIVES, Body, Directives, FieldPath, ObjectRef

_OURS, _ARGO = "recon-action.github.io/", "argocd.argoproj.io/"
_FLUX, _KAPP = "kustomize.toolkit.fluxcd.io/", "kapp.k14s.io/"
_LIFECYCLE = "client.lifecycle.config.k8s.io/"


def _annotated(annotations: dict[str, Any], **labels: str) -> Body:
    return body_of(metadata={"annotations": annotations} | ({"labels": labels} if labels else {}))


def _decided(key: str, value: str) -> dict[str, str]:
    """The fields that the annotation decides, each of which must name it."""
    directives = directives_of(_annotated({key: value}))
    texts = {
        name: text
        for name in ("skip", "keep", "confirm", "detach", "create_once", "recreate", "merge")
        if (text := getattr(directives, name))
    }
    assert all(text.startswith(f"{key}: ") for text in texts.values())
    return texts


def _expect(key: str, value: str, *fields: str) -> None:
    assert set(_decided(key, value)) == set(fields)
    if fields:
        assert asked_of(_annotated({key: value})).unread == ()


@pytest.mark.parametrize(
    ("key", "value", "fields"),
    [
        ("reconcile", "disabled", ("skip",)),
        ("prune", "disabled", ("keep", "detach")),
        ("create-once", "true", ("create_once",)),
        ("recreate", "enabled", ("recreate",)),
        ("prune", "enabled", ()),
        ("create-once", "false", ()),
    ],
)
def test_ours(key: str, value: str, fields: tuple[str, ...]) -> None:
    """A small set, each with one meaning."""
    _expect(_OURS + key, value, *fields)


@pytest.mark.parametrize(
    ("key", "value", "fields"),
    [
        ("sync-options", "Prune=false", ("keep",)),
        ("sync-options", "Prune=confirm", ("confirm",)),
        ("sync-options", "Delete=false", ("detach",)),
        ("sync-options", "Delete=confirm", ("confirm",)),
        ("sync-options", "Replace=true", ("recreate",)),
        ("sync-options", "Force=true", ("recreate",)),
        ("sync-options", "Prune=false, Delete=false", ("keep", "detach")),
        ("sync-options", "Validate=false,ServerSideApply=true,PruneLast=true", ()),
        ("sync-options", "Prune=true,", ()),
        ("compare-options", "IgnoreExtraneous", ("keep",)),
        ("compare-options", "ServerSideDiff=true,IncludeMutationWebhook=true", ()),
        ("hook", "PreSync", ("skip",)),
        ("hook", "Skip", ("skip",)),
        ("hook", "", ("skip",)),
    ],
)
def test_argo_cd(key: str, value: str, fields: tuple[str, ...]) -> None:
    """Options are parted by commas; what only says how Argo CD goes about it is known, and of no effect."""
    _expect(_ARGO + key, value, *fields)
    assert asked_of(_annotated({_ARGO + key: value})).unread == ()


@pytest.mark.parametrize(
    ("key", "value", "fields"),
    [
        ("prune", "disabled", ("keep", "detach")),
        ("prune", "Disabled", ("keep", "detach")),
        ("reconcile", "disabled", ("skip",)),
        ("ssa", "Ignore", ("skip",)),
        ("ssa", "IfNotPresent", ("create_once",)),
        ("ssa", "merge", ("merge",)),
        ("ssa", "Override", ()),
        ("force", "enabled", ("recreate",)),
    ],
)
def test_flux(key: str, value: str, fields: tuple[str, ...]) -> None:
    """As an annotation or as a label, in whatever case."""
    _expect(_FLUX + key, value, *fields)
    labelled = directives_of(body_of(metadata={"labels": {_FLUX + key: value}}))
    assert labelled == directives_of(_annotated({_FLUX + key: value}))


@pytest.mark.parametrize(
    ("key", "value", "fields"),
    [
        ("delete-strategy", "orphan", ("keep", "detach")),
        ("delete-strategy", "", ()),
        ("noop", "", ("skip",)),
        ("exists", "", ("skip",)),
        ("update-strategy", "skip", ("create_once",)),
        ("update-strategy", "fallback-on-replace", ("recreate",)),
        ("update-strategy", "always-replace", ("recreate",)),
        ("update-strategy", "", ()),
        ("create-strategy", "fallback-on-update", ()),
    ],
)
def test_kapp(key: str, value: str, fields: tuple[str, ...]) -> None:
    """Strategies that mean something to an apply; the others are known."""
    _expect(_KAPP + key, value, *fields)
    assert asked_of(_annotated({_KAPP + key: value})).unread == ()


@pytest.mark.parametrize(
    ("key", "value", "fields"),
    [
        (_LIFECYCLE + "deletion", "detach", ("keep", "detach")),
        (_LIFECYCLE + "mutation", "ignore", ("create_once",)),
        ("cli-utils.sigs.k8s.io/on-remove", "keep", ("keep", "detach")),
    ],
)
def test_cli_utils(key: str, value: str, fields: tuple[str, ...]) -> None:
    """What kpt and other users of cli-utils write."""
    _expect(key, value, *fields)


@pytest.mark.parametrize(
    ("key", "value", "fields"),
    [
        ("resource-policy", "keep", ("keep", "detach")),
        ("hook", "pre-install,pre-upgrade", ("skip",)),
        ("hook", "test", ("skip",)),
        ("hook", "crd-install", ()),
    ],
)
def test_helm(key: str, value: str, fields: tuple[str, ...]) -> None:
    """Hooks are no part of the state, tests neither; `crd-install` is an ordinary object."""
    _expect(f"helm.sh/{key}", value, *fields)
    assert asked_of(_annotated({f"helm.sh/{key}": value})).unread == ()


@pytest.mark.parametrize(
    ("annotations", "wave"),
    [
        ({_ARGO + "sync-wave": "5"}, 5),
        ({_ARGO + "sync-wave": " -3 "}, -3),
        ({_OURS + "wave": "1", _ARGO + "sync-wave": "5"}, 1),
        ({_OURS + "wave": "soon", _ARGO + "sync-wave": "5"}, 5),
        ({_ARGO + "sync-wave": "1_000"}, 0),
        ({_ARGO + "sync-wave": ""}, 0),
    ],
)
def test_waves(annotations: dict[str, str], wave: int) -> None:
    """Ours before Argo CD's; what is no number counts as none."""
    assert directives_of(_annotated(annotations)).wave == wave


_WEB = ObjectRef("apps", "Deployment", "shop", "web")


@pytest.mark.parametrize("key", [_OURS + "depends-on", "config.kubernetes.io/depends-on"])
@pytest.mark.parametrize(
    ("value", "refs"),
    [
        ("apps/namespaces/shop/Deployment/web", (_WEB,)),
        ("/namespaces/shop/ConfigMap/web", (ref(namespace="shop"),)),
        ("/Namespace/shop", (ref("Namespace", "shop"),)),
        (" apps/namespaces/shop/Deployment/web , /Namespace/shop ", (_WEB, ref("Namespace", "shop"))),
    ],
)
def test_depends_on(key: str, value: str, refs: tuple[ObjectRef, ...]) -> None:
    """cli-utils' syntax, for its own annotation and for ours."""
    asked = asked_of(_annotated({key: value}))
    assert (asked.directives.depends_on, asked.faults) == (refs, ())


def test_depends_on_of_both() -> None:
    """Each object once, whichever names it."""
    both = {_OURS + "depends-on": "/Namespace/shop", "config.kubernetes.io/depends-on": "/Namespace/shop,/Namespace/b"}
    assert directives_of(_annotated(both)).depends_on == (ref("Namespace", "shop"), ref("Namespace", "b"))


@pytest.mark.parametrize(
    "value",
    [
        "web",
        "apps/Deployment",
        "apps/v1/namespaces/shop/Deployment/web",
        "apps/namespace/shop/Deployment/web",
        "apps/namespaces//Deployment/web",
        "apps/namespaces/shop//web",
        "apps/namespaces/shop/Deployment/",
        "//shop",
        "/Namespace/",
        "/Namespace/shop,",
    ],
)
def test_depends_on_that_names_nothing_is_a_fault(value: str) -> None:
    """It says where, and what to write, and does not quote the value."""
    key = "config.kubernetes.io/depends-on"
    asked = {ref(): asked_of(_annotated({key: value}))}
    ((where, path, message),) = faults(asked)
    assert (where, path) == (ref(), FieldPath(("metadata", "annotations", key)))
    assert message.startswith(f"each part of {key} must name an object")


def test_of_several_annotations_the_first_in_the_table_is_told() -> None:
    """Ours comes first."""
    asked = _annotated({"helm.sh/resource-policy": "keep", _OURS + "prune": "disabled"})
    assert directives_of(asked).keep == f"{_OURS}prune: disabled"


def test_an_option_is_told_without_its_neighbours() -> None:
    """Of a list of options only the one that decides is named, as it was written."""
    asked = _annotated({_ARGO + "sync-options": "Validate=false,  Prune=false"})
    assert directives_of(asked).keep == f"{_ARGO}sync-options: Prune=false"


def test_long_values_are_cut() -> None:
    """A hook's name may be anything."""
    assert directives_of(_annotated({_ARGO + "hook": "x\n" * 500})).skip == f"{_ARGO}hook: {('x ' * 40)}"


@pytest.mark.parametrize(
    "body",
    [
        body_of(),
        _annotated({"example.com/other": "x"}),
        body_of(metadata={"annotations": None, "labels": {"app": "web"}}),
        body_of(metadata={"labels": {_ARGO + "hook": "PreSync"}}),
    ],
    ids=["bare", "others", "labels", "no-label-of-argo"],
)
def test_nothing_is_asked_of_most_objects(body: Body) -> None:
    """They share one answer."""
    assert asked_of(body) is NOTHING
    assert directives_of(body) is NO_DIRECTIVES


@pytest.mark.parametrize("value", [None, 1, True], ids=str)
def test_a_value_that_is_no_text_asks_for_nothing(value: object) -> None:
    """The reader, or the server, says what is wrong with it."""
    assert directives_of(_annotated({_OURS + "prune": value})) == Directives()


@pytest.mark.parametrize(
    ("key", "value", "unread"),
    [
        (_OURS + "prune", "never", f"{_OURS}prune: never"),
        (_ARGO + "sync-options", "Prune=false,Purge=false", f"{_ARGO}sync-options: Purge=false"),
        (_ARGO + "sync-options", "Prune=never", f"{_ARGO}sync-options: Prune=never"),
        (_FLUX + "ssa", "Sometimes", f"{_FLUX}ssa: Sometimes"),
        ("helm.sh/resource-policy", "delete", "helm.sh/resource-policy: delete"),
        (_ARGO + "sync-wave", "first", f"{_ARGO}sync-wave: first"),
        (_OURS + "prunes", "disabled", f"{_OURS}prunes"),
        (_OURS + "hold", "2026-12-01T12:00:00Z", f"{_OURS}hold"),
    ],
)
def test_what_means_nothing_is_noted(key: str, value: str, unread: str) -> None:
    """A misspelt annotation of ours, and a value that nobody knows: a note with the objects, and no error."""
    asked = asked_of(_annotated({key: value}))
    assert asked.unread == (unread,)
    several = {ref(name=name): asked for name in "abcde"}
    assert notes_of_annotations(several) == [
        f"Annotation {unread} means nothing to recon-action; it is on ConfigMap a, ConfigMap b, ConfigMap c and 2 more."
    ]


def test_merging_is_noted() -> None:
    """What it hides is in no entry: the note says it."""
    asked = {ref(): asked_of(_annotated({_FLUX + "ssa": "Merge"}))}
    assert notes_of_annotations(asked) == [
        f"Fields that Git does not mention are not looked at, as annotated ({_FLUX}ssa: Merge): ConfigMap web."
    ]


def test_notes_are_bounded() -> None:
    """However many kinds of nonsense there are."""
    asked = {ref(name=str(n)): asked_of(_annotated({_OURS + "prune": str(n)})) for n in range(13)}
    assert len(notes_of_annotations(asked)) == 11
    assert notes_of_annotations(asked)[-1] == "The same holds of 3 more kinds of annotations."
