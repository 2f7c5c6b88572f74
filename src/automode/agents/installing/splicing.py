"""Puts a value into a JSON text and takes one out; every other byte stays as it was written."""

import json
import re

from automode.agents.installing.spans import Array, Member, Node, Object, gaps, only_blanks

_STEP = re.compile(r"\n([ \t]+)\"")


def piece_for(text: str, box: Object | Array, value: object, key: str | None = None) -> str:
    """What has to stand right behind the bracket that opens `box`, so that `value` is its first
    child. Nothing that follows changes, whatever comments stand there."""
    if _stays_on_its_line(text, box):
        return _beside(text, box, _written(key, value))
    newline = "\r\n" if "\r\n" in text else "\n"
    step = (_STEP.search(text) or ["", "  "])[1]
    margin = _margin(text, box.start)
    indent = newline + margin + step
    body = _written(key, value, step).replace("\n", indent)
    if box.children:
        return f"{indent}{body},"
    closes = only_blanks(text[box.start + 1 : box.end - 1])
    ended = not closes or "\n" in text[box.start : box.end]
    return f"{indent}{body}{'' if ended else newline + margin}"


def piece_behind(text: str, box: Object | Array, value: object) -> str:
    """What has to stand right behind the last child of `box`, so that `value` is the last one."""
    last = box.children[-1]
    if "\n" not in text[box.start : last.start]:
        return f", {_written(None, value)}"
    newline = "\r\n" if "\r\n" in text else "\n"
    step = (_STEP.search(text) or ["", "  "])[1]
    indent = newline + _margin(text, last.start)
    return f",{indent}{_written(None, value, step).replace(chr(10), indent)}"


def _stays_on_its_line(text: str, box: Object | Array) -> bool:
    if box.children:
        return "\n" not in text[box.start : box.children[0].start]
    return "\n" not in text and not only_blanks(text[: box.start])


def _beside(text: str, box: Object | Array, body: str) -> str:
    if not box.children:
        return body
    return f" {body}," if text[box.start + 1] == " " else f"{body}, "


def with_piece(text: str, box: Object | Array, piece: str) -> str:
    return inserted(text, box.start + 1, piece)


def inserted(text: str, at: int, piece: str) -> str:
    return text[:at] + piece + text[at:]


def without(text: str, box: Object | Array, child: Member | Node) -> str:
    """`text` without `child` and the comma that it needed. Comments around it stay."""
    comma = _comma_after(text, child.end)
    start = _gap_before(text, box, child.start)
    cuts = [(start, child.end)]
    if comma is not None:
        cuts = [(start, comma + 1)] if comma == child.end else [*cuts, (comma, comma + 1)]
    elif (before := _comma_before(text, box, child)) is not None:
        cuts = [(before, before + 1), *cuts]
    elif start == box.start + 1 and only_blanks(text[child.end : box.end - 1]):
        cuts = [(start, box.end - 1)]
    return _cut(text, cuts)


def _cut(text: str, cuts: list[tuple[int, int]]) -> str:
    for start, end in reversed(cuts):
        text = text[:start] + text[end:]
    return text


def _comma_after(text: str, end: int) -> int | None:
    at = end
    for _, gap_end in gaps(text, end):
        at = gap_end
    return at if text.startswith(",", at) else None


def _comma_before(text: str, box: Object | Array, child: Member | Node) -> int | None:
    ends = [one.end for one in box.children if one.end <= child.start]
    return _comma_after(text, max(ends)) if ends else None


def _gap_before(text: str, box: Object | Array, start: int) -> int:
    """Where the white space in front of `start` begins. That behind a comment of the `//` kind
    stays: its newline is what ends the comment."""
    ends = [one.end for one in box.children if one.end <= start]
    at = max(ends, default=box.start + 1)
    comma = _comma_after(text, at) if ends else None
    spans = list(gaps(text, at if comma is None else comma + 1))
    if not spans or not only_blanks(text[slice(*spans[-1])]):
        return start
    begin = spans[-1][0]
    behind_a_line_comment = len(spans) > 1 and text.startswith("//", spans[-2][0])
    return start if behind_a_line_comment else begin


def _written(key: str | None, value: object, step: str | None = None) -> str:
    body = json.dumps(value, indent=step, ensure_ascii=False)
    return body if key is None else f"{json.dumps(key)}: {body}"


def _margin(text: str, at: int) -> str:
    """The white space that begins the line of `at`."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]
