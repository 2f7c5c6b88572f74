"""Reads shell scripts with both bash parsers, within limits, and remembers readings.

No parser is trusted alone; see the ADR on two parsers. Readings depend on the text and on where it
runs, never on files, so they may be kept; verdicts about files are made anew each time.
"""

import asyncio
import json
import re
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import TypeAlias

from automode.core.call import Shell, ToolCall
from automode.core.workspace import Workspace
from automode.facts.child import run_bounded
from automode.programs.call_facts import CallFacts
from automode.shell.from_shfmt import ShfmtConverter
from automode.shell.from_tree_sitter import TreeSitterConverter
from automode.shell.interpret import Interpreter
from automode.shell.plain import plain_script
from automode.shell.script import Script
from automode.shell.state import Frame, Outside, Parsed, State, TooMuchWork
from automode.shell.syntax import Node, Unread, sequence
from automode.shell.tree_sitter_words import TreeNode

REPLY_LIMIT_BYTES = 1_200_000
"""A dense script of 6 KB comes back as this much JSON; taking it apart holds the process."""

# What tree-sitter reads wrongly in bash, or at its peril: characters from U+0100 on, which
# it looks up in a table of 256 and may take the whole process down; a lone `-` before `<<`; and the
# empty line that a here-document begins with. Letters in their place read the same, and every place
# stays where it is. Where they do not read the same, shfmt has seen the real text and disagrees.
_MISREAD = re.compile(
    rb"[\xc4-\xf4][\x80-\xbf]+"
    rb"|(?<=[ \t])-(?=[ \t]+(?:[12&]?>[^ \t\n]*[ \t]+)*<<)"
    rb"|(?<=\n)\n"
)
_HEREDOC = re.compile(rb"<<-?[ \t]*[\"'\\]?[A-Za-z_]\w*[\"']?[^\n]*\n\Z")


def _mask(source: bytes) -> bytes:
    """The text with letters in the place of what is read wrongly; most text has nothing of it."""
    if source.isascii() and b"<<" not in source:
        return source
    return _MISREAD.sub(_letters, source)


def _letters(found: re.Match[bytes]) -> bytes:
    if found[0] == b"\n" and not _begins_heredoc(found.string, found.start()):
        return found[0]
    return b"x" * len(found[0])


def _begins_heredoc(source: bytes, end: int) -> bool:
    """Whether a line that opens a here-document ends at `end`."""
    return _HEREDOC.search(source, source.rfind(b"\n", 0, end - 1) + 1, end) is not None


# `cmd <<EOF 2>&1 | tail` is an error to tree-sitter: the redirect is put in front of the `<<`.
# Where that changes text and no here-document, shfmt has seen the real text and disagrees.
_REDIRECTED = re.compile(
    rb"(<<-?[ \t]*[\"'\\]?[A-Za-z_]\w*[\"']?)"
    rb"((?:[ \t]+[12&]?>>?(?:&[12]|[ \t]*[\w./${}-]+))+)(?=[ \t]*\|(?!\|))"
)


class ShfmtMissing(Exception):
    """The second parser is not installed: nothing can be proved safe without it."""


@cache
def _tree_sitter() -> Callable[[bytes], TreeNode]:
    import tree_sitter
    import tree_sitter_bash

    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))
    return lambda source: parser.parse(_mask(source)).root_node


@cache
def _shfmt() -> str:
    """Beside our own interpreter, never from PATH: an agent's environment may shadow it."""
    for folder in (Path(sys.prefix), Path(sys.executable).parent.parent, Path(sys.base_prefix)):
        for name in ("bin/shfmt", "Scripts/shfmt.exe"):
            if (folder / name).is_file():
                return str(folder / name)
    raise ShfmtMissing


def by_tree_sitter(source: bytes) -> Node:
    """tree-sitter's reading. Broken places are `Unread`, the rest is still converted."""
    root = _tree_sitter()(source)
    if root.has_error and b"<<" in source:
        source = _REDIRECTED.sub(rb"\2 \1", source)
        root = _tree_sitter()(source)
    node = TreeSitterConverter(source).script(root)
    if not root.has_error:
        return node
    return sequence([(";", node), (";", Unread("tree-sitter met an error"))])


_plain = lru_cache(maxsize=64)(plain_script)  # asked before a script is read, and while it is


def by_patterns(text: str) -> Node | None:
    """The second opinion on plain text, which needs no process; None where the text is not plain.
    An installation without shfmt is broken, and proves nothing by this either."""
    try:
        _shfmt()
    except ShfmtMissing:
        return None
    return _plain(text)


