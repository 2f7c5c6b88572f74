"""Labelled calls and results, one JSON object per line, plain or gzip: what a run is made of.

A file is read to its end or not at all: an error names the file, the line, the field and the way
out. Rows of public collections are converted first. `suites` finds the files of a run, `draw` the
cases of a sample.
"""

import gzip
import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import BinaryIO, TypeAlias, cast

from automode.core.errors import AutomodeError
from automode.core.tools import canonical

OWN = Path(__file__).parent / "corpus"
ENDINGS = (".jsonl", ".jsonl.gz")
LONGEST_LINE_BYTES = 16 * 1024 * 1024
SOURCE_KINDS = ("file", "web", "shell", "mcp", "email", "skill", "direct")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LONGEST_SHOWN = 80
_MOST_NAMED = 12


class BadCases(AutomodeError):
    """A file of cases that cannot be used."""


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of one JSON object, each read with its type. `within` is the object's path in its
    row. Every method raises AutomodeError for a field of another type."""

    row: Mapping[str, object]
    within: str = ""

    def text(self, name: str, *, blank: bool = False) -> str:
        match self.row.get(name):
            case str(text) if blank or text.strip():
                return text
            case found:
                raise self._wrong(name, found, "a text" if blank else "a text that is not empty")

    def maybe(self, name: str) -> str:
        match self.row.get(name):
            case None:
                return ""
            case str(text):
                return text
            case found:
                raise self._wrong(name, found, "a text, or leave it out")

    def word(self, name: str, words: Sequence[str]) -> str:
        match self.row.get(name):
            case str(text) if text in words:
                return text
            case found:
                raise self._wrong(name, found, " or ".join(f"`{word}`" for word in words))

    def words(self, name: str) -> tuple[str, ...]:
        match self.row.get(name):
            case None:
                return ()
            case [*found] if all(isinstance(one, str) for one in found):
                return tuple(str(one) for one in found)
            case found:
                raise self._wrong(name, found, "a list of words")

    def flag(self, name: str, *, default: bool) -> bool:
        match self.row.get(name):
            case None:
                return default
            case bool(value):
                return value
            case found:
                raise self._wrong(name, found, "true or false")

    def number(self, name: str, wanted: str = "a number from 0") -> float | None:
        match self.row.get(name):
            case None:
                return None
            # A truth value is a number to Python.
            case int() | float() as value if (
                not isinstance(value, bool) and isfinite(value) and value >= 0
            ):
                return float(value)
            case found:
                raise self._wrong(name, found, wanted)

    def weight(self) -> float:
        wanted = "a number above 0"
        value = self.number("weight", wanted)
        if value == 0:
            raise self._wrong("weight", self.row["weight"], wanted)
        return 1.0 if value is None else value

    def counts(self) -> dict[str, int]:
        return {name: int(self.number(name) or 0) for name in self.row}

    def mapping(self, name: str) -> Mapping[str, object]:
        match self.row.get(name):
            case dict() as found:
                return found
            case other:
                raise self._wrong(name, other, "an object")

    def part(self, name: str) -> "Fields | None":
        if self.row.get(name) is None:
            return None
        return Fields(self.mapping(name), self._path(name))

    def rows(self, name: str) -> Iterator["Fields"]:
        match self.row.get(name):
            case None:
                return
            case [*found]:
                for at, one in enumerate(found):
                    place = f"{self._path(name)}[{at}]"
                    if not isinstance(one, dict):
                        raise AutomodeError(f"`{place}` is {_describe(one)}", "write an object")
                    yield Fields(one, place)
            case other:
                raise self._wrong(name, other, "a list of objects, or leave it out")

    def _path(self, name: str) -> str:
        return f"{self.within}.{name}" if self.within else name

    def _wrong(self, name: str, found: object, wanted: str) -> AutomodeError:
        path = self._path(name)
        if found is None:
            return AutomodeError(f"there is no `{path}`", f"write {wanted}")
        return AutomodeError(f"`{path}` is {_describe(found)}", f"write {wanted}")


def _describe(value: object) -> str:
    """A word or a number is quoted, anything longer is only named: a case may hold secrets."""
    match value:
        case str() | bool() | int() | float() if len(str(value)) <= _LONGEST_SHOWN:
            return f"`{value}`"
        case dict():
            return "an object"
        case list():
            return "a list"
        case str():
            return f"a text of {len(value)} characters"
        case _:
            return f"`{type(value).__name__}`"


@dataclass(frozen=True, slots=True)
class Message:
    """`role` is `user`, or `assistant` for what a terse reply answers."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class EarlierCall:
    tool: str
    input: Mapping[str, object]
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class Expected:
    """What the gate should answer, and the id of what should decide it."""

    verdict: str
    source: str


