"""What identifies a plan, so that what was looked at is what is carried out; `analyze.digest` makes it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from recon_action.model.ref import ObjectRef

_DIGEST = re.compile(r"[0-9a-f]{16}(-[0-9a-f]{8})?")


@dataclass(frozen=True, slots=True)
class Digest:
    """The identity of one plan.

    Args:
        text: 16 hex digits for all of it, a dash, and two for each of cluster, Git, options and objects:
            `9f86d081884c7d65-a1b2c3d4`.
        fingerprints: of each action, 12 hex digits: the object as it is, and as it is to be.
    """

    text: str
    fingerprints: Mapping[ObjectRef, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Approved:
    """The only plan that may be carried out.

    Args:
        digest: its digest, or the first 16 digits of it.
        actions: by object, what was to be done and the fingerprint; None if only the digest is known.
    """

    digest: str
    actions: Mapping[ObjectRef, tuple[str, str]] | None = None


def is_digest(text: str) -> bool:
    """Whether `text` is a digest, or the first 16 digits of one."""
    return _DIGEST.fullmatch(text) is not None
