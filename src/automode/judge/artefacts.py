"""What this session made: the files it wrote, what is in them, which came from elsewhere, and whose
files a commit takes."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

from automode.core.call import Shell, Write
from automode.core.paths import absolute, within
from automode.core.session import Session
from automode.core.tools import meant_paths
from automode.core.transcript import Outcome, PriorCall
from automode.core.workspace import AskChanges, Changes, not_known
from automode.guards.guard import option_values
from automode.guards.session_files import written_before
from automode.judge import command_deeds, file_deeds
from automode.judge.deeds import DELETIONS
from automode.judge.file_deeds import DELETERS, How, prints, redirect_touches, touches
from automode.judge.words import patterns, word_lists
from automode.programs.call_facts import CallFacts, CommandFacts
from automode.programs.table import of_kind
from automode.shell.script import HOLE, Command, Script

_FILE_DEEDS_W = word_lists("file_deeds")
_P = patterns("artefacts")
_W = word_lists("artefacts")
MOST_CALLS = 100
LONGEST_FILE = 60_000
_NOT_DONE = (Outcome.DENIED, Outcome.REJECTED)
_FETCHERS = of_kind("downloader") | {"scp", "rsync"}
_UNPACKERS = of_kind("packer") | {"unzip"}
_BRINGERS = _FETCHERS | _UNPACKERS | {"git", "wget"}
_REMOTE_NAME = re.compile(r"-\w*O|--remote-name")
_NEW = ("content", "contents", "new_string", "newText", "new_str", "file_text", "insert_text")
_PRINTERS = frozenset({"cat", "echo", "printf", "tee"})
# To read a script takes time: most write nothing.
_SILENCED = re.compile(r"\d?>&\d|&?\d?>\s*/dev/null")
_REMOTE = re.compile(r"\w[\w+.-]*://|[\w.-]+@?[\w.-]+:")
_ARCHIVE = re.compile(r"\.(?:tar|tgz|tbz|txz|zip|gz|xz|bz2|7z)\b.*$")
Read = Callable[[str], Script]
_OUTPUT = ("-o", "--output", "--outfile")
_MAKES_PARENTS = re.compile(r"-[a-zA-Z]*p[a-zA-Z]*|--p\w*")
UNASKED, OTHERS = "commits-unasked", "commits-others"
_MESSAGE = re.compile(r"-[a-zA-Z]*[mFCct]")


@dataclass(slots=True)
class Artefacts:
    """`texts`: by absolute path what is in a file, as far as this session wrote it; None where
    nobody can tell. `fetched`: files and folders that came from elsewhere."""

    texts: dict[str, str | None] = field(default_factory=dict)
    fetched: set[str] = field(default_factory=set)
    built: set[str] = field(default_factory=set)  # by a compiler
    folders: set[str] = field(default_factory=set)  # new ones, with nothing of others' in them
    missing: set[str] = field(default_factory=set)  # looked for in vain
    files: set[str] = field(default_factory=set)  # new ones: missing before they were written
    touched: set[str] = field(default_factory=set)  # whatever was written, moved or deleted

    def came_from_elsewhere(self, path: str) -> bool:
        return any(within(path, one) for one in self.fetched)

    def add(self, command: Command, here: str, *, failed: bool = False) -> None:
        at = command.cwd or here
        name = command.program
        words = [word.text for word in command.args]
        if not failed:
            self._make(command, words, at)
        if name in _BRINGERS:
            self._bring(name, words, at)
        for touch in (*touches(command), *redirect_touches(command)):
            if HOLE in touch.path:
                continue
            path = absolute(touch.path, at)
            self.touched.add(path)
            if touch.how in (How.WRITES, How.EMPTIES):
                self._write(path, touch.source, command, at)

    def _bring(self, name: str, words: list[str], at: str) -> None:
        paths = [absolute(one, at) for one in words if one and one[:1] != "-" and HOLE not in one]
        if name == "git":
            self._git(words, paths, at)
        elif name in _UNPACKERS and paths:
            self.fetched.add(_ARCHIVE.sub("", paths[0 if name != "tar" else -1]))
            self.fetched |= {_ARCHIVE.sub("", one) for one in paths}
        if name == "wget" or (name in _FETCHERS and any(map(_REMOTE_NAME.fullmatch, words))):
            self.fetched |= {absolute(one.rsplit("/", 1)[-1], at) for one in paths}

    def edit(self, path: str, given: Mapping[str, object], *, failed: bool = False) -> None:
        """By a tool for files."""
        text = "\n".join(_new_texts(given))
        whole = any(field in given for field in ("content", "contents", "file_text"))
        before = self.texts.get(path, "")
        if "content" in given and not failed:
            self.files |= self.missing & {path}
        if not text or (before is None and not whole):
            self.texts[path] = None
        else:
            text = f"{before}\n{text}" if before and not whole else text
            self.texts[path] = text[:LONGEST_FILE]

    def _make(self, command: Command, words: list[str], at: str) -> None:
        """What comes into being where nothing was. A clone counts not: work may have gone into it
        since. What is moved somewhere is not made there."""
        name = command.program
        plain = [word for word in words if not word.startswith("-")]
        if command.redirects and prints(command):
            targets = (one.target.text for one in command.redirects if one.op in (">", ">|"))
            self.files |= self.missing & _absolute(targets, at)
        if name == "mkdir":
            folders = _absolute(plain, at)
            parents = any(map(_MAKES_PARENTS.fullmatch, words))
            self.folders |= folders & self.missing if parents else folders
        elif name == "git" and plain[:2] == ["worktree", "add"]:
            self.folders |= _absolute(plain[2:3], at)
        elif name in _FILE_DEEDS_W.compilers:
            values = (value for option, value in option_values(words) if option in _OUTPUT)
            built = _absolute(values, at)
            self.built |= built
            self.files |= self.missing & built
        elif name == "mv":
            moved = _absolute(plain, at)
            self.files -= moved
            self.folders -= {one for one in self.folders if any(within(m, one) for m in moved)}

    def _git(self, words: list[str], paths: list[str], at: str) -> None:
        if words[:1] in (["rm"], ["mv"]):
            self.touched |= set(paths[1:])
        if _W.git_changes.intersection(words[:1]):
            self.texts = dict.fromkeys(self.texts)  # any of them may be another one now
        elif words[:1] == ["mv"] and len(paths) > 2:
            self._follow(paths[-2], paths[-1])
        elif words[:1] == ["clone"] and paths:
            last = next(one for one in reversed(words) if one[:1] != "-")
            folder = last.rsplit("/", 1)[-1].removesuffix(".git") if _REMOTE.match(last) else last
            self.fetched.add(absolute(folder, at))

    def _write(self, path: str, source: str, command: Command, at: str) -> None:
        if command.program in _FETCHERS:
            self.fetched.add(path)
            self.texts[path] = None
        elif source:
            self._follow(absolute(source, at), path)
        elif command.program in _PRINTERS and command.position == 0:
            self.texts[path] = _printed_text(command)
        else:
            self.texts[path] = None

    def _follow(self, source: str, target: str) -> None:
        inside = f"{target}/{source.rsplit('/', 1)[-1]}"
        for one in (target, inside):
            self.texts[one] = self.texts.get(source)
            if self.came_from_elsewhere(source):
                self.fetched.add(one)


def _printed_text(command: Command) -> str | None:
    """The text that a command prints, where all of it is written in the call."""
    if command.program in ("cat", "tee"):
        plain = all(word.text.startswith("-") for word in command.args) or command.program == "tee"
        fed = command.fed if plain else None
        return fed if fed is not None and HOLE not in fed else None
    if any(word.value is None for word in command.args):
        return None
    words = [word.text for word in command.args if word.text not in ("-e", "-n", "-E")]
    return " ".join(words).replace("\\n", "\n").replace("%s", "")


def artefacts(session: Session, read: Read) -> Artefacts:
    """Of the calls before this one, the oldest first."""
    found = Artefacts()
    calls = [one for one in session.transcript.entries if isinstance(one, PriorCall)]
    for one in islice(calls, max(0, len(calls) - MOST_CALLS), None):
        if one.outcome not in _NOT_DONE:
            _add(one, session, read, found)
    return found


def _add(call: PriorCall, session: Session, read: Read, found: Artefacts) -> None:
    here = session.workspace.cwd
    failed = call.outcome is Outcome.ERROR
    match call.call and call.call.action:
        case Shell(command, "bash") if _may_write(command):
            for part in read(command).commands:
                found.add(part, here, failed=failed)
        case Shell(command, "bash") if failed:
            found.missing |= _missing_files(read(command), here)
        case Write(paths):
            for path in paths:
                for full in meant_paths(path, session.workspace):
                    found.edit(full, call.input, failed=failed)
        case _:
            return


@lru_cache(maxsize=4_096)  # with each call a hundred earlier ones are asked about
def _may_write(command: str) -> bool:
    return _P.writes.search(_SILENCED.sub("", command)) is not None


def _missing_files(script: Script, here: str) -> set[str]:
    """What a single look that failed did not find."""
    if len(script.commands) != 1 or script.commands[0].program not in _W.lookers:
        return set()
    paths = _absolute(file_deeds.plain_words(script.commands[0]), script.commands[0].cwd or here)
    return paths if len(paths) == 1 else set()


def _new_texts(given: Mapping[str, object]) -> Iterator[str]:
    """What an edit puts in."""
    yield from (value for name in _NEW if isinstance(value := given.get(name), str))
    edits = given.get("edits")
    for one in edits if isinstance(edits, list) else ():
        if isinstance(one, Mapping):
            yield from _new_texts(one)


def unless_made(
    deeds: tuple[str, ...], script: Script, session: Session, read: Read
) -> tuple[str, ...]:
    """The deeds again, those apart that only concern what this very script or an earlier call
    made."""
    deletes, runs = not DELETIONS.isdisjoint(deeds), "runs-scratch" in deeds
    if not deletes and not runs:
        return deeds
    before = artefacts(session, read)
    excused: dict[str, str] = {}
    if deletes and _loses_nothing(script, session, before):
        excused |= dict.fromkeys(DELETIONS, "deletes-made")
    if runs and _runs_nothing_else(script, session, before):
        excused["runs-scratch"] = "runs-made"
    return tuple(dict.fromkeys(excused.get(name, name) for name in deeds))


def latest(session: Session) -> Iterator[PriorCall]:
    """Earlier calls that nobody stopped, the newest first: what was refused is no evidence for what
    comes next."""
    for one in reversed(session.transcript.entries):
        if isinstance(one, PriorCall) and one.outcome not in _NOT_DONE:
            yield one


def _loses_nothing(script: Script, session: Session, made: Artefacts) -> bool:
    """In order: what a script makes after it deleted the same was not its own to delete."""
    here = session.workspace.cwd
    gone = 0
    for command in script.commands:
        if command.program in ("rm", "unlink"):
            options = [word.text.casefold() for word in command.args if word.text[:1] == "-"]
            deep = any("r" in option for option in options)
            for path in _absolute(file_deeds.plain_words(command), command.cwd or here):
                gone += 1
                new = path in made.files and not deep
                if not new and not any(within(path, folder) for folder in made.folders):
                    return False
        elif command.program in DELETERS | {"find", "mv"}:
            return False
        made.add(command, here)
    return gone > 0


def _runs_nothing_else(script: Script, session: Session, made: Artefacts) -> bool:
    here = session.workspace.cwd
    for command in script.commands:
        if "runs-scratch" in command_deeds.direct_deeds(CommandFacts(command, session.workspace)):
            program = absolute(command.words[0].text, command.cwd or here)
            if program not in made.built:
                return False
        made.add(command, here)
    return True


def _absolute(paths: Iterable[str], at: str) -> set[str]:
    return {absolute(path, at) for path in paths if path and HOLE not in path}


@dataclass(frozen=True, slots=True)
class UnaskedCommits:
    """`cleared`: what the settings say. `changes`: who asks git, where anybody does."""

    cleared: bool = True
    changes: AskChanges = not_known

    def deeds_of(self, facts: CallFacts, session: Session, read: Read) -> Iterator[str]:
        """What else an unasked commit is."""
        if not self.cleared:
            yield UNASKED
        elif self._takes_others(facts, session, read):
            yield OTHERS

    def _takes_others(self, facts: CallFacts, session: Session, read: Read) -> bool:
        place = session.workspace
        git = [one for one in facts.script.commands if one.program == "git"]
        folders = {_git_parts(one, place.cwd)[0] for one in git}
        found = [changes for one in sorted(folders) if (changes := self.changes(one, place))]
        if not found:
            return False
        taken = {
            path
            for one in git
            for changes in found
            for path in _taken_files(one, changes, place.cwd)
        }
        around = session.written_around
        written = set(written_before(session, facts.reader) if around is None else around)
        written |= {path.casefold() for path in artefacts(session, read).touched}
        commands = (one.input.get("command") for one in islice(latest(session), MOST_CALLS))
        installs = any(isinstance(one, str) and _P.managers.search(one) for one in commands)
        return any(
            not _is_ours(path.casefold(), written)
            and not (installs and _P.lists.search(path.casefold()))
            for path in taken
        )


def _is_ours(path: str, written: set[str]) -> bool:
    if path.endswith("/"):
        return any(within(one, path.rstrip("/")) for one in written)
    return path in written


def _taken_files(command: Command, changes: Changes, here: str) -> Iterator[str]:
    """The changed files that a command of git's takes into a commit."""
    at, verb, rest = _git_parts(command, here)
    if verb not in ("add", "stage", "commit"):
        return
    every = changes.tracked | changes.untracked
    paths = [absolute(one, at) for one in _plain_paths(rest)]
    if verb == "commit" and not paths:
        unclear = any(map(_P.commits_all.fullmatch, rest))
        yield from changes.tracked if unclear else changes.staged
    elif not paths or any(HOLE in one or set("*?[:") & set(one) for one in paths):
        yield from every  # `add -A`, `add -p`, or a pattern
    for path in paths:
        yield from (one for one in every if within(one.rstrip("/"), path))


def _git_parts(command: Command, here: str) -> tuple[str, str, list[str]]:
    """Where git works, its verb, and what follows it."""
    at = command.cwd or here
    words = iter([word.text for word in command.args])
    for text in words:
        if not text.startswith("-"):
            return at, text, list(words)
        if text in ("-C", "-c", "--git-dir", "--work-tree"):
            value = next(words, "")
            at = absolute(value, at) if text == "-C" else at
    return at, "", []


def _plain_paths(rest: list[str]) -> Iterator[str]:
    skipped = False
    for text in rest:
        if skipped:
            skipped = False
        elif text.startswith("-") and len(text) > 1:
            skipped = text in _W.valued or _MESSAGE.fullmatch(text) is not None
        else:
            yield text
