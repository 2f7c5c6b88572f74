"""What an MCP client sends, read so strictly that no server can read a call where we saw none.

Pure. Readers of JSON differ about keys that stand twice, about capitals in keys and about where a
line ends: a frame that could be read in two ways is refused.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

CALLING = "tools/call"
CANCELLING = "notifications/cancelled"
LONGEST_FRAME = 64 * 1024 * 1024
NOT_JSON = -32700
NO_REQUEST = -32600

RequestId: TypeAlias = str | int

ENVELOPE = frozenset({"jsonrpc", "id", "method", "params", "result", "error"})
_CALL = frozenset({"name", "arguments"})
# Where some readers of lines see an end. In JSON the first seven are blanks or errors.
_CONTROLS = re.compile(rb"[\r\n\x0b\x0c\x1c\x1d\x1e]")
_WIDE_ENDS = (("\x85", "\\u0085"), ("\u2028", "\\u2028"), ("\u2029", "\\u2029"))


@dataclass(frozen=True, slots=True)
class Call:
    """`id` None: sent as a notification, which no server should run and some do."""

    id: RequestId | None
    tool: str
    arguments: Mapping[str, object] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Passing:
    """Nothing in it is a call. `method` is empty for answers and for batches."""

    method: str = ""
    cancels: RequestId | None = None


@dataclass(frozen=True, slots=True)
class Proposing:
    """`others` are the ids of what else stands in the same batch."""

    calls: tuple[Call, ...]
    batch: bool = False
    others: tuple[RequestId, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusing:
    """It must not reach the server. `ids` wait for an answer; empty where nobody can tell."""

    reason: str
    code: int = NO_REQUEST
    ids: tuple[RequestId, ...] = ()


Seen: TypeAlias = Passing | Proposing | Refusing


@dataclass(frozen=True, slots=True)
class Opened:
    """What a transport has to know of a frame that may pass. `ids` wait for an answer; `name` is
    what the request is about, where the protocol wants it in a header."""

    method: str = ""
    ids: tuple[RequestId, ...] = ()
    name: str = ""
    version: str = ""


class _Ambiguous(ValueError):
    pass


def seen(frame: bytes) -> Seen:
    """What one frame of the client's holds. Never raises."""
    try:
        found: object = _DECODER.decode(frame.decode("utf-8").strip())
    except _Ambiguous:
        return Refusing("a key stands twice in it, and readers differ about which one counts")
    except (ValueError, RecursionError):
        return Refusing("it is not JSON in UTF-8", NOT_JSON)
    match found:
        case dict():
            return _one(found)
        case [_, *_]:
            return _batch(found)
        case _:
            return Refusing("it is neither a JSON-RPC message nor a batch of them")


def on_one_line(frame: bytes) -> bytes:
    """The frame as it may stand on a line of its own: the same JSON, and mostly the same bytes.
    Only for frames that are JSON in UTF-8."""
    plain = _CONTROLS.sub(b" ", frame.strip(b"\r\n"))
    if plain.isascii():
        return plain
    text = plain.decode("utf-8")
    for end, escape in _WIDE_ENDS:
        text = text.replace(end, escape)
    return text.encode("utf-8")


def opened(frame: bytes) -> Opened:
    """Only for frames in which `seen` saw JSON."""
    match json.loads(frame):
        case {"method": str(method), **rest}:
            params = rest.get("params")
            given: Mapping[str, object] = params if isinstance(params, dict) else {}
            return Opened(method, tuple(_ids([{"method": method, **rest}])), *_headed(given))
        case [*messages]:
            return Opened(ids=tuple(_ids(messages)))
        case _:
            return Opened()


def key_of(identity: object) -> str:
    """Clients differ about whether the answer `"1"` is one to the request `1`."""
    return str(identity)


def error(identity: RequestId | None, code: int, message: str) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": identity, "error": {"code": code, "message": message}}


