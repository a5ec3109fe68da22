"""The one comment of a target: written once, kept current, and nobody else's touched."""

from dataclasses import replace

import pytest
from fake_github import BOT, Comment, FakeGitHub, Fault

from recon_action.github.client import Client
from recon_action.github.comment import WRITE, Draft, Told, publish
from recon_action.github.conversation import Conversation
from recon_action.github.denied import Denied, Reason
from recon_action.github.marker import NEWS, Marker, read

A, B = "a" * 40, "b" * 40
FIRST = Marker("shop", cluster="uid-1", head=A, digest="d1", run=100, sequence=1_000)
LATER = replace(FIRST, head=B, digest="d2", run=200, sequence=2_000)
WHO, LIST = "POST /graphql", "GET /issues/7/comments"
POST, EDIT = "POST /issues/7/comments", "PATCH /issues/comments/1001"


@pytest.fixture
def talk(client: Client) -> Conversation:
    return Conversation(client, 7, WRITE)


def draft(marker: Marker, text: str = "", **more: object) -> Draft:
    return Draft(marker, text or f"text of run {marker.run}", **more)  # type: ignore[arg-type]


def whole(of: Draft) -> str:
    return f"{of.marker.line}\n{of.text}"


def ours(fake: FakeGitHub, of: Draft, author: str = BOT) -> Comment:
    """A comment as an earlier run left it."""
    return fake.state.add_comment(7, author, whole(of))


def asked(fake: FakeGitHub) -> list[str]:
    return [f"{one.method} {one.path.partition('?')[0].removeprefix('/repos/acme/shop')}" for one in fake.asked]


def bodies(fake: FakeGitHub) -> list[str]:
    return [one.body for one in fake.state.comments.values()]


def test_written_once(fake: FakeGitHub, talk: Conversation) -> None:
    """The first run writes it, in four requests."""
    told = publish(talk, draft(FIRST))
    (comment,) = fake.state.comments.values()
    assert comment.body == whole(draft(FIRST))
    assert told == Told("written", f"https://github.com/acme/shop/issues/7#issuecomment-{comment.id}")
    assert asked(fake) == [WHO, LIST, POST, LIST]


def test_kept_current(fake: FakeGitHub, talk: Conversation) -> None:
    """A later run edits it in place; nobody gets a mail."""
    comment = ours(fake, draft(FIRST))
    assert publish(talk, draft(LATER)).what == "updated"
    assert bodies(fake) == [whole(draft(LATER))]
    assert asked(fake) == [WHO, LIST, EDIT, LIST]
    assert comment.id == 1001


def test_equal_is_not_written(fake: FakeGitHub, talk: Conversation) -> None:
    """What stands there already is left alone, whatever GitHub did to its line ends."""
    ours(fake, draft(FIRST, "a\nb\n")).body = f"{FIRST.line}\r\na\r\nb"
    assert publish(talk, draft(FIRST, "a\nb\n")).what == "as it was"
    assert fake.requests("PATCH") == []


def test_an_older_run_is_late(fake: FakeGitHub, talk: Conversation) -> None:
    """It leaves the newer one's words, and says so."""
    comment = ours(fake, draft(LATER))
    told = publish(talk, draft(FIRST))
    assert told.what == "left to a newer run"
    assert told.url.endswith(f"#issuecomment-{comment.id}")
    assert bodies(fake) == [whole(draft(LATER))]


def test_not_wanted(fake: FakeGitHub, talk: Conversation) -> None:
    """Where nothing is to be told none is written, but one that is there is kept current."""
    assert publish(talk, draft(FIRST, wanted=False)) == Told("nothing to tell")
    assert bodies(fake) == []
    ours(fake, draft(FIRST))
    assert publish(talk, draft(LATER, wanted=False)).what == "updated"


