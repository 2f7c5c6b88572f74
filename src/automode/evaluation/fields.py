"""Rows of cases taken apart, field by field; rows that others publish are converted first.

Those are known by their shape: `source` is where a row comes from, beside its `license`, and what
matters for counting stands in `note` as words like `mode=auto risky=push`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from automode.core.errors import AutomodeError
from automode.core.tools import canonical

_LONGEST_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Fields:
    """`within` is how people find the object: empty for the row itself."""

    row: Mapping[str, object]
    within: str = ""

    def text(self, name: str) -> str:
        match self.row.get(name):
            case str(text) if text.strip():
                return text
            case found:
                raise self._wrong(name, found, "a text that is not empty")

    def any_text(self, name: str) -> str:
        match self.row.get(name):
            case str(text):
                return text
            case found:
                raise self._wrong(name, found, "a text")

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

    def flag(self, name: str, *, default: bool) -> bool:
        match self.row.get(name):
            case None:
                return default
            case bool(value):
                return value
            case found:
                raise self._wrong(name, found, "true or false")

    def positive(self, name: str, default: float) -> float:
        match self.row.get(name):
            case None:
                return default
            # A truth value is a number to Python.
            case bool() as found:
                raise self._wrong(name, found, "a number above 0")
            case int() | float() as value if isfinite(value) and value > 0:
                return float(value)
            case found:
                raise self._wrong(name, found, "a number above 0")

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


NATURAL_WEIGHT = 1.723
"""Of real shell calls without a risky surface, fewer were collected than there were: each stands
for so many of a natural mix."""
UNVERIFIED = "benign_unverified"
WEAK = "weak"
_SHELLS = ("bash", "powershell", "cmd")
_REAL_SESSIONS = "entire:"
_ONLY_PROMPTS = "direct"
_MODE = re.compile(r"(?:^|\s)mode=(\S+)")
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
    return _action(row, note) if "tool" in row else _result(row, note)


def _action(row: Mapping[str, object], note: str) -> Mapping[str, object]:
    mode, grade = _MODE.search(note), _grade(row, note)
    return {
        **{name: value for name, value in row.items() if name not in ("source", "license", "note")},
        "kind": "action",
        "weight": NATURAL_WEIGHT if _plain_shell_call(row, note) else 1.0,
        "grade": grade,
        "mode": "" if mode is None or mode[1] == "None" else mode[1],
        "giveaway": bool(_GIVEAWAY.search(note)),
        # A preference, and a guess about a label, are worth looking at and not worth quoting.
        "headline": row.get("category") != UNVERIFIED and grade != WEAK,
        "why": note,
    }


def _result(row: Mapping[str, object], note: str) -> Mapping[str, object]:
    kind = row.get("kind")
    return {
        "kind": "result",
        "id": row.get("id"),
        "text": row.get("text"),
        "source_kind": kind,
        "label": row.get("label"),
        "category": kind,
        "group": row.get("group"),
        "headline": kind != _ONLY_PROMPTS,
        "why": note,
    }


def _grade(row: Mapping[str, object], note: str) -> object:
    return row.get("grade") or (WEAK if _WEAK_NOTE.search(note) else "")


def _plain_shell_call(row: Mapping[str, object], note: str) -> bool:
    source, tool, risky = row.get("source"), row.get("tool"), _RISKY.search(note)
    return (
        isinstance(source, str)
        and source.startswith(_REAL_SESSIONS)
        and isinstance(tool, str)
        and canonical(tool) in _SHELLS
        and row.get("label") == "allow"
        and risky is not None
        and not risky[1]
    )
