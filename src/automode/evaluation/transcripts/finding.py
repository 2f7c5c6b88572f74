"""Where agents keep their session files, and which agent wrote a file that somebody names."""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import chain, count, islice
from types import MappingProxyType

from automode.core.errors import AutomodeError
from automode.evaluation.transcripts import claude_code, codex, pi
from automode.evaluation.transcripts.gathering import RecordedCall, Row, Unreadable, rows

ENDING = ".jsonl"
ROWS_LOOKED_AT = 64
DEEPEST = 6


@dataclass(frozen=True, slots=True)
class Format:
    """`folder` is below the agent's own, which `variable` moves."""

    name: str
    recognised: Callable[[Row], bool]
    calls: Callable[[Iterable[Row]], Iterator[RecordedCall]]
    variable: str
    home: tuple[str, ...]
    folder: str

    def place(self, home: str, environment: Mapping[str, str]) -> str:
        moved = environment.get(self.variable, "")
        own = moved if os.path.isabs(moved) else os.path.join(home, *self.home)
        return os.path.join(own, self.folder)


FORMATS = MappingProxyType(
    {
        one.name: one
        for one in (
            Format(
                claude_code.HOST,
                claude_code.recognised,
                claude_code.calls,
                "CLAUDE_CONFIG_DIR",
                (".claude",),
                "projects",
            ),
            Format(
                pi.HOST,
                pi.recognised,
                pi.calls,
                "PI_CODING_AGENT_DIR",
                (".pi", "agent"),
                "sessions",
            ),
            Format(
                codex.HOST, codex.recognised, codex.calls, "CODEX_HOME", (".codex",), "sessions"
            ),
        )
    }
)


@dataclass(frozen=True, slots=True)
class SessionFile:
    """`changed` is when it was last written to: none of its calls is younger."""

    path: str
    changed: float
    format: Format | None = None  # None: its rows tell


@dataclass(slots=True)
class SessionFiles:
    """Calls of many files. Agents copy a conversation when it goes on in another session: a call
    counts once. `unread` are files that could not be read."""

    files: Sequence[SessionFile]
    unread: list[str] = field(default_factory=list)
    _seen: set[bytes] = field(default_factory=set)

    def calls(self, since: float | None = None, limit: int | None = None) -> Iterator[RecordedCall]:
        """With `limit` only so many, the newest. Raises Unreadable where the only file is."""
        if limit is not None:
            return iter(self._newest(since, limit))
        return (call for file in self._by_age() for call in self._fresh(file, since))

    def _newest(self, since: float | None, limit: int) -> list[RecordedCall]:
        number = count()
        kept: list[tuple[float, int, RecordedCall]] = []
        for file in self._by_age():
            if len(kept) == limit and file.changed < kept[0][0]:
                break
            for call in self._fresh(file, since):
                heappush(kept, (call.at, next(number), call))
                if len(kept) > limit:
                    heappop(kept)
        return [call for _, _, call in sorted(kept, reverse=True)]

    def _by_age(self) -> list[SessionFile]:
        return sorted(self.files, key=lambda one: (-one.changed, one.path))

    def _fresh(self, file: SessionFile, since: float | None) -> Iterator[RecordedCall]:
        if since is not None and file.changed < since:
            return
        try:
            for call in calls_in(file.path, file.format):
                if since is None or call.at >= since:
                    name = f"{call.host} {call.id} {call.at}".encode("utf-8", "surrogatepass")
                    short = hashlib.blake2b(name, digest_size=12).digest()
                    if short not in self._seen:
                        self._seen.add(short)
                        yield call
        except Unreadable:
            if len(self.files) == 1:
                raise
            self.unread.append(file.path)


def files_of(written_by: Format, home: str, environment: Mapping[str, str]) -> list[SessionFile]:
    """Every session file of this agent; none where it was never used."""
    place = written_by.place(home, environment)
    return [SessionFile(path, changed, written_by) for path, changed in _session_files(place, 0)]


def named_files(path: str) -> list[SessionFile]:
    """The file itself, or all session files of the folder. Raises AutomodeError."""
    if os.path.isdir(path):
        found = [SessionFile(one, changed) for one, changed in _session_files(path, 0)]
        if not found:
            raise AutomodeError(
                f"no session file in `{path}`", "name a folder with files that end in .jsonl"
            )
        return found
    try:
        return [SessionFile(path, os.stat(path).st_mtime)]
    except (OSError, ValueError) as error:
        raise Unreadable(
            f"`{path}` is neither an agent nor a file",
            f"name {', '.join(FORMATS)}, `audit`, or a session file",
        ) from error


def calls_in(path: str, known: Format | None = None) -> Iterator[RecordedCall]:
    """Raises Unreadable, also for a file that no agent wrote."""
    reading = rows(path)
    first = list(islice(reading, ROWS_LOOKED_AT))
    written_by = known or _written_by(first)
    if written_by is None:
        raise Unreadable(
            f"`{path}` is no session file that is known here",
            f"name a file of {', '.join(FORMATS)}, or a folder of them",
        )
    return written_by.calls(chain(first, reading))


def _written_by(first: Iterable[Row]) -> Format | None:
    for row in first:
        for one in FORMATS.values():
            if one.recognised(row):
                return one
    return None


def _session_files(folder: str, depth: int) -> Iterator[tuple[str, float]]:
    """Links are not followed: they may lead round and round."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        try:
            if entry.is_dir(follow_symlinks=False):
                if depth < DEEPEST:
                    yield from _session_files(entry.path, depth + 1)
            elif entry.name.endswith(ENDING) and entry.is_file(follow_symlinks=False):
                yield entry.path, entry.stat(follow_symlinks=False).st_mtime
        except OSError:
            continue  # gone in the meantime
