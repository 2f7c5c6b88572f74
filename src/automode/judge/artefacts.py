"""What this session made: the files it wrote, what is in them, which came from elsewhere, and whose
files a commit takes."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from automode.core.call import Shell, Write
from automode.core.errors import BadCall
from automode.core.paths import absolute, within
from automode.core.session import Session
from automode.core.tools import meant_paths, tool_call
from automode.core.transcript import Outcome, PriorCall
from automode.core.workspace import AskChanges, Changes, Workspace, not_known
from automode.guards.session_files import written_before
from automode.judge import command_deeds, file_deeds, tool_deeds
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
_NEW = ("content", "contents", "new_string", "newText", "new_str", "file_text", "insert_text")
_PRINTERS = frozenset({"cat", "echo", "printf", "tee"})
# To read a script takes time: most write nothing.
_SILENCED = re.compile(r"\d?>&\d|&?\d?>\s*/dev/null")
_REMOTE = re.compile(r"\w[\w+.-]*://|[\w.-]+@?[\w.-]+:")
_ARCHIVE = re.compile(r"\.(?:tar|tgz|tbz|txz|zip|gz|xz|bz2|7z)\b.*$")
Read = Callable[[str], Script]
EARLIER_CALLS = 40
_MAKING = (">", "mkdir", "-o", "--out", "clone", "worktree", "mv")
_OUTPUT = ("-o", "--output", "--outfile")
EXCUSABLE = DELETIONS | frozenset({"runs-scratch", "deletes-made", "runs-made"})
"""The deeds that `unless_made` takes away, and those it puts in their places."""
_MAKES_PARENTS = re.compile(r"-[a-zA-Z]*p[a-zA-Z]*|--p\w*")
UNASKED, OTHERS = "commits-unasked", "commits-others"
EARLIER_COMMIT_CALLS = 100
_MESSAGE = re.compile(r"-[a-zA-Z]*[mFCct]")


@dataclass(slots=True)
class Artefacts:
    """`texts`: by absolute path what is in a file, as far as this session wrote it; None where
    nobody can tell. `fetched`: files and folders that came from elsewhere."""

    texts: dict[str, str | None] = field(default_factory=dict)
    fetched: set[str] = field(default_factory=set)
    built: set[str] = field(default_factory=set)  # by a compiler

    def came_from_elsewhere(self, path: str) -> bool:
        return any(within(path, one) for one in self.fetched)

    def add(self, command: Command, here: str) -> None:
        at = command.cwd or here
        name = command.program
        words = [word.text for word in command.args]
        paths = [absolute(one, at) for one in words if one and one[:1] != "-" and HOLE not in one]
        if name == "git":
            self._git(words, paths, at)
        elif name in _UNPACKERS and paths:
            self.fetched.add(_ARCHIVE.sub("", paths[0 if name != "tar" else -1]))
            self.fetched |= {_ARCHIVE.sub("", one) for one in paths}
        for touch in (*touches(command), *redirect_touches(command)):
            if HOLE in touch.path:
                continue
            if touch.how is How.BUILDS:
                self.built.add(absolute(touch.path, at))
            elif touch.how in (How.WRITES, How.EMPTIES):
                self._write(absolute(touch.path, at), touch.source, command, at)
        named = any(re.fullmatch(r"-\w*O|--remote-name", one) for one in words)
        if name == "wget" or (name in _FETCHERS and named):
            self.fetched |= {absolute(one.rsplit("/", 1)[-1], at) for one in paths}

    def edit(self, path: str, given: Mapping[str, object]) -> None:
        """By a tool for files."""
        text = "\n".join(_new_texts(given))
        whole = any(field in given for field in ("content", "contents", "file_text"))
        before = self.texts.get(path, "")
        if not text or (before is None and not whole):
            self.texts[path] = None
        else:
            text = f"{before}\n{text}" if before and not whole else text
            self.texts[path] = text[:LONGEST_FILE]

    def _git(self, words: list[str], paths: list[str], at: str) -> None:
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
    try:
        action = tool_call(call.tool, call.input).action
    except BadCall:
        return
    here = session.workspace.cwd
    match action:
        case Shell(command, "bash") if _P.writes.search(_SILENCED.sub("", command)):
            for part in read(command).commands:
                found.add(part, here)
        case Write(paths):
            for path in paths:
                for full in meant_paths(path, session.workspace):
                    found.edit(full, call.input)
        case _:
            return


def _new_texts(given: Mapping[str, object]) -> Iterator[str]:
    """What an edit puts in."""
    yield from (value for name in _NEW if isinstance(value := given.get(name), str))
    edits = given.get("edits")
    for one in edits if isinstance(edits, list) else ():
        if isinstance(one, Mapping):
            yield from _new_texts(one)


@dataclass(slots=True)
class Made:
    workspace: Workspace
    files: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)
    programs: set[str] = field(default_factory=set)
    missing: set[str] = field(default_factory=set)  # looked for in vain

    def add(self, command: Command) -> None:
        at = command.cwd or self.workspace.cwd
        words = [word.text for word in command.args]
        if command.redirects and prints(command):
            redirected = (one.target.text for one in command.redirects if one.op in (">", ">|"))
            self.write(_absolute(redirected, at))
        if command.program == "mkdir":
            folders = _absolute(file_deeds.plain_words(command), at)
            new = not any(_MAKES_PARENTS.fullmatch(word) for word in words)
            self.folders |= {one for one in folders if new or self._is_new(one)}
        if command.program == "git":
            # `git worktree add` takes no folder that has something in it. A clone counts not: work
            # may have gone into it since.
            plain = [word for word in words if not word.startswith("-")]
            self.folders |= _absolute(plain[2:3] if plain[:2] == ["worktree", "add"] else (), at)
        if command.program in _FILE_DEEDS_W.compilers:
            self.programs |= _absolute(_outputs(command), at)
            self.write(_absolute(_outputs(command), at))
        if command.program == "mv":  # what was moved there is not made there
            moved = _absolute(file_deeds.plain_words(command), at)
            self.folders -= {one for one in self.folders if any(within(m, one) for m in moved)}

    def write(self, paths: set[str]) -> None:
        self.files |= {one for one in paths if self._is_new(one)}

    def _is_new(self, path: str) -> bool:
        place = file_deeds.where(path, Command(()), self.workspace)
        return place == "scratch" or path in self.missing

    def holds(self, path: str, *, deep: bool) -> bool:
        inside = any(within(path, folder) for folder in self.folders)
        return inside if deep else inside or path in self.files


def unless_made(
    deeds: tuple[str, ...], script: Script, session: Session, read: Read
) -> tuple[str, ...]:
    """The deeds again, those apart that only concern what this very script or an earlier call
    made."""
    deletes, runs = not DELETIONS.isdisjoint(deeds), "runs-scratch" in deeds
    if not deletes and not runs:
        return deeds
    before = _made_before(session, read)
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


def _made_before(session: Session, read: Read) -> Made:
    made = Made(session.workspace)
    here = session.workspace.cwd
    for one in reversed([*islice(latest(session), EARLIER_CALLS)]):
        command = one.input.get("command")
        paths = [one.input.get(name) for name in tool_deeds.PATH_FIELDS]
        named = _absolute((path for path in paths if isinstance(path, str)), here)
        if one.outcome is Outcome.ERROR:
            made.missing |= _sought(read(command), here) if isinstance(command, str) else set()
        elif isinstance(command, str):
            makes = any(one in command for one in _MAKING)
            for part in read(command).commands if makes else ():
                made.add(part)
        elif "content" in one.input:
            made.write(named)
    return made


def _sought(script: Script, here: str) -> set[str]:
    """What a single look that failed did not find."""
    if len(script.commands) != 1 or script.commands[0].program not in _W.lookers:
        return set()
    paths = _absolute(file_deeds.plain_words(script.commands[0]), script.commands[0].cwd or here)
    return paths if len(paths) == 1 else set()


def _loses_nothing(script: Script, session: Session, made: Made) -> bool:
    """In order: what a script makes after it deleted the same was not its own to delete."""
    here = session.workspace.cwd
    gone = 0
    for command in script.commands:
        if command.program in ("rm", "unlink"):
            options = [word.text.casefold() for word in command.args if word.text[:1] == "-"]
            deep = any("r" in option for option in options)
            for path in _absolute(file_deeds.plain_words(command), command.cwd or here):
                gone += 1
                if not made.holds(path, deep=deep):
                    return False
        elif command.program in DELETERS | {"find", "mv"}:
            return False
        made.add(command)
    return gone > 0


def _runs_nothing_else(script: Script, session: Session, made: Made) -> bool:
    here = session.workspace.cwd
    for command in script.commands:
        if "runs-scratch" in command_deeds.direct_deeds(CommandFacts(command, session.workspace)):
            program = absolute(command.words[0].text, command.cwd or here)
            if program not in made.programs:
                return False
        made.add(command)
    return True


def _outputs(command: Command) -> Iterator[str]:
    for option, value in file_deeds.option_values(word.text for word in command.args):
        if option in _OUTPUT and value:
            yield value


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
        written |= {path.casefold() for path in _touched_files(session, read)}
        installs = any(_P.managers.search(text) for text in _commands(session))
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


def _commands(session: Session) -> Iterator[str]:
    for one in islice(latest(session), EARLIER_COMMIT_CALLS):
        command = one.input.get("command")
        if isinstance(command, str):
            yield command


def _touched_files(session: Session, read: Read) -> Iterator[str]:
    """What earlier commands moved, deleted or changed."""
    here = session.workspace.cwd
    for text in _commands(session):
        for command in read(text).commands if _P.touches.search(text) else ():
            at = command.cwd or here
            paths = [one.path for one in (*touches(command), *redirect_touches(command))]
            words = [word.text for word in command.args]
            if command.program == "git" and words[:1] in (["rm"], ["mv"]):
                paths += _plain_paths(words[1:])
            yield from (absolute(path, at) for path in paths if path and HOLE not in path)
