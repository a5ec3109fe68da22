"""Reports of the golden cases, each built as a run builds it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from validation_scenarios import VALIDATIONS

from recon_action.model import (
    ABSENT,
    Action,
    ActionKind,
    Body,
    Bucket,
    Cause,
    Correction,
    Desired,
    Digest,
    Directives,
    DriftKind,
    FieldChange,
    FieldPath,
    ItemKey,
    LiveObject,
    Manifest,
    Mode,
    ObjectDrift,
    ObjectRef,
    Origin,
    Outcome,
    Position,
    Problem,
    Resource,
    Result,
    Revision,
    Severity,
    Skipped,
    Stage,
    Trouble,
    Verdict,
)
from recon_action.redact import Secrets
from recon_action.report.build import Facts, build
from recon_action.report.document import Report

FACTS = Facts(
    server="https://127.0.0.1:6443",
    server_version="v1.37.2",
    cluster_uid="5b1f3c1e-9d0a-4c5e-8f5d-0b7a3f7d2a11",
    asked=4,
    started="2026-11-30T14:05:00Z",
    seconds=4.125,
    run_url="https://github.com/acme/shop/actions/runs/123",
    applied="77ab012c3d4e5f60718293a4b5c6d7e8f9012345",
    version="0.1.0",
)
REVISION = Revision(
    commit="9e1c2bf0d4f5a6b7c8d9e0f1a2b3c4d5e6f70819",
    branch="main",
    repository="github.com/acme/shop",
    url="https://github.com/acme/shop",
    root="/work",
)
DESIRED = Desired((), files=12, skipped=(Skipped("values.yaml", "no kind"),), revision=REVISION)
IMAGE = FieldPath(("spec", "template", "spec", "containers", ItemKey((("name", "web"),)), "image"))
REPLICAS = FieldPath(("spec", "replicas"))
_FIRST = (ActionKind.CONFIGURE, ActionKind.CREATE)


def ref(kind: str, name: str, namespace: str = "shop", group: str = "") -> ObjectRef:
    return ObjectRef(group, kind, namespace, name)


WEB = ref("Deployment", "web", group="apps")


def manifest(of: ObjectRef, file: str = "k8s/web.yaml", line: int = 1, **body: Any) -> Manifest:
    version = f"{of.group}/v1" if of.group else "v1"
    metadata = {"name": of.name, "namespace": of.namespace}
    return Manifest(of, {"apiVersion": version, "kind": of.kind, "metadata": metadata, **body}, Origin(file, 0, line))


def live(of: ObjectRef, **body: Any) -> LiveObject:
    return LiveObject(of, manifest(of, **body).body)


def in_sync(count: int) -> list[Verdict]:
    return [Verdict(ref("ConfigMap", f"settings-{number}"), Bucket.IN_SYNC) for number in range(count)]


def modified(
    of: ObjectRef,
    *changes: FieldChange,
    bucket: Bucket = Bucket.DRIFTED,
    cause: Cause = Cause.MANUAL,
    severity: Severity = Severity.SPEC,
    file: str = "k8s/web.yaml",
    **options: Any,
) -> Verdict:
    drift = ObjectDrift(of, DriftKind.MODIFIED, cause, severity, changes)
    return Verdict(of, bucket, manifest(of, file), live(of), drift, **options)


def missing(of: ObjectRef, *, bucket: Bucket = Bucket.DRIFTED, cause: Cause = Cause.MANUAL) -> Verdict:
    drift = ObjectDrift(of, DriftKind.MISSING, cause, Severity.SPEC)
    return Verdict(of, bucket, manifest(of, "k8s/new.yaml", 7), drift=drift, managed=bucket is Bucket.DRIFTED)


def orphaned(of: ObjectRef, severity: Severity = Severity.SPEC) -> Verdict:
    return Verdict(of, Bucket.PENDING, live=live(of), drift=ObjectDrift(of, DriftKind.ORPHANED, Cause.GIT, severity))


def added(of: ObjectRef, *changes: FieldChange, severity: Severity = Severity.METADATA, **options: Any) -> Verdict:
    """In sync, apart from what a person's tool put beside it."""
    extra = ObjectDrift(of, DriftKind.MODIFIED, Cause.MANUAL, severity, changes)
    return Verdict(of, Bucket.IN_SYNC, manifest(of), live(of), additive=extra, **options)