@pytest.mark.parametrize(
    ("author", "body"),
    [
        pytest.param("mallory", whole(draft(LATER)), id="marker copied"),
        pytest.param("github-actions", whole(draft(LATER)), id="called like the app"),
        pytest.param("", whole(draft(LATER)), id="account gone"),
        pytest.param(BOT, f"> {whole(draft(LATER))}", id="quoted by another tool"),
        pytest.param(BOT, "<!-- Sticky Pull Request Comment -->\nx", id="another tool"),
        pytest.param(BOT, whole(draft(replace(LATER, target="shop-eu"))), id="another target"),
        pytest.param(BOT, whole(draft(replace(LATER, cluster="uid-2"))), id="another cluster"),
        pytest.param(BOT, whole(draft(replace(LATER, kind=NEWS, drift=False))), id="another kind"),
    ],
)
def test_what_is_not_ours_is_left_alone(fake: FakeGitHub, talk: Conversation, author: str, body: str) -> None:
    """Neither edited nor deleted nor taken for our own word."""
    fake.state.add_comment(7, author, body)
    assert publish(talk, draft(FIRST)).what == "written"
    assert bodies(fake) == [body, whole(draft(FIRST))]


@pytest.mark.parametrize("place", [0, 129, 229], ids=["first page", "second page", "last page"])
def test_all_pages_are_read(fake: FakeGitHub, talk: Conversation, place: int) -> None:
    """It is found wherever it stands among others."""
    for number in range(230):
        if number == place:
            ours(fake, draft(FIRST))
        else:
            fake.state.add_comment(7, "octocat", "words")
    assert publish(talk, draft(LATER)).what == "updated"
    assert len(fake.state.comments) == 230


@pytest.mark.parametrize("order", [(FIRST, LATER), (LATER, FIRST)], ids=["newest last", "newest first"])
def test_duplicates_are_healed(fake: FakeGitHub, talk: Conversation, order: tuple[Marker, Marker]) -> None:
    """The oldest stays, with what the newest run said; also an old run that comes late heals them."""
    first, _ = [ours(fake, draft(marker)) for marker in order]
    for number in range(20):
        ours(fake, draft(replace(FIRST, sequence=number)))
    assert publish(talk, draft(replace(FIRST, sequence=1))).what
    assert {one.id: one.body for one in fake.state.comments.values()} == {first.id: whole(draft(LATER))}


def test_duplicates_that_may_not_be_deleted_are_hidden(fake: FakeGitHub, talk: Conversation) -> None:
    """And then counted no more."""
    ours(fake, draft(FIRST))
    second = ours(fake, draft(FIRST))
    fake.faults.append(Fault("DELETE", status=403, message="Must have admin rights to Repository."))
    publish(talk, draft(LATER))
    assert second.minimized == "outdated"
    publish(talk, draft(replace(LATER, sequence=9_000)))
    assert len(fake.requests("DELETE")) == 1


def test_a_duplicate_that_somebody_has_just_deleted(fake: FakeGitHub, talk: Conversation) -> None:
    """Is gone, which is what was wanted."""
    ours(fake, draft(FIRST))
    second = ours(fake, draft(FIRST))
    fake.before = lambda request: fake.state.comments.pop(second.id, None) if request.method == "DELETE" else None
    assert publish(talk, draft(LATER)).what == "updated"


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(Fault("POST", status=502, after=True), id="502, and done"),
        pytest.param(Fault("POST", status=502), id="502, not done"),
        pytest.param(Fault("POST", reset=True, after=True), id="connection lost, and done"),
        pytest.param(Fault("POST", reset=True), id="connection lost"),
        pytest.param(Fault("POST", status=429, headers={"Retry-After": "3"}), id="429"),
        pytest.param(Fault("POST", status=403, message="You have exceeded a secondary rate limit."), id="limit"),
        pytest.param(Fault("GET", status=502, times=2), id="list fails"),
        pytest.param(Fault("POST", latency=0.1), id="slow"),
    ],
)  # fmt: skip
def test_a_lost_answer_makes_no_second_comment(
    fake: FakeGitHub, talk: Conversation, waits: list[float], fault: Fault
) -> None:
    """Nobody knows whether it was written: one looks before one writes again."""
    fake.faults.append(fault)
    assert publish(talk, draft(FIRST)).url
    assert bodies(fake) == [whole(draft(FIRST))]
    assert fake.state.written == 1
    assert len(waits) <= 2