def by_shfmt(source: bytes, deadline: float) -> Node:
    """shfmt's reading; `Unread` when it rejects the text or is not done at `deadline`."""
    try:
        # It lives for milliseconds: more threads only cost time to start.
        reply = run_bounded(
            (_shfmt(), "-ln", "bash", "--to-json"),
            {"GOMAXPROCS": "1"},
            source,
            deadline=deadline,
            most=REPLY_LIMIT_BYTES,
        )
    except (OSError, ShfmtMissing):
        return Unread("shfmt could not be run")
    if reply is None:
        return Unread("shfmt took too long")
    try:
        tree = json.loads(reply) if reply else None
    except ValueError:
        tree = None
    if not isinstance(tree, dict):
        return Unread("shfmt does not accept it as bash")
    return ShfmtConverter(source).script(tree)


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

_DISGUISED = re.compile(
    r"\$'(?:[^'\\]|\\.)*?\\(x(?!(?:0|1|[89A-Fa-f])[0-9A-Fa-f])[0-9A-Fa-f]|(?!0?33(?![0-7]))[0-7]{2}"
    r"|u(?!(?!00[0-7])[0-9A-Fa-f]{4})[0-9A-Fa-f])"
)
"""Letters written as numbers. The value is read, but nobody writes a harmless command so. Control
characters and bytes above ASCII are written so by everybody."""

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
            return replace(known, gaps=(ONE_PARSER, *known.gaps))  # never a proof of safety
        return self._first(text, workspace).script

    def full(self, text: str, workspace: Workspace) -> Script:
        """Both parsers' reading: complete only where they agree on everything."""
        key = _key(text, workspace)
        known = self._kept.get(key)
        if known is None:
            fresh = self._fresh.pop(key, None)
            known = self._keep(key, _compare(text, workspace, fresh, self.seconds))
        return known

    async def facts(self, call: ToolCall, workspace: Workspace) -> CallFacts:
        """The facts of a call. Other sessions go on while the second parser reads its script."""
        if isinstance(call.action, Shell) and call.action.dialect == "bash":
            await self._ready(call.action.command, workspace)
        return CallFacts(call, workspace, self)

    async def _ready(self, text: str, workspace: Workspace) -> None:
        key = _key(text, workspace)
        if key in self._kept or by_patterns(text) is not None:
            return
        fresh = self._first(text, workspace) if len(text) <= UNCHECKED_LIMIT_BYTES else None
        seconds = max(self.seconds, WAITING_SECONDS)
        self._keep(key, await asyncio.to_thread(_compare, text, workspace, fresh, seconds))

    def _first(self, text: str, workspace: Workspace) -> _Reading:
        key = _key(text, workspace)
        reading = self._fresh.get(key)
        if reading is None:
            reading = self._fresh[key] = _read(text, workspace, _Parser(both=False))
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


def _why_misleading(text: str) -> str:
    """Why the text may not be what it looks like; empty for nearly all."""
    for part, pattern, why in _MISLEADING:
        if part in text and pattern.search(text):
            return why
    return ""


def _compare(text: str, workspace: Workspace, fresh: _Reading | None, seconds: float) -> Script:
    """Both parsers' reading. Where the second one agrees with the reading at hand, down to the
    last script inside, walking through it again would give the same commands."""
    parser = _Parser(both=True, seconds=seconds)
    if fresh is None or fresh.script.gaps[:1] != (ONE_PARSER,):
        return _read(text, workspace, parser).script
    parser.known = fresh.parsed
    again = {one: parser.parse(one) for one in fresh.parsed}
    if again == dict(fresh.parsed):
        return replace(fresh.script, gaps=fresh.script.gaps[1:])
    return _read(text, workspace, parser).script


def _read(text: str, workspace: Workspace, parser: "_Parser") -> _Reading:
    if len(text) > SIZE_LIMIT_BYTES:
        return _Reading(Script((), ("the script is too long to be read",)), {})
    script, sure = _walk(text, workspace, parser, stays=True)
    if not sure:
        script, _ = _walk(text, workspace, parser, stays=False)
    return _Reading(script, parser.kept)


def _walk(
    text: str, workspace: Workspace, parser: "_Parser", *, stays: bool
) -> tuple[Script, bool]:
    """The script, and whether the folder was the same wherever functions and traps may run."""
    interpreter = Interpreter(parser.parse)
    if not parser.both:
        interpreter.gap(ONE_PARSER)
    outside = Outside(stays=stays)
    try:
        state = State(workspace.cwd, workspace.home, outside=outside, warn=interpreter.gap)
        interpreter.read(text, state, Frame())
    except RecursionError:
        interpreter.gap("it is nested too deeply")
    except TooMuchWork:
        interpreter.gap("it is too much to walk through")
    return interpreter.script_so_far(), not outside.moved


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
            misleading = _why_misleading(text)
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