def extra(path: FieldPath, value: object, tool: str = "kubectl-label") -> FieldChange:
    """One field that Git does not mention."""
    return FieldChange(path, ABSENT, value, Cause.MANUAL, tool, "2026-11-30T14:03:00Z", additive=True)


def scaled() -> Verdict:
    when = "2026-11-30T14:02:11Z"
    return modified(
        WEB,
        FieldChange(REPLICAS, 3, 5, Cause.MANUAL, "kubectl-scale", when),
        FieldChange(IMAGE, "nginx:1.27", "nginx:1.28", Cause.MANUAL, "kubectl-set", when),
    )


POSITIONS = {
    (WEB, REPLICAS): Position("k8s/web.yaml", 9),
    (WEB, IMAGE): Position("k8s/web.yaml", 21),
}


def report(*verdicts: Verdict, mode: Mode = Mode.DIFF, secrets: Secrets | None = None, **more: Any) -> Report:
    more = {"positions": POSITIONS, "facts": FACTS} | more
    return build(
        mode=mode,
        target="shop",
        verdicts=verdicts,
        desired=DESIRED,
        secrets=secrets or Secrets.nothing(),
        digest=_digest(more.get("stages", ())),
        **more,
    )


def _digest(stages: Sequence[Stage]) -> Digest:
    refs = [action.ref for stage in stages for action in stage.actions]
    return Digest("9f86d081884c7d65-a1b2c3d4", {one: f"{number:012x}" for number, one in enumerate(refs, 1)})


def action(kind: ActionKind, verdict: Verdict) -> Action:
    resource = Resource(verdict.ref.group, "v1", verdict.ref.kind, f"{verdict.ref.kind.lower()}s", namespaced=True)
    return Action(kind, resource, verdict)


def clean() -> Report:
    return report(*in_sync(43))


def drift_of_a_person() -> Report:
    team = FieldPath(("metadata", "labels", "team"))
    debug = FieldPath((*IMAGE.items[:-1], "env", ItemKey((("name", "DEBUG"),))))
    more = ObjectDrift(
        WEB, DriftKind.MODIFIED, Cause.MANUAL, Severity.SPEC, (extra(debug, {"name": "DEBUG", "value": "1"}),)
    )
    verdict = replace(scaled(), additive=more)
    selector = FieldPath(("spec", "ports", ItemKey((("port", 81), ("protocol", "TCP")))))
    service = added(ref("Service", "web"), extra(selector, {"port": 81, "protocol": "TCP"}, "kubectl-edit"))
    labelled = modified(ref("Service", "api"), FieldChange(team, "red", "blue", Cause.UNKNOWN, "lens"), local=True)
    stages = (Stage("rest", (action(ActionKind.CONFIGURE, verdict), action(ActionKind.CONFIGURE, labelled))),)
    return report(verdict, labelled, service, *in_sync(40), stages=stages)


def pending() -> Report:
    config = "server {\n  listen 80;\n  root /srv;\n\ttry_files $uri =404;\n}\n"
    changed = FieldChange(
        FieldPath(("data", "nginx.conf")), config.replace("80", "8080"), config.rstrip("\n") + " ", Cause.GIT
    )
    ports = FieldChange(
        FieldPath(("spec", "ports")),
        [{"name": "http", "port": 80, "protocol": "TCP", "targetPort": 8080}, {"name": "tls", "port": 443}],
        [{"name": "http", "port": 80, "protocol": "TCP", "targetPort": 80}, {"name": "tls", "port": 443}],
        Cause.GIT,
    )
    verdicts = (
        missing(ref("Deployment", "api", group="apps"), bucket=Bucket.PENDING, cause=Cause.GIT),
        modified(ref("ConfigMap", "nginx"), changed, bucket=Bucket.PENDING, cause=Cause.GIT, file="k8s/cm.yaml"),
        modified(ref("Service", "web"), ports, bucket=Bucket.PENDING, cause=Cause.GIT, file="k8s/svc.yaml"),
    )
    notes = ("Service shop/web: spec.replicas is left to its autoscaler.",)
    return report(*verdicts, *in_sync(2), notes=notes)


