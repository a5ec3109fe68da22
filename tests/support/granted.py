"""Users of a lab who may do what `rbac` prints, or all of it but one thing, and what a run of theirs comes to."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import yaml
from target import Target

from recon_action.analyze.built_in import built_in
from recon_action.analyze.references import RBAC
from recon_action.cluster import Cluster
from recon_action.errors import ExitCode, ReconError
from recon_action.lab import Lab
from recon_action.lab.audit import AuditEvent
from recon_action.model import Access, Mode, Quiet, Settings, ref_of
from recon_action.model.permissions import Account, Grants, Permit, Purpose, Rule
from recon_action.reconcile import reconcile
from recon_action.report.permissions import roles


@dataclass(frozen=True)
class Lacking:
    """A user who lacks one thing.

    Args:
        place: the namespace of the role, "" for the ClusterRole.
        rule: what is missing from it.
        grants: what is left.
    """

    place: str
    rule: Rule
    grants: Grants

    def __str__(self) -> str:
        things = ",".join(self.rule.resources or self.rule.urls)
        return f"{self.rule.purpose} {'/'.join(filter(None, (self.place, things)))} {','.join(self.rule.verbs)}"

    def denials(self, events: Iterable[AuditEvent]) -> list[AuditEvent]:
        """What the user was refused for want of the rule.

        That a patch would create an object, or grant something, is told of the patch.
        """
        grants_others = self.rule.purpose in {Purpose.BOUND, Purpose.ESCALATED, Purpose.HELD}
        verbs = (
            {"patch"} if grants_others else {*self.rule.verbs} | {"create": {"patch"}}.get(self.rule.verbs[0], set())
        )
        return [
            event
            for event in events
            if event.code == 403
            and event.verb in verbs
            and (event.group == RBAC if grants_others else event.resource in self.rule.resources)
            and self.place in {"", event.namespace}
        ]


def lacking(grants: Grants, place: str, rule: Rule, part: Rule) -> Lacking:
    """`grants` without `part` of one of its rules."""
    verbs = tuple(verb for verb in rule.verbs if verb not in part.verbs or rule.resources != part.resources)
    resources = tuple(one for one in rule.resources if one not in part.resources or rule.verbs != part.verbs)
    left = replace(rule, verbs=verbs or rule.verbs, resources=resources or rule.resources)
    others = tuple(other for other in grants.rules[place] if other != rule)
    kept = others if part == rule else (*others, left)
    return Lacking(place, part, replace(grants, rules={**grants.rules, place: kept}))


def parts(grants: Grants) -> Iterator[Lacking]:
    """Users of whom each lacks one rule; then, of each rule, one verb, or one resource."""
    for place, rules in grants.rules.items():
        for rule in rules:
            yield lacking(grants, place, rule, rule)
            if len(rule.verbs) > 1:
                yield from (lacking(grants, place, rule, replace(rule, verbs=(verb,))) for verb in rule.verbs)
            if len(rule.resources) > 1:
                yield from (lacking(grants, place, rule, replace(rule, resources=(one,))) for one in rule.resources)


def grant(admin: Cluster, permits: Iterable[Permit]) -> None:
    """Put the printed roles and bindings into the cluster."""
    bodies = [
        body
        for permit in permits
        for body in yaml.safe_load_all(roles(permit))
        if body["kind"] not in {"Namespace", "ServiceAccount"}
    ]

    def create(body: dict[str, Any]) -> None:
        ref = ref_of(body)
        resource = built_in(ref.group, ref.kind)
        assert resource is not None
        admin.create(resource, body)

    admin.each(create, bodies)


def user(permit: Permit, name: str, grants: Grants) -> Permit:
    """The same for the user `name`, who has `grants`; the roles are called after him."""
    return replace(permit, target=name, account=Account("User", name), grants=(grants,))


@dataclass
class _Notes(Quiet):
    """A display that keeps what is noted."""

    lines: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        self.lines.append(text)


def said(lab: Lab, name: str, settings: Settings, mode: Mode) -> list[str]:
    """What a run of the user `name` comes to, in lines that are the same for all users who may do the same."""
    notes = _Notes()
    access = Access(str(lab.kubeconfig_for(name, [])))
    try:
        report = reconcile(replace(settings, access=access), mode, progress=notes, own_name=lambda _: f"run#{name}")
    except ReconError as error:
        lines = [f"{error.exit_code.name}: {error.message}"]
    else:
        lines = [report.exit_code.name, str(report.counts)]
        for entry in report.entries:
            problem = entry.problem.message if entry.problem else ""
            words = (entry.bucket, entry.outcome, entry.reason, problem, "local" if entry.local else "")
            lines.append(f"{entry.ref}: {' '.join(filter(None, words))}")
        lines += [problem.message for problem in report.problems]
        lines += report.notes
    return [line.replace(name, "USER") for line in (*lines, *notes.lines)]


def by_user(events: Iterable[AuditEvent]) -> dict[str, list[AuditEvent]]:
    """Requests by who sent them."""
    found: defaultdict[str, list[AuditEvent]] = defaultdict(list)
    for event in events:
        found[event.user].append(event)
    return found


def sent(events: Iterable[AuditEvent]) -> list[str]:
    """What is not told in a report: how often the server was asked for a dry run, and what was watched."""
    listed = list(events)
    dry = sum("dryRun=All" in event.uri for event in listed)
    watched = sorted({event.resource for event in listed if event.verb == "watch" and event.code == 200})
    return [f"{dry} dry runs", f"watched: {', '.join(watched)}"]


@dataclass
class Trial:
    """A target that somebody is to look at, or to apply, who may do what was printed, or less.

    Args:
        lab: where it is.
        target: the target.
        admin: somebody who may do anything.
        settings: of the runs; whose they are is put in.
        reset: makes everything as it has to be before an apply.
    """

    lab: Lab
    target: Target
    admin: Cluster
    settings: Settings
    reset: Callable[[], None]

    def run(self, made: Permit, users: dict[str, Lacking | None], mode: Mode, **options: Any) -> dict[str, list[str]]:
        """What each user's run comes to."""
        grant(self.admin, [user(made, name, one.grants if one else made.grants[0]) for name, one in users.items()])
        settings = replace(self.settings, **options)
        lines = {}
        for name in users:
            if mode is Mode.APPLY:
                self.reset()
            lines[name] = said(self.lab, name, settings, mode)
        events = by_user(self.lab.audit())
        return {name: [*found, *sent(events[name])] for name, found in lines.items()}

    def judge(self, users: dict[str, Lacking | None], lines: dict[str, list[str]], end: ExitCode) -> dict[str, str]:
        """Whose lack nobody noticed, or nobody was told of; who has it all comes to `end`."""
        events = by_user(self.lab.audit())
        full = next(name for name, one in users.items() if one is None)
        assert lines[full][0] == end.name, lines[full]
        wrong = {}
        for name, one in users.items():
            if one is None:
                continue
            if not one.denials(events[name]):
                wrong[str(one)] = "nothing was denied"
            elif lines[name] == lines[full]:
                wrong[str(one)] = "it made no difference"
        return wrong
