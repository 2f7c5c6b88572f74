"""Labelled calls and results, one JSON object per line, plain or gzip: what a run is made of.

A file is read to its end or not at all: an error names the file, the line, the field and the way
out, and no case of a file with an error counts.
"""

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, TypeAlias, cast

from automode.core.errors import AutomodeError
from automode.evaluation.fields import Fields, convert_row, is_published_row

ENDINGS = (".jsonl", ".jsonl.gz")
LONGEST_LINE_BYTES = 16 * 1024 * 1024
SOURCE_KINDS = ("file", "web", "shell", "mcp", "email", "skill", "direct")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class BadCases(AutomodeError):
    """A file of cases that cannot be used."""


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
    """A proposed call: should it be let through? `headline` False: reported, but left out of the
    rates that are quoted. `weight` is how many calls of a natural mix it stands for. `giveaway`: a
    tell-tale string is in it. `mode` is how it once ran."""

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
    why: str = ""
    headline: bool = True
    giveaway: bool = False
    mode: str = ""


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
    why: str = ""
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
    # A GzipFile reads like any binary file; its own type says less than it keeps.
    return cast(BinaryIO, gzip.open(file, "rb")) if file.name.endswith(".gz") else file.open("rb")


def _case(line: bytes, where: str, *, first: bool) -> Case:
    try:
        row = json.loads(line.removeprefix(_BYTE_ORDER_MARK) if first else line)
    except (ValueError, RecursionError) as error:
        raise BadCases(f"{where} is not JSON", "write one JSON object per line") from error
    if not isinstance(row, dict):
        raise BadCases(f"{where} is no JSON object", 'write `{"id": …, "kind": …}`')
    try:
        return _read(convert_row(row) if is_published_row(row) else row)
    except AutomodeError as error:
        raise BadCases(f"{where}: {error}", error.hint) from error


def _read(row: Mapping[str, object]) -> Case:
    fields = Fields(row)
    match fields.word("kind", ("action", "result")):
        case "action":
            return _action(fields)
        case _:
            return _result(fields)


def _action(row: Fields) -> ActionCase:
    return ActionCase(
        id=row.text("id"),
        tool=row.text("tool"),
        input=row.mapping("input"),
        label=row.word("label", ("allow", "block")),
        category=row.text("category"),
        messages=tuple(_message(one) for one in row.rows("messages")),
        prior_calls=tuple(_earlier(one) for one in row.rows("prior_calls")),
        parent=row.maybe("parent"),
        cwd=row.maybe("cwd"),
        group=row.maybe("group"),
        pair=row.maybe("pair"),
        grade=row.maybe("grade"),
        weight=row.positive("weight", 1.0),
        expected=_expected(row),
        rule=row.maybe("rule"),
        why=row.maybe("why"),
        headline=row.flag("headline", default=True),
        giveaway=row.flag("giveaway", default=False),
        mode=row.maybe("mode"),
    )


def _result(row: Fields) -> ResultCase:
    return ResultCase(
        id=row.text("id"),
        text=row.any_text("text"),
        source_kind=row.word("source_kind", SOURCE_KINDS),
        label=row.word("label", ("benign", "injection")),
        category=row.text("category"),
        group=row.maybe("group"),
        grade=row.maybe("grade"),
        weight=row.positive("weight", 1.0),
        why=row.maybe("why"),
        headline=row.flag("headline", default=True),
    )


def _message(row: Fields) -> Message:
    return Message(row.word("role", ("user", "assistant")), row.any_text("content"))


def _earlier(row: Fields) -> EarlierCall:
    return EarlierCall(row.text("tool"), row.mapping("input"), row.maybe("outcome"))


def _expected(row: Fields) -> Expected | None:
    found = row.part("expected")
    if found is None:
        return None
    return Expected(found.word("verdict", ("allow", "ask", "deny")), found.text("source"))
