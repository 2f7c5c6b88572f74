"""What this session made: the files it wrote, what is in them, and which came from elsewhere."""

import re
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass, field, fields
from functools import lru_cache

from automode.core.call import Shell, Write
from automode.core.paths import absolute, within
from automode.core.recent import Recent
from automode.core.session import Session
from automode.core.tools import meant_paths
from automode.core.transcript import Outcome, PriorCall
from automode.core.workspace import Workspace
from automode.guards.guard import option_values
from automode.guards.session_files import written_by, written_by_code
from automode.judge.calls import command_deeds, file_deeds, tasks
from automode.judge.calls.command_deeds import rehearses
from automode.judge.calls.file_deeds import DELETERS, How, touches
from automode.judge.calls.packages import REMOVES, real_name
from automode.judge.calls.written_texts import (
    Put,
    Written,
    printed_text,
    replaced_in_place,
    written_by_tool,
)
from automode.judge.deeds import DELETIONS
from automode.judge.runs.environments import all_absolute, environment, operands
from automode.judge.runs.own import LONGEST_FILE
from automode.judge.runs.package_lists import installs, kind_of, lists_of, words_of
from automode.judge.words import patterns, word_lists
from automode.programs.call_facts import CallFacts, CommandFacts
from automode.programs.table import of_kind
from automode.shell.script import HOLE, Command, Script

_FILE_DEEDS_W = word_lists("file_deeds")
_P = patterns("artefacts")
_W = word_lists("artefacts")
MOST_CALLS = 100  # and up to a step more
STEP = 50
MOST_SESSIONS = 64
_NOT_DONE = (Outcome.DENIED, Outcome.REJECTED)
_FETCHERS = of_kind("downloader") | {"scp", "rsync"}
_UNPACKERS = of_kind("packer") | {"unzip"}
_BRINGERS = _FETCHERS | _UNPACKERS | _W.clones | {"git", "wget"}
_GIT = _W.git_changes | {"rm", "mv", "clone", "worktree"}
_LEAVING = _BRINGERS | file_deeds.MAY_TOUCH | {"mkdir"}
_REMOTE_NAME = re.compile(r"-\w*O|--remote-name")
_PRINTERS = frozenset({"cat", "echo", "printf", "tee"})
_GIT_LOOKS = (["stash", "list"], ["stash", "show"])
_REMOVERS = frozenset({"rm", "unlink"})
REPLACERS = frozenset({"sed", "gsed", "perl"})
# To read a script takes time: most write nothing.
_SILENCED = re.compile(r"\d?>&\d|&?\d?>\s*/dev/null")
_REMOTE = re.compile(r"\w[\w+.-]*://|[\w.-]+@?[\w.-]+:")
_ARCHIVE = re.compile(r"\.(?:tar|tgz|tbz|txz|zip|gz|xz|bz2|7z)\b.*$")
_OUTPUT = ("-o", "--output", "--outfile")
_MKDIR_FLAGS = re.compile(r"-[pv]+|--parents|--verbose|--mode=\S+")
_MAKES_PARENTS = re.compile(r"-v*p[pv]*|--parents")
_LISTING = re.compile(r"-[lahd1]+")
# Commands that each run where all before them succeeded.
_CHAIN = re.compile(r"(?:[^;|&\n\r`$(){}!#<]|&&|(?<!\|)\|(?!\||&)|\d?>&\d)*")
_CODE = tuple(f".{one}" for one in _W.code)
_SOURCE_FILE = re.compile(r"\.{1,2}(?:/|$)|/|.*\.\w{1,4}$")


