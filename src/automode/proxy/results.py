"""What an MCP server answers: the texts that a model reads of it, and how a warning goes in front.

Pure. What needs no warning is passed on as it came, to the byte, unless clients could read it in
another way than we do: then they get our reading.
"""

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from automode.core.transcript import Outcome
from automode.proxy.fronting import Place, mark_part, part_at, warned
from automode.proxy.messages import ENVELOPE, RequestId, key_of, odd_keys, written

_PACKED = frozenset({"data", "blob"})  # pictures and sounds
_BASE64 = re.compile(r"[A-Za-z0-9+/=_\r\n-]*")
_OF_A_TOOL = frozenset({"content", "structuredContent", "toolResult"})
_BLANKS_AND_BYTE_ORDER_MARK = " \t\r\n\ufeff"


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
class Answered:
    """A frame of the server's, read. `disputed`: the client may read something else than we did
    unless it gets our reading."""

    messages: tuple[object, ...]
    batch: bool = False
    disputed: bool = False

    def replies(self, awaited: Mapping[str, object]) -> Iterator[Reply]:
        """Every answer, whatever request it claims to answer."""
        for at, message in enumerate(self.messages):
            match message:
                case {"result": dict() | list() | str() as result, **rest}:
                    key = key_of(rest.get("id"))
                    yield from _results(at, key, result, called=key in awaited)
                case {"result": _, "id": identity} if key_of(identity) in awaited:
                    yield Reply(at, key_of(identity), "", Outcome.OK)
                case _:
                    pass
            match message:
                case {"error": dict() | list() | str() as fault, **rest}:
                    text = "\n".join(_texts(fault))
                    yield Reply(at, key_of(rest.get("id")), text, Outcome.ERROR)
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

    def warned(self, warnings: Iterable[tuple[Reply, str]]) -> bytes | None:
        """The frame with each warning in front of what it is about. None where it lies too deep to
        be written again."""
        told = list(self.messages)
        for reply, warning in warnings:
            if reply.part is None:
                told[reply.at] = warned(told[reply.at], warning)
            else:
                mark_part(reply.part, warning)
        try:
            return written(told if self.batch else told[0])
        except RecursionError:
            return None


def answered(frame: bytes) -> Answered | None:
    """None for what is no JSON, however kindly it is read: other readers mend bytes that are no
    UTF-8, pass over a mark in front, and take numbers of any length."""
    plain = frame.strip()
    text = plain.decode("utf-8", "replace").strip(_BLANKS_AND_BYTE_ORDER_MARK)
    pairs = _Pairs()
    decoder = json.JSONDecoder(object_pairs_hook=pairs, parse_int=_whole, parse_float=_finite)
    try:
        found: object = decoder.decode(text)
    except (ValueError, RecursionError):
        return None
    messages: list[object] = found if isinstance(found, list) else [found]
    odd = [odd_keys(one, ENVELOPE) if isinstance(one, dict) else [] for one in messages]
    mended = text.encode("utf-8") != plain or b"\r" in plain
    return Answered(
        tuple(_without(one, keys) for one, keys in zip(messages, odd, strict=True)),
        batch=isinstance(found, list),
        disputed=mended or pairs.twice or any(odd),
    )


def mute(frame: bytes) -> bool:
    """Whether no reader can find an answer in it: servers print other things, too, and clients
    pass over them."""
    return b"{" not in frame


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


def _whole(digits: str) -> int | float:
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


def _results(
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
        if isinstance(value, list):
            yield from ((value, at) for at in range(len(value)))
        else:
            yield result, name


def _texts(value: object) -> Iterator[str]:
    """In their order. Keys that are sentences too: clients show their model the JSON."""
    waiting: list[object] = [value]
    while waiting:
        match waiting.pop():
            case str(text):
                yield text
            case dict(one):
                yield from (name for name in one if " " in name)
                waiting += [part for name, part in one.items() if not _packed(one, name)][::-1]
            case list(rows):
                waiting += rows[::-1]
            case _:
                pass


def _packed(block: Mapping[str, object], name: str) -> bool:
    value = block[name]
    if name not in _PACKED or not isinstance(value, str):
        return False
    return ("mimeType" in block or "uri" in block) and _BASE64.fullmatch(value) is not None


def _described(tool: object) -> tuple[str, bool] | None:
    match tool:
        case {"name": str(name), "annotations": {"destructiveHint": True}}:
            return name, True
        case {"name": str(name)}:
            return name, False
        case _:
            return None