def previewed() -> Report:
    """What a pull request would change; the object that goes comes first."""
    image = FieldChange(IMAGE, "registry.example/web:2", "registry.example/web:1", Cause.GIT)
    verdicts = (
        modified(WEB, image, bucket=Bucket.PENDING, cause=Cause.GIT, severity=Severity.SECURITY),
        missing(ref("Deployment", "api", group="apps"), bucket=Bucket.PENDING, cause=Cause.GIT),
        orphan(),
    )
    stages = (
        Stage("apply", tuple(action(kind, one) for kind, one in zip(_FIRST, verdicts, strict=False))),
        Stage("prune", (action(ActionKind.DELETE, verdicts[2]),)),
    )
    notes = ("2 objects differ from the base already: that is left out here, and an apply corrects it too.",)
    facts = replace(FACTS, base="77ab0120c4d5e6f708192a3b4c5d6e7f8091a2b3")
    return report(*verdicts, *in_sync(40), mode=Mode.PREVIEW, notes=notes, stages=stages, facts=facts)


def unpreviewed() -> Report:
    """A pull request that changes nothing."""
    return report(*in_sync(43), mode=Mode.PREVIEW)


def destructive() -> Report:
    claim = orphaned(ref("PersistentVolumeClaim", "pg", "data"), Severity.DESTRUCTIVE)
    gone = missing(ref("Service", "api"))
    stages = (
        Stage("apply", (action(ActionKind.CREATE, gone),)),
        Stage("prune", (action(ActionKind.DELETE, claim), *(action(ActionKind.DELETE, v) for v in [orphan()]))),
    )
    return report(claim, gone, orphan(), scaled(), *in_sync(7), stages=stages)


def orphan() -> Verdict:
    return orphaned(ref("ConfigMap", "old"))


SECRET_BODY: Body = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "db", "namespace": "shop"},
    "stringData": {"password": "correct-horse-battery", "pin": "42x"},
    "data": {"key": "c3RhcGxlLW1hdGVyaWFs"},
}


def secret_changed() -> Report:
    db = ref("Secret", "db")
    copy = "kubectl.kubernetes.io/last-applied-configuration"
    verdicts = (
        modified(
            db,
            FieldChange(FieldPath(("data", "password")), "Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5", "b2xk", Cause.GIT),
            FieldChange(FieldPath(("data", "token")), ABSENT, "b2xk", Cause.GIT, "kubectl-edit"),
            FieldChange(FieldPath(("data", "user")), "c3RhcGxlLW1hdGVyaWFs", ABSENT, Cause.GIT),
            FieldChange(FieldPath(("metadata", "annotations")), {copy: "{…}", "team": "blue"}, ABSENT, Cause.GIT),
            bucket=Bucket.PENDING,
            cause=Cause.GIT,
            severity=Severity.SECURITY,
            file="k8s/secret.yaml",
        ),
        modified(
            WEB,
            FieldChange(
                FieldPath(("metadata", "annotations", "note")),
                "see staple-material",
                "correct-horse-battery",
                Cause.MANUAL,
            ),
        ),
        Verdict(
            ref("Secret", "broken"),
            Bucket.FAILED,
            problem=Problem(
                Trouble.INVALID,
                'Secret "broken" is invalid: data[pin]: Invalid value: "42x": must be longer',
                hint="correct the field in Git",
                verb="dry-run",
                status=422,
            ),
        ),
    )
    return report(*verdicts, *in_sync(1), secrets=Secrets.of([SECRET_BODY]))