@dataclass(slots=True)
class Artefacts:
    """`texts`: by absolute path what is in a file, as far as this session wrote it; None where
    nobody can tell. `fetched`: files and folders that came from elsewhere."""

    texts: dict[str, str | None] = field(default_factory=dict)
    fetched: set[str] = field(default_factory=set)
    built: set[str] = field(default_factory=set)  # by a compiler; environments of Python
    folders: set[str] = field(default_factory=set)  # new ones, with nothing of others' in them
    missing: set[str] = field(default_factory=set)  # no such file: looked for in vain
    absent: set[str] = field(default_factory=set)  # nothing is there, neither file nor folder
    files: set[str] = field(default_factory=set)  # new ones: missing before they were written
    gone: set[str] = field(default_factory=set)  # deleted, and not written again
    touched: set[str] = field(default_factory=set)  # whatever was written, moved or deleted
    put: dict[str, tuple[str, ...]] = field(default_factory=dict)  # into files that were there
    # Of lists of packages, words and lines that stood in them before, as far as edits tell.
    stood: dict[str, frozenset[str]] = field(default_factory=dict)
    installed: set[tuple[str, str]] = field(default_factory=set)  # by language, and words of lists
    looked: bool = False  # at the disk: it holds for this call alone

    def copy(self) -> "Artefacts":
        names = [one.name for one in fields(self)]
        return Artefacts(**{name: copy(getattr(self, name)) for name in names})

    def came_from_elsewhere(self, path: str) -> bool:
        return any(within(path, one) for one in self.fetched)

    def runs_built(self, program: str) -> bool:
        """Whether it was compiled here, or lies in an environment that was made here and that
        nothing but its own installer wrote to."""
        if program in self.built:
            return True
        own = [one for one in self.built if program.startswith(f"{one}/bin/")]
        return any(not any(within(path, one) for path in self.touched) for one in own)

    def builds_foreign(self, folder: str) -> bool:
        """Whether what is built there came from elsewhere, or a source in it did."""
        return self.came_from_elsewhere(folder) or any(
            one.endswith(_CODE) and within(one, folder) for one in self.fetched
        )

    def add(self, command: Command, here: str, *, failed: bool = False, sure: bool = False) -> None:
        """`sure`: it ran, and succeeded."""
        name = command.program.removesuffix(".exe")
        words = [word.text for word in command.args]
        at = command.cwd or here
        if self.folders or self.files:
            self._forget(command, words, at)
        if not failed:
            made = environment(name, words, at)
            self.built |= made.folders
            self.touched |= made.spoilt
        known = _GIT.intersection(words) if name == "git" else name in _LEAVING
        if not known and not any(one.writes for one in command.redirects):
            return  # most of the commands of a session
        if not failed:
            self._make(command, words, at, here, sure=sure)
        if name in _BRINGERS:
            self._bring(name, words, at)
        for touch in (*touches(command), *file_deeds.redirect_touches(command)):
            if HOLE in touch.path:
                continue
            path = absolute(touch.path, at)
            self.touched.add(path)
            if touch.how is How.DELETES and not failed and name in _REMOVERS:
                self.gone.add(path)
            if touch.how in (How.WRITES, How.EMPTIES):
                self.built -= {path, f"{path}/{_last(touch.source)}"}
                self._write(path, touch.source, command, at)

    def _forget(self, command: Command, words: list[str], at: str) -> None:
        """What a program may have moved something into is no longer only what was made. Those that
        move nothing there are listed."""
        name = command.program
        verb = git_parts(command, at)[1] if name == "git" else ""
        if name in _W.keeps or verb in _W.git_keeps or not command.words or command.transparent:
            return
        unknown = any(HOLE in one or set("*?[") & set(one) for one in words)
        named = {absolute(one.partition("=")[2] or one, at) for one in words if one}

        def is_named(made: str) -> bool:
            return unknown or any(within(one, made) or within(made, one) for one in named)

        self.folders = {one for one in self.folders if not is_named(one) and not within(at, one)}
        self.files = {one for one in self.files if not is_named(one)}

    def _bring(self, name: str, words: list[str], at: str) -> None:
        paths = [absolute(one, at) for one in words if one and one[:1] != "-" and HOLE not in one]
        if name == "git":
            self._git(words, paths, at)
        elif name in _W.clones:
            plain = [one for one in words if one[:1] != "-"]
            if _W.brings.intersection(plain):
                self.fetched |= {absolute(_last(one), at) for one in plain} | set(paths)
        elif name in _UNPACKERS and paths:
            if self.came_from_elsewhere(paths[0]):
                self.fetched.add(at)  # whatever is in it lies here
            self.fetched.add(_ARCHIVE.sub("", paths[0 if name != "tar" else -1]))
            self.fetched |= {_ARCHIVE.sub("", one) for one in paths}
        if name == "wget" or (name in _FETCHERS and any(map(_REMOTE_NAME.fullmatch, words))):
            self.fetched |= {absolute(one.rsplit("/", 1)[-1], at) for one in paths}

    def edit(
        self, path: str, written: Written | None, *, failed: bool = False, sure: bool = False
    ) -> None:
        """By a tool for files, or by a command that replaces text by text. `sure`: it succeeded,
        so what it replaced was there."""
        self.gone.discard(path)
        before = self.texts.get(path, "")
        if written is None or (before is None and not written.whole):
            self.texts[path] = None
            self.put.pop(path, None)
            return
        text = "\n".join(one.text for one in written.puts)
        if written.whole:
            self.put.pop(path, None)
            if not failed:
                self.files |= self.missing & {path}
        elif path not in self.texts or path in self.put:
            if kind_of(path) and sure:
                own = words_of("\n".join(self.put.get(path, ())))
                old = words_of("\n".join(one.old for one in written.puts))
                self.stood[path] = self.stood.get(path, frozenset()) | (old - own)
            self.put[path] = written.after(self.put.get(path, ()))
        if not written.whole and before:
            text = f"{before}\n{text}"
        self.texts[path] = text[:LONGEST_FILE]

    def install(self, command: Command, place: Workspace) -> None:
        """Whoever let it run said yes to the packages that it names, and to those of the lists."""
        words = {word.text for word in command.args}
        if rehearses(command) or "dry-run" in command.text or not REMOVES.isdisjoint(words):
            return
        for need in tasks.unusual(CommandFacts(command, place)):
            if need.deed == tasks.INSTALLS and need.line:
                self.installed.add((need.line[0], real_name(need.name)))
        if kind := installs(command):
            for one in lists_of(command, kind, place, self.texts):
                self.installed |= {(kind, word) for word in words_of(self.texts[one] or "")}

    def lose(self, facts: CallFacts) -> None:
        """What code wrote, or a program of which nobody knows what it writes."""
        for path in (set(written_by(facts).values()) - self.touched) | written_by_code(facts):
            if path.rpartition("/")[0] not in self.texts:  # below a file there is none
                self.edit(path, None)

    def _make(self, command: Command, words: list[str], at: str, here: str, *, sure: bool) -> None:
        """What comes into being where nothing was. A clone counts not: work may have gone into it
        since. What is moved somewhere is not made there."""
        name = command.program
        if command.redirects and file_deeds.prints(command):
            targets = (one.target.text for one in command.redirects if one.op in (">", ">|"))
            self.files |= self.missing & all_absolute(targets, at)
        if name == "mkdir":
            folders = all_absolute(operands(words, ("-m", "--mode"), _MKDIR_FLAGS), at)
            alone = sure and not any(map(_MAKES_PARENTS.fullmatch, words))
            self.folders |= folders if alone else folders & self.absent
        elif name == "git" and words[:2] == ["worktree", "add"] and sure:
            named = operands(words[2:], ("-b", "-B"), _P.worktree_flags)
            self.folders |= all_absolute(named[:1], at)
        elif name in _FILE_DEEDS_W.compilers:
            values = (value for option, value in option_values(words) if option in _OUTPUT)
            built = all_absolute(values, at)
            if self._is_own(words, at, here):
                self.built |= built
                self.files |= self.missing & built
            else:
                self.built -= built
                self.fetched |= built

    def _is_own(self, words: list[str], at: str, here: str) -> bool:
        """Whether what a compiler is given belongs to the project, or was written here."""
        outputs = {value for option, value in option_values(words) if option in _OUTPUT}
        given = [one for one in words if _SOURCE_FILE.match(one) and one not in outputs]
        sources = all_absolute(given, at) or {at}
        foreign = self.came_from_elsewhere(at) or any(map(self.builds_foreign, sources))
        return not foreign and all(
            within(one, here) or self.texts.get(one) is not None for one in sources
        )

    def _git(self, words: list[str], paths: list[str], at: str) -> None:
        if words[:1] in (["rm"], ["mv"]):
            self.touched |= set(paths[1:])
        if _W.git_changes.intersection(words[:1]) and words[:2] not in _GIT_LOOKS:
            # Behind `--` stand the files that it changes. Without, any may be another one now.
            named = all_absolute(words[words.index("--") + 1 :] if "--" in words else (), at)
            changed = [one for one in self.texts if not named or _below_any(one, named)]
            for one in changed:
                self.edit(one, None)
        elif words[:1] == ["mv"] and len(paths) > 2:
            self._follow(paths[-2], paths[-1])
        elif words[:1] == ["clone"] and paths:
            last = next(one for one in reversed(words) if one[:1] != "-")
            self.fetched.add(absolute(_last(last) if _REMOTE.match(last) else last, at))

    def _write(self, path: str, source: str, command: Command, at: str) -> None:
        appends = any(one.op == ">>" for one in command.redirects)
        appends = appends or (
            command.program == "tee" and any(word.text[:1] == "-" for word in command.args)
        )
        printed = printed_text(command) if command.program in _PRINTERS else None
        if command.program in _FETCHERS:
            self.fetched.add(path)
            self.edit(path, None)
        elif source:
            self._follow(absolute(source, at), path)
        elif printed is not None and command.position == 0:
            self.edit(path, Written((Put(printed),), whole=not appends), failed=True)
        elif command.program in REPLACERS and (path not in self.texts or path in self.put):
            self.edit(path, replaced_in_place(command))
        else:
            self.edit(path, None)

    def _follow(self, source: str, target: str) -> None:
        name = source.rsplit("/", 1)[-1]
        # `cp a.py b.py` makes a file, `cp a.py b` perhaps one in a folder.
        alike = "." in name and target.endswith(name[name.rindex(".") :])
        for one in (target,) if alike else (target, f"{target}/{name}"):
            self.put.pop(one, None)
            self.texts[one] = self.texts.get(source)
            if self.came_from_elsewhere(source):
                self.fetched.add(one)


