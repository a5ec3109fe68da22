"""What a JSON web token says of itself."""

import base64
import json

import pytest

from recon_action.model.bearer import claims_of, moment


def _token(payload: bytes) -> str:
    return f"x.{base64.urlsafe_b64encode(payload).decode().rstrip('=')}.y"


@pytest.mark.parametrize("claims", [{}, {"a": 1}, {"aa": "ü?>"}, {"exp": 1.5, "aud": ["x"]}], ids=str)
def test_claims(claims: dict[str, object]) -> None:
    """Whatever the length, without padding."""
    assert claims_of(_token(json.dumps(claims).encode())) == claims


@pytest.mark.parametrize(
    "token",
    ["", "a.b", "a.b.c.d", "x.!.y", "x.ü.y", "x.a.y", _token(b"[]"), _token(b"\xff"), _token(b"[" * 100_000)],
)
def test_no_claims(token: str) -> None:
    """Another kind of token has none."""
    assert claims_of(token) == {}


@pytest.mark.parametrize(("value", "found"), [(1, 1.0), (1.5, 1.5), ("1", None), (True, None), (None, None)], ids=str)
def test_moment(value: object, found: float | None) -> None:
    """A number, and nothing else."""
    assert moment({"exp": value}, "exp") == found
    assert moment({}, "exp") is None
