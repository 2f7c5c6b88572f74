"""What is in a file once a call has edited it: text is replaced in place, lines are added.

A pattern is taken over where it means the same to sed and to us; of all others nothing is told.
"""

import re
from collections.abc import Iterator

from automode.core.paths import absolute
from automode.judge.calls.file_deeds import redirect_touches, touches
from automode.judge.calls.written_texts import printed_text, scripts_of
from automode.judge.runs.shell_files import is_shell
from automode.programs.awk_sed import unescape
from automode.shell.script import Command, Script

_REPLACES = re.compile(
    r"""[ \t]*(?:(?P<at>\d+|\$)(?:,(?P<to>\d+|\$))?[ \t]*)?
    (?:s(?P<d>[/|,\#!@])(?P<old>(?:(?!(?P=d))[^\\\n]|\\[^\n])+)(?P=d)
       (?P<new>(?:(?!(?P=d))[^\\\n]|\\[^\n])*)(?P=d)(?P<flags>[gI]*)
      |[ai][ \t]*\\?[ \t]*(?P<added>[^\\\n]+)
      |(?P<gone>d))[ \t]*(?:;|$)""",
    re.VERBOSE,
)
_CLASSES = {
    "[:space:]": r"\s",
    "[:blank:]": r" \t",
    "[:digit:]": "0-9",
    "[:alpha:]": "a-zA-Z",
    "[:alnum:]": "a-zA-Z0-9",
}
_PIECE = re.compile(r"\[\^?\]?(?:\[:\w+:\]|[^]\\\[])*\]|\\.|.", re.DOTALL)
_MARKS = frozenset("(){}|+?")
_EDGES = ("", r"\(", r"\)", r"\|")
_SHORT = {r"\<": r"\b", r"\>": r"\b", r"\n": r"\n", r"\t": r"\t"}
_GROUP = re.compile(r"\\([0-9])|(\\[^0-9])|(&)")


def after_call(
    full: str, text: str, put: tuple[str, ...] | None, script: Script, here: str
) -> tuple[str | None, tuple[str, ...] | None]:
    """The file once the call has edited it, and what was put into it. `put`: before the call; None
    where all of it is the session's."""
    after = _edited(full, text, script, here)
    if after is None:
        return (None if is_shell(full, text) else text), put
    if put is None:
        return after, None
    known = set(text.split("\n"))
    new = (one for one in after.split("\n") if one.strip() and one not in known)
    return after, tuple(one for one in dict.fromkeys((*put, *new)) if one in after)


def _edited(full: str, text: str, script: Script, here: str) -> str | None:
    for command in script.commands:
        if full not in _written(command, here):
            continue
        sed = command.program in ("sed", "gsed")
        found = _replaced(text, command) if sed else _appended(text, command)
        if found is None:
            return None
        text = found
    return text


def _written(command: Command, here: str) -> Iterator[str]:
    for touch in (*touches(command), *redirect_touches(command)):
        yield absolute(touch.path, command.cwd or here)


def _appended(text: str, command: Command) -> str | None:
    printed = printed_text(command)
    if printed is None or not any(one.op == ">>" for one in command.redirects):
        return None
    return f"{text}\n{printed}"


def _replaced(text: str, command: Command) -> str | None:
    if any(word.value is None for word in command.args):
        return None
    scripts, options = scripts_of(command)
    wide = any(
        one == "--regexp-extended" or re.fullmatch(r"-[iEnr]*[Er]\w*", one) for one in options
    )
    lines, added = text.split("\n"), list[str]()
    for one in scripts:
        at = 0
        while at < len(one):
            step = _REPLACES.match(one, at)
            if step is None or not _step(lines, added, step, wide=wide):
                return None
            at = step.end()
    return "\n".join([*lines, *added]) if scripts else None


def _step(lines: list[str], added: list[str], step: re.Match[str], *, wide: bool) -> bool:
    """Whether it could be done. What is added is changed no more; what is taken away stays."""
    if step["added"]:
        added.append(step["added"])
    if step["added"] or step["gone"]:
        return True
    pattern = _as_ours(step["old"], wide=wide)
    last = len(lines) - (lines[-1] == "")
    first, to = (last if one == "$" else int(one or 0) for one in (step["at"], step["to"]))
    start, end = (first - 1, to or first) if first else (0, len(lines))
    put, most = step["new"], 0 if "g" in step["flags"] else 1
    try:
        known = re.compile(pattern or "(", re.IGNORECASE if "I" in step["flags"] else 0)
        done = [known.sub(lambda one: _filled(put, one), line, most) for line in lines[start:end]]
    except (re.error, IndexError):
        return False
    lines[start:end] = done
    return True


def _as_ours(pattern: str, *, wide: bool) -> str | None:
    """The same pattern in our words."""
    pieces = _PIECE.findall(pattern)
    around = zip(["", *pieces], pieces, [*pieces[1:], ""], strict=False)
    found = [_one_as_ours(before, one, after, wide=wide) for before, one, after in around]
    return None if None in found else "".join(one for one in found if one is not None)


def _one_as_ours(before: str, piece: str, after: str, *, wide: bool) -> str | None:
    bare = piece.removeprefix("\\")
    if piece[0] == "[" and len(piece) > 1:
        for name, meant in _CLASSES.items():
            piece = piece.replace(name, meant)
        return None if "[:" in piece or "[." in piece else piece
    if bare in _MARKS:
        return bare if wide is (piece == bare) else rf"\{bare}"
    if piece[0] == "\\" and bare.isalnum():
        return _SHORT.get(piece, piece if bare in "bwsWSB" else None)
    if piece in _SHORT:
        return _SHORT[piece]
    if piece in "^$":
        edge = before if piece == "^" else after
        return piece if wide or edge in _EDGES else rf"\{piece}"
    return piece if piece == "." or (piece == "*" and before) else re.escape(bare)


def _filled(put: str, found: re.Match[str]) -> str:
    def one(part: re.Match[str]) -> str:
        if part[2]:
            return unescape(part[2]) if part[2] != r"\&" else "&"
        return found[int(part[1] or 0)] or ""

    return _GROUP.sub(one, put)
