"""Commands that Perl, Ruby, PHP, Lua, awk and AppleScript one-liners hand to a shell.

No parser for these languages is at hand, so the code is only split into names, signs and literal
strings: a literal behind `system`, `exec` and their kin is a shell script, whatever surrounds it.
It can prove danger and nothing else.
"""

from collections.abc import Iterator

CODE_LIMIT_CHARACTERS = 20_000
_CALLS = frozenset(
    """system exec popen shell_exec passthru proc_open execute spawn capture2 capture3 qx
    backticks""".split()
)
_CLOSING = {"(": ")", "{": "}", "[": "]", "<": ">"}


def shell_calls(code: str) -> Iterator[str]:
    """The literal scripts the code hands to a shell."""
    called = False
    for kind, text in _tokens(code[:CODE_LIMIT_CHARACTERS]):
        if kind == "run" or (kind == "text" and called):
            yield text
        if kind == "name":
            called = text in _CALLS or (text == "script" and "do shell" in code)
        elif kind == "sign" and text not in "(, ":
            called = False


def _tokens(code: str) -> Iterator[tuple[str, str]]:
    index = 0
    while index < len(code):
        char = code[index]
        if char in "'\"`":
            text, index = _literal(code, index + 1, char)
            yield ("run" if char == "`" else "text"), text
        elif char.isalpha() or char == "_":
            start = index
            while index < len(code) and (code[index].isalnum() or code[index] == "_"):
                index += 1
            name = code[start:index]
            if name in ("qx", "x") and code[index : index + 1] in ("(", "{", "[", "/", "!", "<"):
                text, index = _literal(code, index + 1, _CLOSING.get(code[index], code[index]))
                yield "run", text
            else:
                yield "name", name
        else:
            index += 1
            if not char.isspace():
                yield "sign", char


def _literal(code: str, index: int, closing: str) -> tuple[str, int]:
    """The text up to the closing sign, escapes undone, and where it ends."""
    found: list[str] = []
    while index < len(code) and code[index] != closing:
        if code[index] == "\\" and index + 1 < len(code):
            index += 1
        found.append(code[index])
        index += 1
    return "".join(found), index + 1
