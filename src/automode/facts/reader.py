"""Reads shell scripts with both parsers, within limits, and remembers readings.

Readings depend on the text and on where it runs, never on files, so they may be kept; verdicts
about files, links and repositories are made anew each time by whoever asks.
"""

import re
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from automode.core.workspace import Workspace
from automode.facts.ahead import Batches
from automode.facts.parsers import by_patterns, by_shfmt, by_tree_sitter
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

KEPT_READINGS = 8_192
KEPT_LONG_READINGS = 16
FRESH_READINGS = 64
LONG_TEXT = 8_192
"""Characters. Long readings are kept too, but few: several layers ask for one in a single walk."""

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

_Key: TypeAlias = tuple[bool, str, str, str]


@dataclass(frozen=True, slots=True)
class _Reading:
    """A script, and how each text of it was parsed: the script's own and those inside it."""

    script: Script
    parsed: Mapping[str, Parsed]


class ShellReader:
    """Contract: never raises and never holds the process for long, whatever the text."""

    def __init__(self) -> None:
        self._kept: OrderedDict[_Key, Script] = OrderedDict()
        self._kept_long: OrderedDict[_Key, Script] = OrderedDict()
        # The trees of readings that are about to be compared with the second parser's.
        self._fresh: OrderedDict[_Key, _Reading] = OrderedDict()
        self._batches = Batches()

    def first(self, text: str, workspace: Workspace) -> Script:
        """One parser's reading, in microseconds. It can prove danger and nothing else. What only
        both parsers may look at is read by both at once; what both have read is at hand."""
        known = self._shelf(text).get(_key(text, workspace, True))
        if known is None or len(text) > UNCHECKED_LIMIT_BYTES:
            return self._read(text, workspace, both=len(text) > UNCHECKED_LIMIT_BYTES)
        return Script(known.commands, (ONE_PARSER, *known.gaps))  # never a proof of safety

    def full(self, text: str, workspace: Workspace) -> Script:
        """Both parsers' reading: complete only where they agree on everything."""
        return self._read(text, workspace, both=True)

    async def ready(self, text: str, workspace: Workspace) -> None:
        """Afterwards `full` answers at once, in most cases. Other sessions go on meanwhile, and
        scripts that wait at the same time share a run of the second parser."""
        if len(text) > UNCHECKED_LIMIT_BYTES or self._shelf(text).get(_key(text, workspace, True)):
            return
        self.first(text, workspace)
        fresh = self._fresh.get(_key(text, workspace, False))
        if fresh is None or fresh.script.gaps != (ONE_PARSER,):
            return
        asked = [
            (one.encode(), read.nodes)
            for one, read in fresh.parsed.items()
            if _unchecked(one) and read.nodes != (by_patterns(one),)
        ]
        seconds = await self._batches.parsed([source for source, _ in asked]) if asked else {}
        if all((seconds.get(source),) == nodes for source, nodes in asked):
            self._keep(text, workspace, Script(fresh.script.commands, fresh.script.gaps[1:]))

    def _read(self, text: str, workspace: Workspace, *, both: bool) -> Script:
        key = _key(text, workspace, both)
        shelf = self._shelf(text)
        kept = shelf.get(key)
        if kept is not None:
            shelf.move_to_end(key)
            return kept
        if not both:
            reading = _reading(text, workspace, _Parser(both=False))
            self._fresh[key] = reading
            if len(self._fresh) > FRESH_READINGS:
                self._fresh.popitem(last=False)
            self._keep(text, workspace, reading.script, both=False)
            return reading.script
        fresh = self._fresh.pop(_key(text, workspace, False), None)
        script = _compared(text, workspace, fresh)
        self._keep(text, workspace, script)
        return script

    def _keep(
        self, text: str, workspace: Workspace, script: Script | None, *, both: bool = True
    ) -> None:
        if script is None:
            return
        shelf = self._shelf(text)
        shelf[_key(text, workspace, both)] = script
        if both:
            shelf.pop(_key(text, workspace, False), None)
        if len(shelf) > (KEPT_LONG_READINGS if shelf is self._kept_long else KEPT_READINGS):
            shelf.popitem(last=False)

    def _shelf(self, text: str) -> OrderedDict[_Key, Script]:
        return self._kept_long if len(text) > LONG_TEXT else self._kept


def _key(text: str, workspace: Workspace, both: bool) -> _Key:  # noqa: FBT001 - part of the key
    return (both, text, workspace.cwd, workspace.home)


def _misleading(text: str) -> str:
    """Why the text may not be what it looks like; empty for nearly all."""
    for part, pattern, why in _MISLEADING:
        if part in text and pattern.search(text):
            return why
    return ""


def _unchecked(text: str) -> bool:
    """Whether the first reading of `text` was by one parser alone."""
    return len(text.encode("utf-8", "replace")) <= UNCHECKED_LIMIT_BYTES


def _compared(text: str, workspace: Workspace, fresh: _Reading | None) -> Script:
    """Both parsers' reading. Where the second one agrees with the reading at hand, down to the
    last script inside, walking through it again would give the same commands."""
    parser = _Parser(both=True)
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

    def __init__(self, *, both: bool) -> None:
        self.both = both
        self.deadline = time.monotonic() + READING_SECONDS
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
