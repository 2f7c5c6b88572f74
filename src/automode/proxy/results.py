"""What an MCP server answers: the texts that a model reads of it, and a warning in front of them,
wherever a client may look for the text.

Pure, but for parts of an answer, which are marked in place. What needs no warning is passed on as
it came, to the byte, unless clients could read it in another way than we do: then they get our
reading.
"""

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from automode.core.transcript import Outcome
from automode.proxy.messages import ENVELOPE, encode, key_of, odd_keys

_PACKED = frozenset({"data", "blob"})  # pictures and sounds
_BASE64 = re.compile(r"[A-Za-z0-9+/=_\r\n-]*")
_OF_A_TOOL = frozenset({"content", "structuredContent", "toolResult"})
_UNMARKED = frozenset({"content", "_meta", "resultType"})  # a mark would break what clients do
_BLANKS_AND_BYTE_ORDER_MARK = " \t\r\n\ufeff"
_FAILED = -32000

Place: TypeAlias = tuple[dict[str, object] | list[object], str | int]
"""Where a part of an answer stands: what holds it, and its key or number."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model may read: an answer as a whole, or a part of one. `at` is its place in the
    frame, `part` the place of a part in its answer."""

    at: int
    key: str
    text: str
    outcome: Outcome
    part: Place | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class ServerAnswer:
    """A frame of the server's, read. `disputed`: the client may read something else than we did
    unless it gets our reading."""

    messages: tuple[object, ...]
    batch: bool = False
    disputed: bool = False

    def replies(self, awaited: Mapping[str, object]) -> Iterator[Reply]:
        """Every answer, whatever request it claims to answer."""
        for place, message in enumerate(self.messages):
            if not isinstance(message, dict):
                continue
            key = key_of(message.get("id"))
            match message:
                case {"result": dict() | list() | str() as result}:
                    yield from _result_replies(place, key, result, called=key in awaited)
                case {"result": _} if key in awaited:
                    yield Reply(place, key, "", Outcome.OK)
                case _:
                    pass
            if isinstance(fault := message.get("error"), dict | list | str):
                yield Reply(place, key, "\n".join(_texts(fault)), Outcome.ERROR)

    def with_warnings(self, warnings: Iterable[tuple[Reply, str]]) -> bytes | None:
        """The frame with each warning in front of what it is about. None where it lies too deep to
        be written again."""
        messages = list(self.messages)
        for reply, warning in warnings:
            if reply.part is None:
                messages[reply.at] = add_warning(messages[reply.at], warning)
            else:
                mark_part(reply.part, warning)
        try:
            return encode(messages if self.batch else messages[0])
        except RecursionError:
            return None

    @property
    def version(self) -> str:
        """Of the protocol, where the answer says on which one both sides agree."""
        match self.messages:
            case ({"result": {"protocolVersion": str(version)}},) if version.isascii():
                return version if version.isprintable() else ""
            case _:
                return ""


def read_answer(frame: bytes) -> ServerAnswer | None:
    """None for what is no JSON, however kindly it is read: other readers mend bytes that are no
    UTF-8, pass over a mark in front, and take numbers of any length."""
    plain = frame.strip()
    text = plain.decode("utf-8", "replace").strip(_BLANKS_AND_BYTE_ORDER_MARK)
    repeated: list[str] = []

    def pairs(found: list[tuple[str, object]]) -> dict[str, object]:
        as_dict = dict(found)
        if len(as_dict) != len(found):
            repeated.append("")
        return as_dict

    decoder = json.JSONDecoder(object_pairs_hook=pairs, parse_int=_parse_int, parse_float=_finite)
    try:
        found: object = decoder.decode(text)
    except (ValueError, RecursionError):
        return None
    messages: list[object] = found if isinstance(found, list) else [found]
    odd = [odd_keys(one, ENVELOPE) if isinstance(one, dict) else [] for one in messages]
    mended = text.encode("utf-8") != plain or b"\r" in plain
    return ServerAnswer(
        tuple(_without(one, keys) for one, keys in zip(messages, odd, strict=True)),
        batch=isinstance(found, list),
        disputed=mended or bool(repeated) or any(odd),
    )


def is_mute(frame: bytes) -> bool:
    """Whether no reader can find an answer in it: servers print other things, too, and clients
    pass over them."""
    return b"{" not in frame


def _parse_int(digits: str) -> int | float:
    """Of thousands of digits Python makes no whole number; other readers make one of any."""
    try:
        return int(digits)
    except ValueError:
        return _finite(digits)