def test_a_comment_that_is_listed_late(fake: FakeGitHub, talk: Conversation) -> None:
    """What we have just written is there, also if the next list lacks it."""
    fake.faults.append(Fault("GET", status=200, body=[], times=2))
    assert publish(talk, draft(FIRST)).what == "written"
    assert fake.state.written == 1


def test_deleted_by_hand(fake: FakeGitHub, talk: Conversation) -> None:
    """It comes back with the next run, also if it vanishes under our hands."""
    comment = ours(fake, draft(FIRST))
    fake.before = lambda request: fake.state.comments.pop(comment.id, None) if request.method == "PATCH" else None
    assert publish(talk, draft(LATER)).what == "written"
    assert bodies(fake) == [whole(draft(LATER))]


def test_accepted_and_not_done(fake: FakeGitHub, talk: Conversation) -> None:
    """GitHub may answer 200 and keep the old text: that is noticed, tried once more, and told."""
    ours(fake, draft(FIRST))
    fake.faults.append(Fault("PATCH", unchanged=True))
    assert publish(talk, draft(LATER)).what == "updated"
    fake.faults.append(Fault("PATCH", unchanged=True, times=9))
    with pytest.raises(Denied, match="shows another one") as caught:
        publish(talk, draft(replace(LATER, sequence=9_000)))
    assert caught.value.reason is Reason.UNCHANGED
    assert len(fake.requests("PATCH")) == 4


def test_no_permission(fake: FakeGitHub, talk: Conversation) -> None:
    """The denial names the line that is missing."""
    fake.permissions.clear()
    with pytest.raises(Denied) as caught:
        publish(talk, draft(FIRST))
    assert caught.value.is_denial
    assert "`pull-requests: write`" in caught.value.hint


def test_somebody_writes_as_fast_as_we_do(fake: FakeGitHub, talk: Conversation) -> None:
    """We don't fight for ever."""
    comment = ours(fake, draft(FIRST))
    again = whole(draft(FIRST, "mine"))

    def restore(request: object) -> None:
        if getattr(request, "method", "") == "GET":
            comment.body = again + str(len(fake.asked))

    fake.before = restore
    with pytest.raises(Denied):
        publish(talk, draft(LATER))
    assert len(fake.requests("PATCH")) <= 8


def test_two_runs_at_once(fake: FakeGitHub, client: Client) -> None:
    """Both find nothing, both write: one comment is left, with the newer word, whoever wrote first."""
    for mine, other in ((FIRST, LATER), (LATER, FIRST)):
        fake.state.comments.clear()
        inner = draft(other)

        def meanwhile(request: object, inner: Draft = inner) -> None:
            if getattr(request, "method", "") == "POST":
                fake.before = lambda _request: None
                publish(Conversation(client, 7, WRITE), inner)

        fake.before = meanwhile
        publish(Conversation(client, 7, WRITE), draft(mine))
        assert bodies(fake) == [whole(draft(LATER))]


def test_an_old_run_of_the_same_commit_again(fake: FakeGitHub, talk: Conversation) -> None:
    """It looked later, so its word counts; the last event about the commit is remembered."""
    ours(fake, draft(replace(LATER, head=A)))
    again = replace(FIRST, attempt=2, sequence=3_000)
    assert publish(talk, draft(again)).what == "updated"
    marker = read(bodies(fake)[0])
    assert marker is not None
    assert (marker.run, marker.attempt, marker.sequence) == (200, 1, 3_000)


