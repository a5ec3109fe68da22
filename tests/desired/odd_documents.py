"""Odd documents and what kubectl makes of them: the table that both readers are held to.

`tests/desired/test_odd_documents.py` checks ours against it, `tests/live/test_reader_differential.py` kubectl's own.
"""

import json
from dataclasses import dataclass
from typing import Any

HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"


def config_map(data: Any = None, name: str = "a") -> dict[str, Any]:
    """A ConfigMap as JSON, with `data` if there is any."""
    body: dict[str, Any] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}
    return body if data is None else {**body, "data": data}


# A plain or tagged scalar in value position, and its JSON value.
SCALARS: dict[str, Any] = {
    # booleans and null
    "y": True,
    "Y": True,
    "n": False,
    "N": False,
    "yes": True,
    "No": False,
    "on": True,
    "OFF": False,
    "true": True,
    "False": False,
    "tRue": "tRue",
    "yEs": "yEs",
    "~": None,
    "null": None,
    "Null": None,
    "nUll": "nUll",
    "": None,
    '""': "",
    "'y'": "y",
    '"1"': "1",
    # integers
    "0": 0,
    "-0": 0,
    "+5": 5,
    "00": 0,
    "0755": 493,
    "0o755": 493,
    "0O17": 15,
    "+0o7": 7,
    "0o8": "0o8",
    "0o": "0o",
    "08": 8,
    "-08": -8,
    "0123456789": 123456789,
    "0x1F": 31,
    "0X1f": 31,
    "-0x10": -16,
    "0x": "0x",
    "0b101": 5,
    "0B11": 3,
    "-0b11": -3,
    "0b2": "0b2",
    "1_000": 1000,
    "0_7": 7,
    "1_": 1,
    "_1": "_1",
    "-_1": -1,
    "0x_1F": 31,
    "9223372036854775807": 9223372036854775807,
    "-9223372036854775808": -9223372036854775808,
    "9223372036854775808": 9223372036854776000,
    "18446744073709551615": 1.8446744073709552e19,
    "1000000000000000000000": 1e21,
    "123456789012345678901": 123456789012345680000.0,
    "0xFFFFFFFFFFFFFFFFF": "0xFFFFFFFFFFFFFFFFF",
    # floats
    "1.0": 1,
    "-0.0": 0,
    "1.": 1,
    ".5": 0.5,
    "+.5": 0.5,
    "-.5": -0.5,
    "0.10": 0.1,
    "1e3": 1000,
    "12e03": 12000,
    "1e+3": 1000,
    "1e-7": 1e-07,
    "1e400": "1e400",
    ".5e400": ".5e400",
    "1e-400": 0,
    "5e-324": 5e-324,
    "5e": "5e",
    ".e3": ".e3",
    ".": ".",
    "+": "+",
    "1_0.5_0": 10.5,
    ".5_0": 0.5,
    "._5": "._5",
    ".5_": ".5_",
    "12e3": 12000,
    "1234567e8": 123456700000000,
    # what only looks like something
    "1:30": "1:30",
    "22:22": "22:22",
    "12:30:45": "12:30:45",
    "2001-01-01": "2001-01-01",
    "2001-12-14t21:59:43.10-05:00": "2001-12-14t21:59:43.10-05:00",
    "1.2.3": "1.2.3",
    "10.0.0.0/8": "10.0.0.0/8",
    "100m": "100m",
    "1Gi": "1Gi",
    "=": "=",
    "<<": "<<",
    "a:b": "a:b",
    "http://x": "http://x",
    "a#b": "a#b",
    "a # comment": "a",
    # quotes and escapes
    r'"a\'b"': "a'b",
    r'"\x41\u0042\e\0"': "AB\x1b\x00",
    "'it''s'": "it's",
    '"a\n    b"': "a b",
    # tags
    "!!str 1": "1",
    "!!str": "",
    "!!int '1'": 1,
    "!!float 1": 1,
    "!!float 1.5": 1.5,
    "!!bool yes": True,
    "!!null ''": None,
    "!!binary aGk=": "hi",
    "!!timestamp 2001-01-01": "2001-01-01",
    "!foo 1": "1",
    "!!foo 1": "1",
    "! 1": "1",
    "!!merge x": "x",
    "!<tag:yaml.org,2002:int> 3": 3,
    "!!set {a, b}": {"a": None, "b": None},
    "!!omap [a: 1]": [{"a": 1}],
    "!!null {}": {},
    # structure
    "{a: 1, b: [c, {d: e}]}": {"a": 1, "b": ["c", {"d": "e"}]},
    "{a:1}": {"a:1": None},
    "[a, b: c]": ["a", {"b": "c"}],
    "[a,]": ["a"],
    "{a, b: }": {"a": None, "b": None},
    '{"a":1}': {"a": 1},
    "|\n    x\n    y\n": "x\ny\n",
    "|-\n    x\n": "x",
    "|+\n    x\n": "x\n\n",
    ">\n    x\n    y\n\n    z\n": "x y\nz\n",
    "|2\n     x\n": " x\n",
    "x\n    y": "x y",
}

