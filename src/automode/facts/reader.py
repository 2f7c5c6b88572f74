"""Reads shell scripts with both parsers, within limits, and remembers readings.

Readings depend on the text and on where it runs, never on files, so they may be kept; verdicts
about files, links and repositories are made anew each time by whoever asks.
"""

import asyncio
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from automode.core.call import Shell, ToolCall
from automode.core.workspace import Workspace
from automode.facts.parsers import by_patterns, by_shfmt, by_tree_sitter
from automode.programs.call_facts import CallFacts
from automode.shell.frame import Frame, Parsed, TooMuchWork
from automode.shell.interpret import Interpreter
from automode.shell.script import Script
from automode.shell.state import State
from automode.shell.syntax import Node, Unread

SIZE_LIMIT_BYTES = 60_000
"""Longer scripts are not parsed: the reading is incomplete. Fits a pipe's buffer of 64 KiB."""

UNCHECKED_LIMIT_BYTES = 1_500
"""tree-sitter may see text this short before shfmt has accepted it (see `parsers`)."""

READING_SECONDS = 0.08
"""For all runs of shfmt that one script needs, scripts inside the script included."""

WAITING_SECONDS = 0.5
"""The same while other sessions go on: a busy machine is no reason to ask."""

KEPT_READINGS = 8_192
KEPT_CHARACTERS = 2_000_000  # of the texts that were read
FRESH_READINGS = 512

_ODD = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xa0\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff"
    "\U000e0000-\U000e0fff]"
)
"""Control, invisible, bidirectional and blank-looking characters: parsers and eyes disagree."""

_CLOSED_THEN_WORD = re.compile(r"[<>]&[ \t]*-[^\s;|&()<>]")
"""`cmd >&-word`: bash sees an argument that both parsers drop."""

_ARRAY_THEN_WORD = re.compile(r"=\([^()]*\)[\w\"'$]")
"""`a=()b=()` is an error to bash, two assignments to both parsers."""

_JOINED_LINE = re.compile(r"[$<>&|;(`\\]\\\n")
"""A line joined inside an operator: `"$\\⏎(cmd)"` runs the command, and both parsers miss it."""

_ODD_DESCRIPTOR = re.compile(r"(?<!\d)\d{10,}[<>]|[<>]\|?[ \t]*\d+[<>]")
"""`99999999999>f` is a word and a redirect to bash, one redirect to both parsers; `>2>&1` is an
error."""

_DISGUISED = re.compile(r"\$'[^']*\\(x[0-9A-Fa-f]|[0-7]{2}|u[0-9A-Fa-f])")
"""Letters written as numbers. The value is read, but nobody writes a harmless command so."""

_MISLEADING = (
    ("", _ODD, "it contains invisible or control characters"),
    ("&", _CLOSED_THEN_WORD, "a closed descriptor is followed by a word"),
    ("=(", _ARRAY_THEN_WORD, "a word follows an array without a blank"),
    (">", _ODD_DESCRIPTOR, "a number in front of a redirect is no descriptor"),
    ("<", _ODD_DESCRIPTOR, "a number in front of a redirect is no descriptor"),
    ("\\\n", _JOINED_LINE, "a line is joined in the middle of an operator"),
    ("$'", _DISGUISED, "letters are written as numbers"),
)
"""What every match contains, the pattern, and what is misleading about it. Looking for the first
costs a fraction of trying the pattern at every place."""


ONE_PARSER = "only one parser has read it"

_Key: TypeAlias = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class _Reading:
    """A script, and how each text of it was parsed: the script's own and those inside it."""

    script: Script
    parsed: Mapping[str, Parsed]


class ShellReader:
    """Contract: never raises and never holds the process for long, whatever the text."""

    def __init__(self, seconds: float = READING_SECONDS) -> None:
        self.seconds = seconds
        # Each later call of a session asks what earlier ones did. A decision about a real command
        # takes 17.5 ms of the processor without this, 8.7 ms with it.
        self._kept: dict[_Key, Script] = {}
        self._characters = 0
        self._fresh: dict[_Key, _Reading] = {}  # of one parser, to be compared with the second

    def first(self, text: str, workspace: Workspace) -> Script:
        """One parser's reading, in microseconds. It can prove danger and nothing else. What only
        both parsers may look at is read by both at once; what both have read is at hand."""
        if len(text) > UNCHECKED_LIMIT_BYTES:
            return self.full(text, workspace)
        known = self._kept.get(_key(text, workspace))
        if known is not None:
            return Script(known.commands, (ONE_PARSER, *known.gaps))  # never a proof of safety
        return self._first(text, workspace).script

    def full(self, text: str, workspace: Workspace) -> Script:
        """Both parsers' reading: complete only where they agree on everything."""
        key = _key(text, workspace)
        known = self._kept.get(key)
        if known is None:
            fresh = self._fresh.pop(key, None)
            known = self._keep(key, _compared(text, workspace, fresh, self.seconds))
        return known

    async def facts(self, call: ToolCall, workspace: Workspace) -> CallFacts:
        """The facts of a call. Other sessions go on while the second parser reads its script."""
        if isinstance(call.action, Shell) and call.action.dialect == "bash":
            await self._ready(call.action.command, workspace)
        return CallFacts(call, workspace, self)

    async def _ready(self, text: str, workspace: Workspace) -> None:
        key = _key(text, workspace)
        short = len(text) <= UNCHECKED_LIMIT_BYTES
        if key in self._kept or (short and by_patterns(text) is not None):
            return
        fresh = self._first(text, workspace) if short else None
        seconds = max(self.seconds, WAITING_SECONDS)
        self._keep(key, await asyncio.to_thread(_compared, text, workspace, fresh, seconds))

    def _first(self, text: str, workspace: Workspace) -> _Reading:
        key = _key(text, workspace)
        reading = self._fresh.get(key)
        if reading is None:
            reading = self._fresh[key] = _reading(text, workspace, _Parser(both=False))
            if len(self._fresh) > FRESH_READINGS:
                del self._fresh[next(iter(self._fresh))]
        return reading

    def _keep(self, key: _Key, script: Script) -> Script:
        if key not in self._kept:
            self._characters += len(key[0])
        self._kept[key] = script
        while len(self._kept) > KEPT_READINGS or self._characters > KEPT_CHARACTERS:
            oldest = next(iter(self._kept))
            self._characters -= len(oldest[0])
            del self._kept[oldest]
        return script


