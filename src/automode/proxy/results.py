"""What an MCP server answers: the texts that a model reads of it, and how a warning goes in front.

Pure. What needs no warning is passed on as it came, to the byte.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from automode.core.input_texts import input_texts
from automode.core.transcript import Outcome
from automode.proxy.messages import RequestId, key_of, written

_UNREAD = frozenset({"data", "blob"})  # pictures and sounds, as base64


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer that a model may read. `at` is its place in the frame."""

    at: int
    key: str
    text: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Answered:
    """A frame of the server's, read. `twice`: a key stands twice in it, so that the client may
    read something else than we did unless it gets our reading."""

    messages: tuple[object, ...]
    batch: bool = False
    twice: bool = False

    def replies(self, awaited: Mapping[str, object]) -> Iterator[Reply]:
        """Results of tools, whatever request they claim to answer, and every answer to a call."""
        for at, message in enumerate(self.messages):
            match message:
                case {"result": dict(result), **rest} if _of_a_tool(result):
                    outcome = Outcome.ERROR if result.get("isError") is True else Outcome.OK
                    yield Reply(at, key_of(rest.get("id")), _read_text(result), outcome)
                case {"error": fault, "id": identity} if key_of(identity) in awaited:
                    text = "\n".join(input_texts(fault))
                    yield Reply(at, key_of(identity), text, Outcome.ERROR)
                case {"result": _, "id": identity} if key_of(identity) in awaited:
                    yield Reply(at, key_of(identity), "", Outcome.OK)
                case _:
                    pass

    def destructive(self) -> Iterator[tuple[str, bool]]:
        """What a list of tools says of each: whether the server itself calls it destructive."""
        for message in self.messages:
            match message:
                case {"result": {"tools": [*tools]}}:
                    yield from (named for one in tools if (named := _described(one)) is not None)
                case _:
                    pass

    def warned(self, warnings: Mapping[int, str]) -> bytes:
        """The frame with each warning in front of what it is about."""
        told = [
            _warned(message, warnings[at]) if at in warnings else message
            for at, message in enumerate(self.messages)
        ]
        return written(told if self.batch else told[0])


def answered(frame: bytes) -> Answered | None:
    """None for what is no JSON: servers print other things, and clients pass over them."""
    pairs = _Pairs()
    decoder = json.JSONDecoder(object_pairs_hook=pairs)
    try:
        found: object = decoder.decode(frame.decode("utf-8").strip())
    except (ValueError, RecursionError):
        return None
    match found:
        case [*messages]:
            return Answered(tuple(messages), batch=True, twice=pairs.twice)
        case _:
            return Answered((found,), twice=pairs.twice)


def negotiated(frame: bytes) -> str:
    """The version of the protocol, where the frame says on which one both sides agree."""
    found = answered(frame)
    match found.messages if found is not None else ():
        case ({"result": {"protocolVersion": str(version)}},) if version.isascii():
            return version if version.isprintable() else ""
        case _:
            return ""


def broken_off(identity: RequestId) -> str:
    return f"the MCP server ended before it answered request {identity}"


class _Pairs:
    def __init__(self) -> None:
        self.twice = False

    def __call__(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        self.twice = self.twice or len(found) != len(pairs)
        return found


def _of_a_tool(result: Mapping[str, object]) -> bool:
    return isinstance(result.get("content"), list) or "structuredContent" in result


def _read_text(result: Mapping[str, object]) -> str:
    found = [*_block_texts(result.get("content")), *input_texts(result.get("structuredContent"))]
    return "\n".join(found)


def _block_texts(content: object) -> Iterator[str]:
    for block in content if isinstance(content, list) else ():
        match block:
            case {"type": "resource", "resource": dict(inner)}:
                yield from input_texts(_readable(inner))
            case dict():
                yield from input_texts(_readable(block))
            case _:
                pass


def _readable(block: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in block.items() if name not in _UNREAD}


def _described(tool: object) -> tuple[str, bool] | None:
    match tool:
        case {"name": str(name), "annotations": {"destructiveHint": True}}:
            return name, True
        case {"name": str(name)}:
            return name, False
        case _:
            return None


def _warned(message: object, warning: str) -> object:
    match message:
        case {"result": dict(result), **rest}:
            _mark(result.get("structuredContent"), warning)
            return {**rest, "result": {**result, "content": _fronted(result, warning)}}
        case {"error": {"message": str(text), **fault}, **rest}:
            return {**rest, "error": {**fault, "message": f"{warning}\n{text}"}}
        case _:
            return message


def _fronted(result: Mapping[str, object], warning: str) -> list[object]:
    content = result.get("content")
    blocks: list[object] = list(content) if isinstance(content, list) else []
    texts = (at for at, one in enumerate(blocks) if isinstance(one, dict) and "text" in one)
    first = next(texts, 0)
    return [*blocks[:first], {"type": "text", "text": warning}, *blocks[first:]]


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
