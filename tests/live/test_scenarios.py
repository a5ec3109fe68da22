"""A repository's life with one target: each step a run of the whole action, with its event as GitHub sends it.

The story is played once: a real API server, a fake runner, a fake GitHub, a clock that goes on by hours. What each step
left for people to read is golden (`golden/`, one folder a step), and must be read in review as they would read it.
"""

import base64
import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, TextIO

import pytest
from fake_github import BOT, FakeGitHub, fake_github
from fake_runner import FakeRunner, Step
from payloads import payload
from repository import git

from recon_action import __version__
from recon_action.action import run
from recon_action.github.deliver import OUTPUTS
from recon_action.github.marker import ISSUE, PUSH, REPORT, read
from recon_action.github.publish import Channel
from recon_action.lab import Lab

GOLDEN = Path(__file__).parent / "golden"
NAMESPACE = "a-shop"
PULL = 7
PASSWORDS = ("planted-password-1", "planted-password-2", "planted-password-3")
TOKEN = "planted-job-token"
SETTINGS = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: a-shop}
data:
  color: blue
"""
SECRET = """\
apiVersion: v1
kind: Secret
metadata: {name: login, namespace: a-shop}
stringData:
  user: shop
  password: planted-password-1
"""
SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: web, namespace: a-shop}
spec:
  selector: {app: web}
  ports:
  - port: 80
"""
MORE = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: more, namespace: a-shop}
data:
  size: large
