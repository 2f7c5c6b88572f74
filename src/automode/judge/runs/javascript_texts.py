"""Tells texts from code in a piece of JavaScript or TypeScript that need not be a whole program: of
an edit, or with types, no tree is made."""

import re

from automode.judge.words import patterns

_P = patterns("javascript_texts")
_INSIDE = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*", re.DOTALL)


def without_texts(code: str, texts: list[str]) -> str | None:
    """The code with a number in place of each text and pattern; None where it cannot be told what
    is a text. What a template computes is code like any other."""
    found: list[str] = []
    braces: list[bool] = []  # whether each open one belongs to a template
    place = 0
    while piece := _P.piece.search(code, place):
        found.append(code[place : piece.start()])
        place = piece.end()
        match piece.lastgroup:
            case "text":
                texts.append(piece[0][1:-1])
                found.append(f"@{len(texts) - 1}@")
            case "pattern" | "remark":
                found.append(" 0 " if piece.lastgroup == "pattern" else " ")
            case "template" if re.search(r"[\w$)\]]\s*$", "".join(found[-2:])):
                return None  # a function is called with it
            case "template":
                place = _through_template(code, place, found, braces, texts)
            case "close" if braces and braces.pop():
                found.append(")+")
                place = _through_template(code, place, found, braces, texts)
            case "close" | "open":
                braces += [False] if piece.lastgroup == "open" else []
                found.append(piece[0])
            case "slash" if re.match(r"\s*[\w(]", code[place:]):
                found.append("/")
            case _:
                return None
        if place < 0:
            return None
    return "".join((*found, code[place:]))


def _through_template(
    code: str, place: int, found: list[str], braces: list[bool], texts: list[str]
) -> int:
    """To the end of a template, or to the code inside it; -1 where neither comes."""
    inside = _INSIDE.match(code, place)
    end = inside.end() if inside else place
    texts.append(code[place:end])
    found.append(f" @{len(texts) - 1}@ ")
    if code.startswith("${", end):
        braces.append(True)
        found.append(" +(")
        return end + 2
    return end + 1 if code.startswith("`", end) else -1
