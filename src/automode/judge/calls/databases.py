"""Databases in files: which calls of `sqlite3` only read, and which change nothing but a database
that is in memory, temporary or new."""

import re
from collections.abc import Iterable, Iterator

from automode.core.paths import absolute
from automode.core.workspace import Kind, Workspace
from automode.judge.calls.file_deeds import write_deed
from automode.judge.places import where
from automode.judge.words import patterns
from automode.programs import sql
from automode.shell.script import HOLE, Command

CHANGES = frozenset({"changes-database", "drops-data", "acts-unknown"})
_P = patterns("databases")
LONGEST_SCRIPT = 100_000
_LINKS = re.compile(r"-[a-zA-Z]*[sl][a-zA-Z]*|--(?:symbolic-)?link")
_PLAIN_PATH = re.compile(r"[\w./ -]+")


def database_of(command: Command, place: Workspace) -> str | None:
    """The path, links followed, of the one file that `sqlite3` changes, or `:memory:`; None where
    that is not known."""
    given = _given(command)
    if given is None or command.cwd is None or command.remote or command.elevated:
        return None
    texts = [*given[1:], *_fed(command, place)]
    plain = all(HOLE not in one and _P.reaches.search(one) is None for one in texts)
    if not plain or not texts:
        return None
    if given[0] == ":memory:" or not _PLAIN_PATH.fullmatch(given[0]):
        return given[0] if given[0] == ":memory:" else None
    return place.files.resolve(absolute(given[0], command.cwd))


def spared(command: Command, place: Workspace) -> str | None:
    """The deed that a change of such a database is."""
    path = database_of(command, place)
    if path is None or path == ":memory:":
        return None if path is None else "writes-scratch"
    if where(path, command, place) == "scratch":
        return "writes-scratch"
    texts = [*(_given(command) or ())[1:], *_fed(command, place)]
    creates = _P.creates.match(texts[0]) and not any(map(_P.takes.search, texts))
    new = creates and place.files.kind(path) is Kind.MISSING
    return write_deed(path, command, place) if new else None


def follows_new_link(commands: Iterable[Command]) -> bool:
    """Whether one of them makes a link, and a later one asks a database, which may be behind it."""
    made = False
    for one in commands:
        options = [word.text for word in one.args if one.program == "cp"]
        made = made or one.program in ("ln", "gln") or any(map(_LINKS.fullmatch, options))
        if made and one.program == "sqlite3" and not queries(one):
            return True
    return False


def queries(command: Command) -> bool:
    """Whether it is given a file and what only reads."""
    given = _given(command)
    texts = [] if given is None else [*given[1:], *([command.fed] if command.fed else [])]
    fed = any(one.op == "<" for one in command.redirects)
    return bool(texts) and not fed and all(map(_reads, texts))


def _reads(text: str) -> bool:
    if HOLE in text:
        return False
    lines = [one for one in text.splitlines() if one.strip()]
    rest = "\n".join(one for one in lines if not _P.shows.fullmatch(one))
    reads = re.match(r"\s*(?:select|with|explain|pragma)\b", rest, re.IGNORECASE)
    return not rest or (reads is not None and not sql.judge(rest, "sqlite").effect)


def _given(command: Command) -> list[str] | None:
    """The database and the statements behind it; None where an option is not known."""
    if command.program != "sqlite3":
        return None
    words = [one.text for one in command.args if not _P.option.fullmatch(one.text)]
    known = bool(words) and words[0][:1] not in ("-", "")
    return words if known and all(one[:1] != "-" for one in words) else None


def _fed(command: Command, place: Workspace) -> Iterator[str]:
    if command.fed is not None:
        yield command.fed
    for one in command.redirects:
        if one.op == "<":
            path = absolute(one.target.text, command.cwd or HOLE)
            text = None if HOLE in path else place.files.text(path, LONGEST_SCRIPT + 1)
            yield HOLE if text is None or len(text) > LONGEST_SCRIPT else text
    if command.position > 0 and command.fed is None:
        yield HOLE  # whatever comes in
