"""What decides how the server treats an object, besides the object itself."""

import hashlib
from collections.abc import Container
from dataclasses import dataclass
from typing import Final

import orjson

# The kinds, as (group, kind), whose objects make an epoch.
ADMISSION: Final = (
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"),
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicy"),
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding"),
)
DEFINITION: Final = ("apiextensions.k8s.io", "CustomResourceDefinition")


@dataclass(frozen=True, slots=True)
class Epoch:
    """The state of schemas and mutating admission.

    Args:
        version: the server's.
        rows: (kind, name, UID, generation) of each CRD in use, mutating webhook configuration, and
            MutatingAdmissionPolicy with its binding, sorted.
    """

    version: str
    rows: tuple[tuple[str, str, str, str], ...] = ()

    @property
    def digest(self) -> str:
        """What the inventory remembers: sha256, hex."""
        return hashlib.sha256(orjson.dumps([self.version, self.rows])).hexdigest()

    @property
    def has_admission(self) -> bool:
        """Whether anything may change objects on their way in."""
        return any(row[0] != DEFINITION[1] for row in self.rows)

    def without_definitions(self, names: Container[str]) -> "Epoch":
        """The same without the CRDs of these names."""
        return Epoch(self.version, tuple(row for row in self.rows if row[0] != DEFINITION[1] or row[1] not in names))