def _key(text: str, workspace: Workspace) -> _Key:
    return text, workspace.cwd, workspace.home


def _misleading(text: str) -> str:
    """Why the text may not be what it looks like; empty for nearly all."""
    for part, pattern, why in _MISLEADING:
        if part in text and pattern.search(text):
            return why
    return ""


def _compared(text: str, workspace: Workspace, fresh: _Reading | None, seconds: float) -> Script:
    """Both parsers' reading. Where the second one agrees with the reading at hand, down to the
    last script inside, walking through it again would give the same commands."""
    parser = _Parser(both=True, seconds=seconds)
    if fresh is None or fresh.script.gaps[:1] != (ONE_PARSER,):
        return _reading(text, workspace, parser).script
    parser.known = fresh.parsed
    again = {one: parser.parse(one) for one in fresh.parsed}
    if again == dict(fresh.parsed):
        return Script(fresh.script.commands, fresh.script.gaps[1:])
    return _reading(text, workspace, parser).script


def _reading(text: str, workspace: Workspace, parser: "_Parser") -> _Reading:
    if len(text) > SIZE_LIMIT_BYTES:
        return _Reading(Script((), ("the script is too long to be read",)), {})
    interpreter = Interpreter(parser.parse)
    if not parser.both:
        interpreter.gap(ONE_PARSER)
    try:
        state = State(workspace.cwd, workspace.home, warn=interpreter.gap)
        interpreter.read(text, state, Frame())
    except RecursionError:
        interpreter.gap("it is nested too deeply")
    except TooMuchWork:
        interpreter.gap("it is too much to walk through")
    return _Reading(Script(tuple(interpreter.commands), tuple(interpreter.gaps)), parser.kept)


class _Parser:
    """Parses a script and the scripts inside it against one clock. `known` holds what the first
    parser made of some of them."""

    def __init__(self, *, both: bool, seconds: float = READING_SECONDS) -> None:
        self.both = both
        self.deadline = time.monotonic() + seconds
        self.kept: dict[str, Parsed] = {}
        self.known: Mapping[str, Parsed] = {}

    def parse(self, text: str) -> Parsed:
        """Scripts inside the script are looked at for misleading text like the script itself."""
        parsed = self.kept.get(text)
        if parsed is None:
            misleading = _misleading(text)
            parsed = self.read(text)
            if misleading and not parsed.gap:
                parsed = Parsed(parsed.nodes, misleading)
            self.kept[text] = parsed
        return parsed

    def read(self, text: str) -> Parsed:
        try:
            source = text.encode()
        except UnicodeEncodeError:
            return Parsed((Unread("it is not valid Unicode"),))
        if len(source) > SIZE_LIMIT_BYTES:
            return Parsed((Unread("a script inside it is too long to be read"),))
        if self.both or len(source) > UNCHECKED_LIMIT_BYTES:
            return self.compare(text, source)
        return Parsed((by_tree_sitter(source),))

    def compare(self, text: str, source: bytes) -> Parsed:
        plain = by_patterns(text) if time.monotonic() < self.deadline else None
        if plain is not None and plain == self.first(text, source):
            return Parsed((plain,))
        second = by_shfmt(source, self.deadline)
        accepted = not isinstance(second, Unread)
        if not accepted and len(source) > UNCHECKED_LIMIT_BYTES:
            return Parsed((second,))
        first = self.first(text, source)
        if first == second:
            return Parsed((second,))
        if not accepted:
            return Parsed((first, second))
        return Parsed((second, first), "the two parsers read it differently")

    def first(self, text: str, source: bytes) -> Node:
        known = self.known.get(text)
        alone = known is not None and len(source) <= UNCHECKED_LIMIT_BYTES
        return known.nodes[0] if known is not None and alone else by_tree_sitter(source)
