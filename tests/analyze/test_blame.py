"""Which side moved, and with which tool."""

from typing import Any

import pytest
from objects import body_of, entry_of, live_of

from recon_action.analyze.blame import blame, overall
from recon_action.analyze.managers import cause_of, tool_of
from recon_action.model import ABSENT, Body, Cause, FieldPath, ManagedEntry

_REPLICAS = {"f:spec": {"f:replicas": {}}}
_PATH = FieldPath(("spec", "replicas"))
_OURS = entry_of(_REPLICAS)
_OURS_ELSEWHERE = entry_of({"f:spec": {"f:other": {}}})
_EDIT = entry_of(_REPLICAS, "kubectl-edit", "Update", time="2026-01-01T00:00:00Z")
_SCALE = entry_of(_REPLICAS, "kubectl", "Update", subresource="scale", time="2026-01-02T00:00:00Z")
_CONTROLLER = entry_of(_REPLICAS, "kube-controller-manager", "Update", subresource="scale")
_STRANGE = entry_of(_REPLICAS, "terraform-provider", "Apply")


@pytest.mark.parametrize(
    ("entries", "live", "git_moved", "cause", "tool"),
    [
        pytest.param((_EDIT,), 5, None, Cause.GIT, "kubectl-edit", id="never-applied-by-us"),
        pytest.param((_OURS,), 5, True, Cause.GIT, "", id="git-moved-and-the-field-is-ours"),
        pytest.param((_OURS_ELSEWHERE,), ABSENT, True, Cause.GIT, "", id="git-moved-and-live-lacks-it"),
        pytest.param((_OURS_ELSEWHERE, _EDIT), 5, True, Cause.MANUAL, "kubectl-edit", id="both-moved"),
        pytest.param((_OURS_ELSEWHERE, _EDIT), 5, False, Cause.MANUAL, "kubectl-edit", id="a-hand"),
        pytest.param((_OURS_ELSEWHERE, _SCALE), 5, False, Cause.MANUAL, "kubectl scale", id="kubectl-scale"),
        pytest.param((_OURS, _EDIT, _SCALE), 5, False, Cause.MANUAL, "kubectl scale", id="the-last-of-two-hands"),
        pytest.param(
            (_OURS_ELSEWHERE, _CONTROLLER), 5, False, Cause.CONTROLLER, "kube-controller-manager scale", id="controller"
        ),
        pytest.param((_OURS_ELSEWHERE, _STRANGE), 5, False, Cause.UNKNOWN, "terraform-provider", id="unknown-tool"),
        pytest.param((_OURS_ELSEWHERE,), ABSENT, False, Cause.UNKNOWN, "", id="deletions-leave-no-trace"),
        pytest.param((_OURS,), 5, False, Cause.UNKNOWN, "", id="ours-and-git-did-not-move"),
        pytest.param((_OURS,), 5, None, Cause.GIT, "", id="ours-and-nothing-remembered"),
        pytest.param(
            (_OURS_ELSEWHERE, _EDIT), 5, None, Cause.MANUAL, "kubectl-edit", id="a-hand-and-nothing-remembered"
        ),
    ],
)
def test_each_change_gets_its_cause(
    entries: tuple[Body, ...], live: Any, *, git_moved: bool | None, cause: Cause, tool: str
) -> None:
    """The memory of what was applied tells whether Git moved; the owner of the field tells the hand."""
    (change,) = blame([(_PATH, 3, live)], live_of(body_of(), *entries), git_moved=git_moved)
    assert (change.path, change.desired, change.live) == (_PATH, 3, live)
    assert (change.cause, change.tool) == (cause, tool)


_ENV = 'k:{"name":"a"}'
_LIST = FieldPath(("spec", "env"))


