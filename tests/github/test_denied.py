"""What GitHub does not do, told apart, each with what to do about it."""

from typing import Any

import pytest

from recon_action.errors import ExitCode
from recon_action.github.denied import Denied, Need, Passing, Reason, refused, senseless, unchanged, unreachable

WRITE = Need("write the comment", "pull-requests: write")
NOW = 1_000.0


def deny(status: int, message: str = "", need: Need = WRITE, **headers: str) -> Denied:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return refused(need, status, {"message": message}, names, NOW)


@pytest.mark.parametrize(
    ("denied", "reason", "hint"),
    [
        pytest.param(
            deny(403, "Resource not accessible by integration"),
            Reason.FORBIDDEN,
            "add `pull-requests: write` to the job's `permissions:`",
            id="permission missing",
        ),
        pytest.param(
            deny(403, "Resource not accessible by personal access token"),
            Reason.FORBIDDEN,
            "input github-token: give the token the permission `pull-requests: write`",
            id="personal token",
        ),
        pytest.param(
            deny(403, "Resource not accessible by integration", Need("write it", "checks: write", read_only=True)),
            Reason.FORBIDDEN,
            "a token that only reads, whatever the workflow says",
            id="fork",
        ),
        pytest.param(
            deny(403, "Unable to create comment because issue is locked."),
            Reason.FORBIDDEN,
            "unlock it",
            id="locked",
        ),
        pytest.param(
            deny(403, "Repository was archived so is read-only."), Reason.FORBIDDEN, "archived", id="archived"
        ),
        pytest.param(
            deny(403, "Resource protected by organization SAML enforcement."),
            Reason.FORBIDDEN,
            "single sign-on",
            id="single sign-on",
        ),
        pytest.param(
            deny(403, "the organization has an IP allow list enabled, and your IP address is not permitted"),
            Reason.FORBIDDEN,
            "the runner's address",
            id="address",
        ),
        pytest.param(deny(403, need=Need("tell")), Reason.FORBIDDEN, "the token may not", id="no permission helps"),
        pytest.param(deny(404, "Not Found"), Reason.ABSENT, "add `pull-requests: write`", id="absent or hidden"),
        pytest.param(deny(410, "Issues has been disabled in this repository."), Reason.GONE, "settings", id="gone"),
        pytest.param(deny(401, "Bad credentials"), Reason.UNAUTHORISED, "input github-token", id="token"),
        pytest.param(deny(422, "Validation Failed"), Reason.INVALID, "report this", id="invalid"),
    ],
)
def test_refusals(denied: Denied, reason: Reason, hint: str) -> None:
    """Each says why and what to do; none of them passes by itself."""
    assert denied.reason is reason
    assert hint in denied.hint
    assert denied.passing is None
    assert denied.exit_code is ExitCode.PUBLISH
    assert denied.is_denial is (denied.status in {403, 404, 410})
    assert denied.message.startswith(f"GitHub did not {denied.need.what} ({denied.status}): ")


@pytest.mark.parametrize(
    ("denied", "passing"),
    [
        pytest.param(deny(429, retry_after="7"), Passing(7), id="429 with a time"),
        pytest.param(deny(429), Passing(60), id="429 without"),
        pytest.param(deny(403, "slow down", retry_after="30"), Passing(30), id="403 with a time"),
        pytest.param(deny(403, "You have exceeded a secondary rate limit."), Passing(60), id="secondary"),
        pytest.param(deny(403, "You have triggered an abuse detection mechanism."), Passing(60), id="older server"),
        pytest.param(
            deny(403, "API rate limit exceeded", x_ratelimit_remaining="0", x_ratelimit_reset="1100"),
            Passing(101),
            id="primary",
        ),
        pytest.param(
            deny(403, "x", x_ratelimit_remaining="0", x_ratelimit_reset="900"), Passing(1), id="reset already"
        ),
        pytest.param(deny(403, "x", x_ratelimit_remaining="0"), Passing(60), id="reset unknown"),
        pytest.param(deny(429, retry_after="Wed, 21 Oct"), Passing(60), id="a date"),
        pytest.param(deny(400, "API rate limit exceeded for user"), Passing(60), id="GraphQL"),
        pytest.param(deny(502), Passing(uncertain=True), id="502"),
        pytest.param(deny(408), Passing(uncertain=True), id="408"),
        pytest.param(unreachable(WRITE, TimeoutError("timed out")), Passing(uncertain=True), id="no answer"),
        pytest.param(unreachable(WRITE, OSError("(Caused by SSLError(…))")), None, id="certificate"),
        pytest.param(senseless(WRITE), None, id="no answer of GitHub's"),
        pytest.param(unchanged(WRITE, 60_000), None, id="accepted and not done"),
    ],
)
def test_what_passes(denied: Denied, passing: Passing | None) -> None:
    """Limits tell how long; after a 5xx or no answer nobody knows whether it was done; none is a mere denial."""
    assert denied.passing == passing
    assert not denied.is_denial
    assert denied.hint


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"message": "Invalid", "errors": [{"field": "body", "code": "too_long"}]}, "Invalid body too_long"),
        ({"message": "x", "errors": ["name is missing"]}, "x name is missing"),
        ({"message": None, "errors": "x"}, "it answered 422"),
        (None, "it answered 422"),
        ({"message": "a\nb " + "c" * 500}, "a b " + "c" * 395 + "…"),
    ],
    ids=["fields", "texts", "odd", "nothing", "long"],
)
def test_words(answer: Any, said: str) -> None:
    """GitHub's own words are told on one line, with what it names as wrong, and not at any length."""
    assert refused(WRITE, 422, answer, {}, NOW).message == f"GitHub did not write the comment (422): {said}"
