"""Takes a decoded JSON object apart: each field has one type, and an error names the field."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from automode.core.errors import AutomodeError

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
                        raise AutomodeError(f"`{place}` is {_shown(one)}", "write an object")
                    yield Fields(one, place)
            case other:
                raise self._wrong(name, other, "a list of objects, or leave it out")

    def _path(self, name: str) -> str:
        return f"{self.within}.{name}" if self.within else name

    def _wrong(self, name: str, found: object, wanted: str) -> AutomodeError:
        path = self._path(name)
        if found is None:
            return AutomodeError(f"there is no `{path}`", f"write {wanted}")
        return AutomodeError(f"`{path}` is {_shown(found)}", f"write {wanted}")


def _shown(value: object) -> str:
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
