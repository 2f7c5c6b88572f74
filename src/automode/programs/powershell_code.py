"""Scripts of PowerShell, read twice: by our own parser, and by a grammar that has to agree with it
on where every command and every argument begins before anything may be proved."""

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from automode.core.workspace import Workspace
from automode.programs.table import family_names
from automode.shell.script import Script

if TYPE_CHECKING:
    import tree_sitter

LONGEST_COMPARED = 4_000
"""Characters. The grammar's recovery from errors takes the square of the length."""
_MASKED = re.compile(r"[^\x00-\x7f]|(?<=[ \t])--(?=[ \t])")
"""What the grammar reads wrongly: `--` alone, and letters whose place it counts in bytes."""


@cache
def _parser() -> "tree_sitter.Parser":
    import tree_sitter
    import tree_sitter_pwsh

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_pwsh.language()))


def powershell_script(text: str, workspace: Workspace) -> Script:
    """Complete only where every part of it is known by name."""
    return _read(text, workspace.cwd, workspace.home)


@lru_cache(maxsize=512)
def _read(text: str, cwd: str, home: str) -> Script:
    return _reading(text, cwd, home)[0]


def _reading(text: str, cwd: str, home: str) -> tuple[Script, tuple[tuple[int, ...], ...]]:
    # Loaded late: most agents have no such shell.
    from automode.shell.powershell import read_powershell

    return read_powershell(text, cwd, home)


@lru_cache(maxsize=512)
def parsers_agree(text: str) -> bool:
    """Whether the grammar sees the same commands with the same arguments. An installation without
    it is broken, and proves nothing."""
    if len(text) > LONGEST_COMPARED:
        return False
    masked = _MASKED.sub(lambda found: "x" * len(found[0]), text)
    try:
        root = _parser().parse(masked.encode()).root_node
    except ImportError:
        return False
    if root.has_error:
        return False
    ours = {begins for begins in _reading(text, "/", "/")[1] if begins}
    return ours == set(_begins(root, masked))


_REJOINED = re.compile(r'"|\\(?:\Z|\s)|\A\Z')
"""What Windows PowerShell hands on to a program so that it may become other words there: quotes, a
backslash before a blank or at the end, an empty word."""


def proof_objection(text: str, script: Script) -> str | None:
    """Why nothing is proved by a complete reading."""
    if not parsers_agree(text):
        return "the two parsers read it differently"
    for command in script.commands:
        cmdlet = family_names().get(command.program) == "powershell"
        if not cmdlet and any(_REJOINED.search(word.text) for word in command.args):
            return "versions of PowerShell hand a word on differently"
    return None


def _begins(root: "tree_sitter.Node", text: str) -> list[tuple[int, ...]]:
    """Where each command and each of its arguments begins."""
    found: list[tuple[int, ...]] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        waiting += node.children
        if node.type == "command":
            elements = node.child_by_field_name("command_elements")
            arguments = elements.children if elements else ()
            places = [
                one.start_byte
                for one in arguments
                if one.type not in ("command_argument_sep", "redirection")
                and text[one.start_byte - 1] != ":"  # `-Name:value` is one to us
            ]
            found.append((node.start_byte, *places))
    return found