@dataclass(frozen=True, slots=True)
class ActionCase:
    """A proposed call: should it run? `headline` False: reported, but left out of the rates that
    are quoted. `weight` is how many calls of a natural mix it stands for. `giveaway`: a tell-tale
    string is in it."""

    id: str
    tool: str
    input: Mapping[str, object]
    label: str  # `allow` or `block`
    category: str
    messages: tuple[Message, ...] = ()
    prior_calls: tuple[EarlierCall, ...] = ()
    parent: str = ""
    cwd: str = ""
    group: str = ""
    pair: str = ""
    grade: str = ""
    weight: float = 1.0
    expected: Expected | None = None
    rule: str = ""
    headline: bool = True
    giveaway: bool = False


@dataclass(frozen=True, slots=True)
class ResultCase:
    """What a tool gave back: does it try to take over its reader?"""

    id: str
    text: str
    source_kind: str
    label: str  # `benign` or `injection`
    category: str
    group: str = ""
    grade: str = ""
    weight: float = 1.0
    headline: bool = True


Case: TypeAlias = ActionCase | ResultCase


@dataclass(frozen=True, slots=True)
class Corpus:
    """`digest` is of the text without its packing: a file means the same zipped and unzipped."""

    name: str
    path: str
    digest: str
    cases: tuple[Case, ...] = field(repr=False)


def load(path: str | Path) -> Corpus:
    """Every case of the file. Raises BadCases."""
    file = Path(path)
    known: dict[str, int] = {}
    digest = hashlib.sha256()
    found: list[Case] = []
    for number, line in _lines(file):
        digest.update(line)
        if not line.strip():
            continue
        case = _case(line, f"`{file.name}` line {number}", first=number == 1)
        if case.id in known:
            raise BadCases(
                f"`{file.name}` line {number}: the id `{case.id[:80]}` is that of line"
                f" {known[case.id]} too",
                "give every case an id of its own",
            )
        known[case.id] = number
        found.append(case)
    if not found:
        raise BadCases(f"`{file.name}` holds no case", "write one JSON object per line")
    return Corpus(suite_name(file), str(file), digest.hexdigest(), tuple(found))


def suite_name(path: Path) -> str:
    return path.name.removesuffix(".gz").removesuffix(".jsonl")


def holds_cases(path: Path) -> bool:
    """Whether the first row looks like a case: a folder may hold other lists beside them."""
    try:
        first = next((line for _, line in _lines(path) if line.strip()), b"")
        row = json.loads(first.removeprefix(_BYTE_ORDER_MARK))
    except (BadCases, ValueError, RecursionError):
        return True  # `load` says what is wrong: a broken file must not look like none
    return isinstance(row, dict) and (
        row.get("kind") in ("action", "result") or is_published_row(row)
    )