def _finite(digits: str) -> float:
    """What is infinite could not be written as JSON again."""
    return max(-sys.float_info.max, min(sys.float_info.max, float(digits)))


def _without(message: object, keys: list[str]) -> object:
    """Some readers would take these for the answer."""
    if not isinstance(message, dict) or not keys:
        return message
    return {name: value for name, value in message.items() if name not in keys}


def _result_replies(
    at: int, key: str, result: dict[str, object] | list[object] | str, *, called: bool
) -> Iterator[Reply]:
    if called or not isinstance(result, dict) or not _OF_A_TOOL.isdisjoint(result):
        failed = isinstance(result, dict) and result.get("isError") is True
        outcome = Outcome.ERROR if failed else Outcome.OK
        yield Reply(at, key, "\n".join(_texts(result)), outcome)
        return
    for place in _places(result):
        if text := "\n".join(_texts(part_at(place))):
            yield Reply(at, key, text, Outcome.OK, place)


def _places(result: dict[str, object]) -> Iterator[Place]:
    """Each tool of a list is one, each message of a prompt, each content of a resource."""
    for name, value in result.items():
        yield from _parts(value) if isinstance(value, list) else [(result, name)]


def _texts(value: object) -> Iterator[str]:
    """In their order. Keys that are sentences too: clients show their model the JSON."""
    waiting: list[object] = [value]
    while waiting:
        match waiting.pop():
            case str(text):
                yield text
            case dict(one):
                yield from (name for name in one if " " in name)
                waiting += [part for name, part in one.items() if not _is_packed(one, name)][::-1]
            case list(rows):
                waiting += rows[::-1]
            case _:
                pass


def _is_packed(block: Mapping[str, object], name: str) -> bool:
    value = block[name]
    if name not in _PACKED or not isinstance(value, str):
        return False
    return ("mimeType" in block or "uri" in block) and _BASE64.fullmatch(value) is not None


def add_warning(message: object, warning: str) -> object:
    """In every place where a client may look for the answer."""
    if not isinstance(message, dict):
        return message
    found = dict(message)
    if found.get("result") is not None:
        found["result"] = _warn_result(found["result"], warning)
    if found.get("error") is not None:
        found["error"] = _warn_fault(found["error"], warning)
    return found


def _warn_result(result: object, warning: str) -> object:
    match result:
        case dict():
            others = {name: one for name, one in result.items() if name not in _UNMARKED}
            _mark_longest(others, warning)
            return {**result, **others, "content": _warn_content(result.get("content"), warning)}
        case list():
            return [warning, *result]
        case _:
            return f"{warning}\n{result}"


def _warn_fault(fault: object, warning: str) -> object:
    if not isinstance(fault, dict):
        return {"code": _FAILED, "message": warning, "data": fault}
    others = {name: one for name, one in fault.items() if name != "message"}
    _mark_longest(others, warning)
    message = fault.get("message")
    return {**others, "message": f"{warning}\n{message}" if message else warning}


def _warn_content(content: object, warning: str) -> object:
    if isinstance(content, str):
        return f"{warning}\n{content}"
    blocks: list[object] = (
        content if isinstance(content, list) else [] if content is None else [content]
    )
    texts = (at for at, one in enumerate(blocks) if isinstance(one, dict) and "text" in one)
    first = next(texts, 0)
    return [*blocks[:first], {"type": "text", "text": warning}, *blocks[first:]]


def part_at(place: Place) -> object:
    return cast("dict[str | int, object]", place[0])[place[1]]


def _set_part(place: Place, text: str) -> None:
    cast("dict[str | int, object]", place[0])[place[1]] = text


def _parts(holder: object) -> list[Place]:
    if isinstance(holder, dict):
        return [(holder, name) for name in holder]
    return [(holder, at) for at in range(len(holder))] if isinstance(holder, list) else []


def mark_part(place: Place, warning: str) -> None:
    part = part_at(place)
    if isinstance(part, str):
        _set_part(place, f"{warning}\n{part}")
    else:
        _mark_longest(part, warning)


def _mark_longest(structured: object, warning: str) -> None:
    """Some clients show their model nothing else. A schema may allow no further field, so the
    warning stands in front of the longest text."""
    longest: tuple[str, Place] | None = None
    waiting: list[object] = [structured]
    while waiting:
        for place in _parts(waiting.pop()):
            part = part_at(place)
            if isinstance(part, str) and (longest is None or len(part) > len(longest[0])):
                longest = part, place
            waiting.append(part)
    if longest is not None:
        _set_part(longest[1], f"{warning}\n{longest[0]}")