def stopped(identity: RequestId, text: str) -> dict[str, object]:
    """The result of a call that did not run, as a model reads it. `resultType` is needed since
    2026-07-28; before that clients pass over it."""
    content = [{"type": "text", "text": text}]
    result = {"resultType": "complete", "content": content, "isError": True}
    return {"jsonrpc": "2.0", "id": identity, "result": result}


def odd_keys(message: Mapping[str, object], known: frozenset[str]) -> list[str]:
    """Keys that some readers take for one of the known ones, and we do not."""
    return [key for key in message if key not in known and key.casefold() in known]


def written(message: object) -> bytes:
    """ASCII, and so on one line for every reader."""
    return json.dumps(message, separators=(",", ":")).encode("ascii")


def _one(message: Mapping[str, object]) -> Seen:
    ids = tuple(_ids([message]))
    odd = _odd(message, ENVELOPE)
    if odd is not None:
        return Refusing(f"`{odd}` in it is spelt so that servers differ about it", ids=ids)
    if not _sound(message.get("id")):
        return Refusing("its id is neither text nor a whole number")
    match message.get("method"):
        case None:
            return Passing()
        case str(method) if method == CALLING:
            return _call(message, ids)
        case str(method) if method.strip().casefold() == CALLING:
            return Refusing("its method is spelt so that servers differ about it", ids=ids)
        case str(method):
            return Passing(method, _cancelled(method, message.get("params")))
        case _:
            return Refusing("its method is no text", ids=ids)


def _call(message: Mapping[str, object], ids: tuple[RequestId, ...]) -> Seen:
    params = message.get("params")
    given: Mapping[str, object] = params if isinstance(params, dict) else {}
    tool, arguments = given.get("name"), given.get("arguments")
    if not isinstance(tool, str) or not tool.strip():
        return Refusing("no tool is named in it", ids=ids)
    if _odd(given, _CALL) is not None or not isinstance(arguments, (dict, type(None))):
        return Refusing("the arguments of its call cannot be read in one way only", ids=ids)
    return Proposing((Call(ids[0] if ids else None, tool, arguments or {}),))


def _batch(messages: Sequence[object]) -> Seen:
    ids = tuple(_ids(messages))
    calls: list[Call] = []
    for message in messages:
        found = _one(message) if isinstance(message, dict) else Refusing("it is no message")
        match found:
            case Refusing(reason):
                return Refusing(f"a message of the batch cannot be passed on: {reason}", ids=ids)
            case Proposing(proposed):
                calls += proposed
            case Passing():
                pass
    if not calls:
        return Passing()
    own = {key_of(call.id) for call in calls}
    others = tuple(one for one in ids if key_of(one) not in own)
    return Proposing(tuple(calls), batch=True, others=others)


def _ids(messages: Sequence[object]) -> Iterator[RequestId]:
    """Of requests: an answer to the server's own question waits for nothing."""
    for message in messages:
        match message:
            case {"id": str() | int() as found, "method": _} if _sound(found):
                yield found
            case _:
                pass


def _sound(identity: object) -> bool:
    return isinstance(identity, (str, int, type(None))) and not isinstance(identity, bool)


def _headed(params: Mapping[str, object]) -> tuple[str, str]:
    named = next((one for one in (params.get("name"), params.get("uri")) if one), "")
    match params.get("_meta"):
        case {"io.modelcontextprotocol/protocolVersion": str(version)}:
            pass
        case _:
            version = ""
    return _plain(named), _plain(version)


def _plain(value: object) -> str:
    """As it may stand in a header; empty for everything else."""
    return value if isinstance(value, str) and value.isprintable() and value.isascii() else ""


def _cancelled(method: str, params: object) -> RequestId | None:
    match params:
        case {"requestId": str() | int() as found} if method == CANCELLING:
            return found
        case _:
            return None


def _odd(message: Mapping[str, object], known: frozenset[str]) -> str | None:
    return next(iter(odd_keys(message, known)), None)


def _unambiguous(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Ambiguous
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_unambiguous)
