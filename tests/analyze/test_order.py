"""The order of objects: every need is respected, circles are told or opened, and levels are few."""

from collections.abc import Iterable
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from objects import body_of, manifest_of, ref, verdict_of

from recon_action.analyze.order import Place, places, require_order
from recon_action.analyze.prerequisites import Objects
from recon_action.errors import DesiredError
from recon_action.model import Body, Bucket, Directives, DriftKind, ObjectRef, Verdict, ref_of

_ADMISSION = "admissionregistration.k8s.io/v1"
Pairs = set[tuple[ObjectRef, ObjectRef]]


def _config(name: str, **directives: Any) -> Verdict:
    return _verdict(body_of("ConfigMap", name, namespace="shop"), **directives)


def _pod(name: str, *configs: str, **directives: Any) -> Verdict:
    """A Pod that refers to these ConfigMaps."""
    sources = [{"configMapRef": {"name": config}} for config in configs]
    return _verdict(
        body_of("Pod", name, namespace="shop", spec={"containers": [{"name": "a", "envFrom": sources}]}), **directives
    )


def _verdict(body: Body, bucket: Bucket = Bucket.PENDING, **directives: Any) -> Verdict:
    return Verdict(ref_of(body), bucket, manifest_of(body), directives=Directives(**directives))


def _a(name: str) -> ObjectRef:
    return ref("ConfigMap", name, "shop")


def _levels(*verdicts: Verdict, moving: Iterable[ObjectRef] | None = None, reverse: bool = False) -> dict[str, int]:
    chosen = list(moving) if moving is not None else [verdict.ref for verdict in verdicts]
    placed = places(Objects(verdicts), chosen, reverse=reverse)
    return {ref.name: place.level for ref, place in placed.items()}


_HOOK = body_of("ValidatingWebhookConfiguration", "hook", api=_ADMISSION)


def test_what_is_independent_shares_a_level() -> None:
    """However many there are."""
    assert set(_levels(*(_config(str(number)) for number in range(100))).values()) == {0}


def test_a_chain_takes_a_level_a_link() -> None:
    """And what hangs on its end comes last."""
    chain = [_config("a"), _config("b", depends_on=(_a("a"),)), _config("c", depends_on=(_a("b"),))]
    assert _levels(*reversed(chain), _pod("p", "c"), _config("z")) == {"a": 0, "b": 1, "c": 2, "p": 3, "z": 0}
    assert _levels(*chain, _pod("p", "c"), reverse=True) == {"p": 0, "c": 1, "b": 2, "a": 3}


def test_what_has_nothing_to_do_carries_order_through() -> None:
    """It takes no level of its own."""
    chain = [_config("a"), _config("b", depends_on=(_a("a"),)), _config("c", depends_on=(_a("b"),))]
    assert _levels(*chain, moving=[_a("a"), _a("c")]) == {"a": 0, "c": 1}
    assert _levels(*chain, moving=[_a("a"), _a("c")], reverse=True) == {"c": 0, "a": 1}
    assert _levels(*chain, moving=[_a("c")]) == {"c": 0}


def test_a_lower_wave_comes_first() -> None:
    """Whole: also before what doesn't need it, and without an annotation the wave is 0."""
    verdicts = [_config("late", wave=2), _config("early", wave=-1), _config("a"), _pod("p", "a"), _pod("q", wave=2)]
    assert _levels(*verdicts) == {"early": 0, "a": 1, "p": 2, "late": 3, "q": 3}
    assert _levels(*verdicts, reverse=True) == {"late": 0, "q": 0, "p": 1, "a": 2, "early": 3}


def test_admission_comes_last_and_goes_first() -> None:
    """It would judge objects before its backend runs; only what is told to come after it does."""
    after = _config("after", depends_on=(ref_of(_HOOK),))
    verdicts = [_verdict(_HOOK), _config("a"), _pod("p", "a"), after, _pod("q", "after"), _config("late", wave=1)]
    assert _levels(*verdicts) == {"a": 0, "p": 1, "hook": 2, "after": 3, "q": 4, "late": 5}
    assert _levels(*verdicts, reverse=True) == {"late": 0, "q": 1, "after": 2, "hook": 3, "p": 4, "a": 5}


def test_admission_that_stands_already_delays_nothing() -> None:
    """It judges whatever comes, in any order."""
    assert _levels(_verdict(_HOOK), _config("a"), moving=[_a("a")]) == {"a": 0}


