"""Secrets out of values, errors and logs.

Decides what is secret and masks it: no length, no hash, no first letter. Names of objects and keys
are public. How a format escapes foreign text may not live here (`report.escape`), nor may I/O.
"""

import base64
import json
import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final
from urllib.parse import quote

import orjson

from recon_action.model import Body, FieldPath, ObjectRef, Problem, RedactRule, ref_of
from recon_action.model.pattern import Route

MASK: Final = "***"
# Annotations in which other tools keep a whole copy of an object.
COPIES: Final = ("kubectl.kubernetes.io/last-applied-configuration", "kapp.k14s.io/original")

_SHORTEST = 4
# A shorter word made only of letters, or only of digits, is masked where it stands alone: a database
# called "shop" must not turn "workshop" into "work***".
_APART = 8
_WORD = 16  # the same for small letters alone: `postgres` stands in `spec.postgresql`
_TRIVIAL = frozenset({"true", "false", "null", "none", "default"})
_PORT = re.compile(r"\d{1,5}")  # too common a number to mask outside of a Secret
_ARMOUR = re.compile(r"-----(?:BEGIN|END) [A-Z0-9 ]+-----")
_SAFE_IN_URL = re.compile(r"[A-Za-z0-9_.~-]*")
_SAFE_IN_QUOTES = re.compile(r"[ !#-%(-;=?-\[\]-~]*")  # printable ASCII without " & ' < > and the backslash
_EDGE = re.compile(r"(?:\A|[\W_]|\\[abfnrtv]|\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|%[0-9A-F]{2})\Z")
_SPECIAL_IN_GO = re.compile(r'["\\]|[^ -~]')
_GO_ESCAPES = {
    '"': '\\"', "\\": "\\\\", "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t",
    "\v": "\\v",
}  # fmt: skip


@dataclass(frozen=True)
class Secrets:
    """Every value that must appear in no output.

    Args:
        values: as decoded, and as base64.
        public: names of objects, namespaces, kinds and of Secrets' keys. A value that equals one isn't
            masked: the report shows the name in any case, and `***` in its place would give it away.
        rules: fields that recon.yaml calls secret.
        disclose: redaction is off. For tests alone: they show that they would notice a leak.
    """

    values: frozenset[str] = field(default=frozenset(), repr=False)
    public: frozenset[str] = field(default=frozenset(), repr=False)
    rules: tuple[RedactRule, ...] = ()
    disclose: bool = False

    @classmethod
    def of(cls, bodies: Iterable[Body]) -> "Secrets":
        """All that the Secrets among `bodies` hold, copies in annotations included."""
        values: set[str] = set()
        public: set[str] = set()
        for body in bodies:
            metadata = body.get("metadata") or {}
            public.update(
                str(name) for name in (body.get("kind"), metadata.get("namespace"), metadata.get("name")) if name
            )
            if is_secret(body):
                values.update(_values(body))
                public.update(_keys(body))
        return cls(frozenset(values), frozenset(public))

    @classmethod
    def at(cls, rules: Sequence[RedactRule], bodies: Iterable[Body]) -> "Secrets":
        """`rules`, and all that `bodies` hold in the fields that they name."""
        values = {value for body in bodies for value in _ruled(rules, body)} if rules else ()
        return cls(frozenset(values), rules=tuple(rules))

    @classmethod
    def nothing(cls) -> "Secrets":
        """No known value; the secret fields of Secrets are hidden all the same."""
        return cls()

    def __or__(self, other: "Secrets") -> "Secrets":
        return Secrets(
            self.values | other.values,
            self.public | other.public,
            self.rules + other.rules,
            self.disclose or other.disclose,
        )

    def scrub(self, text: str) -> str:
        """`text` with every secret value, in any of its usual spellings, replaced by `***`."""
        if self.disclose or not self._index:
            return text
        parts: list[str] = []
        end = 0
        for at in range(len(text) - _SHORTEST + 1):
            until = self._match(text, at)
            if until > end:
                # Overlapping values are masked together, or the rest of the second would be left.
                parts += (text[end:at], MASK) if at >= end else ()
                end = until
        return "".join(parts) + text[end:]

    def scrub_value(self, value: Any) -> Any:
        """The same for each string, key and number in JSON."""
        if self.disclose or not self._index:
            return value
        if isinstance(value, str):
            return self.scrub(value)
        if isinstance(value, dict):
            return {self.scrub(key): self.scrub_value(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.scrub_value(item) for item in value]
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value if self.scrub(str(value)) == str(value) else MASK
        return value

    def scrub_all(self, text: str) -> str:
        """`scrub`, and the values that are too short or too common for it, where they stand alone."""
        text = self.scrub(text)
        if self.disclose or self._short is None:
            return text
        return self._short.sub(MASK, text)

    def _match(self, text: str, at: int) -> int:
        """The end of the longest secret that begins at `at`; 0 if none does."""
        for form in self._index.get(text[at : at + _SHORTEST], ()):
            end = at + len(form)
            if text.startswith(form, at) and (_is_long(form) or _is_apart(text, at, end)):
                return end
        return 0

    @cached_property
    def _index(self) -> dict[str, list[str]]:
        """Spellings by their first characters, longest first: a look-up per position, however many."""
        spellings = {
            form
            for value in self.values - self.public
            for part in (value, *(line.strip() for line in value.splitlines()))
            if is_telling(part) and part not in self.public
            for form in _spellings(part)
        }
        index: defaultdict[str, list[str]] = defaultdict(list)
        for form in sorted(spellings, key=len, reverse=True):
            index[form[:_SHORTEST]].append(form)
        return dict(index)

    @cached_property
    def _short(self) -> re.Pattern[str] | None:
        short = sorted((v for v in self.values - self.public if v and not is_telling(v)), key=len, reverse=True)
        return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, short))})(?!\w)") if short else None