def forbidden() -> Report:
    listed = Problem(
        Trouble.FORBIDDEN,
        'secrets is forbidden: User "system:serviceaccount:ci:recon" cannot list resource "secrets" in API group ""'
        " at the cluster scope",
        hint='grant the verb "list" on secrets',
        verb="list",
        status=403,
    )
    unread = Verdict(ref("Secret", "db"), Bucket.FAILED, manifest(ref("Secret", "db")), problem=listed)
    unknown = Verdict(
        ref("Certificate", "tls", group="cert-manager.io"),
        Bucket.FAILED,
        problem=Problem(Trouble.UNKNOWN_KIND, "the cluster has no kind Certificate", "add its CRD", verb="resolve"),
    )
    held = Verdict(ref("ConfigMap", "hook"), Bucket.SKIPPED, reason="a hook of Helm: helm.sh/hook is post-install")
    hidden = Verdict(ref("Deployment", "auto", group="apps"), Bucket.IGNORED, reason="every change is ignored")
    return report(unread, unknown, held, hidden, scaled(), *in_sync(5), problems=(listed,))


def applied() -> Report:
    verdict, gone, old = scaled(), missing(ref("Service", "api")), orphan()
    adopted = Verdict(ref("ConfigMap", "kept"), Bucket.IN_SYNC, manifest(ref("ConfigMap", "kept")), managed=False)
    relabelled = Verdict(ref("ConfigMap", "bare"), Bucket.IN_SYNC, manifest(ref("ConfigMap", "bare")), mend=True)
    results = {
        verdict.ref: Result(verdict.ref, Outcome.CONFIGURED, uid="1"),
        gone.ref: Result(gone.ref, Outcome.CREATED, uid="2"),
        old.ref: Result(old.ref, Outcome.DELETED),
        adopted.ref: Result(adopted.ref, Outcome.CONFIGURED),
        relabelled.ref: Result(relabelled.ref, Outcome.CONFIGURED),
    }
    health = {verdict.ref: ("Current", ""), gone.ref: ("Current", ""), old.ref: ("NotFound", "")}
    stages = (
        Stage("apply", (action(ActionKind.CREATE, gone), action(ActionKind.CONFIGURE, verdict))),
        Stage("prune", (action(ActionKind.DELETE, old),)),
    )
    corrections = (
        Correction("2026-11-30T09:05:00Z", verdict.ref, str(REPLICAS), "kubectl-scale"),
        Correction(FACTS.started, gone.ref),
        Correction(FACTS.started, verdict.ref, str(REPLICAS), "kubectl-scale"),
        Correction(FACTS.started, verdict.ref, str(IMAGE), "kubectl-set"),
    )
    return report(
        verdict,
        gone,
        old,
        adopted,
        relabelled,
        *in_sync(38),
        mode=Mode.APPLY,
        results=results,
        health=health,
        stages=stages,
        corrections=corrections,
    )


def incomplete() -> Report:
    verdict, gone = scaled(), missing(ref("Service", "api"))
    refused = Problem(Trouble.FORBIDDEN, 'deployments.apps "web" is forbidden', "grant patch", "apply", 403)
    later = Problem(Trouble.PREREQUISITE, "Deployment shop/web was not applied")
    slow = ref("StatefulSet", "pg", group="apps")
    results = {
        WEB: Result(WEB, Outcome.FAILED, refused),
        gone.ref: Result(gone.ref, Outcome.SKIPPED, later),
    }
    why = 'Pod pg-1: ImagePullBackOff: Back-off pulling image "registry.example/pg:17"'
    late = Problem(Trouble.TIMEOUT, f"not healthy within 300 s: 1 of 3 replicas ready; {why}", "raise the timeout")
    return report(
        verdict,
        gone,
        Verdict(slow, Bucket.IN_SYNC),
        *in_sync(3),
        mode=Mode.APPLY,
        results=results,
        health={slow: ("InProgress", f"1 of 3 replicas ready; {why}")},
        troubles={slow: late},
    )