"""
# As `kubectl create quota` and the controller that counts would leave it.
QUOTA = '{"status":{"hard":{"configmaps":"1"},"used":{"configmaps":"1"}}}'
_UID = re.compile(r"[0-9a-f]{8}(?:(?:-|\\u002d)[0-9a-f]{4}){3}(?:-|\\u002d)[0-9a-f]{12}")
_DIGEST = re.compile(r"\b[0-9a-f]{16}(?:-|\\u002d)[0-9a-f]{8}\b")
_MOMENT = re.compile(r"\b(\d{4}-\d\d-\d\d)[ T](\d\d(?:(?::|&#58;)\d\d){1,2})(?:Z| UTC)?")
_EPOCH = re.compile(r"(?<=[:\[,])\d{10}(?:\d{3})?(?=[,\]}])")  # in the hidden lines
_ROW = re.compile(r"^\| \S+ (\w+) \| (?:\[(.+?)\]\(.+?\)|(.+?)) \| (.*?) \|$", re.MULTILINE)


@dataclass(frozen=True)
class Seen:
    """What a step came to.

    Args:
        step: as the runner sees it.
        texts: what it wrote for people to read, by file name.
        everything: all that has left the action by then, in one text.
        comments: how many comments of ours each issue or pull request shows, by number, target and kind.
        opened: how many issues of ours are open, by target.
        checks: status and conclusion of each check run.
    """

    step: Step
    texts: Mapping[str, str]
    everything: str
    comments: Mapping[tuple[int, str, str], int]
    opened: Mapping[str, int]
    checks: tuple[tuple[str, str | None], ...]

    @property
    def ledger(self) -> dict[str, str]:
        """What became of each channel."""
        rows = _ROW.findall(self.step.summary.partition("**On GitHub**")[2])
        return {link or name: f"{outcome}: {plain(what)}" for outcome, link, name, what in rows}


def plain(text: str) -> str:
    """A cell of a table as people see it."""
    return text.replace("&#8203;", "").replace("&#35;", "#")


class Life:
    """A clone, a cluster and a GitHub, and what happens to them."""

    def __init__(self, root: Path, lab: Lab, github: FakeGitHub) -> None:
        self.root, self.lab, self.github = root, lab, github
        self.clone = root / "clone"
        self.began = datetime.now(UTC).replace(microsecond=0)
        self.hours = 0
        self.log = ""
        self.seen: dict[str, Seen] = {}
        (self.clone / "k8s").mkdir(parents=True)
        git(self.clone, "init", "--quiet", "--initial-branch=main")
        github.state.collaborators["octocat"] = "write"
        self.kubectl("create", "namespace", NAMESPACE)

    def play(self) -> None:
        """All of it."""
        self.first_push()
        self.pull_request()
        self.drift()
        self.order()
        self.merge()

    def first_push(self) -> None:
        """The manifests come, and are applied."""
        for name, text in (("settings", SETTINGS), ("login", SECRET), ("web", SERVICE)):
            (self.clone / f"k8s/{name}.yaml").write_text(text)
        self.commit("A shop")
        self.push("01-first-push")

    def pull_request(self) -> None:
        """A pull request changes, adds and deletes; its next push leaves the Service and changes the Secret."""
        git(self.clone, "checkout", "--quiet", "-b", "green")
        (self.clone / "k8s/settings.yaml").write_text(SETTINGS.replace("blue", "green"))
        (self.clone / "k8s/more.yaml").write_text(MORE)
        (self.clone / "k8s/web.yaml").unlink()
        self.github.state.add_pull(PULL, branch="green")
        self.propose("02-pull-request-opened", "opened")
        git(self.clone, "checkout", "--quiet", "green")
        (self.clone / "k8s/web.yaml").write_text(SERVICE)
        (self.clone / "k8s/login.yaml").write_text(SECRET.replace(*PASSWORDS[:2]))
        self.propose("03-pull-request-synchronized", "synchronize")

    def drift(self) -> None:
        """What a person changes is set back by the schedule, or only reported."""
        self.patch("configmap", "settings", '{"data":{"color":"red"}}')
        self.schedule("04-schedule-corrects")
        self.patch("secret", "login", json.dumps({"stringData": {"password": PASSWORDS[2]}}))
        self.kubectl("delete", "service", "web")
        self.schedule("05-schedule-reports", self_heal="false")

    def order(self) -> None:
        """Somebody reads the issue and has it set right; then all stays well."""
        (issue,) = (one for one in self.github.state.issues.values() if one.number != PULL)
        (order,) = set(re.findall(r"/recon apply [0-9a-f]{16}-[0-9a-f]{8}", issue.body or ""))
        comment = self.github.state.add_comment(issue.number, "octocat", order).json(self.github.api)
        keys = ("id", "body", "html_url", "created_at", "updated_at")
        changes: dict[str, Any] = {f"comment.{key}": comment[key] for key in keys}
        changes |= {f"comment.user.{key}": comment["user"][key] for key in ("login", "type")}
        changes |= {"issue.number": issue.number, "repository.default_branch": "main"}
        self.act("06-apply-ordered", "issue_comment", payload("issue-comment-created", changes))
        self.schedule("07-first-clean-scan")
        self.schedule("08-second-clean-scan")

    def merge(self) -> None:
        """The pull request is merged, a quota is in the way, and once it isn't, the run is started again."""
        git(self.clone, "merge", "--quiet", "--no-ff", "--message=Merge #7", "green")
        pull = self.github.state.pulls[PULL]
        pull.state, pull.merged, pull.merge_commit = "closed", True, git(self.clone, "rev-parse", "HEAD")
        self.github.state.issues[PULL].state = "closed"
        self.kubectl("create", "quota", "tight", "--hard=configmaps=1")
        self.kubectl("patch", "resourcequota", "tight", "--subresource=status", "--type=merge", f"--patch={QUOTA}")
        self.push("09-merged-push-fails")
        self.kubectl("delete", "resourcequota", "tight")
        self.push("10-run-again", attempt=2)

    def commit(self, message: str) -> str:
        """Commit what there is; its SHA."""
        git(self.clone, "add", "--all")
        git(self.clone, "commit", "--quiet", f"--message={message}")
        return git(self.clone, "rev-parse", "HEAD")

    def push(self, name: str, attempt: int = 1) -> None:
        """The event of a push of main, as it is."""
        head, before, *_ = [*git(self.clone, "rev-list", "--first-parent", "main").split(), "0" * 40]
        news = git(self.clone, "rev-list", "--reverse", head, *([f"^{before}"] if int(before, 16) else [])).split()
        example = payload("push")["commits"][0]
        changes = {"after": head, "before": before, "commits": [{**example, "id": one} for one in news]}
        changes |= {"created": False, "ref": "refs/heads/main", "repository.default_branch": "main"}
        self.act(name, "push", payload("push", changes), attempt=attempt)

    def propose(self, name: str, action: str) -> None:
        """The event of a push of the pull request, with its trial merge checked out."""
        head, base = self.commit("Green"), git(self.clone, "rev-parse", "main")
        pull = self.github.state.pulls[PULL]
        pull.head, pull.base = head, base
        git(self.clone, "checkout", "--quiet", "--detach", "main")
        git(self.clone, "merge", "--quiet", "--no-ff", "--message=trial", "green")
        whole = payload("pull-request-opened")
        changes: dict[str, Any] = {"number": PULL, "pull_request.number": PULL}
        for side, sha, branch in (("head", head, "green"), ("base", base, "main")):
            repository = {**whole["pull_request"][side]["repo"], "full_name": "acme/shop", "default_branch": "main"}
            changes |= {f"pull_request.{side}.{key}": of for key, of in (("sha", sha), ("ref", branch))}
            changes |= {f"pull_request.{side}.repo": repository}
        given = payload("pull-request-opened", changes) | {"action": action}
        self.act(name, "pull_request", given, GITHUB_REF=f"refs/pull/{PULL}/merge")
        git(self.clone, "checkout", "--quiet", "main")

    def schedule(self, name: str, **inputs: str) -> None:
        """The clock's event."""
        repository = {**payload("push")["repository"], "full_name": "acme/shop", "default_branch": "main"}
        self.act(name, "schedule", {"schedule": "7 */6 * * *", "repository": repository}, **inputs)

    def act(self, name: str, event: str, given: Mapping[str, Any], *, attempt: int = 1, **more: str) -> None:
        """Run the action, and keep what it came to; six hours pass."""
        runner = FakeRunner(self.root / name)
        self.github.state.branches["main"] = git(self.clone, "rev-parse", "main")
        inputs = {"paths": "k8s", "target": "a-shop", "kubeconfig": self.lab.kubeconfig.read_text()}
        inputs |= {"github-token": TOKEN}
        inputs |= {key.replace("_", "-"): value for key, value in more.items() if key.islower()}
        environ = runner.environ(
            event,
            given,
            inputs=inputs,
            GITHUB_API_URL=self.github.api,
            GITHUB_RUN_ATTEMPT=str(attempt),
            GITHUB_RUN_ID=str(1000 + len(self.seen) - (attempt > 1)),
            GITHUB_SHA=git(self.clone, "rev-parse", "HEAD"),
            **{key: value for key, value in more.items() if key.isupper()},
        )
        now = self.began + timedelta(hours=self.hours)
        before = self.shown()

        def work(stdout: TextIO) -> int:
            return run(environ, stdout, now=lambda: now, write_pause=0)

        step = runner.step(work)
        self.hours += 6
        after = self.shown()
        texts = {"step.md": self.told(step)} | {file: after[file] for file in after if after[file] != before.get(file)}
        self.seen[name] = self.counted(step, texts, self.left(runner, step))

    def counted(self, step: Step, texts: Mapping[str, str], everything: str) -> Seen:
        """How things stand after a step."""
        state = self.github.state
        marked = [(one.number, read(one.body)) for one in state.comments.values() if one.author == BOT]
        issues = [read(one.body or "") for one in state.issues.values() if one.state == "open" and one.author == BOT]
        return Seen(
            step=step,
            texts={file: self.steady(text) for file, text in texts.items()},
            everything=everything,
            comments=Counter((number, of.target, of.kind) for number, of in marked if of),
            opened=Counter(of.target for of in issues if of and of.kind == ISSUE),
            checks=tuple((one.status, one.conclusion) for one in state.checks.values()),
        )

    def shown(self) -> dict[str, str]:
        """What people can read on GitHub by now, by file name."""
        state = self.github.state
        texts = {}
        for number, comment in enumerate((one for one in state.comments.values() if one.author == BOT), 1):
            texts[f"comment-{number}.md"] = f"Below #{comment.number}\n\n{comment.body}\n"
        for issue in state.issues.values():
            if issue.number != PULL:
                labels = ", ".join(issue.labels)
                texts["issue.md"] = f"#{issue.number} {issue.title} ({issue.state}; {labels})\n\n{issue.body}\n"
        for number, check in enumerate(state.checks.values(), 1):
            notes = [
                f"{one['path']}:{one['start_line']} {one['annotation_level']}: {one.get('title', '')}\n{one['message']}"
                for one in check.annotations
            ]
            head = f"{check.name}: {check.status}, {check.conclusion}\n{check.title}\n{check.external_id}"
            report = (check.summary or "").strip()
            same = next((file for file, text in reversed(texts.items()) if report in text and "check" not in file), "")
            report = f"The report, as in {same}" if same else report
            texts[f"check-{number}.md"] = "\n\n".join([head, report, *notes]) + "\n"
        return texts

    def told(self, step: Step) -> str:
        """What the runner was told, the report itself apart."""
        outputs = "\n".join(f"{name}={value}" for name, value in sorted(step.outputs.items()))
        issues = "\n".join(f"{one.name} {dict(one.properties)}\n{one.data}" for one in step.issues)
        ledger = step.summary.partition("**On GitHub**")[2].strip()
        return f"exit {int(step.result)}\n\n{outputs}\n\n{issues}\n\n{ledger}\n"

    def left(self, runner: FakeRunner, step: Step) -> str:
        """All that has left the action: log, summary, outputs, files, and whatever GitHub was sent or keeps."""
        self.log += "\n".join((step.text, step.summary, *step.outputs.values(), *(one.data for one in step.issues)))
        files = [file for file in runner.root.rglob("*") if file.is_file() and file.name != "event.json"]
        assert not list(runner.temp.iterdir())
        assert git(self.clone, "status", "--porcelain") == ""
        self.log += "\n".join(file.read_text() for file in files)
        requests = [f"{one.method} {one.path} {(one.body or b'').decode()}" for one in self.github.asked]
        return "\n".join((self.log, *requests, *self.shown().values()))

    def steady(self, text: str) -> str:
        """`text` without what differs from one time to the next; times are hours since the story began."""

        def hours(at: datetime) -> str:
            return f"T+{round((at - self.began).total_seconds() / 3600)}h"

        def moment(found: re.Match[str]) -> str:
            return hours(datetime.fromisoformat(f"{found[1]} {found[2].replace('&#58;', ':')}+00:00"))

        def epoch(found: re.Match[str]) -> str:
            return f'"{hours(datetime.fromtimestamp(int(found[0][:10]), UTC))}"'

        text = _DIGEST.sub("DIGEST", _UID.sub("UID", text))
        server = re.escape(self.lab.server).replace(":", "(?::|&#58;)")
        text = re.sub(rf"{server} v[0-9.]+", "SERVER", text).replace(
            f"recon-action {__version__}", "recon-action VERSION"
        )
        return _EPOCH.sub(epoch, _MOMENT.sub(moment, text))

    def patch(self, *arguments: str) -> None:
        """A person changes something by hand."""
        kind, name, patch = arguments
        self.kubectl("patch", kind, name, f"--patch={patch}")

    def kubectl(self, *arguments: str) -> None:
        """What people do to the cluster."""
        command = [self.lab.kubectl, "--namespace", NAMESPACE, *arguments]
        subprocess.run(command, env=self.lab.env(), check=True, capture_output=True)