# A scalar that makes no value: the words of our fault.
BAD_SCALARS = {
    ".inf": "infinity and NaN have no JSON form",
    "-.INF": "infinity and NaN have no JSON form",
    ".nan": "infinity and NaN have no JSON form",
    "!!float .inf": "infinity and NaN have no JSON form",
    "!!int 1.0": "the value doesn't suit its tag !!int",
    "!!int ''": "the value doesn't suit its tag !!int",
    "!!float y": "the value doesn't suit its tag !!float",
    "!!null x": "the value doesn't suit its tag !!null",
    "!!bool 1": "the value doesn't suit its tag !!bool",
    "!!timestamp x": "the value doesn't suit its tag !!timestamp",
    "!!timestamp 2001-02-30": "the value doesn't suit its tag !!timestamp",
    "!!binary 'aG k'": "the value of a !!binary is no base64",
    "*nowhere": "an alias, *, without an anchor of its name before it",
    "&a [*a]": "an alias within its own anchor",
    "@x": "found character that cannot start any token",
    "`x`": "found character that cannot start any token",
    "%x": "found character that cannot start any token",
    r'"\/"': r"the text holds an unknown escape, \/",
    r'"\q"': "found unknown escape character",
    r'"\ud83d"': "found invalid Unicode character escape code",
    "a: b": "mapping values are not allowed in this context",
    '"open': "found unexpected end of stream",
    "[a": "did not find expected ',' or ']'",
    "{a": "did not find expected ',' or '}'",
    "'a' b": "did not find expected key",
    "\tx: 1\n  y: 2": "mapping values are not allowed in this context",
    "\x07": "U+0007 may not stand in YAML",
}

# A key, and the JSON key that it makes.
KEYS = {
    "1": "1",
    "1.0": "1",
    "1e6": "1e+06",
    "1e5": "100000",
    "123456.789": "123456.79",
    "16777217": "16777217",
    "16777217.0": "1.6777216e+07",
    "0.0001": "0.0001",
    "0.00001": "1e-05",
    "3.14159265358979": "3.1415927",
    "1e300": ".inf",
    ".inf": ".inf",
    "-.inf": "-.inf",
    ".nan": ".nan",
    "0x10": "16",
    "0755": "493",
    "true": "true",
    "y": "true",
    "on": "true",
    "off": "false",
    "'on'": "on",
    "2001-01-01": "2001-01-01",
    "'<<'": "<<",
    "=": "=",
    "!!str 1": "1",
    "!!int '1'": "1",
    "? a\n  ": "a",
    '"a b"': "a b",
    "a b": "a b",
}

# A key that is refused, and the words of our fault.
BAD_KEYS = {
    "~": "null is no key",
    "null": "null is no key",
    "": "did not find expected key",
    "18446744073709551615": "the key is too large a number",
    "[a]": "a list or mapping is used as a key",
    "{a: b}": "a list or mapping is used as a key",
    "!!int x": "the value doesn't suit its tag !!int",
}


@dataclass(frozen=True)
class Row:
    """A file.

    Args:
        name: of the row.
        source: the file's bytes, or its text.
        objects: what it holds.
        faults: the lines, columns and words of our faults, if it holds any.
        differs: why kubectl, on purpose, says something else.
        suffix: of the file.
    """

    name: str
    source: bytes | str
    objects: tuple[dict[str, Any], ...] = ()
    faults: tuple[str, ...] = ()
    differs: str = ""
    suffix: str = ".yaml"

    @property
    def data(self) -> bytes:
        """The file's bytes."""
        return self.source if isinstance(self.source, bytes) else self.source.encode()


A, B = config_map(), config_map(name="b")
A_JSON = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}'
B_JSON = A_JSON.replace('"a"', '"b"')
NESTED = json.loads("[" * 190 + "]" * 190)
HEAD_B = HEAD.replace("name: a", "name: b")
SECOND = "a second document begins here without a line of ---, and kubectl would drop it"

