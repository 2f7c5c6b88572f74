"""Labelled calls and results, one JSON object per line, plain or gzip: what a run is made of.

A file is read to its end or not at all: an error names the file, the line, the field and the way
out. Rows of public collections are converted first. `suites` finds the files of a run, `draw` the
cases of a sample.
"""

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache, partial
from math import inf, nan
from pathlib import Path
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    BinaryIO,
    Literal,
    TypeAlias,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from automode.core.errors import AutomodeError
from automode.evaluation.published_rows import convert_row, is_published_row

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

OWN = Path(__file__).parent / "corpus"
ENDINGS = (".jsonl", ".jsonl.gz")
LONGEST_LINE_BYTES = 16 * 1024 * 1024
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LONGEST_SHOWN = 80
_MOST_NAMED = 12


class BadCases(AutomodeError):
    """A file of cases that cannot be used."""


Text: TypeAlias = Annotated[str, "may be empty"]
Weight: TypeAlias = Annotated[float, "above 0"]
Label: TypeAlias = Literal["allow", "block"]
SourceKind: TypeAlias = Literal["file", "web", "shell", "mcp", "email", "skill", "direct"]
Built = TypeVar("Built", bound="DataclassInstance")
_hints = cache(partial(get_type_hints, include_extras=True))


def build(kind: type[Built], row: Mapping[str, object], within: str = "") -> Built:
    """A dataclass from a JSON object, each field read by its type; null means the default. `within`
    is the object's path in its row. Raises AutomodeError for a value of another type."""
    hints = _hints(kind)
    return kind(
        **{
            one.name: _read(hints[one.name], row.get(one.name), f"{within}{one.name}")
            for one in fields(kind)
            if row.get(one.name) is not None
            or one.default is one.default_factory  # both missing: it must be there
        }
    )


def _read(kind: object, value: object, path: str) -> object:
    origin, inner = get_origin(kind), get_args(kind)
    if origin is UnionType:
        return _read(inner[0], value, path)
    if origin is tuple and isinstance(value, list):
        return tuple(_read(inner[0], one, f"{path}[{at}]") for at, one in enumerate(value))
    if origin is Mapping and isinstance(value, dict):
        return {name: _read(inner[1], one, f"{path}.{name}") for name, one in value.items()}
    if isinstance(kind, type) and is_dataclass(kind) and isinstance(value, dict):
        return build(kind, value, f"{path}.")
    fits, wanted = _expectation(kind, value)
    if not fits:
        what = f"`{path}` is {_describe(value)}"
        raise AutomodeError(what if value is not None else f"there is no `{path}`", wanted)
    return value


def _expectation(kind: object, value: object) -> tuple[bool, str]:
    """Whether the value is of this kind, and what to write otherwise."""
    if get_origin(kind) is Literal:
        words = get_args(kind)
        return value in words, "write " + " or ".join(f"`{word}`" for word in words)
    text = isinstance(value, str)
    # A truth value is a number to Python.
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else nan
    known: dict[object, tuple[bool, str]] = {
        object: (True, ""),
        Text: (text, "write a text"),
        str: (text and bool(str(value).strip()), "write a text that is not empty"),
        bool: (isinstance(value, bool), "write true or false"),
        Weight: (0 < number < inf, "write a number above 0"),
        float: (0 <= number < inf, "write a number from 0"),
    }
    return known.get(
        kind, (False, f"write {'a list' if get_origin(kind) is tuple else 'an object'}")
    )


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

    role: Literal["user", "assistant"]
    content: Text


@dataclass(frozen=True, slots=True)
class EarlierCall:
    tool: str
    input: Mapping[str, object]
    outcome: Text = ""


@dataclass(frozen=True, slots=True)
class Expected:
    """What the gate should answer, and the id of what should decide it."""

    verdict: Literal["allow", "ask", "deny"]
    source: str


@dataclass(frozen=True, slots=True)
class ActionCase:
    """A proposed call: should it run? `headline` False: reported, but left out of the rates that
    are quoted. `weight` is how many calls of a natural mix it stands for, `origin` the project or
    collection that it comes from."""

    id: str
    tool: str
    input: Mapping[str, object]
    label: Label
    category: str
    messages: tuple[Message, ...] = ()
    prior_calls: tuple[EarlierCall, ...] = ()
    parent: Text = ""
    cwd: Text = ""
    home: Text = ""
    origin: Text = ""
    group: Text = ""
    pair: Text = ""
    grade: Text = ""
    weight: Weight = 1.0
    expected: Expected | None = None
    rule: Text = ""
    headline: bool = True


@dataclass(frozen=True, slots=True)
class ResultCase:
    """What a tool gave back: does it try to take over its reader?"""

    id: str
    text: Text
    source_kind: SourceKind
    label: Literal["benign", "injection"]
    category: str
    group: Text = ""
    grade: Text = ""
    weight: Weight = 1.0
    headline: bool = True


Case: TypeAlias = ActionCase | ResultCase


@dataclass(frozen=True, slots=True)
class _Kind:
    kind: Literal["action", "result"]


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
                f"`{file.name}` line {number}: the id `{case.id[:80]}` is already"
                f" used in line {known[case.id]}",
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
        raise BadCases(
            f"`{file.name}` is not a complete gzip file", "fetch or pack it again"
        ) from error
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
        found = convert_row(row) if is_published_row(row) else row
        if build(_Kind, found).kind == "action":
            return build(ActionCase, found)
        return build(ResultCase, found)
    except AutomodeError as error:
        raise BadCases(f"{where}: {error}", error.hint) from error


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
                f"`{found[name].name}` and `{path.name}` have the same suite name",
                "rename one of them",
            )
        found[name] = path
    return found


DrawnCase: TypeAlias = tuple[str, Case]
"""The name of its corpus, and the case."""


def draw(corpora: Iterable[Corpus], sample: int | None, seed: int) -> list[DrawnCase]:
    """At most `sample` cases of each corpus; all of them with None. Always in the same order."""

    def rank(drawn: DrawnCase) -> bytes:
        # The name is written with its length: no two cases give one text.
        corpus, case = drawn
        text = f"{seed} {len(corpus)} {corpus} {case.id}"
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()

    chosen: list[DrawnCase] = []
    for corpus in corpora:
        chosen += sorted(((corpus.name, case) for case in corpus.cases), key=rank)[:sample]
    return sorted(chosen, key=rank)
