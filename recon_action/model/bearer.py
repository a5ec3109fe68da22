"""A bearer token that ends and is renewed, as requests to the cluster see it; and what a token says of itself.

Where a token comes from is its source's: `github.oidc` has the job's, `cluster.credentials` a file's.
"""

import base64
import binascii
import json
from collections.abc import Callable, Mapping
from typing import Any, Protocol


class Bearer(Protocol):
    """Whose token requests carry; safe to use from several threads."""

    def token(self, refused: str = "") -> str:
        """The token to send now.

        Args:
            refused: one that the server did not take; then another one, if there is any, else the same again.

        Raises:
            ClusterError: there is none.
        """

    def remedy(self) -> str:
        """What to do about a server that takes none: for people, with what the token claims, and never the token."""


# Makes a source of tokens, given what waits so many seconds and gives whether the run is to end.
BearerOf = Callable[[Callable[[float], bool]], Bearer]


def claims_of(token: str) -> Mapping[str, Any]:
    """What a JSON web token claims, unchecked; nothing if it is another kind of token."""
    parts = token.split(".")
    if len(parts) != 3:
        return {}
    try:
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (binascii.Error, ValueError, RecursionError):
        return {}
    return claims if isinstance(claims, dict) else {}


def moment(claims: Mapping[str, Any], name: str) -> float | None:
    """The time that a claim states, in seconds since 1970; None without one."""
    value = claims.get(name)
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