def test_a_run_that_came_to_no_cluster(fake: FakeGitHub, talk: Conversation) -> None:
    """It speaks in the comment of its target, keeps what was known of it, and says nothing of news."""
    known = replace(FIRST, drift=True, destructive=("12ab34cd",))
    ours(fake, draft(known))
    publish(talk, draft(replace(LATER, cluster=""), knows_state=False))
    marker = read(bodies(fake)[0])
    assert marker == replace(LATER, cluster="uid-1", drift=True, destructive=("12ab34cd",))
    assert len(fake.state.comments) == 1


def test_a_run_that_came_to_no_cluster_among_several(fake: FakeGitHub, talk: Conversation) -> None:
    """Which of them it is about nobody knows: it has one of its own, until a run knows more."""
    ours(fake, draft(FIRST))
    ours(fake, draft(replace(FIRST, cluster="uid-2")))
    lost = draft(replace(LATER, cluster=""), knows_state=False)
    assert publish(talk, lost).what == "written"
    assert publish(talk, lost).what == "as it was"
    assert len(fake.state.comments) == 3
    publish(talk, draft(replace(LATER, sequence=9_000)))
    assert len(fake.state.comments) == 2


def news(drift: bool, destructive: frozenset[str], url: str) -> str:
    return f"news: {drift} {sorted(destructive)} {url}"


def told_news(fake: FakeGitHub) -> list[str]:
    """The short comments that are not folded away."""
    return [
        one.body.partition("\n")[2]
        for one in fake.state.comments.values()
        if "news: " in one.body and not one.minimized
    ]


def test_news(fake: FakeGitHub, talk: Conversation) -> None:
    """A short comment when drift appears or something new would be destroyed; none for what was told already."""

    def run(number: int, *, drift: bool = False, destructive: tuple[str, ...] = ()) -> list[str]:
        marker = replace(LATER, sequence=number, drift=drift, destructive=destructive)
        publish(talk, draft(marker, news=news))
        return told_news(fake)

    url = "https://github.com/acme/shop/issues/7#issuecomment-1001"
    assert run(1) == []
    assert run(2, drift=True) == [f"news: True [] {url}"]
    assert run(3, drift=True) == [f"news: True [] {url}"]
    assert run(4, drift=True, destructive=("aa",)) == [f"news: False ['aa'] {url}"]
    assert run(5, drift=True, destructive=("aa", "bb")) == [f"news: False ['bb'] {url}"]
    assert run(6, destructive=("bb",)) == [f"news: False ['bb'] {url}"]
    assert run(7) == []
    assert run(8, drift=True) == [f"news: True [] {url}"]
    assert run(7, destructive=("cc",)) == [f"news: True [] {url}"]
    assert sum(b"minimizeComment" in one.body for one in fake.asked) == 3


def test_a_new_comment_is_news_enough(fake: FakeGitHub, talk: Conversation) -> None:
    """Whoever follows the pull request hears of it anyway."""
    publish(talk, draft(replace(FIRST, drift=True, destructive=("aa",)), news=news))
    assert len(fake.state.comments) == 1


def test_news_of_a_run_that_failed_in_between(fake: FakeGitHub, talk: Conversation) -> None:
    """A run without a report neither makes news nor loses the state that the next one is compared with."""
    publish(talk, draft(replace(FIRST, drift=True), news=news))
    publish(talk, draft(replace(FIRST, cluster="", sequence=2_000), knows_state=False, news=news))
    publish(talk, draft(replace(FIRST, sequence=3_000, drift=True), news=news))
    assert told_news(fake) == []


@pytest.mark.parametrize("after", [True, False], ids=["done", "not done"])
def test_news_are_not_doubled(fake: FakeGitHub, talk: Conversation, after: bool) -> None:
    """Like the comment itself, and what can't be folded away is deleted."""
    fake.state.login, fake.state.user = "", BOT
    publish(talk, draft(FIRST, news=news))
    fake.faults.append(Fault("POST", "/comments", status=502, after=after))
    publish(talk, draft(replace(FIRST, sequence=2_000, drift=True), news=news))
    assert len(told_news(fake)) == 1
    publish(talk, draft(replace(FIRST, sequence=3_000), news=news))
    assert len(fake.state.comments) == 1