@pytest.fixture(scope="module")
def life(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Life]:
    """The story, played."""
    with pytest.MonkeyPatch.context() as patch, fake_github() as github:
        for who in ("AUTHOR", "COMMITTER"):
            patch.setenv(f"GIT_{who}_DATE", "2026-12-01T05:00:00Z")
        life = Life(tmp_path_factory.mktemp("life"), lab, github)
        patch.chdir(life.clone)
        life.play()
        yield life


COMMENT, CHECK, DRIFT, REPLY, MERGED = (
    channel.value for channel in (Channel.COMMENT, Channel.CHECK, Channel.ISSUE, Channel.REPLY, Channel.MERGED)
)
SHUT = "delivered: it is closed, and there is no drift that needs it"
# By step: exit code, result, its own exit code, and what became of each channel.
STEPS: Final[Mapping[str, tuple[int, str, str, Mapping[str, str]]]] = {
    "01-first-push": (
        *(0, "applied", "0"),
        {
            MERGED: "off: nothing failed",
            DRIFT: "delivered: there is none, and no drift that needs one",
            CHECK: "delivered: success",
        },
    ),
    "02-pull-request-opened": (
        *(0, "different", "1"),
        {COMMENT: "delivered: written", CHECK: "delivered: neutral"},
    ),
    "03-pull-request-synchronized": (
        *(0, "different", "1"),
        {COMMENT: "delivered: updated", CHECK: "delivered: neutral"},
    ),
    "04-schedule-corrects": (0, "applied", "0", {DRIFT: "delivered: opened", CHECK: "delivered: success"}),
    "05-schedule-reports": (0, "different", "1", {DRIFT: "delivered: updated", CHECK: "delivered: neutral"}),
    "06-apply-ordered": (
        *(0, "applied", "0"),
        {DRIFT: "delivered: updated", CHECK: "delivered: success", REPLY: "delivered: written"},
    ),
    "07-first-clean-scan": (0, "in-sync", "0", {DRIFT: "delivered: updated", CHECK: "delivered: success"}),
    "08-second-clean-scan": (0, "in-sync", "0", {DRIFT: "delivered: closed", CHECK: "delivered: success"}),
    "09-merged-push-fails": (
        *(5, "incomplete", "5"),
        {MERGED: "delivered: written below #7", DRIFT: SHUT, CHECK: "delivered: failure"},
    ),
    "10-run-again": (
        *(0, "applied", "0"),
        {MERGED: "delivered: updated below #7", DRIFT: SHUT, CHECK: "delivered: success"},
    ),
}
OPEN = frozenset({"04-schedule-corrects", "05-schedule-reports", "06-apply-ordered", "07-first-clean-scan"})


