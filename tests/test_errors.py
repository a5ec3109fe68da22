"""Exit codes: which of several wins, and what a policy masks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recon_action.errors import (
    PRECEDENCE,
    ClusterError,
    DesiredError,
    ExitCode,
    FailOn,
    Interrupted,
    ProgramError,
    PublishError,
    ReconError,
    RefusedError,
    UsageError,
    combine,
)

_CODES = st.lists(st.sampled_from(ExitCode), max_size=6)


def test_the_numbers_are_the_contract() -> None:
    """Scripts rely on them: a change is a breaking one."""
    assert {code.name: code.value for code in ExitCode} == {
        "OK": 0,
        "DIFFERENT": 1,
        "USAGE": 2,
        "DESIRED": 3,
        "CLUSTER": 4,
        "INCOMPLETE": 5,
        "UNHEALTHY": 6,
        "LOCKED": 7,
        "PUBLISH": 8,
        "REFUSED": 9,
        "BUG": 70,
        "INTERRUPTED": 130,
    }


def test_every_code_has_its_place() -> None:
    """Several at once: 130, 70, 2, 4, 3, 9, 7, 5, 6, 1, 8, 0."""
    assert [code.value for code in PRECEDENCE] == [130, 70, 2, 4, 3, 9, 7, 5, 6, 1, 8, 0]


@given(_CODES)
def test_the_first_by_precedence_wins(codes: list[ExitCode]) -> None:
    """Whatever the order in which they occurred; nothing at all is success."""
    expected = min(codes, key=PRECEDENCE.index) if codes else ExitCode.OK
    assert combine(codes) is expected
    assert combine(reversed(codes)) is expected


@given(_CODES, _CODES)
def test_combining_in_steps_gives_the_same(left: list[ExitCode], right: list[ExitCode]) -> None:
    """A run's code may be combined with another's."""
    assert combine([combine(left), combine(right)]) is combine([*left, *right])


@pytest.mark.parametrize("code", ExitCode)
@pytest.mark.parametrize(
    ("fail_on", "masked"),
    [
        (FailOn.DRIFT, set()),
        (FailOn.ERROR, {ExitCode.DIFFERENT}),
        (FailOn.NEVER, {ExitCode.DIFFERENT, ExitCode.UNHEALTHY, ExitCode.PUBLISH}),
    ],
    ids=str,
)
def test_a_policy_masks_only_its_own(code: ExitCode, fail_on: FailOn, masked: set[ExitCode]) -> None:
    """`never` still fails on a cluster that can't be read."""
    assert combine([code], fail_on) is (ExitCode.OK if code in masked else code)


def test_what_is_masked_hides_nothing_below_it() -> None:
    """Under `error` a failed publication shows although a difference outranks it."""
    assert combine([ExitCode.DIFFERENT, ExitCode.PUBLISH], FailOn.ERROR) is ExitCode.PUBLISH


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (ReconError, 70),
        (UsageError, 2),
        (ProgramError, 2),
        (DesiredError, 3),
        (ClusterError, 4),
        (RefusedError, 9),
        (PublishError, 8),
        (Interrupted, 130),
    ],
)
def test_an_error_carries_message_hint_and_code(kind: type[ReconError], code: int) -> None:
    """What happened, and what to do about it."""
    error = kind("it happened", hint="do this")
    assert (str(error), error.message, error.hint, error.exit_code) == ("it happened", "it happened", "do this", code)
    assert kind("alone").hint == ""
