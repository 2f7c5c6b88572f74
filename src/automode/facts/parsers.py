"""Runs the bash parsers. None is trusted alone; see the ADR on two parsers.

tree-sitter runs in this process, cannot be interrupted and is quadratic on broken text, so it is
only given what is short, or what shfmt has accepted first. shfmt runs as a process of its own,
without environment, and is killed at its deadline. On plain text a few patterns speak for it.
"""

import json
import os
import re
import select
import signal
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeAlias

from automode.shell.from_shfmt import ShfmtConverter
from automode.shell.from_tree_sitter import TreeSitterConverter
from automode.shell.plain import plain_script
from automode.shell.syntax import Node, Unread, sequence
from automode.shell.tree_words import TreeNode

REPLY_LIMIT_BYTES = 1_200_000
"""A dense script of 6 KB comes back as this much JSON; taking it apart holds the process."""

Started: TypeAlias = tuple[int, int, int]
"""A running shfmt: its process id, where to write the text and where to read the tree."""


# What tree-sitter reads wrongly in bash, or at its peril: characters from U+0100 on, which
# it looks up in a table of 256 and may take the whole process down; a lone `-` before `<<`; and the
# empty line that a here-document begins with. Letters in their place read the same, and every place
# stays where it is. Where they do not read the same, shfmt has seen the real text and disagrees.
_MISREAD = re.compile(
    rb"[\xc4-\xf4][\x80-\xbf]+"
    rb"|(?<=[ \t])-(?=[ \t]+<<)"
    rb"|(?<=\n)\n"
)
_HEREDOC = re.compile(rb"<<-?[ \t]*[\"'\\]?[A-Za-z_]\w*[\"']?[^\n]*\n\Z")


def _masked(source: bytes) -> bytes:
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


class ShfmtMissing(Exception):
    """The second parser is not installed: nothing can be proved safe without it."""


@cache
def _tree_sitter() -> Callable[[bytes], TreeNode]:
    import tree_sitter
    import tree_sitter_bash

    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))
    return lambda source: parser.parse(_masked(source)).root_node


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
    node = TreeSitterConverter(source).script(root)
    if not root.has_error:
        return node
    return sequence([(";", node), (";", Unread("tree-sitter met an error"))])


def by_patterns(text: str) -> Node | None:
    """The second opinion on plain text, which needs no process; None where the text is not plain.
    An installation without shfmt is broken, and proves nothing by this either."""
    try:
        _shfmt()
    except ShfmtMissing:
        return None
    return plain_script(text)


def by_shfmt(source: bytes, deadline: float) -> Node:
    """shfmt's reading; `Unread` when it rejects the text or is not done at `deadline`."""
    try:
        reply = _ask_shfmt(source, deadline)
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


def _ask_shfmt(source: bytes, deadline: float) -> bytes | None:
    """What shfmt prints, empty when it rejects the text, None past the deadline."""
    if time.monotonic() >= deadline:
        return None
    pid, feed_write, reply_read = spawn_shfmt()
    try:
        reply = _exchange(source, feed_write, reply_read, deadline)
        if reply is None:
            os.kill(pid, signal.SIGKILL)
    finally:
        os.close(reply_read)
        _, status = os.waitpid(pid, 0)
    if reply is None:
        return None
    return reply if status == 0 else b""


def spawn_shfmt() -> Started:
    program = _shfmt()
    feed_read, feed_write = os.pipe()
    reply_read, reply_write = os.pipe()
    try:
        pid = os.posix_spawn(
            program,
            ["shfmt", "-ln", "bash", "--to-json"],
            {"GOMAXPROCS": "1"},  # it lives for milliseconds: more threads only cost time to start
            file_actions=[
                (os.POSIX_SPAWN_DUP2, feed_read, 0),
                (os.POSIX_SPAWN_DUP2, reply_write, 1),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_CLOSE, feed_write),
                (os.POSIX_SPAWN_CLOSE, reply_read),
            ],
        )
    except OSError:
        os.close(feed_write)
        os.close(reply_read)
        raise
    finally:
        os.close(feed_read)
        os.close(reply_write)
    return pid, feed_write, reply_read


def _exchange(source: bytes, feed: int, reply: int, deadline: float) -> bytes | None:
    """Feeds and reads until the end or the deadline. The text fits into the pipe's buffer."""
    try:
        os.write(feed, source)
    except BrokenPipeError:
        pass
    finally:
        os.close(feed)
    chunks: list[bytes] = []
    size = 0
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([reply], [], [], left)[0] or size > REPLY_LIMIT_BYTES:
            return None
        chunk = os.read(reply, 1 << 20)
        if not chunk:
            return b"".join(chunks)
        chunks.append(chunk)
        size += len(chunk)