@pytest.mark.parametrize("name", STEPS)
def test_what_a_step_comes_to(life: Life, name: str) -> None:
    """Exit code, outputs, and the line of each channel in the ledger."""
    code, result, own, ledger = STEPS[name]
    seen = life.seen[name]
    assert seen.step.errors == ()
    assert (seen.step.result, seen.step.outputs["result"], seen.step.outputs["exit-code"]) == (code, result, own)
    assert set(seen.step.outputs) == set(OUTPUTS)
    assert seen.ledger == ledger


@pytest.mark.parametrize("name", STEPS)
def test_what_always_holds(life: Life, name: str) -> None:
    """One comment a pull request and kind, one issue, every check run concluded, and no secret anywhere."""
    seen = life.seen[name]
    for kind in (REPORT, PUSH):
        assert seen.comments.get((PULL, "a-shop", kind), 0) <= 1
    assert seen.opened == ({"a-shop": 1} if name in OPEN else {})
    assert [status for status, conclusion in seen.checks if status != "completed" or not conclusion] == []
    assert len(seen.checks) == 1 + list(STEPS).index(name)
    assert "a-shop/login" in seen.everything
    (key,) = re.findall(r"client-key-data\W+(\w\S{40,}?)\W", life.lab.kubeconfig.read_text())
    for secret in (*PASSWORDS, TOKEN, key):
        assert secret not in seen.everything
        assert base64.b64encode(secret.encode()).decode() not in seen.everything


@pytest.mark.parametrize("name", STEPS)
def test_what_people_read(life: Life, name: str, *, rewrite_golden: bool) -> None:
    """Comment, issue, check run, outputs and ledger are as reviewed."""
    folder, texts = GOLDEN / name, life.seen[name].texts
    if rewrite_golden:
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.iterdir():
            old.unlink()
        for file, text in texts.items():
            (folder / file).write_text(text, encoding="utf-8", newline="")
    assert texts == {file.name: file.read_bytes().decode() for file in sorted(folder.iterdir())}


def test_every_step_is_reviewed(life: Life) -> None:
    """The story has these steps, and nothing golden is left of another one."""
    assert list(life.seen) == list(STEPS) == sorted(folder.name for folder in GOLDEN.iterdir())
