"""Reads shell scripts with both parsers, within limits, and remembers readings.

Readings depend on the text and on where it runs, never on files, so they may be kept; verdicts
about files, links and repositories are made anew each time by whoever asks.
"""

import re
import time
from collections import OrderedDict
from dataclasses import replace
from typing import TypeAlias

from automode.core.workspace import Workspace
from automode.facts.parsers import by_shfmt, by_tree_sitter
from automode.shell.frame import Frame, Parsed, TooMuchWork
from automode.shell.interpret import Interpreter
from automode.shell.script import Script
from automode.shell.state import State
from automode.shell.syntax import Unread

SIZE_LIMIT_BYTES = 60_000
"""Longer scripts are not parsed: the reading is incomplete. Fits a pipe's buffer of 64 KiB."""

UNCHECKED_LIMIT_BYTES = 1_500
"""tree-sitter may see text this short before shfmt has accepted it (see `parsers`)."""

READING_SECONDS = 0.08
"""For all runs of shfmt that one script needs, scripts inside the script included."""

KEPT_READINGS = 4_096
KEPT_LONG_READINGS = 16
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
    (_ODD, "it contains invisible or control characters"),
    (_CLOSED_THEN_WORD, "a closed descriptor is followed by a word"),
    (_ARRAY_THEN_WORD, "a word follows an array without a blank"),
    (_ODD_DESCRIPTOR, "a number in front of a redirect is no descriptor"),
    (_JOINED_LINE, "a line is joined in the middle of an operator"),
    (_DISGUISED, "letters are written as numbers"),
)


_Key: TypeAlias = tuple[bool, str, str, str]


class ShellReader:
    """Contract: never raises and never holds the process for long, whatever the text."""

    def __init__(self) -> None:
        self._kept: OrderedDict[_Key, Script] = OrderedDict()
        self._kept_long: OrderedDict[_Key, Script] = OrderedDict()

    def first(self, text: str, workspace: Workspace) -> Script:
        """One parser's reading, in microseconds. It can prove danger and nothing else. What only
        both parsers may look at is read by both at once."""
        return self._read(text, workspace, both=len(text) > UNCHECKED_LIMIT_BYTES)

    def full(self, text: str, workspace: Workspace) -> Script:
        """Both parsers' reading: complete only where they agree on everything."""
        return self._read(text, workspace, both=True)

    def _read(self, text: str, workspace: Workspace, *, both: bool) -> Script:
        key = (both, text, workspace.cwd, workspace.home)
        long = len(text) > LONG_TEXT
        shelf, most = (self._kept_long, KEPT_LONG_READINGS) if long else (self._kept, KEPT_READINGS)
        kept = shelf.get(key)
        if kept is not None:
            shelf.move_to_end(key)
            return kept
        script = shelf[key] = _reading(text, workspace, both=both)
        if len(shelf) > most:
            shelf.popitem(last=False)
        return script


def _reading(text: str, workspace: Workspace, *, both: bool) -> Script:
    if len(text) > SIZE_LIMIT_BYTES:
        return Script((), ("the script is too long to be read",))
    parser = _Parser(both=both)
    interpreter = Interpreter(parser.parse)
    if not both:
        interpreter.gap("only one parser has read it")
    try:
        state = State(workspace.cwd, workspace.home, warn=interpreter.gap)
        interpreter.read(text, state, Frame())
    except RecursionError:
        interpreter.gap("it is nested too deeply")
    except TooMuchWork:
        interpreter.gap("it is too much to walk through")
    return Script(tuple(interpreter.commands), tuple(interpreter.gaps))


class _Parser:
    """Parses a script and the scripts inside it against one clock."""

    def __init__(self, *, both: bool) -> None:
        self.both = both
        self.deadline = time.monotonic() + READING_SECONDS
        self.kept: dict[str, Parsed] = {}

    def parse(self, text: str) -> Parsed:
        """Scripts inside the script are looked at for misleading text like the script itself."""
        parsed = self.kept.get(text)
        if parsed is None:
            misleading = next((why for pattern, why in _MISLEADING if pattern.search(text)), "")
            parsed = self.read(text)
            parsed = replace(parsed, gap=parsed.gap or misleading)
            self.kept[text] = parsed
        return parsed

    def read(self, text: str) -> Parsed:
        try:
            source = text.encode()
        except UnicodeEncodeError:
            return Parsed((Unread("it is not valid Unicode"),))
        if len(source) > SIZE_LIMIT_BYTES:
            return Parsed((Unread("a script inside it is too long to be read"),))
        if not self.both and len(source) <= UNCHECKED_LIMIT_BYTES:
            return Parsed((by_tree_sitter(source),))
        return self.compare(source)

    def compare(self, source: bytes) -> Parsed:
        second = by_shfmt(source, self.deadline)
        accepted = not isinstance(second, Unread)
        if not accepted and len(source) > UNCHECKED_LIMIT_BYTES:
            return Parsed((second,))
        first = by_tree_sitter(source)
        if first == second:
            return Parsed((second,))
        if not accepted:
            return Parsed((first, second))
        return Parsed((second, first), "the two parsers read it differently")