@pytest.mark.parametrize(
    ("bucket", "more", "needs", "awaits"),
    [
        pytest.param(Bucket.IN_SYNC, {}, {"a"}, {"b"}, id="in-sync"),
        pytest.param(Bucket.IGNORED, {}, {"a"}, {"b"}, id="ignored"),
        pytest.param(Bucket.DRIFTED, {}, {"a"}, {"b"}, id="contested"),
        pytest.param(Bucket.DRIFTED, {"owner": "mutating admission"}, {"a"}, {"b"}, id="overridden"),
        pytest.param(Bucket.IN_SYNC, {"owner": "argocd"}, {"a"}, set(), id="another-tool-s"),
        pytest.param(Bucket.SKIPPED, {}, {"a"}, set(), id="skipped"),
        pytest.param(Bucket.FAILED, {}, {"a", "b"}, set(), id="failed"),
    ],
)
def test_what_is_needed_behind_an_object_without_an_action(
    bucket: Bucket, more: dict[str, Any], needs: set[str], awaits: set[str]
) -> None:
    """It is waited for if it is ours; what it needs itself is needed through it."""
    body = body_of("ConfigMap", "b", namespace="shop")
    between = Verdict(ref_of(body), bucket, manifest_of(body), directives=Directives(depends_on=(_a("a"),)), **more)
    chain = [_config("a"), between, _config("c", depends_on=(_a("b"),))]
    place = places(Objects(chain), [_a("a"), _a("c")])[_a("c")]
    assert {one.name for one in place.needs} == needs
    assert {one.name for one in place.awaits} == awaits | {"a"}


def test_namespaces_are_waited_for_only_if_they_are_new() -> None:
    """One that is there is there."""
    home, inside = _verdict(body_of("Namespace", "shop")), _config("a")
    fresh = places(Objects([home, inside]), [home.ref, inside.ref])
    assert fresh[inside.ref] == Place(1, frozenset({home.ref}), frozenset({home.ref}))
    stands = Verdict(home.ref, Bucket.IN_SYNC, home.manifest)
    assert places(Objects([stands, inside]), [inside.ref])[inside.ref] == Place(0)


def test_a_name_gives_way_to_an_order_that_was_asked_for() -> None:
    """A Pod that its own ConfigMap is told to wait for, by way of another object."""
    verdicts = [
        _pod("p", "c", "d"),
        _config("b", depends_on=(ref("Pod", "p", "shop"),)),
        _config("c", depends_on=(_a("b"),)),
        _config("d"),
    ]
    require_order(Objects(verdicts))
    assert _levels(*verdicts) == {"d": 0, "p": 1, "b": 2, "c": 3}
    assert _levels(*verdicts, reverse=True) == {"c": 0, "b": 1, "p": 2, "d": 3}


_MEMBER = body_of("ConfigMap", "a", namespace="shop")
_HOME = body_of("Namespace", "shop")
_CIRCLES = [
    pytest.param(
        [
            _config("a", depends_on=(_a("c"),)),
            _config("b", depends_on=(_a("a"),)),
            _config("c", depends_on=(_a("b"),)),
            _config("d", depends_on=(_a("c"),)),
        ],
        """\
these objects wait for each other: ConfigMap shop/c → ConfigMap shop/a → ConfigMap shop/b → ConfigMap shop/c
ConfigMap shop/c → ConfigMap shop/a: it says so by its depends-on
ConfigMap shop/a → ConfigMap shop/b: it says so by its depends-on
ConfigMap shop/b → ConfigMap shop/c: it says so by its depends-on""",
        id="three",
    ),
    pytest.param(
        [_config("a", depends_on=(_a("a"),))],
        """\
these objects wait for each other: ConfigMap shop/a → ConfigMap shop/a
ConfigMap shop/a → ConfigMap shop/a: it says so by its depends-on""",
        id="one",
    ),
    pytest.param(
        [_verdict(_MEMBER, wave=-1), _verdict(_HOME)],
        """\
these objects wait for each other: Namespace shop → ConfigMap shop/a → Namespace shop
Namespace shop → ConfigMap shop/a: it lies in that namespace
ConfigMap shop/a → Namespace shop: wave -1 comes before wave 0""",
        id="namespace-in-a-later-wave",
    ),
    pytest.param(
        [_verdict(_MEMBER), _verdict(_HOME, depends_on=(_a("a"),))],
        """\
these objects wait for each other: Namespace shop → ConfigMap shop/a → Namespace shop
Namespace shop → ConfigMap shop/a: it lies in that namespace
ConfigMap shop/a → Namespace shop: it says so by its depends-on""",
        id="namespace-that-depends-on-its-member",
    ),
    pytest.param(
        [_config("a", depends_on=(_a("b"),), wave=1), _config("b", wave=2)],
        """\
these objects wait for each other: ConfigMap shop/b → ConfigMap shop/a → ConfigMap shop/b
ConfigMap shop/b → ConfigMap shop/a: it says so by its depends-on
ConfigMap shop/a → ConfigMap shop/b: wave 1 comes before wave 2""",
        id="depends-on-against-the-waves",
    ),
]


@pytest.mark.parametrize(("verdicts", "message"), _CIRCLES)
def test_a_circle_is_an_error_that_prints_it(verdicts: list[Verdict], message: str) -> None:
    """Each step with what makes it; and the hint says which annotations to change."""
    with pytest.raises(DesiredError) as caught:
        require_order(Objects(verdicts))
    rotations = message.splitlines()
    assert sorted(caught.value.message.splitlines()[1:]) == sorted(rotations[1:])
    assert caught.value.message.startswith("these objects wait for each other: ")
    assert caught.value.message.splitlines()[0].count("→") == len(rotations) - 1
    assert "depends-on" in caught.value.hint


