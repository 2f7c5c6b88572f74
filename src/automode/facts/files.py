"""Two answers to "what is at this path?": the disk's, and that of names alone."""

import os
import stat
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TypeVar, cast

from automode.core.paths import normal, parents, within
from automode.core.workspace import Kind, Search
from automode.facts.git import gitlinks, tracked

LONGEST_PATH = 4_096
LONGEST_INDEX = 16 * 1024 * 1024
MOST_KEPT = 16_384  # characters of files and names: a session holds on to its last look
MOST_LOOKS = 400  # of a snapshot
_ODD_NAMES = frozenset({"", ".", ".."})
_COSTLY = frozenset({"below", "tracked"})  # looks that are kept whatever they found
T = TypeVar("T")


def _kind(mode: int | None) -> Kind:
    if mode is None:
        return Kind.MISSING
    if stat.S_ISDIR(mode):
        return Kind.FOLDER
    return Kind.FILE if stat.S_ISREG(mode) else Kind.OTHER


def _regular_bytes(path: str, limit: int) -> bytes | None:
    """The first bytes of a regular file. A pipe would block, and opening a device can do things."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        try:
            return os.read(file, limit)
        finally:
            os.close(file)
    except (OSError, ValueError):
        return None


def _sought(entry: "os.DirEntry[str]", search: Search) -> bool:
    name = entry.name.lower()
    if name.startswith(search.starts) or name.endswith(search.ends):
        return True
    return any(one in name for one in search.holds) or (search.links and entry.is_symlink())


def _enters(entry: "os.DirEntry[str]", search: Search) -> bool:
    if entry.name in search.pruned or entry.path in search.pruned:
        return False
    return entry.is_dir(follow_symlinks=False)


class Disk:
    """The real disk. Errors become answers: nothing here raises."""

    def resolve(self, path: str) -> str | None:
        if len(path) > LONGEST_PATH:
            return None  # nothing opens it, and each of its parts would be looked up
        try:
            found = os.path.realpath(path)
            # In a loop of links `realpath` gives up and leaves a link in the path.
            loops = os.path.islink(found) or any(os.path.islink(p) for p in parents(found))
        except (OSError, ValueError):
            return None
        return None if loops else found

    def kind(self, path: str) -> Kind:
        try:
            mode = os.stat(path).st_mode
        except FileNotFoundError:
            return Kind.MISSING
        except (OSError, ValueError):
            return Kind.OTHER
        return _kind(mode)

    def text(self, path: str, limit: int) -> str | None:
        found = _regular_bytes(path, limit)
        return None if found is None else found.decode("utf-8", "replace")

    def names(self, folder: str, limit: int) -> tuple[str, ...]:
        found: list[str] = []
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if len(found) >= limit:
                        break
                    found.append(entry.name)
        except (OSError, ValueError):
            return ()
        return tuple(found)

    def links(self, folder: str, limit: int) -> tuple[str, ...] | None:
        found: list[str] = []
        try:
            with os.scandir(folder) as entries:
                for count, entry in enumerate(entries):
                    if count >= limit:
                        return None
                    if entry.is_symlink():
                        found.append(entry.name)
        except (OSError, ValueError):
            return ()
        return tuple(found)

    def below(self, search: Search) -> tuple[str, ...] | None:
        found: list[str] = []
        folders, left = [search.folder], search.limit
        while folders:
            try:
                with os.scandir(folders.pop()) as entries:
                    for entry in entries:
                        left -= 1
                        if left < 0:
                            return None
                        if entry.name[0] == "." and not search.hidden:
                            continue
                        if _sought(entry, search):
                            found.append(entry.path)
                        if search.deep and _enters(entry, search):
                            folders.append(entry.path)
            except (OSError, ValueError):
                continue
        return tuple(found)

    def gitlinks(self, index: str) -> tuple[str, ...] | None:
        data = _regular_bytes(index, LONGEST_INDEX + 1)
        return None if data is None or len(data) > LONGEST_INDEX else gitlinks(data)

    def tracked(self, search: Search) -> tuple[str, ...] | None:
        index = f"{search.folder}/index"
        if self.kind(index) is Kind.MISSING:
            return ()
        data = _regular_bytes(index, LONGEST_INDEX + 1)
        return None if data is None or len(data) > LONGEST_INDEX else tracked(data, search)

    def same(self, one: str, other: str) -> bool:
        try:
            return os.path.samefile(one, other)
        except (OSError, ValueError):
            return False

    def snapshot(self) -> object | None:
        return None

    def matches(self, snapshot: object) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """Thousands are kept, so it is small."""

    paths: str  # that no link leads away from, with NUL between them
    modes: tuple[int | None, ...]  # of each of them
    others: tuple[tuple[str, str | None], ...]  # with what each leads to
    found: tuple[tuple[str, tuple[Hashable, ...], object], ...]
    """The method that looked, what it was given, and what it found."""


class OneLook(Disk):
    """The disk for the time of one decision, or of several that were waiting when the first of
    them began: each thing is looked at once. For the next one there is another look, because
    nothing known of a file may outlive the file."""

    def __init__(self) -> None:
        self._resolved: dict[str, str | None] = {"/": "/"}
        self._modes: dict[str, int | None] = {}  # of paths that no link leads away from
        self._found: dict[tuple[str, tuple[Hashable, ...]], object] = {}  # by method and arguments
        self._room = MOST_KEPT
        self._kept_all = True
        self._last: tuple[int, _Snapshot] | None = None  # and how many looks are in it

    def snapshot(self) -> object | None:
        looks = len(self._resolved) + len(self._found)
        if looks > MOST_LOOKS or not self._kept_all:
            return None
        if self._last is not None and self._last[0] == looks:
            return self._last[1]
        modes = self._modes
        others = [one for one in self._resolved.items() if one[1] != one[0] or one[0] not in modes]
        found = tuple([(name, given, one) for (name, given), one in self._found.items()])
        snapshot = _Snapshot("\0".join(modes), tuple(modes.values()), tuple(others), found)
        self._last = looks, snapshot
        return snapshot

    def matches(self, snapshot: object) -> bool:
        if not isinstance(snapshot, _Snapshot):
            return False
        modes = self._modes
        paths = snapshot.paths.split("\0") if snapshot.paths else ()
        for path, mode in zip(paths, snapshot.modes, strict=True):
            if self.resolve(path) != path:
                return False
            now = modes.get(path)
            if now != mode and _kind(now) is not _kind(mode):
                return False
        if any(self.resolve(path) != real for path, real in snapshot.others):
            return False
        return all(getattr(self, name)(*given) == one for name, given, one in snapshot.found)

    def resolve(self, path: str) -> str | None:
        known, modes = self._resolved, self._modes
        if path in known or len(path) > LONGEST_PATH:
            return known.get(path)
        folder, _, name = path.rpartition("/")
        # Below what is known nothing but the name itself can be odd.
        odd = name in _ODD_NAMES or "\0" in name or path[:1] != "/" or folder == "/"
        if odd or (folder and folder not in known):
            if odd or normal(path) != path or "\0" in path:
                known[path] = super().resolve(path)
                return known[path]
            above_it = [folder]
            while (one := above_it[-1].rpartition("/")[0]) and one not in known:
                above_it.append(one)
            for one in reversed(above_it):
                self.resolve(one)
        above = known[folder or "/"]
        if above is None:
            known[path] = None
            return None
        found = known[path] = path if above == folder else f"{above.rstrip('/')}/{name}"
        try:
            # Nothing is in a folder that is not there, and what is not there is no link.
            mode = None if modes.get(above, 0) is None else os.lstat(found).st_mode
        except FileNotFoundError:
            mode = None
        except (OSError, ValueError):
            return found
        if mode is not None and stat.S_ISLNK(mode):
            known[path] = super().resolve(path)
            return known[path]
        modes[found] = mode
        return found

    def kind(self, path: str) -> Kind:
        """From the look that following its links took, where no link leads away from it. In a
        folder that nobody asked for, one look at the file is less than one at each folder above."""
        known = self._resolved
        if path in known or path.rpartition("/")[0] in known:
            straight = self.resolve(path) == path
            if straight and path in self._modes:
                return _kind(self._modes[path])
        return self._look_once(super().kind, "kind", path)

    def text(self, path: str, limit: int) -> str | None:
        return self._look_once(super().text, "text", path, limit)

    def names(self, folder: str, limit: int) -> tuple[str, ...]:
        return self._look_once(super().names, "names", folder, limit)

    def links(self, folder: str, limit: int) -> tuple[str, ...] | None:
        return self._look_once(super().links, "links", folder, limit)

    def below(self, search: Search) -> tuple[str, ...] | None:
        return self._look_once(super().below, "below", search)

    def gitlinks(self, index: str) -> tuple[str, ...] | None:
        return self._look_once(super().gitlinks, "gitlinks", index)

    def tracked(self, search: Search) -> tuple[str, ...] | None:
        return self._look_once(super().tracked, "tracked", search)

    def same(self, one: str, other: str) -> bool:
        return self._look_once(super().same, "same", one, other)

    def _look_once(self, look: Callable[..., T], name: str, *given: Hashable) -> T:
        key = (name, given)
        if key in self._found:
            return cast(T, self._found[key])
        found = look(*given)
        parts = found if isinstance(found, tuple) else (found,)
        room = self._room - sum(len(one) for one in (*parts, *given) if isinstance(one, str))
        if room >= 0 or name in _COSTLY:
            self._found[key] = found
            self._room = max(0, room)
        else:
            self._kept_all = False
        return found


class Names:
    """Names alone: a call recorded on another machine. `root` counts as an existing, empty folder
    that is a repository without configuration; nothing else exists and no path is a link."""

    def __init__(self, root: str) -> None:
        self.root = normal(root)

    def resolve(self, path: str) -> str | None:
        return normal(path)

    def kind(self, path: str) -> Kind:
        return Kind.FOLDER if within(self.root, normal(path)) else Kind.MISSING

    def text(self, path: str, limit: int) -> str | None:
        return None

    def names(self, folder: str, limit: int) -> tuple[str, ...]:
        return ()

    def links(self, folder: str, limit: int) -> tuple[str, ...] | None:
        return ()

    def below(self, search: Search) -> tuple[str, ...] | None:
        return ()

    def gitlinks(self, index: str) -> tuple[str, ...] | None:
        return ()

    def tracked(self, search: Search) -> tuple[str, ...] | None:
        return ()

    def same(self, one: str, other: str) -> bool:
        return normal(one).casefold() == normal(other).casefold()

    def snapshot(self) -> object | None:
        return self.root

    def matches(self, snapshot: object) -> bool:
        return self.root == snapshot
