"""A shell script that lies in a file: what the places in it are, and what of it counts."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from automode.core.paths import absolute, exactly_within
from automode.core.workspace import Kind, Workspace
from automode.judge.runs.written_code import lines_with
from automode.judge.words import patterns, word_lists
from automode.programs.table import programs
from automode.shell.script import HOLE, Command, Reader, Script, Word

_P = patterns("shell_files")
_W = word_lists("shell_files")
_STARTERS = word_lists("command_deeds").interpreters | word_lists("tasks").shells
SHELL = (".sh", ".bash", ".zsh", ".ksh")
_SHEBANGS = ("#!/bin/sh", "#!/bin/bash", "#!/usr/bin/env bash", "#!/usr/bin/env sh")
_QUIET = re.compile(r"[\w./@+-]+")
MADE = "/tmp/made-by-mktemp"  # noqa: S108 - stands for a folder that a script makes
MOST_BESIDE = 100
_MOVING = frozenset({"cd", "pushd", "popd"})


def is_shell(path: str, text: str) -> bool:
    return path.endswith(SHELL) or text.startswith(_SHEBANGS)


def is_for_itself(path: str) -> bool:
    """Whether people start it, and no test does: `scripts/deploy.sh`."""
    stem = path.rpartition("/")[2].partition(".")[0].casefold()
    return not _W.apart.isdisjoint(re.split(r"[-_]", stem))


def with_places(text: str, path: str) -> str:
    """The script with what it computes of its own place, and of folders that it makes, written
    out."""
    folder = path.rpartition("/")[0]
    if _P.taken.search(text) or not _QUIET.fullmatch(folder):
        return text
    text = _P.place.sub(lambda found: absolute(f".{found['up']}", folder), text)
    text = _P.made.sub(MADE, _P.folder.sub(folder, text))
    for name in re.findall(rf"\b(\w+)=\"?{MADE}(?![\w/])", text):
        if len(re.findall(rf"(?<![$\w/.*-])(?<!\$\{{){name}\b", text)) == 1:
            # A trap and a function get what is assigned once.
            text = re.sub(rf"\$(?:{name}\b|{{{name}}})", MADE, text)
    return text


@dataclass(frozen=True, slots=True)
class ShellFile:
    """`put`: what this session put into a file that was there."""

    path: str
    text: str
    put: Sequence[str] | None
    place: Workspace
    look: Callable[[str], str | None]  # at files beside it, for the names of their functions

    def read(self, reader: Reader) -> tuple[Script, frozenset[str]]:
        """What counts of it, with the programs of the project by their paths, and the other files
        whose functions it calls."""
        text = with_places(self.text, self.path)
        whole = reader.full(text, self.place)
        commands, steering, gaps = whole.commands, whole.steering, set(whole.gaps)
        if self.put is not None and all(one in self.text for one in self.put):
            rest = reader.first(with_places(self._rest(self.put), self.path), self.place)
            commands = tuple(_new_in(whole.commands, rest.commands))
            steering = tuple(one for one in steering if one not in rest.steering)
            gaps = {one for one in gaps if one not in rest.gaps or _P.unread.search(one)}
        functions = self.functions(whole.commands)
        names = {one.rpartition("/")[2] for one in map(self._sourced, whole.commands) if one}
        commands = tuple(one for one in commands if not _reads_again(one, names))
        if not any(one.program in _MOVING for one in whole.commands):
            # What functions run, they run where the script does.
            commands = tuple(replace(one, cwd=one.cwd or self.place.cwd) for one in commands)
        found = (each for one in commands for each in self._told(one, functions))
        left = (one for one in gaps if not _P.open_gaps.fullmatch(one))
        called = {functions[one.program] for one in commands if one.program in functions}
        called.discard(self.path)
        return Script(tuple(found), tuple(left), steering, whole.excused), frozenset(called)

    def functions(self, commands: Sequence[Command]) -> dict[str, str]:
        """Its functions, those of scripts beside it and of what it reads, with their files."""
        folder = self.path.rpartition("/")[0]
        beside = self.place.files.names(folder, MOST_BESIDE)
        paths = [f"{folder}/{one}" for one in beside if one.endswith((*SHELL, ".bats"))]
        paths += (one for one in map(self._sourced, commands) if one)
        return {
            name: one
            for one in dict.fromkeys((*paths, self.path))
            for name in _P.function.findall(self._text_of(one))
            if name not in programs() or name in _W.chatting
        }

    def _text_of(self, path: str) -> str:
        return self.text if path == self.path else self.look(path) or ""

    def _rest(self, put: Sequence[str]) -> str:
        """Without the lines that something was put into."""
        changed = "\n".join(lines_with(put, self.text)).split("\n")
        left = Counter(changed)
        kept = []
        for line in self.text.split("\n"):
            left[line] -= 1
            kept += [line] if left[line] < 0 else []
        return "\n".join(kept)

    def _told(self, command: Command, functions: dict[str, str]) -> Iterator[Command]:
        """What is known of a function of the project is what it is given to run."""
        if command.program in functions and command.words[0].text == command.program:
            given = command.args if command.args and command.args[0].text in programs() else ()
            yield replace(command, words=given)
            return
        at = 1 if command.program in _STARTERS and len(command.words) > 1 else 0
        path = self._own(command.words[at], command) if command.words else ""
        if path:
            words = (*command.words[:at], Word(path), *command.words[at + 1 :])
            command = replace(command, words=words)
        yield command

    def _sourced(self, command: Command) -> str:
        reads = command.program in ("source", ".") and len(command.words) > 1
        return self._own(command.words[1], command) if reads else ""

    def _own(self, word: Word, command: Command) -> str:
        """The file of the project that a word means of which only the folder is not known."""
        first, slash, tail = word.text.partition("/")
        if first == HOLE and slash and HOLE not in tail:
            folder = self.path.rpartition("/")[0]
            found = [absolute(tail, one) for one in (self.place.root, folder)]
        elif HOLE not in word.text and "/" in word.text:
            found = [absolute(word.text, command.cwd or self.place.cwd)]
        else:
            return ""
        known = (one for one in found if exactly_within(one, self.place.root))
        return next((one for one in known if self.place.files.kind(one) is Kind.FILE), "")


def _reads_again(command: Command, names: set[str]) -> bool:
    """`. "$here/../lib/x.sh" || . "$here/../lib/shop/x.sh"`: the same where it is installed."""
    words = [one.text for one in command.words]
    reads = len(words) > 1 and words[0] in (".", "source") and words[1][0:1] == HOLE
    return reads and words[1].rpartition("/")[2] in names


def _new_in(whole: Sequence[Command], rest: Sequence[Command]) -> Iterator[Command]:
    """The commands that are not those of the rest. One whose words are not known may be one of
    them, where there are no more of its program."""
    known = set(map(_told_by, rest))
    before, now = (Counter(one.program for one in some) for some in (rest, whole))
    for one in whole:
        told = _told_by(one)
        if told not in known and (HOLE not in told or now[one.program] > before[one.program]):
            yield one


def _told_by(command: Command) -> str:
    redirects = (f"{one.op}{one.target.text}" for one in command.redirects)
    given = (f"{one.name}={one.value.text}" for one in command.assignments)
    around = (*command.via, command.cwd or "", command.fed or "", command.elevated)
    return "\n".join(map(str, (command.text, *redirects, *given, *around)))


@dataclass(frozen=True, slots=True)
class Prepared:
    """Reads one text as what was already read of it."""

    text: str
    script: Script
    reader: Reader

    def first(self, text: str, workspace: Workspace) -> Script:
        return self.script if text == self.text else self.reader.first(text, workspace)

    def full(self, text: str, workspace: Workspace) -> Script:
        return self.script if text == self.text else self.reader.full(text, workspace)