def _below_any(path: str, named: Iterable[str]) -> bool:
    return any(within(path, one) or set("*?[:") & set(one) for one in named)


def _last(address: str) -> str:
    """The folder that a clone of it is put into."""
    return address.rsplit("/", 1)[-1].removesuffix(".git")


def artefacts(facts: CallFacts, session: Session) -> Artefacts:
    """Of the calls before this one, the oldest first. Whoever changes it takes a copy."""
    return facts.once("artefacts", lambda: _left_by_calls(facts, session))


# What the earlier calls of a session left, with these calls: mostly the next call comes after the
# same ones and few more. A seen command takes an eighth longer without it.
_LEFT = Recent[tuple[str, ...], tuple[tuple[PriorCall, ...], Artefacts]](MOST_SESSIONS)


def _left_by_calls(facts: CallFacts, session: Session) -> Artefacts:
    calls = tuple([one for one in session.transcript.entries if isinstance(one, PriorCall)])
    # In steps, so that the first of them stays the same for a while.
    calls = calls[max(0, len(calls) - MOST_CALLS) // STEP * STEP :]
    place = facts.workspace
    key = (session.host, session.id, place.cwd, place.root, place.home)
    known, found = _LEFT.get(key, ((), Artefacts()))
    if calls[: len(known)] != known:
        known, found = (), Artefacts()
    if len(known) < len(calls):
        found = found.copy()
        for one in calls[len(known) :]:
            if one.outcome not in _NOT_DONE:
                _add(one, facts, found)
        if not found.looked:
            _LEFT[key] = calls, found
    return found


def _add(call: PriorCall, facts: CallFacts, found: Artefacts) -> None:
    place = facts.workspace
    failed = call.outcome is Outcome.ERROR
    match call.call and call.call.action:
        case Shell(command, "bash") if found.folders or found.files or _may_write(command):
            chained = call.outcome is Outcome.OK and _CHAIN.fullmatch(command) is not None
            before, known = found.touched, call.call
            found.touched = set()
            for part in facts.reader.full(command, place).commands:
                found.add(part, place.cwd, failed=failed, sure=chained and _is_alone(part))
                if call.outcome is Outcome.OK:
                    found.install(part, place)
            if known is not None:
                found.lose(CallFacts(known, place, facts.reader))
            found.touched |= before
        case Shell(command, "bash") if failed:
            script = facts.reader.full(command, place)
            found.missing |= _missing_files(script, place.cwd, _W.lookers)
            found.absent |= _missing_files(script, place.cwd, _W.listers)
        case Write(paths):
            # Where `..` leads depends on links, which may be others at the next call.
            found.looked = found.looked or any(".." in path for path in paths)
            for path in paths:
                for full in meant_paths(path, place):
                    put, done = written_by_tool(call.input, path), call.outcome is Outcome.OK
                    found.edit(full, put, failed=failed, sure=done)
        case _:
            return


@lru_cache(maxsize=4_096)  # with each call a hundred earlier ones are asked about
def _may_write(command: str) -> bool:
    return _P.writes.search(_SILENCED.sub("", command)) is not None


def _is_alone(command: Command) -> bool:
    """Whether nothing around it hides how it ended."""
    return command.pipeline == 0 and not command.via


def _missing_files(script: Script, here: str, lookers: frozenset[str]) -> set[str]:
    """What a single look that failed did not find."""
    if len(script.commands) != 1 or script.commands[0].program not in lookers:
        return set()
    words = [word.text for word in script.commands[0].args]
    plain = operands(words, (), _LISTING) if lookers is _W.listers else _plain(words)
    paths = all_absolute(plain, script.commands[0].cwd or here)
    return paths if len(paths) == 1 else set()


def _plain(words: Iterable[str]) -> list[str]:
    return [word for word in words if not word.startswith("-")]


def unless_made(deeds: tuple[str, ...], facts: CallFacts, session: Session) -> tuple[str, ...]:
    """The deeds again, those apart that only concern what this very script or an earlier call
    made."""
    deletes, runs = not DELETIONS.isdisjoint(deeds), "runs-scratch" in deeds
    if not deletes and not runs:
        return deeds
    action = facts.call.action
    text = action.command if isinstance(action, Shell) else "?"
    before = artefacts(facts, session)
    excused: dict[str, str] = {}
    if deletes and _loses_nothing(facts.script, text, session, before.copy()):
        excused |= dict.fromkeys(DELETIONS, "deletes-made")
    if runs and runs_only_made(facts.script, session.workspace, before.copy()):
        excused["runs-scratch"] = "runs-made"
    return tuple(dict.fromkeys(excused.get(name, name) for name in deeds))


def latest(session: Session) -> Iterator[PriorCall]:
    """Earlier calls that nobody stopped, the newest first: what was refused is no evidence for what
    comes next."""
    for one in reversed(session.transcript.entries):
        if isinstance(one, PriorCall) and one.outcome not in _NOT_DONE:
            yield one


def _loses_nothing(script: Script, text: str, session: Session, made: Artefacts) -> bool:
    """In order: what a script makes after it deleted the same was not its own to delete."""
    here = session.workspace.cwd
    chained = _CHAIN.fullmatch(text) is not None
    gone = 0
    for command in script.commands:
        if command.program in ("rm", "unlink"):
            options = [word.text.casefold() for word in command.args if word.text[:1] == "-"]
            deep = any("r" in option for option in options)
            for path in all_absolute(file_deeds.plain_words(command), command.cwd or here):
                gone += 1
                new = path in made.files and not deep
                if not new and not any(within(path, folder) for folder in made.folders):
                    return False
        elif command.program in DELETERS | {"find", "mv"}:
            return False
        made.add(command, here, sure=chained and _is_alone(command))
    return gone > 0


def built_first(script: Script, here: str, made: Artefacts) -> frozenset[str]:
    """The programs that it runs after it built them, or that were built before."""
    built: set[str] = set()
    others: set[str] = set()
    for command in script.commands:
        program = absolute(command.words[0].text, command.cwd or here) if command.words else ""
        (built if made.runs_built(program) else others).add(program)
        made.add(command, here)
    return frozenset(built - others)


def runs_only_made(script: Script, place: Workspace, made: Artefacts) -> bool:
    """Whether all that it runs from folders for what passes was made there before."""
    here = place.cwd
    for command in script.commands:
        if "runs-scratch" in command_deeds.direct_deeds(CommandFacts(command, place)):
            shell = command.program in _W.shells
            named = next(file_deeds.plain_words(command), "") if shell else command.words[0].text
            program = absolute(named, command.cwd or here)
            # What stands in a script of the session's is read in its place.
            if not made.runs_built(program) and made.texts.get(program) is None:
                return False
        made.add(command, here)
    return True


def git_parts(command: Command, here: str) -> tuple[str, str, list[str]]:
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
