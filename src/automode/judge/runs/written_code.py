"""Code of this session that runs: what speaks against it."""

import textwrap
from collections.abc import Callable, Sequence
from typing import TypeAlias

from automode.judge.code.act import Act
from automode.judge.code.acts import ENDINGS, script_acts
from automode.judge.code.scan import SCANNED, scanned_acts
from automode.judge.python.acts import put_acts, python_acts
from automode.judge.runs.own import LONGEST_FILE, Own

Far: TypeAlias = Callable[[Act], bool]
"""Whether an act is far-reaching."""
UNTOLD = ""
"""Stands for "nobody can tell what is in it"."""
READ = (".py", *ENDINGS)
"""Sources whose acts are read."""
SOURCES = (*READ, *SCANNED)
"""With those in other languages, which are only scanned."""


def in_code(
    text: str, put: Sequence[str] | None, own: Own, far: Far, *, direct: bool
) -> str | None:
    """What speaks against code of this session that runs; None for nothing. `put`: what was put
    into a file that was there. `direct`: it runs by itself, as a test or a script. Of what others
    load, which is written for others to use, a target that is not known tells nothing."""
    parts = put is not None and not own.is_there()  # nobody can look at the rest
    if len(text) >= LONGEST_FILE and put is not None:
        text, put, parts = "\n".join(map(textwrap.dedent, put)), None, True
    acts = None if len(text) >= LONGEST_FILE else _acts(text, put, own, parts=parts)
    if acts is None:
        return UNTOLD if direct else None
    for one in acts:
        if one.package and own.module(one.package):
            continue
        near = not direct and one.command is not None and own.has(one.command)
        known = one.is_told and not near and far(one)
        if one.hint or known or (direct and one.grave):
            return one.told
    return None


def _acts(text: str, put: Sequence[str] | None, own: Own, *, parts: bool) -> tuple[Act, ...] | None:
    if own.path.endswith(SCANNED):
        return tuple(scanned_acts(text, put, own.path, own.workspace))
    if not own.path.endswith(".py"):
        return script_acts(text, own.path, own.workspace, own.made, put, parts=parts)
    acts = None
    if put is not None and all(piece in text for piece in put):
        acts = put_acts(put, text, own.path, own.workspace, own.around, own.made)
    if acts is None:
        acts = python_acts(text, own.path, own.workspace, own.around, own.made)
    return acts


def lines_with(pieces: Sequence[str], whole: str) -> list[str]:
    """Every place of a piece, with the whole of its first and its last line."""
    found: dict[str, None] = {}
    for piece in pieces:
        at = whole.find(piece)
        while at >= 0:
            end = whole.find("\n", at + len(piece))
            end = len(whole) if end < 0 else end
            found[whole[whole.rfind("\n", 0, at) + 1 : end]] = None
            at = whole.find(piece, end)
    return list(found)
