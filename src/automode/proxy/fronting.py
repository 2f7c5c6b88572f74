"""A warning in front of what a server answers, wherever a client may look for the text.

Pure, but for parts of an answer, which are marked in place.
"""

from typing import TypeAlias

Place: TypeAlias = tuple[dict[str, object], str] | tuple[list[object], int]

_UNMARKED = frozenset({"content", "_meta", "resultType"})  # a mark would break what clients do
_FAILED = -32000


def part_at(place: Place) -> object:
    match place:
        case (dict() as holder, str(name)):
            return holder[name]
        case (list() as holder, int(at)):
            return holder[at]
        case _:
            return None


def warned(message: object, warning: str) -> object:
    """In every place where a client may look for the answer."""
    if not isinstance(message, dict):
        return message
    told = dict(message)
    if told.get("result") is not None:
        told["result"] = _warned_result(told["result"], warning)
    if told.get("error") is not None:
        told["error"] = _warned_fault(told["error"], warning)
    return told


def _warned_result(result: object, warning: str) -> object:
    match result:
        case dict():
            others = {name: one for name, one in result.items() if name not in _UNMARKED}
            _mark(others, warning)
            return {**result, **others, "content": _fronted(result.get("content"), warning)}
        case list():
            return [warning, *result]
        case _:
            return f"{warning}\n{result}"


def _warned_fault(fault: object, warning: str) -> object:
    match fault:
        case dict():
            others = {name: one for name, one in fault.items() if name != "message"}
            _mark(others, warning)
            said = fault.get("message")
            return {**others, "message": f"{warning}\n{said}" if said else warning}
        case _:
            return {"code": _FAILED, "message": warning, "data": fault}


def _fronted(content: object, warning: str) -> object:
    if isinstance(content, str):
        return f"{warning}\n{content}"
    blocks: list[object] = (
        content if isinstance(content, list) else [] if content is None else [content]
    )
    texts = (at for at, one in enumerate(blocks) if isinstance(one, dict) and "text" in one)
    first = next(texts, 0)
    return [*blocks[:first], {"type": "text", "text": warning}, *blocks[first:]]


def mark_part(place: Place, warning: str) -> None:
    match place, part_at(place):
        case (dict() as holder, str(name)), str(text):
            holder[name] = f"{warning}\n{text}"
        case (list() as rows, int(at)), str(text):
            rows[at] = f"{warning}\n{text}"
        case _, part:
            _mark(part, warning)


def _mark(structured: object, warning: str) -> None:
    """Some clients show their model nothing else. A schema may allow no further field, so the
    warning stands in front of the longest text."""
    longest, place = "", None
    waiting: list[object] = [structured]
    while waiting:
        one = waiting.pop()
        rows = (
            one.items()
            if isinstance(one, dict)
            else enumerate(one if isinstance(one, list) else ())
        )
        for name, value in rows:
            if isinstance(value, str) and len(value) > len(longest):
                longest, place = value, (one, name)
            elif isinstance(value, (dict, list)):
                waiting.append(value)
    match place:
        case (dict() | list() as holder, name):
            holder[name] = f"{warning}\n{longest}"
        case _:
            pass
