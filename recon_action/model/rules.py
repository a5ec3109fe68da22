"""What recon.yaml says of fields: which are left alone, which are secret."""

from dataclasses import dataclass
from fnmatch import fnmatchcase

from recon_action.model.pattern import FieldPattern
from recon_action.model.ref import ObjectRef


@dataclass(frozen=True, slots=True)
class Match:
    """Some objects, by globs; what isn't named matches all."""

    group: str = "*"
    kind: str = "*"
    namespace: str = "*"
    name: str = "*"

    def has(self, ref: ObjectRef) -> bool:
        """Whether `ref` is one of them."""
        return (
            fnmatchcase(ref.kind, self.kind)
            and fnmatchcase(ref.name, self.name)
            and fnmatchcase(ref.namespace, self.namespace)
            and fnmatchcase(ref.group, self.group)
        )


@dataclass(frozen=True, slots=True)
class IgnoreRule:
    """Fields that keep their live value.

    Args:
        match: of which objects.
        patterns: the fields.
        managers: globs of field managers: what they own is ignored.
        reason: why; shown in reports.
    """

    match: Match
    patterns: tuple[FieldPattern, ...] = ()
    managers: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RedactRule:
    """Fields whose values appear in no output."""

    match: Match
    patterns: tuple[FieldPattern, ...]
