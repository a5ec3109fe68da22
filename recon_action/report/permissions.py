"""Roles, bindings and what to do with them, as YAML for kubectl with comments for people. Pure.

Which rules there are is decided in `analyze.permissions`; here is said what each is for, and what happens without it.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap
from typing import Final

from recon_action.model.permissions import EVERYWHERE, Grants, Permit, Purpose, Reach, Rule
from recon_action.report.escape import inert, visible

_RBAC: Final = "rbac.authorization.k8s.io"
_WIDTH: Final = 116
_PLAIN: Final = re.compile(r"[a-z][a-z0-9.-]*(?:/[a-z0-9.-]+)*")
_WORDS: Final = frozenset({"false", "n", "no", "null", "off", "on", "true", "y", "yes"})  # YAML means something else
_USUAL: Final = re.compile(r"default|kube-.*")
_REACHES: Final = {
    Reach.READ_ONLY: "for a diff or a preview that only reads, and compares here instead of asking for dry runs: "
    "`read-only: true`, or whatever is refused a dry run. It can change nothing.",
    Reach.PREVIEW: "for a diff or a preview that asks the server, by dry runs. RBAC knows no dry run: whoever holds "
    "these credentials may create and patch in earnest. Pull requests of people who may not do that belong to "
    "read-only.",
    Reach.APPLY: "for an apply, and for a preview as well.",
}
# What is lacking of an object that Git has, if one of these verbs is.
_VERBS: Final = (
    (frozenset({"get", "list"}), "it is reported as failed"),
    (frozenset({"create", "patch"}), "it is compared here, and can't be applied"),
    (frozenset({"watch"}), "it is looked at each second"),
    (frozenset({"delete"}), "it is not pruned"),
)
_PURPOSES: Final = {
    Purpose.OBJECTS: "What Git has.",
    Purpose.AUTOSCALERS: "What scales the workloads. Without it their replicas may be set back.",
    Purpose.IDENTITY: "Which cluster this is. Without it `cluster-uid` can't be checked, and ends the run.",
    Purpose.EPOCH: "Whether admission changes objects. Without it each object is compared anew, each time.",
    Purpose.DEFINITIONS: "Whether the schemas of custom kinds have changed. The same.",
    Purpose.INVENTORY: "What the target manages.",
    Purpose.PARTS: "The same: with so many objects it is in several ConfigMaps, whose names nobody knows beforehand.",
    Purpose.HOME: "Whether the namespace of the inventory is there.",
    Purpose.LOCK: "The lock. A creation names no object that a rule could be about, hence the rule for all of them.",
    Purpose.CAUSES: "Why something does not become healthy. Without it the report does not say.",
    Purpose.CLASSES: "Whether a claim is bound only once a pod uses it. Without it such a claim is waited for in vain.",
    Purpose.BOUND: "Roles that bindings in Git name, and Git does not have. Only who may bind one may apply such a "
    "binding.",
    Purpose.ESCALATED: "Roles in Git that gather the rules of others. Only who may put anything into one may apply it.",
    Purpose.HELD: "What roles in Git grant. The API server lets nobody grant what he does not have himself, so this "
    "account can do all of it.",
}
_DECLARED: Final = (
    "Git declares this one, and its roles lie in it: they go when it is deleted, and an apply that would make it anew "
    "lacks them then. With --cluster-wide it doesn't."
)
_GROUPS: Final = {Reach.READ_ONLY: "github:look", Reach.PREVIEW: "github:look", Reach.APPLY: "github:apply"}
_UNCHECKED_ROLES: Final = (
    "Roles and bindings in Git are compared here nonetheless: the server takes them, also for a dry run, only from "
    "somebody who has all that they grant."
)


def roles(permit: Permit) -> str:
    """All of it, as one stream of documents."""
    documents: list[list[str]] = [list(_head(permit))]
    homes = _homes(permit)
    if homes:
        documents[0] += ["---", *homes.pop(0)]
    documents += homes
    for grants in permit.grants:
        documents += _of_reach(permit, grants)
    lines = [line for number, document in enumerate(documents) for line in (["---"] if number else []) + document]
    return "\n".join([*lines, *_next(permit), ""])


def _head(permit: Permit) -> Iterator[str]:
    where = f"of {permit.server}" if permit.server else "without asking a cluster"
    yield from _comment(
        f"What target {permit.target} needs in its cluster, and no more: made by `recon-action rbac` from "
        f"{', '.join(permit.paths)}, {where}."
    )
    yield from _comment(
        "To be applied by somebody who may do all of it himself: kubectl apply -f FILE. Make it anew when Git brings "
        "another kind, another namespace, or a role with more in it."
    )
    unknown = list(_unknown(permit))
    if unknown:
        yield "#"
        yield "# Not known here:"
        for sentence in unknown:
            yield from _comment(sentence, first="# - ", then="#   ")


def _unknown(permit: Permit) -> Iterator[str]:
    for group, kind in permit.unknown_kinds:
        yield (
            f"{kind} ({group or 'core'}): what it is called in URLs, and whether it lies in namespaces. Nothing is "
            "granted for it. Let a cluster be asked that serves it, or add its CustomResourceDefinition to the PATHs."
        )
    if permit.guessed:
        yield f"where objects lie that name no namespace. Taken for it: {permit.guessed}; --namespace names another."
    for group in permit.unknown_autoscalers:
        yield f"whether the cluster has autoscalers of {group}. If so, `list` of them is missing beside the workloads."
    if not permit.server:
        yield "what an apply has to prune that Git no longer has, of kinds and in namespaces that Git has lost with it."
    elif permit.unread_inventory:
        yield f"what an apply has to prune that Git no longer has: {permit.unread_inventory}."


def _homes(permit: Permit) -> list[list[str]]:
    """The namespaces that have to be there before roles can lie in them; those that every cluster has are left out."""
    used = {namespace for grants in permit.grants for namespace in grants.rules} - {EVERYWHERE}
    own = permit.inventory_namespace
    declared = [name for name in permit.namespaces if name in used and name != own and not _USUAL.fullmatch(name)]
    found = [] if _USUAL.fullmatch(own) else [["# Where inventory and lock lie.", *_namespace(own)]]
    for name in declared:
        said = _comment(_DECLARED) if name == declared[0] else ()
        found.append([*said, *_namespace(name)])
    return found


def _namespace(name: str) -> list[str]:
    return ["apiVersion: v1", "kind: Namespace", f"metadata: {{name: {_scalar(name)}}}"]


def _of_reach(permit: Permit, grants: Grants) -> Iterator[list[str]]:
    name = permit.name(grants.reach)
    head, told = [f"# === {grants.reach} ===", *_comment(_REACHES[grants.reach])], set[Purpose]()
    if grants.reach is Reach.PREVIEW and any(rule.group == _RBAC for rule in _all(grants)):
        head += _comment(_UNCHECKED_ROLES)
    if permit.account.kind == "ServiceAccount":
        metadata = f"metadata: {{{_account(permit, grants.reach)}}}"
        yield [*head, "apiVersion: v1", "kind: ServiceAccount", metadata]
        head = []
    for namespace, rules in grants.rules.items():
        kind = "Role" if namespace else "ClusterRole"
        place = f", namespace: {_scalar(namespace)}" if namespace else ""
        metadata = f"metadata: {{name: {_scalar(name)}{place}}}"
        yield [*head, f"apiVersion: {_RBAC}/v1", f"kind: {kind}", metadata, "rules:", *_rules(rules, told)]
        head = []
        reference = f"roleRef: {{apiGroup: {_RBAC}, kind: {kind}, name: {_scalar(name)}}}"
        subject = f"- {_subject(permit, grants.reach)}"
        yield [f"apiVersion: {_RBAC}/v1", f"kind: {kind}Binding", metadata, reference, "subjects:", subject]


def _all(grants: Grants) -> Iterator[Rule]:
    for rules in grants.rules.values():
        yield from rules


def _subject(permit: Permit, reach: Reach) -> str:
    account = permit.account
    if account.kind == "ServiceAccount":
        return f"{{kind: ServiceAccount, {_account(permit, reach)}}}"
    return f"{{apiGroup: {_RBAC}, kind: {account.kind}, name: {_scalar(account.name)}}}"


def _account(permit: Permit, reach: Reach) -> str:
    """Name and namespace of the ServiceAccount."""
    home = permit.account.namespace or permit.inventory_namespace
    return f"name: {_scalar(permit.account.name or permit.name(reach))}, namespace: {_scalar(home)}"


def _rules(rules: Sequence[Rule], told: set[Purpose]) -> Iterator[str]:
    """The rules of a role; what was `told` before of a purpose is told in one sentence."""
    purpose = None
    for rule in rules:
        if rule.purpose is not purpose:
            purpose = rule.purpose
            text = _explained(purpose, rules)
            yield from _comment(text if purpose not in told else f"{text.partition('. ')[0].removesuffix('.')}.")
            told.add(purpose)
        if rule.urls:
            yield f"- nonResourceURLs: {_list(rule.urls)}"
        else:
            yield f"- apiGroups: {_list([rule.group])}"
            yield f"  resources: {_list(rule.resources)}"
        if rule.names:
            yield f"  resourceNames: {_list(rule.names)}"
        yield f"  verbs: {_list(rule.verbs)}"


def _explained(purpose: Purpose, rules: Iterable[Rule]) -> str:
    """What something is needed for, and what happens without it."""
    verbs = {verb for rule in rules if rule.purpose is purpose for verb in rule.verbs}
    without = [f"without {' and '.join(sorted(known & verbs))} {what}" for known, what in _VERBS if known & verbs]
    if purpose is not Purpose.OBJECTS or not without:
        return _PURPOSES[purpose]
    said = "; ".join(without)
    return f"{_PURPOSES[purpose]} {said[0].upper()}{said[1:]}."


def _next(permit: Permit) -> Iterator[str]:
    """What else has to be done until a workflow has these rights."""
    account = permit.account
    yield "# === what comes next ==="
    if account.kind == "ServiceAccount":
        home = account.namespace or permit.inventory_namespace
        yield from _comment("A token for the workflow's kubeconfig, for as long as the server lets one live:")
        for grants in permit.grants:
            name = account.name or permit.name(grants.reach)
            yield f"#   kubectl --namespace {home} create token {name} --duration=2160h"
        yield from _comment(
            "Or no secret at all: an API server that trusts GitHub's issuer takes the job's own token (auth: "
            "github-oidc). Then bind the groups that its configuration in docs/access.md makes of the token's claims:"
        )
        for grants in permit.grants:
            group = _GROUPS[grants.reach]
            yield f"#   recon-action rbac {' '.join(permit.paths)} --mode {grants.reach} --group {group}"
    else:
        yield from _comment(
            f"The {account.kind.lower()} {account.name} is what the API server makes of what it is shown, such as the "
            "claims of a job's own token (auth: github-oidc). docs/access.md has a configuration for it."
        )


def _comment(text: str, *, first: str = "# ", then: str = "# ") -> Iterator[str]:
    lines = wrap(visible(text), _WIDTH, initial_indent=first, subsequent_indent=then, break_on_hyphens=False)
    return iter(map(inert, lines))


def _list(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(_scalar, texts))}]"


def _scalar(text: str) -> str:
    """`text` as a YAML scalar that is a text whatever it looks like."""
    return text if _PLAIN.fullmatch(text) and text not in _WORDS else json.dumps(text)
