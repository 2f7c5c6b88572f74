"""Removes quotes the way bash does: backslashes, double quotes, `$'…'`."""

import re

from automode.shell.syntax import Param, Part, Text

ZSH_MODIFIER = r":[aAceghlpPqQrstuxfFwW&]"
AHEAD = 64  # bytes behind a name that are looked at
_ZSH_TAIL = re.compile(rf"\[|{ZSH_MODIFIER}")
_ZSH_FLAG = re.compile(r"(?<!\\)(?:\\\\)*\$[+^=~]+[\w{$#?@*!-]")

_SIMPLE = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "v": "\v", "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_OCTAL = "01234567"
_HEX = "0123456789abcdefABCDEF"


def zsh_tail(name: str, after: str) -> str:
    """What zsh reads on of `$name`, while bash takes it for text: a subscript (it is evaluated),
    a modifier (`:r`), the name of `$#name`, another digit."""
    following = after.replace("\\\n", "")
    found = _ZSH_TAIL.match(following)
    if found is not None:
        return found[0]
    longer = r"[A-Za-z_]" if name == "#" else r"[0-9]" if name.isdigit() else r"(?!)"
    return following[:1] if re.match(longer, following) else ""


def unquoted(raw: str) -> list[Part]:
    """Text outside quotes: a backslash quotes the next character, a joined line is one line."""
    if "$" in raw and _ZSH_FLAG.search(raw):
        return [Param("", raw)]
    if "\\" not in raw:
        return [Text(raw)]
    parts: list[Part] = []
    plain: list[str] = []
    index = 0
    while index < len(raw):
        char = raw[index]
        if char == "\\" and index + 1 < len(raw):
            if raw[index + 1] != "\n":
                parts += [Text("".join(plain)), Text(raw[index + 1], quoted=True)]
                plain = []
            index += 2
            continue
        plain.append(char)
        index += 1
    parts.append(Text("".join(plain)))
    return parts


def quoted(raw: str, escapes: str = '$`"\\') -> Part:
    """Text between double quotes; zsh expands `$=name`, `$~name`, `$^name` and `$+name` there."""
    if "$" in raw and _ZSH_FLAG.search(raw):
        return Param("", raw, quoted=True)
    return Text(double_quoted(raw, escapes), quoted=True)


def double_quoted(raw: str, escapes: str = '$`"\\') -> str:
    """Text between double quotes, or in a heredoc (there a `\"` keeps its backslash)."""
    if "\\" not in raw:
        return raw
    result: list[str] = []
    index = 0
    while index < len(raw):
        char = raw[index]
        if char == "\\" and index + 1 < len(raw):
            following = raw[index + 1]
            if following in escapes:
                result.append(following)
                index += 2
                continue
            if following == "\n":
                index += 2
                continue
        result.append(char)
        index += 1
    return "".join(result)


def without_tabs(text: str) -> str:
    """The body of `<<-`: tabs in front of its lines do not count."""
    return "\n".join(line.lstrip("\t") for line in text.split("\n"))


def ansi_c(raw: str) -> str | None:
    """The value of `$'raw'`; None where bash would cut it off (NUL) or the escape is unusual."""
    result: list[str] = []
    index = 0
    while index < len(raw):
        char = raw[index]
        if char != "\\" or index + 1 >= len(raw):
            result.append(char)
            index += 1
            continue
        value, index = _escape(raw, index + 1)
        if value is None or value == "\0":
            return None
        result.append(value)
    return "".join(result)


def _escape(raw: str, index: int) -> tuple[str | None, int]:
    """What the escape at `index` (behind its backslash) stands for, and where it ends."""
    char = raw[index]
    if char in _SIMPLE:
        return _SIMPLE[char], index + 1
    if char in _OCTAL:
        return _number(raw, index, _OCTAL, 8, 3)
    widths = {"x": 2, "u": 4, "U": 8}
    if char in widths:
        if raw[index + 1 : index + 2] not in tuple(_HEX):
            return None, index + 1
        return _number(raw, index + 1, _HEX, 16, widths[char])
    if char == "c":
        return None, index + 1
    return "\\" + char, index + 1


def _number(raw: str, index: int, digits: str, base: int, width: int) -> tuple[str | None, int]:
    end = index
    while end < len(raw) and end - index < width and raw[end] in digits:
        end += 1
    code = int(raw[index:end], base)
    if base == 8:
        code &= 0xFF
    # Bytes above ASCII join with their neighbours into UTF-8; nobody writes commands that way.
    if code > 0x10FFFF or (code > 0x7F and width <= 3):
        return None, end
    return chr(code), end
