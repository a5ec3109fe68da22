"""The first line of a comment as an order."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recon_action.github.order import Apply, Diff, Help, Hold, Misread, Order, Snooze, read_order

DIGEST = "9f86d081884c7d65-a1b2c3d4"
HOUR = timedelta(hours=1)
VERBS = ("diff", "apply", "hold", "snooze", "help", "dіff")  # the last with a Cyrillic letter


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("/recon", Help()),
        ("/recon help me", Help()),
        ("/recon diff", Diff()),
        ("/recon diff\r\nplease, and\n/recon apply " + DIGEST, Diff()),
        ("/recon\tdiff  ", Diff()),
        (f"/recon diff {'a' * 40}", Diff("a" * 40)),
        (f"/recon diff {'b' * 64}", Diff("b" * 64)),
        (f"/recon apply {DIGEST}", Apply(DIGEST)),
        (f"/recon apply {DIGEST[:16]}", Apply(DIGEST[:16])),
        (f"/recon apply {DIGEST} --allow-destructive", Apply(DIGEST, allow_destructive=True)),
        ("/recon hold deploy/web 1h INC-42: twice the pods", Hold("deploy/web", HOUR, "INC-42: twice the pods")),
        ("/recon hold Role/system:node 1h 更新", Hold("Role/system:node", HOUR, "更新")),
        ("/recon hold web.v1.apps/a -n shop 1h x -n y", Hold("web.v1.apps/a", HOUR, "x -n y", namespace="shop")),
        ("/recon snooze 3d", Snooze(timedelta(days=3))),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_orders(text: str, order: Order) -> None:
    """What each command reads as; only the first line counts."""
    assert read_order(text) == order


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "/reconcile everything",
        "/Recon diff",
        " /recon diff",
        "> /recon diff",
        "```\n/recon diff\n```",
        "please\n/recon diff",
        "\n/recon diff",
        "／recon diff",
        "/rеcon diff",  # with a Cyrillic letter
        "/recon\u00a0diff",
        "/recon\u2028diff",
        "x" * 1_000_000,
    ],
    ids=lambda text: ascii(text[:20]),
)
def test_no_orders(text: str) -> None:
    """What does not begin like an order is none, and nothing is said of it."""
    assert read_order(text) is None


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("/recon destroy", "no such command"),
        ("/recon Diff", "no such command"),
        ("/recon dіff", "no such command"),  # with a Cyrillic letter
        ("/recon ::error::x", "no such command"),
        ("/recon diff 7", "takes nothing, or the full SHA"),
        ("/recon diff main", "takes nothing, or the full SHA"),
        (f"/recon diff {'a' * 12}", "takes nothing, or the full SHA"),
        ("/recon apply", "takes the digest"),
        ("/recon apply k8s/plan.json", "takes the digest"),
        (f"/recon apply {DIGEST.upper()}", "takes the digest"),
        (f"/recon apply {DIGEST} --allow-rollback", "takes the digest"),
        (f"/recon apply --allow-destructive {DIGEST}", "takes the digest"),
        (f"/recon apply {DIGEST} --allow-destructive now", "takes the digest"),
        ("/recon hold", "an object, a time and a reason"),
        ("/recon hold deploy/web", "an object, a time and a reason"),
        ("/recon hold deploy/web -n Shop 1h x", "an object, a time and a reason"),
        ("/recon hold deploy/web -n shop", "an object, a time and a reason"),
        ("/recon hold web 1h x", "KIND/NAME"),
        ("/recon hold a/b/c 1h x", "KIND/NAME"),
        ("/recon hold --all/x 1h x", "KIND/NAME"),
        (f"/recon hold deploy/{'a' * 254} 1h x", "KIND/NAME"),
        ("/recon hold deploy/web 25h x", "a day at most"),
        ("/recon hold deploy/web soon x", "a day at most"),
        ("/recon hold deploy/web 1h", "a reason"),
        ("/recon snooze", "takes a time"),
        ("/recon snooze 3 days", "takes a time"),
        ("/recon snooze 0s", "30 days at most"),
        ("/recon snooze 31d", "30 days at most"),
        ("/recon diff\u202e", "can't be seen"),
        ("/recon diff\x1b[31m", "can't be seen"),
        ("/recon diff\u00a0", "can't be seen"),
        ("/recon hold deploy/web 1h " + "x" * 500, "longer than"),
        ("/recon " + "x" * 1_000_000, "longer than"),
    ],
    ids=lambda text: ascii(text[:60]),
)
def test_what_begins_like_an_order(text: str, wrong: str) -> None:
    """It is told what is wrong, in none of the words that were written."""
    order = read_order(text)
    assert isinstance(order, Misread)
    assert wrong in order.what
    assert order.line == "/recon"


@given(
    st.one_of(
        st.text(),
        st.text().map(lambda text: f"/recon {text}"),
        st.lists(
            st.one_of(st.sampled_from([*VERBS, DIGEST, "deploy/web", "-n", "1h", "--allow-destructive"]), st.text())
        ).map(lambda words: f"/recon {' '.join(words)}"),
    )
)
def test_nothing_raises(text: str) -> None:
    """Whatever anybody writes is an order, none, or told why; and as it is written again it means the same."""
    order = read_order(text)
    if isinstance(order, Diff | Apply | Snooze | Help):
        assert read_order(order.line) == order
    if isinstance(order, Hold):
        assert read_order(f"{order.line} {order.reason}") == order
    if order is not None:
        assert order.line.isascii()
        assert len(order.line) < 400
