"""What is said while waiting: what changed, now and then, and why."""

from urllib.parse import urlencode

from fake_cluster import FakeCluster
from objects import body_of, resource_of

from recon_action.act.news import News
from recon_action.act.streams import Gone, Sight
from recon_action.act.waiting import Waiting
from recon_action.analyze.health import health_of
from recon_action.model import Body, Problem, Trouble, ref_of
from recon_action.model.health import Status

_THING = resource_of("Thing", "g/v1")


class _Display:
    def __init__(self) -> None:
        self.said: list[str] = []

    def step(self, title: str, total: int | None = None) -> None:
        self.said.append(f"{title} ({total})")

    def advance(self, count: int = 1) -> None:
        self.said.append(f"+{count}")

    def note(self, text: str) -> None:
        self.said.append(text)


def _thing(why: str, name: str = "web") -> Body:
    condition = {"type": "Ready", "status": "False", "reason": why}
    if why == "Never":
        condition = {"type": "Stalled", "status": "True", "reason": why}
    status = {"conditions": [] if why == "Current" else [condition]}
    return body_of("Thing", name, api="g/v1", namespace="shop", metadata={"uid": name}, status=status)


class _Scene:
    """Some things that are waited for, what is said of them, and the clock."""

    def __init__(self, *bodies: Body, goal: Status = Status.CURRENT) -> None:
        self.cluster = FakeCluster()
        self.display = _Display()
        self.news = News("waiting", self.display)
        refs = {ref_of(body): body for body in bodies}
        self.waiting = Waiting(refs, health_of, goal=goal, doubted=(), began=0.0, seconds=600.0)
        self.news.begin(self.waiting)

    def at(self, now: float, *seen: Body | Gone | Problem) -> list[str]:
        """What is said at that time, after this was seen."""
        self.display.said.clear()
        for one in seen:
            self.waiting.learn(Sight(_THING, one))
        self.waiting.tick(now)
        self.news.tell(self.cluster.door, self.waiting)
        return list(self.display.said)

    def warn(self, uid: str, message: str) -> None:
        """Have the server know why."""
        query = urlencode({"fieldSelector": f"involvedObject.uid={uid},type=Warning", "limit": "100"})
        event = {"type": "Warning", "reason": "Odd", "message": message}
        self.cluster.documents[f"/api/v1/namespaces/shop/events?{query}"] = {"items": [event]}


def test_a_line_an_object_when_something_changed() -> None:
    """Not at once, as most is healthy by then, nor for each change: every ten seconds what is new."""
    scene = _Scene(_thing("A"), _thing("A", "api"))
    assert scene.display.said == ["waiting (2)"]
    assert scene.at(2.9) == []
    assert scene.at(3.0, _thing("B")) == ["Thing shop/api: A", "Thing shop/web: B"]
    assert scene.at(4.0, _thing("C")) == []
    assert scene.at(13.0, _thing("D"), _thing("E")) == ["Thing shop/web: E"]
    assert scene.at(23.0) == []
    assert scene.at(24.0, _thing("Current")) == ["+1"]
    assert scene.at(33.0) == ["Thing shop/web: Current"]


def test_a_failure_is_told_at_once() -> None:
    """Which one it was must not be left to the report."""
    scene = _Scene(_thing("A"), _thing("A", "api"))
    assert scene.at(0.5, _thing("Never")) == ["Thing shop/web: Never"]


def test_many_are_told_in_part() -> None:
    """Nobody reads a hundred lines."""
    scene = _Scene(*(_thing("A", f"t{number:02}") for number in range(12)))
    said = scene.at(3.0)
    assert len(said) == 11
    assert said[-1] == "and 2 more"


def test_an_object_that_says_nothing_of_itself_is_told_by_its_word() -> None:
    """As one that is waited to be gone, and is."""
    scene = _Scene(body_of("Thing", api="g/v1"), goal=Status.NOT_FOUND)
    assert scene.at(3.0) == ["Thing web: Current"]
    assert scene.at(13.0, Gone(ref_of(body_of("Thing", api="g/v1")))) == ["+1", "Thing web: NotFound"]


def test_the_server_is_asked_why() -> None:
    """Of what lasts; again when it says something else, or after half a minute."""
    scene = _Scene(_thing("A"))
    scene.warn("web", "first")
    assert scene.at(3.0) == ["Thing shop/web: A; Odd: first"]
    scene.warn("web", "second")
    assert scene.at(13.0) == []
    assert scene.at(23.0, _thing("B")) == ["Thing shop/web: B; Odd: second"]
    scene.warn("web", "third")
    assert scene.at(54.0) == ["Thing shop/web: B; Odd: third"]
    assert len(scene.cluster.calls) == 3


def test_few_are_asked_about_and_failures_first() -> None:
    """Five at a time."""
    scene = _Scene(*(_thing("A", f"t{number}") for number in range(6)), _thing("Never", "web"))
    found = scene.news.causes(scene.cluster.door, scene.waiting)
    assert "Thing shop/web" in map(str, found)
    assert len(found) == len(scene.cluster.calls) == 5


def test_a_server_in_trouble_is_not_asked() -> None:
    """It has other worries."""
    scene = _Scene(_thing("A"))
    assert scene.at(3.0, Problem(Trouble.UNAVAILABLE, "restarting")) == ["Thing shop/web: A"]
    assert scene.news.causes(scene.cluster.door, scene.waiting) == {}
    assert not scene.cluster.calls
