"""What the files hold that this session wrote, and which of them came from elsewhere.

Moves, copies and links are followed. A file that was changed in a way that cannot be read holds
nobody knows what.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from automode.core.call import Shell, Write
from automode.core.errors import BadCall
from automode.core.paths import absolute, within
from automode.core.session import Session
from automode.core.tools import meant_paths, tool_call
from automode.core.transcript import Outcome, PriorCall
from automode.judge.touching import How, redirected, touched
from automode.programs.table import of_kind
from automode.shell.script import HOLE, Command, Script

MOST_CALLS = 100
LONGEST_FILE = 60_000
_NOT_DONE = (Outcome.DENIED, Outcome.REJECTED)
_FETCHERS = of_kind("downloader") | {"scp", "rsync"}
_UNPACKERS = of_kind("packer") | {"unzip"}
_NEW = ("content", "contents", "new_string", "newText", "new_str", "file_text", "insert_text")
_GIT_CHANGES = frozenset(
    "checkout restore apply am merge pull rebase cherry-pick revert reset stash switch".split()
)
_PRINTERS = frozenset({"cat", "echo", "printf", "tee"})
# To read a script takes time: most write nothing.
_SILENCED = re.compile(r"\d?>&\d|&?\d?>\s*/dev/null")
_WRITES = re.compile(
    r">|\b(?:cp|mv|ln|tee|curl|wget|aria2c|axel|scp|rsync|tar|bsdtar|unzip|7z|gunzip|clone|install|dd|"
    r"patch|sponge|checkout|restore|apply|am|merge|pull|rebase|cherry-pick|revert|reset|stash|switch|"
    r"sed|perl|truncate|touch)\b|\s(?:-o|--out\w*)\b"
)
_REMOTE = re.compile(r"\w[\w+.-]*://|[\w.-]+@?[\w.-]+:")
_ARCHIVE = re.compile(r"\.(?:tar|tgz|tbz|txz|zip|gz|xz|bz2|7z)\b.*$")

Read = Callable[[str], Script]


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
        for touch in (*touched(command), *redirected(command)):
            if HOLE in touch.path:
                continue
            if touch.how is How.BUILDS:
                self.built.add(absolute(touch.path, at))
            elif touch.how in (How.WRITES, How.EMPTIES):
                self._written(absolute(touch.path, at), touch.source, command, at)
        named = any(re.fullmatch(r"-\w*O|--remote-name", one) for one in words)
        if name == "wget" or (name in _FETCHERS and named):
            self.fetched |= {absolute(one.rsplit("/", 1)[-1], at) for one in paths}

    def edited(self, path: str, given: Mapping[str, object]) -> None:
        """By a tool for files."""
        text = "\n".join(_new_texts(given))
        whole = any(field in given for field in ("content", "contents", "file_text"))
        before = self.texts.get(path, "")
        if not text or (before is None and not whole):
            self.texts[path] = None
        else:
            self.texts[path] = (f"{before}\n{text}" if before and not whole else text)[
                :LONGEST_FILE
            ]

    def _git(self, words: list[str], paths: list[str], at: str) -> None:
        if _GIT_CHANGES.intersection(words[:1]):
            self.texts = dict.fromkeys(self.texts)  # any of them may be another one now
        elif words[:1] == ["mv"] and len(paths) > 2:
            self._follow(paths[-2], paths[-1])
        elif words[:1] == ["clone"] and paths:
            last = next(one for one in reversed(words) if one[:1] != "-")
            folder = last.rsplit("/", 1)[-1].removesuffix(".git") if _REMOTE.match(last) else last
            self.fetched.add(absolute(folder, at))

    def _written(self, path: str, source: str, command: Command, at: str) -> None:
        if command.program in _FETCHERS:
            self.fetched.add(path)
            self.texts[path] = None
        elif source:
            self._follow(absolute(source, at), path)
        elif command.program in _PRINTERS and command.position == 0:
            self.texts[path] = _printed(command)
        else:
            self.texts[path] = None

    def _follow(self, source: str, target: str) -> None:
        inside = f"{target}/{source.rsplit('/', 1)[-1]}"
        for one in (target, inside):
            self.texts[one] = self.texts.get(source)
            if self.came_from_elsewhere(source):
                self.fetched.add(one)


def _printed(command: Command) -> str | None:
    """The text that a command prints, where all of it is written in the call."""
    if command.program in ("cat", "tee"):
        plain = all(word.text.startswith("-") for word in command.args) or command.program == "tee"
        return (
            command.fed if plain and command.fed is not None and HOLE not in command.fed else None
        )
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
        case Shell(command, "bash") if _WRITES.search(_SILENCED.sub("", command)):
            for part in read(command).commands:
                found.add(part, here)
        case Write(paths):
            for path in paths:
                for full in meant_paths(path, session.workspace):
                    found.edited(full, call.input)
        case _:
            return


def _new_texts(given: Mapping[str, object]) -> Iterator[str]:
    """What an edit puts in."""
    yield from (value for name in _NEW if isinstance(value := given.get(name), str))
    edits = given.get("edits")
    for one in edits if isinstance(edits, list) else ():
        if isinstance(one, Mapping):
            yield from _new_texts(one)
