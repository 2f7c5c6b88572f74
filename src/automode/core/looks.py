"""Answers that hold while the disk looks the same: nothing is thought twice, everything looked at.

What deciding code finds out about a call is a pure function of the call, the place and what the
disk says. So an answer is kept with every look at the disk that led to it. When the same question
comes again each look is made again, and only if all of them give what they gave is the answer
taken.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from sys import intern
from typing import Generic, TypeAlias, TypeVar

from automode.core.files import Files, Kind, Search

MOST_LOOKS = 256
LONGEST_FOUND = 2_048  # characters of a file, or names in a folder, that are kept for comparing
MOST_SHARED = 4_096

_Look: TypeAlias = tuple[str, str, str | int | Search]
_Found: TypeAlias = str | tuple[str, ...] | Kind | bool | None
_Seen: TypeAlias = tuple[_Look, _Found]
F = TypeVar("F", bound=_Found)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Known(Generic[T]):
    """Most looks are at paths that no link leads away from: of those the path alone is kept."""

    basis: object
    straight: tuple[str, ...]
    looks: tuple[_Seen, ...]
    answer: T

    def holds(self, files: Files) -> bool:
        resolve = files.resolve
        for path in self.straight:
            if resolve(path) != path:
                return False
        return all(_look(look, files) == seen for look, seen in self.looks)


class Remembered(Generic[T]):
    """The newest answers, at most `most` of them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, _Known[T]] = OrderedDict()

    def known(self, key: Hashable, basis: object, files: Files) -> _Known[T] | None:
        """What was answered, when `basis` is the very object it was answered from and the disk
        looks as it did."""
        found = self._kept.get(key)
        if found is None or found.basis is not basis or not found.holds(files):
            return None
        self._kept.move_to_end(key)
        return found

    def keep(self, key: Hashable, basis: object, looks: "Looks", answer: T) -> None:
        self._kept.pop(key, None)
        if looks.too_much or looks.count > MOST_LOOKS:
            return
        self._kept[key] = _Known(basis, *looks.parted(), answer)
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)

    def of(self, key: Hashable, basis: object, files: Files, answer: Callable[[Files], T]) -> T:
        """What is known, else what `answer` finds out with the files it is given."""
        known = self.known(key, basis, files)
        if known is not None:
            return known.answer
        looks = Looks(files)
        found = answer(looks)
        self.keep(key, basis, looks, found)
        return found


class Looks:
    """Files, with a note of every look."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._resolved: dict[str, str | None] = {}  # nearly all looks are of this kind
        self._made: dict[_Look, _Found] = {}
        self.too_much = False

    def resolve(self, path: str) -> str | None:
        found = self._files.resolve(path)
        changed = self._resolved.setdefault(path, found) != found
        if changed or (found is not None and len(found) > LONGEST_FOUND):
            self.too_much = True
        return found

    def kind(self, path: str) -> Kind:
        return self._noted(("kind", path, ""), self._files.kind(path))

    def text(self, path: str, limit: int) -> str | None:
        return self._noted(("text", path, limit), self._files.text(path, limit))

    def names(self, folder: str, limit: int) -> tuple[str, ...]:
        return self._noted(("names", folder, limit), self._files.names(folder, limit))

    def links(self, folder: str, limit: int) -> tuple[str, ...] | None:
        return self._noted(("links", folder, limit), self._files.links(folder, limit))

    def below(self, search: Search) -> tuple[str, ...] | None:
        return self._noted(("below", search.folder, search), self._files.below(search))

    def gitlinks(self, index: str) -> tuple[str, ...] | None:
        return self._noted(("gitlinks", index, ""), self._files.gitlinks(index))

    def tracked(self, search: Search) -> tuple[str, ...] | None:
        return self._noted(("tracked", search.folder, search), self._files.tracked(search))

    def same(self, one: str, other: str) -> bool:
        return self._noted(("same", one, other), self._files.same(one, other))

    @property
    def count(self) -> int:
        return len(self._resolved) + len(self._made)

    def parted(self) -> tuple[tuple[str, ...], tuple[_Seen, ...]]:
        """The paths that no link leads away from, and all other looks."""
        straight: list[str] = []
        others: list[_Seen] = []
        for path, found in self._resolved.items():
            if found == path:
                # The same paths are looked at for many calls: one text for all of them.
                straight.append(intern(path))
            else:
                others.append(_shared((("resolve", path, ""), found)))
        others += map(_shared, self._made.items())
        return tuple(straight), tuple(others)

    def _noted(self, look: _Look, found: F) -> F:
        """What changes while it is looked at proves nothing for the next time."""
        long = isinstance(found, (str, tuple)) and len(found) > LONGEST_FOUND
        if long or self._made.setdefault(look, found) != found:
            self.too_much = True
        return found


_SHARED: dict[_Seen, _Seen] = {}


def _shared(one: _Seen) -> _Seen:
    """Thousands of answers come from the same few looks: one object for all that are alike."""
    if len(_SHARED) >= MOST_SHARED:
        _SHARED.clear()
    return _SHARED.setdefault(one, one)


def _look(look: _Look, files: Files) -> _Found:
    if look[0] == "kind":  # nearly all of them
        return files.kind(look[1])
    match look:
        case ("resolve", path, _):
            return files.resolve(path)
        case ("text", path, int(limit)):
            return files.text(path, limit)
        case ("names", folder, int(limit)):
            return files.names(folder, limit)
        case ("links", folder, int(limit)):
            return files.links(folder, limit)
        case ("gitlinks", index, _):
            return files.gitlinks(index)
        case ("tracked", _, Search() as search):
            return files.tracked(search)
        case ("below", _, Search() as search):
            return files.below(search)
        case (_, one, other):
            return files.same(one, str(other))
