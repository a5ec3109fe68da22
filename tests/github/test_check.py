"""The check run: concluded whatever happens, within GitHub's limits and alphabet."""

from dataclasses import replace
from typing import Any

import pytest
from fake_github import BOT, Check, FakeGitHub, Fault

from recon_action.errors import ExitCode, FailOn
from recon_action.github import check
from recon_action.github.client import Client
from recon_action.github.commands import Annotation, Level
from recon_action.github.denied import Denied, Reason

RUN = "https://github.com/acme/shop/actions/runs/123"
DRAFT = check.Check("shop", "a" * 40, "neutral", "Drift: 1 drifted", "### Drift", "9f86", url=RUN)


def annotations(count: int, level: Level = Level.WARNING) -> tuple[Annotation, ...]:
    return tuple(Annotation(level, f"m{number}", "Deployment web", "k8s/web.yaml", number) for number in range(count))


def made(fake: FakeGitHub) -> Check:
    (one,) = fake.state.checks.values()
    return one


@pytest.mark.parametrize(
    ("code", "fail_on", "expected"),
    [
        (ExitCode.OK, FailOn.DRIFT, "success"),
        (ExitCode.DIFFERENT, FailOn.DRIFT, "failure"),
        (ExitCode.DIFFERENT, FailOn.ERROR, "neutral"),
        (ExitCode.UNHEALTHY, FailOn.ERROR, "failure"),
        (ExitCode.UNHEALTHY, FailOn.NEVER, "neutral"),
        (ExitCode.CLUSTER, FailOn.NEVER, "failure"),
        (ExitCode.DESIRED, FailOn.ERROR, "failure"),
        (ExitCode.INTERRUPTED, FailOn.ERROR, "failure"),
        (ExitCode.REFUSED, FailOn.ERROR, "action_required"),
        (ExitCode.REFUSED, FailOn.NEVER, "action_required"),
    ],
)
def test_conclusion(code: ExitCode, fail_on: FailOn, expected: str) -> None:
    """By fail-on, as the step's own end; what waits for a flag waits for somebody."""
    assert check.conclusion(code, fail_on) == expected


def test_one_request(fake: FakeGitHub, client: Client) -> None:
    """A check run is made and concluded at once, and carries the plan's digest."""
    told = check.publish(client, replace(DRAFT, annotations=annotations(2)))
    one = made(fake)
    assert (one.name, one.head, one.status, one.conclusion) == ("recon-action: shop", "a" * 40, "completed", "neutral")
    assert (one.external_id, one.details_url, one.title, one.summary) == ("shop|9f86", RUN, DRAFT.title, DRAFT.summary)
    assert one.annotations == [
        {
            "path": "k8s/web.yaml",
            "start_line": max(number, 1),
            "end_line": max(number, 1),
            "annotation_level": "warning",
            "message": f"m{number}",
            "title": "Deployment web",
        }
        for number in range(2)
    ]
    assert (told.what, told.count) == ("neutral", 2)
    assert told.url == f"https://github.com/acme/shop/runs/{one.id}"
    assert len(fake.asked) == 1


@pytest.mark.parametrize(("count", "requests"), [(0, 1), (50, 1), (51, 2), (150, 3), (1_000, 4)], ids=str)
def test_many_annotations(fake: FakeGitHub, client: Client, count: int, requests: int) -> None:
    """Fifty in a request, the rest is added, and there is an end to it."""
    told = check.publish(client, replace(DRAFT, annotations=annotations(count)))
    assert told.count == len(made(fake).annotations) == min(count, check.MOST)
    assert len(fake.asked) == requests
    assert told.what == "neutral"


def test_the_most_severe_come_first() -> None:
    """What has no place in the repository is not among them."""
    notice, warning = annotations(1, Level.NOTICE), annotations(check.MOST)
    error = Annotation(Level.ERROR, "e", file="a.yaml")
    nowhere = [Annotation(Level.ERROR, "e", file=file) for file in ("", "-", "/etc/a", "../a")]
    found = check.placed([*notice, *warning, *nowhere, error])
    assert found == [error, *warning[: check.MOST - 1]]