@pytest.mark.parametrize(("verdicts", "message"), _CIRCLES)
def test_a_circle_of_the_past_stops_no_deletion(verdicts: list[Verdict], message: str) -> None:
    """Nobody can mend the annotations of what Git no longer has; what lies in a namespace goes before it, still."""
    levels = _levels(*verdicts, reverse=True)
    assert levels.keys() == {verdict.ref.name for verdict in verdicts}
    if "shop" in levels:
        assert levels["a"] < levels["shop"]


_NAMES = "abcde"
_DRAWN = st.lists(
    st.tuples(
        st.sampled_from(["ConfigMap", "Pod", "ValidatingWebhookConfiguration", "Namespace"]),
        st.sampled_from([*_NAMES, "shop"]),
        st.sets(st.sampled_from(_NAMES), max_size=2),  # ConfigMaps that a Pod refers to
        st.sets(st.tuples(st.sampled_from(["ConfigMap", "Pod"]), st.sampled_from(_NAMES)), max_size=1),
        st.sampled_from([0, 0, 0, 1, -1]),
        st.booleans(),  # whether it has something to do
    ),
    unique_by=lambda drawn: drawn[:2],
    max_size=9,
)


def _drawn(kind: str, name: str, configs: set[str], asked: set[tuple[str, str]], wave: int) -> Verdict:
    directives = {"wave": wave, "depends_on": tuple(sorted(ref(one, other, "shop") for one, other in asked))}
    match kind:
        case "Pod":
            return _pod(name, *sorted(configs), **directives)
        case "ConfigMap":
            return _config(name, **directives)
        case "Namespace":
            return _verdict(body_of(kind, name), **directives)
        case _:
            return _verdict(body_of(kind, name, api=_ADMISSION), **directives)


def _closed(pairs: Pairs) -> Pairs:
    """All that follows from `pairs`."""
    while more := {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs:
        pairs = pairs | more
    return pairs


def _stated(verdicts: list[Verdict]) -> tuple[Pairs, Pairs]:
    """What has to come before what, as told in plain words: what must be kept, and what may give way."""
    refs = {verdict.ref for verdict in verdicts}
    waves = {verdict.ref: verdict.directives.wave for verdict in verdicts}
    firm = {(one, other) for one, other in permutations(refs, 2) if waves[one] < waves[other]}
    soft: Pairs = set()
    for verdict in verdicts:
        firm |= {(other, verdict.ref) for other in verdict.directives.depends_on if other in refs}
        if verdict.ref.namespace and (home := ref("Namespace", "shop")) in refs:
            firm.add((home, verdict.ref))
        if verdict.ref.kind == "Pod" and verdict.manifest:
            sources = verdict.manifest.body["spec"]["containers"][0]["envFrom"]
            soft |= {(_a(source["configMapRef"]["name"]), verdict.ref) for source in sources}
    return firm, {(one, other) for one, other in soft if one in refs}


@given(_DRAWN)
def test_every_need_is_respected(drawn: list[tuple[str, str, set[str], set[tuple[str, str]], int, bool]]) -> None:
    """All that must be kept, and of what may give way all that is in no circle; levels have no gaps."""
    verdicts = [_drawn(*one[:5]) for one in drawn]
    moving = [verdict.ref for verdict, one in zip(verdicts, drawn, strict=True) if one[5]]
    firm, soft = _stated(verdicts)
    followed = _closed(firm)
    if any(one == other for one, other in followed):
        with pytest.raises(DesiredError):
            require_order(Objects(verdicts))
        return
    require_order(Objects(verdicts))
    whole = _closed(firm | soft)
    kept = _closed(firm | {(one, other) for one, other in soft if (other, one) not in whole})
    for reverse in (False, True):
        placed = places(Objects(verdicts), moving, reverse=reverse)
        assert placed.keys() == set(moving)
        levels = {one: place.level for one, place in placed.items()}
        assert set(levels.values()) == set(range(len(set(levels.values()))))
        for one, other in kept:
            if one in levels and other in levels:
                assert levels[one] > levels[other] if reverse else levels[one] < levels[other]


@given(_DRAWN)
def test_needs_come_before(drawn: list[tuple[str, str, set[str], set[tuple[str, str]], int, bool]]) -> None:
    """Whatever the annotations: what an object needs or awaits is in a lower level, if it has something to do."""
    verdicts = [_drawn(*one[:5]) for one in drawn]
    moving = [verdict.ref for verdict, one in zip(verdicts, drawn, strict=True) if one[5]]
    placed = places(Objects(verdicts), moving, reverse=True)
    for place in placed.values():
        assert all(placed[other].level < place.level for other in place.needs)
        assert place.awaits == frozenset()


def test_a_missing_kind_is_ordered_like_any_other() -> None:
    """The order asks nothing but what objects say."""
    widget = verdict_of(body_of("Widget", "w", api="x/v1"), DriftKind.MISSING)
    assert _levels(widget) == {"w": 0}