def whole_plan() -> Report:
    """Everything new, something gone, and somebody who wants to see in which order."""
    home, secret = ref("Namespace", "shop", ""), ref("Secret", "db")
    fresh = [
        missing(of, bucket=Bucket.PENDING, cause=Cause.GIT) for of in (home, secret, WEB, ref("ConfigMap", "late"))
    ]
    fresh[-1] = replace(fresh[-1], directives=Directives(wave=1))
    first, second, third, last = (action(ActionKind.CREATE, verdict) for verdict in fresh)
    awaits = frozenset({home})
    stages = (
        Stage("stage 1 of 4", (first,)),
        Stage("stage 2 of 4", (replace(second, needs=awaits, awaits=awaits),), awaits),
        Stage("stage 3 of 4", (replace(third, needs=awaits | {secret}, awaits=awaits),), awaits),
        Stage("stage 4 of 4", (replace(last, needs=awaits, awaits=awaits),), awaits | {WEB}),
        Stage("prune stage 1 of 1", (action(ActionKind.DELETE, orphan()),)),
    )
    return replace(report(*fresh, orphan(), *in_sync(2), stages=stages), show_plan=True)


HOSTILE = (
    "\x1b[31mred\x1b[0m \u202etxet\u202c `tick` ```` | @team #1 GH-2 <img src=x onerror=1> </details> <!-- -->"
    " ::error::gone ##[error]x\n::error file=a::b\r\n![x](http://evil.example/x.png) www.evil.example"
    " *b* $a$ :tada: \u200b"
)


def hostile() -> Report:
    odd = ObjectRef("", "ConfigMap", "shop", "a`b|c</details>@team\x1b[2J")
    verdicts = (
        modified(
            odd,
            FieldChange(FieldPath(("data", HOSTILE)), HOSTILE, HOSTILE.replace("red", "blue"), Cause.MANUAL, HOSTILE),
            FieldChange(FieldPath(("data", "fence")), "```\n````diff\n```", "~~~\n", Cause.MANUAL, "t", HOSTILE),
            file="k8s/a|b`@team</details>.yaml",
        ),
        Verdict(
            ref("ConfigMap", "bad"),
            Bucket.FAILED,
            problem=Problem(Trouble.DENIED, HOSTILE, HOSTILE, "apply", 403),
        ),
        Verdict(ref("ConfigMap", "held"), Bucket.SKIPPED, reason=HOSTILE),
    )
    return report(*verdicts, notes=(HOSTILE,))


def many() -> Report:
    def one(number: int) -> Verdict:
        of = ref("ConfigMap", f"page-{number:03}")
        text = "\n".join(f"line {line} of page {number}" for line in range(15))
        path = FieldPath(("data", "page"))
        severity = Severity.SECURITY if number == 47 else Severity.METADATA
        return modified(of, FieldChange(path, text, text.replace("line 1", "LINE 1"), Cause.MANUAL), severity=severity)

    held = [Verdict(ref("Job", f"hook-{number}"), Bucket.SKIPPED, reason="a hook of Helm") for number in range(60)]
    return report(*map(one, range(60)), *held, *in_sync(9))


SCENARIOS: Mapping[str, Callable[[], Report]] = {
    "in-sync": clean,
    "drift-of-a-person": drift_of_a_person,
    "pending": pending,
    "preview": previewed,
    "preview-of-nothing": unpreviewed,
    "missing-and-orphaned": destructive,
    "secret-changed": secret_changed,
    "forbidden": forbidden,
    "applied": applied,
    "apply-incomplete": incomplete,
    "whole-plan": whole_plan,
    "hostile-text": hostile,
    "cut-by-budget": many,
    **VALIDATIONS,
}
# The rendering options of the golden cases; few enough bytes that the largest one is cut.
WIDTH, BUDGET = 100, 20_000