@pytest.mark.parametrize(
    ("fields", "cause", "tool"),
    [
        pytest.param({_ENV: {}}, Cause.UNKNOWN, "", id="order-of-merged-items"),
        pytest.param({}, Cause.MANUAL, "kubectl-edit", id="atomic-list"),
    ],
)
def test_the_order_of_items_names_no_tool(fields: Body, cause: Cause, tool: str) -> None:
    """Reordering leaves no entry: whoever owns an item need not have moved it. An atomic list has one owner."""
    live = live_of(body_of(), _OURS_ELSEWHERE, entry_of({"f:spec": {"f:env": fields}}, "kubectl-edit", "Update"))
    (change,) = blame([(_LIST, ["[name=a]", "[name=b]"], ["[name=b]", "[name=a]"])], live, git_moved=False)
    assert (change.cause, change.tool) == (cause, tool)


def test_an_order_that_git_changed_is_gits() -> None:
    """The items are ours, and Git moved."""
    live = live_of(body_of(), entry_of({"f:spec": {"f:env": {_ENV: {}}}}))
    (change,) = blame([(_LIST, ["[name=a]"], ["[name=b]"])], live, git_moved=True)
    assert change.cause is Cause.GIT


def test_the_last_write_is_told() -> None:
    """A tool is named with the time of its last write; we ourselves are no tool."""
    live = live_of(body_of(), entry_of(_REPLICAS, time="2026-02-02T00:00:00Z"), _EDIT)
    (change,) = blame([(_PATH, 3, 5)], live, git_moved=False)
    assert (change.tool, change.since) == ("kubectl-edit", "2026-01-01T00:00:00Z")


@pytest.mark.parametrize(
    ("causes", "cause"),
    [
        pytest.param([Cause.GIT], Cause.GIT, id="git"),
        pytest.param([Cause.GIT, Cause.UNKNOWN], Cause.UNKNOWN, id="unknown-outweighs-git"),
        pytest.param([Cause.UNKNOWN, Cause.CONTROLLER], Cause.CONTROLLER, id="controller-outweighs-unknown"),
        pytest.param([Cause.CONTROLLER, Cause.MANUAL, Cause.GIT], Cause.MANUAL, id="a-hand-outweighs-all"),
        pytest.param([], Cause.GIT, id="none"),
    ],
)
def test_an_object_has_one_cause(causes: list[Cause], cause: Cause) -> None:
    """Pending only if every change is Git's."""
    assert overall(causes) is cause


@pytest.mark.parametrize(
    ("manager", "cause"),
    [
        ("kubectl-edit", Cause.MANUAL),
        ("kubectl-client-side-apply", Cause.MANUAL),
        ("kubectl", Cause.MANUAL),
        ("k9s", Cause.MANUAL),
        ("kubelet", Cause.CONTROLLER),
        ("kube-controller-manager", Cause.CONTROLLER),
        ("argocd-controller", Cause.CONTROLLER),
        ("cert-manager-certificates-issuing", Cause.CONTROLLER),
        ("my-own-operator", Cause.CONTROLLER),
        ("rollouts-controller", Cause.CONTROLLER),
        ("kustomize-controller", Cause.CONTROLLER),
        ("istio.io/gateway-controller", Cause.CONTROLLER),
        ("pilot-discovery", Cause.CONTROLLER),
        ("velero-server", Cause.CONTROLLER),
        ("cert-manager-cainjector", Cause.CONTROLLER),
        ("keda-operator", Cause.CONTROLLER),
        ("externalsecrets.external-secrets.io/database", Cause.CONTROLLER),
        ("cilium-operator-lb-ipam", Cause.CONTROLLER),
        ("PrometheusOperator", Cause.CONTROLLER),
        ("controller", Cause.CONTROLLER),
        ("manager", Cause.CONTROLLER),
        ("k3s", Cause.CONTROLLER),
        ("my-manager-script", Cause.UNKNOWN),
        ("ciliumish", Cause.UNKNOWN),
        ("kubectlish", Cause.UNKNOWN),
        ("before-first-apply", Cause.UNKNOWN),
        ("ancient-changes", Cause.UNKNOWN),
        ("", Cause.UNKNOWN),
    ],
)
def test_managers_are_known_by_name(manager: str, cause: Cause) -> None:
    """A person's tool, a controller, or neither that we know of."""
    entry = ManagedEntry(manager, "Update", "v1", "", "", {})
    assert (cause_of(entry), tool_of(entry)) == (cause, manager)