DOCUMENTS = (
    # encodings and line ends
    Row("byte-order-mark", "\ufeff" + HEAD, (A,)),
    Row("byte-order-mark-before-separator", "\ufeff---\n" + HEAD, (A,)),
    Row("byte-order-mark-in-second-document", HEAD + "---\n\ufeff" + HEAD_B, (A, B)),
    Row(
        "byte-order-mark-after-first-separator",
        "---\n\ufeff" + HEAD,
        (A,),
        differs="kubectl takes the mark for a part of the first key; nobody can want that",
    ),
    Row("crlf", (HEAD + "data:\n  a: |\n    x\n    y\n").replace("\n", "\r\n"), (config_map({"a": "x\ny\n"}),)),
    Row("crlf-separators", (HEAD + "---\n" + HEAD_B).replace("\n", "\r\n"), (A, B)),
    Row("cr", HEAD.replace("\n", "\r"), (A,)),
    Row("utf-16-le", (HEAD + "data: {a: é}\n").encode("utf-16"), (config_map({"a": "é"}),)),
    Row("utf-16-be-two", b"\xfe\xff" + (HEAD + "---\n" + HEAD_B).encode("utf-16-be"), (A, B)),
    Row("utf-16-without-mark", HEAD.encode("utf-16-le"), faults=("1:1: U+0000 may not stand in YAML",)),
    Row("latin-1", HEAD.encode() + b"data: {a: '\xe9\xe8 \xe2\x82 x'}\n",
        (config_map({"a": "\ufffd\ufffd \ufffd x"}),)),
    Row("latin-1-comment", b"# \xe9\n" + HEAD.encode(), (A,)),
    Row("emoji", HEAD + "data: {a: 🚀, 🚀: b}\n", (config_map({"a": "🚀", "🚀": "b"}),)),
    Row("no-last-line-break", HEAD + "data:\n  a: |\n    x", (config_map({"a": "x\n"}),)),
    Row("no-last-line-break-kept", HEAD + "data:\n  a: |+\n    x", (config_map({"a": "x\n"}),)),
    Row("unicode-line-breaks", HEAD + 'data: {a: "x\u2028y\x85z"}\n', (config_map({"a": "x\u2028y z"}),)),
    # documents
    Row("two", HEAD + "---\n" + HEAD_B, (A, B)),
    Row("separator-first", "---\n" + HEAD, (A,)),
    Row("separators-twice", "---\n---\n" + HEAD + "---\n---\n", (A,)),
    Row("separator-with-comment", HEAD + "--- # more\n" + HEAD_B, (A, B)),
    Row("separator-with-spaces", HEAD + "---  \t\n" + HEAD_B, (A, B)),
    Row("separator-at-the-end", HEAD + "---", (A,)),
    Row("comments-between", "# a\n---\n# b\n\n---\n" + HEAD + "---\n# c\n", (A,)),
    Row("null-documents", "null\n---\n~\n---\n" + HEAD, (A,)),
    Row("empty", ""),
    Row("comments-only", "# nothing\n\n   # at all"),
    Row("separators-only", "---\n---\n"),
    Row(
        "separator-with-content",
        HEAD + "--- {a: 1}\n",
        faults=("4:1: only a comment may follow --- on its line",),
    ),
    Row("separator-with-text", HEAD + "---x\n" + HEAD_B, faults=("4:1: only a comment may follow --- on its line",)),
    Row(
        "separator-with-json",
        "--- " + A_JSON + "\n",
        faults=("1:1: only a comment may follow --- on its line",),
    ),
    Row(
        "dashes-in-a-text",
        HEAD + 'data:\n  a: "x\n-----END\n  y"\n',
        faults=(
            "5:6: while scanning a quoted scalar: found unexpected end of stream",
            "6:1: only a comment may follow --- on its line",
        ),
    ),
    Row("dashes-indented", HEAD + "data:\n  a: |\n    ---\n    x\n", (config_map({"a": "---\nx\n"}),)),
    Row(
        "dots-then-document",
        HEAD + "...\n" + HEAD_B,
        faults=(f"5:1: {SECOND}",),
        differs="kubectl drops the second document without a word",
    ),
    Row("dots-then-separator", HEAD + "...\n---\n" + HEAD_B, (A, B)),
    Row("dots-at-the-end", HEAD + "...\n", (A,)),
    Row("directive", "%YAML 1.2\n---\n" + HEAD, faults=("1:1: a line that begins with %",)),
    Row("directive-1.1", "%YAML 1.1\n---\n" + HEAD, faults=("1:1: a line that begins with %",)),
    Row("tag-directive", "%TAG ! x:\n---\n" + HEAD, faults=("1:1: a line that begins with %",)),
    Row("flow-document", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n---\n" + HEAD_B, (A, B)),
    Row("tab-indent", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n\tname: a\n", faults=("4:1: ",)),
    Row("tab-after-colon", "apiVersion:\tv1\nkind:\tConfigMap\nmetadata: {name: a}\n", (A,)),
    Row("document-is-a-list", "- a\n", differs="kubectl refuses it; we count the file as none of Kubernetes"),
    Row("document-is-a-text", "hello\n", differs="kubectl refuses it; we count the file as none of Kubernetes"),
    Row("document-is-values", "a: {b: 1}\n", differs="kubectl refuses it; we count the file as none of Kubernetes"),
    Row(
        "no-object-among-objects",
        HEAD + "---\na: 1\n",
        faults=("5:1: among objects, this is none: no apiVersion and no kind",),
    ),
    # JSON
    Row("json", A_JSON, (A,), suffix=".json"),
    Row("json-in-yaml-file", A_JSON, (A,)),
    Row("json-twice", A_JSON + B_JSON, (A, B)),
    Row("json-lines", A_JSON + "\n" + B_JSON + "\n", (A, B)),
    Row("json-then-yaml", A_JSON + "\n---\n" + HEAD_B, (A, B)),
    Row("json-then-yaml-without-separator", A_JSON + "\n" + HEAD_B, (A, B)),
    Row(
        "json-twice-then-yaml",
        A_JSON + B_JSON + "\n---\n" + HEAD,
        faults=("2:1: this is no JSON, though objects in JSON precede it",),
    ),
    Row(
        "json-numbers",
        A_JSON[:-1] + ',"data":{"a":[1.0,1e3,-0,0.5,1e21,9223372036854775808,18446744073709551616,1E-7]}}',
        (config_map({"a": [1, 1000, 0, 0.5, 1e21, 9223372036854776000, 1.8446744073709552e19, 1e-7]}),),
    ),
    Row("json-words", A_JSON[:-1] + ',"data":{"a":"y","b":true,"on":null}}',
        (config_map({"a": "y", "b": True, "on": None}),)),
    Row("json-half-surrogate", A_JSON[:-1] + ',"data":{"a":"\\ud83d x"}}', (config_map({"a": "\ufffd x"}),)),
    Row("json-escapes", A_JSON[:-1] + ',"data":{"a":"\\/\\u0041\\ud83d\\ude80"}}', (config_map({"a": "/A🚀"}),)),
    Row("json-trailing-comma", A_JSON[:-1] + ",}", (A,)),
    Row("json-with-comment", A_JSON[:-1] + " # c\n}", (A,)),
    Row("json-after-space", " \n\t" + A_JSON, (A,)),
    Row("json-infinity", A_JSON[:-1] + ',"data":{"a":1e999}}', faults=("1:1: a number is too large",)),
    Row("json-null", "null"),
    # keys, anchors, merges
    Row("key-collision", HEAD + "data: {1: a, '1': b}\n", faults=("4:14: the key '1' is repeated, first in line 4",),
        differs="kubectl keeps one of the two by chance"),
    Row("repeated-key", HEAD + "data:\n  a: b\n  c: d\n  a: e\n",
        faults=("7:3: the key 'a' is repeated, first in line 5",), differs="kubectl keeps the last"),
    Row("repeated-key-twice", HEAD + "data:\n  a: b\n  a: c\nkind: ConfigMap\n",
        faults=("6:3: the key 'a' is repeated, first in line 5", "7:1: the key 'kind' is repeated, first in line 2"),
        differs="kubectl keeps the last"),
    Row("repeated-key-json", A_JSON[:-1] + ',"data":{"a":"b","a":"c"}}',
        faults=("1:79: the key 'a' is repeated, first in line 1",), differs="kubectl keeps the last"),
    Row("alias", HEAD + "data: {a: &x {b: [1]}, c: *x, d: *x}\n",
        (config_map({"a": {"b": [1]}, "c": {"b": [1]}, "d": {"b": [1]}}),)),
    Row("alias-as-key", HEAD + "data: {a: &x y, *x : z}\n", (config_map({"a": True, "true": "z"}),)),
    Row("anchor-on-key", HEAD + "data: {&x y: *x }\n", (config_map({"true": True}),)),
    Row("anchor-twice", HEAD + "data: {a: &x '1', b: *x, c: &x '2', d: *x}\n",
        (config_map({"a": "1", "b": "1", "c": "2", "d": "2"}),)),
    Row("anchor-inside-itself", HEAD + "data: {a: &x {b: &x c}, d: *x}\n",
        (config_map({"a": {"b": "c"}, "d": "c"}),)),
    Row("alias-across-documents", HEAD + "data: {a: &x b}\n---\n" + HEAD_B + "data: {a: *x}\n",
        faults=("9:11: an alias, *, without an anchor of its name before it",)),
    Row("alias-bomb", HEAD + "data:\n  a: &a [x,x,x,x,x,x,x,x,x,x]\n"
        + "".join(f"  {b}: &{b} [{','.join(['*' + a] * 10)}]\n" for a, b in zip("abcdefg", "bcdefgh", strict=True)),
        faults=("8:19: aliases make up too much of the document",)),
    Row("many-aliases", HEAD + "data:\n  a: &a [x,x,x,x,x,x,x,x,x,x]\n  b: [" + ",".join(["*a"] * 60) + "]\n",
        (config_map({"a": ["x"] * 10, "b": [["x"] * 10] * 60}),)),
    Row("merge", HEAD + "data:\n  a: &b {k: '1', l: '2'}\n  c: {<<: *b, l: '3'}\n",
        (config_map({"a": {"k": "1", "l": "2"}, "c": {"k": "1", "l": "3"}}),)),
    Row("merge-after", HEAD + "data:\n  a: &b {k: '1'}\n  c: {k: '9', <<: *b}\n",
        (config_map({"a": {"k": "1"}, "c": {"k": "1"}}),)),
    Row("merge-list", HEAD + "data:\n  a: [&a {k: '1'}, &b {k: '2', l: '2'}]\n  c: {<<: [*a, *b]}\n",
        (config_map({"a": [{"k": "1"}, {"k": "2", "l": "2"}], "c": {"k": "1", "l": "2"}}),)),
    Row("merge-twice", HEAD + "data:\n  a: [&a {k: '1'}, &b {k: '2', l: '2'}]\n  c: {<<: *a, <<: *b}\n",
        (config_map({"a": [{"k": "1"}, {"k": "2", "l": "2"}], "c": {"k": "2", "l": "2"}}),)),
    Row("merge-inline", HEAD + "data: {<<: {a: b}, c: d}\n", (config_map({"a": "b", "c": "d"}),)),
    Row("merge-is-shallow", HEAD + "data:\n  a: &b {m: {k: '1'}}\n  c: {<<: *b, m: {l: '2'}}\n",
        (config_map({"a": {"m": {"k": "1"}}, "c": {"m": {"l": "2"}}}),)),
    Row("merge-tagged", HEAD + "data: {!!merge <<: {a: b}}\n", (config_map({"a": "b"}),)),
    Row("merge-quoted", HEAD + "data: {'<<': {a: b}}\n", (config_map({"<<": {"a": "b"}}),)),
    Row("merge-of-a-text", HEAD + "data: {<<: x}\n", faults=("4:12: << takes a mapping or a list of mappings",)),
    Row("merge-of-a-list-alias", HEAD + "data: {a: &a [{b: c}], <<: *a}\n",
        faults=("4:28: << takes a mapping or a list of mappings",)),
    Row("merge-then-repeated", HEAD + "data: {<<: {a: b}, a: c, a: d}\n",
        faults=("4:26: the key 'a' is repeated, first in line 4",), differs="kubectl keeps the last"),
    Row("deep", HEAD + "data: {a: " + "[" * 190 + "]" * 190 + "}\n",
        (config_map({"a": NESTED}),)),
    Row("too-deep", HEAD + "data: {a: " + "[" * 500 + "]" * 500 + "}\n",
        faults=("4:209: nested more than 200 levels deep",),
        differs="Python's JSON codecs read no more; no manifest is nearly as deep"),
    Row("far-too-deep", HEAD + "data: {a: " + "[" * 10_100 + "]" * 10_100 + "}\n",
        faults=("4:",)),
    # lists
    Row("list", "apiVersion: v1\nkind: List\nitems:\n- " + A_JSON + "\n- " + B_JSON + "\n", (A, B)),
    Row("list-of-nothing", "apiVersion: v1\nkind: List\nitems: []\n"),
    Row("list-of-null", "apiVersion: v1\nkind: List\nitems: null\n"),
    Row("typed-list", "apiVersion: v1\nkind: ConfigMapList\nitems: [{metadata: {name: a}}]\n", (A,)),
    Row("typed-list-with-types", f"apiVersion: v1\nkind: ConfigMapList\nitems: [{A_JSON}]\n", (A,)),
    Row("typed-list-half-typed",
        "apiVersion: v1\nkind: ConfigMapList\nitems: [{kind: ConfigMap, metadata: {name: a}}]\n",
        faults=("3:9: the object has no apiVersion",)),
    Row("list-item-without-type", "apiVersion: v1\nkind: List\nitems: [{metadata: {name: a}}]\n",
        faults=("3:9: the object has no apiVersion",)),
    Row("list-item-null", "apiVersion: v1\nkind: List\nitems: [null]\n", faults=("3:9: this item is no object",)),
    Row("list-items-mapping", "apiVersion: v1\nkind: List\nitems: {}\n", faults=("3:1: items is no list",)),
    Row("nested-list", f"apiVersion: v1\nkind: List\nitems: [{{apiVersion: v1, kind: List, items: [{A_JSON}]}}]\n",
        (A,),
        differs="kubectl can't read it; what is meant is plain"),
    Row("list-without-items", "apiVersion: v1\nkind: List\nmetadata: {name: a}\n", faults=("1:1: a list needs items",),
        differs="an object of the kind List is in no cluster"),
    Row("items-of-another-kind", "apiVersion: x.io/v1\nkind: Order\nmetadata: {name: a}\nitems: [{sku: b}]\n",
        ({"apiVersion": "x.io/v1", "kind": "Order", "metadata": {"name": "a"}, "items": [{"sku": "b"}]},),
        differs="kubectl takes whatever has items for a list; the server doesn't"),
    Row("kind-ending-in-list", "apiVersion: x.io/v1\nkind: AllowList\nmetadata: {name: a}\nspec: {}\n",
        ({"apiVersion": "x.io/v1", "kind": "AllowList", "metadata": {"name": "a"}, "spec": {}},)),
    # identity
    Row("no-kind", "apiVersion: v1\nmetadata: {name: a}\n", faults=("1:1: the object has no kind",)),
    Row("no-api-version", "kind: ConfigMap\nmetadata: {name: a}\n", faults=("1:1: the object has no apiVersion",),
        differs="kubectl notices only when it asks the server"),
    Row("kind-is-a-number", "apiVersion: v1\nkind: 1\nmetadata: {name: a}\n", faults=("2:1: kind is no text",)),
    Row("name-is-a-number", HEAD.replace("name: a", "name: 123"), faults=("3:12: metadata.name is no text",)),
    Row("name-is-a-bool", HEAD.replace("name: a", "name: on"), faults=("3:12: metadata.name is no text",)),
    Row("namespace-is-a-number", HEAD.replace("name: a", "name: a, namespace: 1"),
        faults=("3:21: metadata.namespace is no text",)),
    Row("label-is-a-number", HEAD.replace("name: a", "name: a, labels: {b: 1}"),
        faults=("3:30: the value of metadata.labels.b is no text",)),
    Row("annotation-is-a-bool", HEAD.replace("name: a", "name: a, annotations: {b: yes, c: 2}"),
        faults=("3:35: the value of metadata.annotations.b is no text",
                "3:43: the value of metadata.annotations.c is no text")),
    Row("labels-are-a-list", HEAD.replace("name: a", "name: a, labels: [b]"),
        faults=("3:21: metadata.labels is no mapping",)),
    Row("nulls-in-metadata", HEAD.replace("name: a", "name: a, namespace: null, labels: null, annotations: {b: null}"),
        ({"apiVersion": "v1", "kind": "ConfigMap",
          "metadata": {"name": "a", "namespace": None, "labels": None, "annotations": {"b": None}}},),
        differs="kubectl's label command drops a null namespace while it edits the metadata"),
    Row("no-name", HEAD.replace("name: a", ""), faults=("3:1: the object has no metadata.name",),
        differs="kubectl notices only when it asks the server"),
    Row("no-metadata", "apiVersion: v1\nkind: ConfigMap\n", faults=("1:1: the object has no metadata",),
        differs="kubectl notices only when it asks the server"),
    Row("generate-name", HEAD.replace("name: a", "generateName: a-"),
        faults=("3:12: the object has no name, only generateName",), differs="an apply refuses it, label doesn't"),
)  # fmt: skip