def is_secret(body: Body) -> bool:
    """Whether the object is a Secret of the core group."""
    return body.get("kind") == "Secret" and "/" not in str(body.get("apiVersion", ""))


def is_secret_path(ref: ObjectRef, path: FieldPath, rules: Sequence[RedactRule] = ()) -> bool:
    """Whether what stands at `path` is secret as a whole: no value of it may be shown."""
    if any(pattern.covers(path) for rule in rules if rule.match.has(ref) for pattern in rule.patterns):
        return True
    fields = [FieldPath(("metadata", "annotations", name)) for name in COPIES]
    if ref.kind == "Secret" and not ref.group:
        fields += FieldPath(("data",)), FieldPath(("stringData",))
        if not path.items:
            return True
    return any(path.is_within(secret) for secret in fields)


def redact_value(value: Any) -> Any:
    """`value` with its keys, and `***` for each leaf."""
    if isinstance(value, dict):
        return {key: redact_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [redact_value(item) for item in value]
    return MASK


def redact_below(ref: ObjectRef, path: FieldPath, value: Any, rules: Sequence[RedactRule] = ()) -> Any:
    """`value`, which stands at `path`, with the secret fields below it masked."""
    if is_secret_path(ref, path, rules):
        return redact_value(value)
    inner = [pattern.below(path) for rule in rules if rule.match.has(ref) for pattern in rule.patterns]
    for pattern in filter(None, inner):
        for route in pattern.routes(value):
            value = _masked(value, route)
    # Every other secret field of an object that isn't one itself lies under `metadata.annotations`.
    if isinstance(value, dict) and path.items in ((), ("metadata",), ("metadata", "annotations")):
        return {key: redact_below(ref, path / key, item) for key, item in value.items()}
    return value


def _masked(value: Any, route: Route) -> Any:
    """`value` with what stands at `route` masked."""
    if not route:
        return redact_value(value)
    copy = value.copy()
    copy[route[0]] = _masked(value[route[0]], route[1:])
    return copy


def redact_problem(ref: ObjectRef | None, problem: Problem, secrets: Secrets) -> Problem:
    """`problem` in words that may be shown; of a Secret only the reason and the names of the fields.

    Args:
        ref: the object that it is about; None if it is about none.
        problem: with the server's own words.
        secrets: the values that are known.
    """
    if secrets.disclose:
        return problem
    if ref is None or ref.kind != "Secret" or ref.group:
        return replace(problem, message=secrets.scrub(problem.message), hint=secrets.scrub(problem.hint))
    names = {ref.name, ref.namespace, ref.kind, "secrets", "v1", "immutable", "", MASK}
    # The server's rules for names are fixed sentences, which quote nothing that it was sent.
    parts = _RULE.split(secrets.scrub_all(problem.message))
    parts[::2] = (_without_quotations(part, names) for part in parts[::2])
    return replace(problem, message="".join(parts), hint=secrets.scrub_all(problem.hint))


def _without_quotations(text: str, names: Container[str]) -> str:
    def unquote(found: re.Match[str]) -> str:
        return found[0] if found["lead"] or found[0][1:-1] in names else MASK

    text = _GO_STRUCT.sub("{" + MASK + "}", _QUOTED.sub(unquote, text))
    return _GIVEN.sub(rf"\g<1>{MASK}", text)


# The server quotes what it was sent. It also quotes names: of a user, a webhook, an unknown field.
# A quotation that a cut text never closes goes on to the end; so does what follows an escaped quotation
# mark that stands outside of one, since from there on inside and outside can't be told apart.
_QUOTED = re.compile(
    r"(?P<lead>\b(?:[Uu]ser|resource|group|namespace|webhook|version|(?:unknown|duplicate) field) )?"
    r"""(?:\\["'].*\Z|"(?:[^"\\]|\\.)*(?:"|\\?\Z)|(?<!\w)'[^']*(?:'|\Z)|`[^`]*(?:`|\Z))""",
    re.DOTALL,
)
_RULE = re.compile(r"""(consist of [\w ]*characters,[^":`{]*regex used for validation is '[^']*'\))""")
_GO_STRUCT = re.compile(r"\{.*(?:\}|\Z)", re.DOTALL)  # got &value.valueUnstructured{Value:…}
_GIVEN = re.compile(r"(\b(?:(?:Invalid|Unsupported|Duplicate) value|Value): ?).*?(?=: |, \w+[.\[]|\Z)", re.DOTALL)


def _values(body: Body) -> Iterator[str]:
    for raw in _leaves(body.get("data")):
        yield raw
        try:
            # Go's decoder skips line breaks too.
            yield base64.b64decode("".join(raw.split()), validate=True).decode()
        except ValueError:
            continue  # plain text where base64 belongs, or binary: as written, it is masked already
    yield from _leaves(body.get("stringData"))
    annotations = (body.get("metadata") or {}).get("annotations") or {}
    for copy in COPIES:
        if text := annotations.get(copy):
            yield from _copied(str(text))


def _ruled(rules: Sequence[RedactRule], body: Body) -> Iterator[str]:
    ref = ref_of(body)
    for rule in rules:
        for pattern in rule.patterns if rule.match.has(ref) else ():
            for route in pattern.routes(body):
                value: Any = body
                for step in route:
                    value = value[step]
                yield from _leaves(value)


def _copied(text: str) -> Iterator[str]:
    try:
        body = orjson.loads(text)
    except orjson.JSONDecodeError:
        body = None
    if isinstance(body, dict):
        yield from _values(body)
    else:
        yield text


def _keys(body: Body) -> Iterator[str]:
    for part in ("data", "stringData"):
        if isinstance(body.get(part), Mapping):
            yield from map(str, body[part])


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif value is not None:
        # A lone surrogate can't be encoded, nor can any output hold it.
        yield str(value).encode("utf-8", "replace").decode()


def is_telling(value: str) -> bool:
    """Whether a secret may be masked wherever it stands without hiding half of the report."""
    common = value.lower() in _TRIVIAL or _PORT.fullmatch(value) or _ARMOUR.fullmatch(value)
    return len(value) >= _SHORTEST and not common


def _is_long(form: str) -> bool:
    """Whether `form` is masked inside of longer words too; a mere word occurs in too many of them."""
    return len(form) >= (_WORD if form.isalpha() and form.islower() else _APART)


def _is_apart(text: str, start: int, end: int) -> bool:
    form = text[start:end]
    if not (form.isalpha() or form.isdigit()):
        return True
    return bool(_EDGE.search(text[max(0, start - 6) : start])) and not text[end : end + 1].isalnum()


def _spellings(value: str) -> Iterator[str]:
    """`value` as the outputs of Kubernetes, Go and Python spell it."""
    yield value
    raw = value.encode()
    encoded = base64.b64encode(raw).decode()
    for spelled in (encoded, encoded.replace("+", "-").replace("/", "_")):
        yield spelled
        yield spelled.rstrip("=")
    # A look at the characters spares most values, which are thousands, the rest.
    if not _SAFE_IN_URL.fullmatch(value):
        quoted = quote(value, safe="")
        yield quoted
        yield quoted.replace("%2F", "/")
        yield quoted.replace("%20", "+")
    if not _SAFE_IN_QUOTES.fullmatch(value):
        yield from _quoted_spellings(value)


def _quoted_spellings(value: str) -> Iterator[str]:
    yield repr(value)[1:-1]
    yield _SPECIAL_IN_GO.sub(_go_quoted, value)
    escaped = json.dumps(value, ensure_ascii=False)[1:-1]
    for_html = escaped
    for char in "<>&":  # encoding/json escapes them
        for_html = for_html.replace(char, f"\\u{ord(char):04x}")
    for inner in (escaped, for_html, json.dumps(value)[1:-1]):
        yield inner
        yield json.dumps(inner, ensure_ascii=False)[1:-1]  # JSON in a JSON string, as in an annotation
        yield json.dumps(inner)[1:-1]


def _go_quoted(found: re.Match[str]) -> str:
    char = found[0]
    if char in _GO_ESCAPES:
        return _GO_ESCAPES[char]
    if char.isprintable():
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