def _lines(file: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with _open(file) as stream:
            number = 0
            while line := stream.readline(LONGEST_LINE_BYTES + 1):
                number += 1
                if len(line) > LONGEST_LINE_BYTES:
                    raise BadCases(
                        f"`{file.name}` line {number} has more than {LONGEST_LINE_BYTES} bytes",
                        "shorten the case",
                    )
                yield number, line
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BadCases(f"`{file.name}` is not whole gzip", "fetch or pack it again") from error
    except OSError as error:
        what = (error.strerror or type(error).__name__).lower()
        raise BadCases(f"`{file}` cannot be read: {what}", "name a readable file") from error


def _open(file: Path) -> BinaryIO:
    # A GzipFile reads like any binary file; its declared type says less than that.
    return cast(BinaryIO, gzip.open(file, "rb")) if file.name.endswith(".gz") else file.open("rb")


def _case(line: bytes, where: str, *, first: bool) -> Case:
    try:
        row = json.loads(line.removeprefix(_BYTE_ORDER_MARK) if first else line)
    except (ValueError, RecursionError) as error:
        raise BadCases(f"{where} is not JSON", "write one JSON object per line") from error
    if not isinstance(row, dict):
        raise BadCases(f"{where} is no JSON object", 'write `{"id": …, "kind": …}`')
    try:
        fields = Fields(convert_row(row) if is_published_row(row) else row)
        kind = fields.word("kind", ("action", "result"))
        return _action(fields) if kind == "action" else _result(fields)
    except AutomodeError as error:
        raise BadCases(f"{where}: {error}", error.hint) from error


def _action(row: Fields) -> ActionCase:
    expected = row.part("expected")
    return ActionCase(
        id=row.text("id"),
        tool=row.text("tool"),
        input=row.mapping("input"),
        label=row.word("label", ("allow", "block")),
        category=row.text("category"),
        messages=tuple(
            Message(one.word("role", ("user", "assistant")), one.text("content", blank=True))
            for one in row.rows("messages")
        ),
        prior_calls=tuple(
            EarlierCall(one.text("tool"), one.mapping("input"), one.maybe("outcome"))
            for one in row.rows("prior_calls")
        ),
        parent=row.maybe("parent"),
        cwd=row.maybe("cwd"),
        group=row.maybe("group"),
        pair=row.maybe("pair"),
        grade=row.maybe("grade"),
        weight=row.weight(),
        expected=None
        if expected is None
        else Expected(expected.word("verdict", ("allow", "ask", "deny")), expected.text("source")),
        rule=row.maybe("rule"),
        headline=row.flag("headline", default=True),
        giveaway=row.flag("giveaway", default=False),
    )


def _result(row: Fields) -> ResultCase:
    return ResultCase(
        id=row.text("id"),
        text=row.text("text", blank=True),
        source_kind=row.word("source_kind", SOURCE_KINDS),
        label=row.word("label", ("benign", "injection")),
        category=row.text("category"),
        group=row.maybe("group"),
        grade=row.maybe("grade"),
        weight=row.weight(),
        headline=row.flag("headline", default=True),
    )


# Rows of public collections are known by their shape: `source` is where a row comes from, beside
# its `license`, and what matters for counting stands in `note` as words like `risky=push`.

NATURAL_WEIGHT = 1.723
"""Of real shell calls without a risky surface, fewer were collected than there were: each stands
for so many of a natural mix."""
_UNVERIFIED, _WEAK = "benign_unverified", "weak"
_RISKY = re.compile(r"(?:^|\s)risky=(\S*)")
_GIVEAWAY = re.compile(r"(?:^|\s)giveaway=True(?:\s|$)")
_WEAK_NOTE = re.compile(r"\bWEAK\b")


def is_published_row(row: Mapping[str, object]) -> bool:
    match row:
        case {"license": str(), "source": str(), "tool": _, "input": _}:
            return "kind" not in row
        case {"license": str(), "source": str(), "text": _}:
            return True
        case _:
            return False


def convert_row(row: Mapping[str, object]) -> Mapping[str, object]:
    """The same case in our shape. Raises AutomodeError where a field has the wrong type."""
    note = row.get("note", "")
    if not isinstance(note, str):
        raise AutomodeError("`note` is no text", "write the words of the note as text")
    if "tool" not in row:
        kind = row.get("kind")
        own = {
            "kind": "result",
            "source_kind": kind,
            "category": kind,
            "headline": kind != "direct",
        }
        return {name: row.get(name) for name in ("id", "text", "label", "group")} | own
    grade = row.get("grade") or (_WEAK if _WEAK_NOTE.search(note) else "")
    return {
        **{name: value for name, value in row.items() if name not in ("source", "license", "note")},
        "kind": "action",
        "weight": NATURAL_WEIGHT if _is_plain_shell_call(row, note) else 1.0,
        "grade": grade,
        "giveaway": bool(_GIVEAWAY.search(note)),
        # A preference, and a guess about a label, are worth looking at and not worth quoting.
        "headline": row.get("category") != _UNVERIFIED and grade != _WEAK,
    }


def _is_plain_shell_call(row: Mapping[str, object], note: str) -> bool:
    risky = _RISKY.search(note)
    return (
        str(row.get("source")).startswith("entire:")  # real sessions
        and canonical(str(row.get("tool"))) in ("bash", "powershell", "cmd")
        and row.get("label") == "allow"
        and risky is not None
        and not risky[1]
    )


@dataclass(frozen=True, slots=True)
class Suites:
    """`passed_over` are files of the folder that hold something else than cases."""

    corpora: tuple[Corpus, ...]
    passed_over: tuple[str, ...] = ()


def suites(folder: Path | None, names: Sequence[str] = ()) -> Suites:
    """The corpora of a folder, or the project's own; with `names` only those. Raises BadCases."""
    place = OWN if folder is None else folder
    files = _files(place)
    for name in names:
        if name not in files:
            known = ", ".join(list(files)[:_MOST_NAMED])
            raise BadCases(f"no suite `{name}` in `{place.name}`", f"there are: {known}")
    if names:
        return Suites(tuple(load(files[name]) for name in dict.fromkeys(names)))
    chosen = [path for path in files.values() if holds_cases(path)]
    if not chosen:
        raise BadCases(
            f"no file of `{place}` holds cases",
            "name a folder with files of cases (.jsonl or .jsonl.gz) with --data",
        )
    passed_over = tuple(path.name for path in files.values() if path not in chosen)
    return Suites(tuple(load(path) for path in chosen), passed_over)


def _files(folder: Path) -> dict[str, Path]:
    if not folder.is_dir():
        raise BadCases(f"no such folder: `{folder}`", "name an existing one with --data")
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        if not path.name.endswith(ENDINGS) or not path.is_file():
            continue
        name = suite_name(path)
        if name in found:
            raise BadCases(
                f"`{found[name].name}` and `{path.name}` would be one suite", "rename one of them"
            )
        found[name] = path
    return found


@dataclass(frozen=True, slots=True)
class DrawnCase:
    """A case and the corpus it comes from: together they are its name."""

    corpus: str
    case: Case

    @property
    def key(self) -> tuple[str, str]:
        return self.corpus, self.case.id


def draw(corpora: Iterable[Corpus], sample: int | None, seed: int) -> list[DrawnCase]:
    """At most `sample` cases of each corpus; all of them with None. Always in the same order."""
    chosen: list[DrawnCase] = []
    for corpus in corpora:
        drawn = [DrawnCase(corpus.name, case) for case in corpus.cases]
        chosen += sorted(drawn, key=lambda one: _rank(seed, one))[:sample]
    return sorted(chosen, key=lambda one: _rank(seed, one))


def _rank(seed: int, drawn: DrawnCase) -> bytes:
    """The name is written with its length: no two cases give one text."""
    text = f"{seed} {len(drawn.corpus)} {drawn.corpus} {drawn.case.id}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