def test_alphabet_and_lengths(fake: FakeGitHub, client: Client) -> None:
    """Characters that check runs refuse are spelled out, and everything is as short as it has to be."""
    loud = Annotation(Level.ERROR, "🔥" * 9_000, "🔥" * 300, "k8s/a.yaml", 3)
    summary = check.fitting(lambda budget: "🔥" * (budget // 4), 60_000)
    told = check.publish(client, replace(DRAFT, title="🔥" + "x" * 300, summary=summary, annotations=(loud,)))
    one = made(fake)
    assert told.count == 1
    assert one.summary is not None
    assert check.SUMMARY * 0.7 < len(one.summary) <= check.SUMMARY
    assert one.title == ("\\U0001f525" + "x" * 300)[:255]
    assert one.annotations[0]["message"].startswith("\\U0001f525\\U0001f525")


def test_what_fits_is_as_it_was() -> None:
    """Only what is too long is rendered again, with less room; a text that takes no budget is cut."""
    assert check.fitting(lambda budget: "x" * budget, 60_000) == "x" * 60_000
    assert len(check.fitting(lambda _: "x" * 99_999, 60_000)) == check.SUMMARY


@pytest.mark.parametrize("summary", ["x" * 70_000, "🔥"], ids=["too long", "characters"])
def test_the_rich_form_is_refused(fake: FakeGitHub, client: Client, summary: str) -> None:
    """Then a plain one concludes: a check that stays open blocks a merge for ever."""
    told = check.publish(client, replace(DRAFT, summary=summary, annotations=annotations(2)))
    one = made(fake)
    assert (one.status, one.conclusion, one.title) == ("completed", "neutral", "neutral")
    assert one.summary is not None
    assert one.summary.startswith("Drift: 1 drifted\n\n")
    assert RUN in one.summary
    assert (told.what, told.count) == ("neutral, 2 annotations were refused", 0)
    fake.violations.clear()


def test_no_commit(fake: FakeGitHub, client: Client) -> None:
    """What the plain form does not mend is told."""
    fake.faults.append(Fault("POST", status=422, message="No commit found for SHA", times=9))
    with pytest.raises(Denied, match="No commit found") as caught:
        check.publish(client, DRAFT)
    assert caught.value.reason is Reason.INVALID
    assert len(fake.asked) == 2


@pytest.mark.parametrize(
    "fault",
    [
        Fault("POST", status=502, after=True),
        Fault("POST", status=502),
        Fault("POST", reset=True, after=True),
        Fault("POST", status=429),
    ],
    ids=["502, and done", "502, not done", "lost, and done", "429"],
)
def test_made_once(fake: FakeGitHub, client: Client, fault: Fault) -> None:
    """After an uncertain end it is looked for first; an older one of another run is not it."""
    earlier = fake.state.add_check("recon-action: shop", "a" * 40, BOT)
    earlier.external_id, earlier.details_url = "shop|9f86", f"{RUN}/attempts/1"
    fake.faults.append(fault)
    told = check.publish(client, replace(DRAFT, annotations=annotations(60)))
    assert len(fake.state.checks) == 2
    assert told.count == 60
    assert told.url.endswith(str(max(fake.state.checks)))


@pytest.mark.parametrize("after", [True, False], ids=["done", "not done"])
def test_annotations_are_added_once(fake: FakeGitHub, client: Client, after: bool) -> None:
    """A lost answer must not double them."""
    fake.faults.append(Fault("PATCH", status=502, after=after))
    assert check.publish(client, replace(DRAFT, annotations=annotations(120))).count == 120
    assert [one["message"] for one in made(fake).annotations] == [f"m{number}" for number in range(120)]


@pytest.mark.parametrize("fault", [Fault("PATCH", status=403, times=9), Fault("(PATCH|GET)", status=502, times=99)])
def test_annotations_that_are_refused(fake: FakeGitHub, client: Client, fault: Fault) -> None:
    """They are counted; the conclusion stands."""
    fault.method = ""
    fault.path = "/check-runs/"
    fake.faults.append(fault)
    told = check.publish(client, replace(DRAFT, annotations=annotations(120)))
    assert (told.what, told.count) == ("neutral, 70 annotations were refused", 50)
    assert made(fake).conclusion == "neutral"


def test_no_permission(fake: FakeGitHub, client: Client) -> None:
    """The denial names the line that is missing."""
    del fake.permissions["checks"]
    with pytest.raises(Denied) as caught:
        check.publish(client, DRAFT)
    assert caught.value.is_denial
    assert "`checks: write`" in caught.value.hint


@pytest.mark.parametrize("body", [{}, {"id": "x"}, []], ids=str)
def test_an_answer_of_another_shape(fake: FakeGitHub, client: Client, body: Any) -> None:
    """Something between us and GitHub answers."""
    fake.faults.append(Fault("POST", status=201, body=body))
    with pytest.raises(Denied, match="not one of GitHub's API"):
        check.publish(client, DRAFT)


HEAD, DIGEST = "a" * 40, "9f86d081884c7d65-a1b2c3d4"


def written(fake: FakeGitHub, external_id: str = f"shop|{DIGEST}", **more: str) -> None:
    made = fake.state.add_check(more.pop("name", "recon-action: shop"), more.pop("head", HEAD), more.pop("app", BOT))
    made.external_id, made.status = external_id, more.pop("status", "completed")


def test_the_plan_that_was_published(fake: FakeGitHub, client: Client) -> None:
    """The last of our check runs on the commit says it, whichever is listed first."""
    for number in range(120):
        written(fake, f"shop|{number:016x}-a1b2c3d4", app="other[bot]" if number % 2 else BOT)
    written(fake, name="recon-action: shop-2", external_id="shop-2|other")
    written(fake, head="b" * 40, external_id="shop|other")
    assert check.published_digest(client, "shop", HEAD) == f"{118:016x}-a1b2c3d4"
    written(fake, "shop|")
    assert check.published_digest(client, "shop", HEAD) == ""


def test_the_last_of_several(fake: FakeGitHub, client: Client) -> None:
    """GitHub gives the latest of each suite, in no order that it promises."""
    written(fake, "shop|older")
    written(fake, "shop|newer")
    listed = [one.json(fake.api) for one in fake.state.checks.values()]
    for order in (listed, listed[::-1]):
        fake.faults.append(Fault(path="/check-runs", status=200, body={"total_count": 2, "check_runs": order}))
        assert check.published_digest(client, "shop", HEAD) == "newer"


@pytest.mark.parametrize(
    "more",
    [
        {"app": "other[bot]"},
        {"app": "github-actions-2[bot]"},
        {"name": "recon-action: other"},
        {"head": "b" * 40},
        {"status": "in_progress"},
        {"external_id": f"other|{DIGEST}"},
        {"external_id": DIGEST},
    ],
    ids=str,
)
def test_no_plan_of_ours(fake: FakeGitHub, client: Client, more: dict[str, str]) -> None:
    """What another app wrote, or about something else, tells of no plan."""
    written(fake, **more)
    assert check.published_digest(client, "shop", HEAD) is None


def test_a_plan_that_cannot_be_read(fake: FakeGitHub, client: Client) -> None:
    """It is not taken for none."""
    written(fake)
    fake.faults.append(Fault(path="/check-runs", status=403))
    with pytest.raises(Denied, match="GitHub did not show the check runs"):
        check.published_digest(client, "shop", HEAD)
