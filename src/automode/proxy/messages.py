"""What an MCP client sends, read so strictly that no server can read a call where we saw none.

Pure. Readers of JSON differ about keys that stand twice, about capitals in keys and about where a
line ends: a frame that could be read in two ways is refused.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from automode.core.strict_json import Ambiguous, decode

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
class Frame:
    """One message, or a batch of them. `ids` wait for an answer. With a `refusal` it must not reach
    the server. `method`, and `name` and `version`, which the protocol wants in headers, are of a
    single message."""

    calls: tuple[Call, ...] = ()
    ids: tuple[RequestId, ...] = ()
    method: str = ""
    cancels: RequestId | None = None
    name: str = ""
    version: str = ""
    batch: bool = False
    refusal: str = ""
    code: int = NO_REQUEST


def read_frame(frame: bytes) -> Frame:
    """Never raises."""
    try:
        found = decode(frame.decode("utf-8").strip())
    except Ambiguous as error:
        return Frame(refusal=f"it {error}")
    except (ValueError, RecursionError):
        return Frame(refusal="it is not JSON in UTF-8", code=NOT_JSON)
    match found:
        case dict():
            return _read_message(found)
        case [_, *_]:
            return _read_batch(found)
        case _:
            return Frame(refusal="it is neither a JSON-RPC message nor a batch of them")


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


def key_of(identity: object) -> str:
    """Clients differ about whether the answer `"1"` is one to the request `1`."""
    return str(identity)


def error(identity: RequestId | None, code: int, message: str) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": identity, "error": {"code": code, "message": message}}


def failed_result(identity: RequestId, text: str) -> dict[str, object]:
    """The result of a call that did not run, as a model reads it. `resultType` is needed since
    2026-07-28; before that clients pass over it."""
    content = [{"type": "text", "text": text}]
    result = {"resultType": "complete", "content": content, "isError": True}
    return {"jsonrpc": "2.0", "id": identity, "result": result}


def odd_keys(message: Mapping[str, object], known: frozenset[str]) -> list[str]:
    """Keys that some readers take for one of the known ones, and we do not."""
    return [key for key in message if key not in known and key.casefold() in known]


def encode(message: object) -> bytes:
    """ASCII, and so on one line for every reader."""
    return json.dumps(message, separators=(",", ":")).encode("ascii")


def _read_message(message: Mapping[str, object]) -> Frame:
    found = Frame(ids=tuple(_ids([message])))
    for odd in odd_keys(message, ENVELOPE):
        return replace(found, refusal=f"`{odd}` in it is spelt so that servers differ about it")
    if not _is_id(message.get("id")):
        return Frame(refusal="its id is neither text nor a whole number")
    params = message.get("params")
    given: Mapping[str, object] = params if isinstance(params, dict) else {}
    match message.get("method"):
        case None:
            return found
        case str(method) if method == CALLING:
            return _read_call(_with_headers(found, method, given), given)
        case str(method) if method.strip().casefold() == CALLING:
            return replace(found, refusal="its method is spelt so that servers differ about it")
        case str(method):
            return replace(
                _with_headers(found, method, given),
                cancels=_cancelled_id(given) if method == CANCELLING else None,
            )
        case _:
            return replace(found, refusal="its method is no text")


def _read_call(found: Frame, given: Mapping[str, object]) -> Frame:
    tool, arguments = given.get("name"), given.get("arguments")
    if not isinstance(tool, str) or not tool.strip():
        return replace(found, refusal="no tool is named in it")
    if odd_keys(given, _CALL) or not isinstance(arguments, (dict, type(None))):
        return replace(found, refusal="the arguments of its call cannot be read in one way only")
    identity = found.ids[0] if found.ids else None
    return replace(found, calls=(Call(identity, tool, arguments or {}),))


def _read_batch(messages: Sequence[object]) -> Frame:
    ids = tuple(_ids(messages))
    calls: list[Call] = []
    for message in messages:
        none = Frame(refusal="it is no message")
        found = _read_message(message) if isinstance(message, dict) else none
        if found.refusal:
            reason = f"a message of the batch cannot be passed on: {found.refusal}"
            return Frame(ids=ids, refusal=reason)
        calls += found.calls
    return Frame(tuple(calls), ids, batch=True)


def _ids(messages: Sequence[object]) -> Iterator[RequestId]:
    """Of requests: an answer to the server's own question waits for nothing."""
    for message in messages:
        match message:
            case {"id": str() | int() as found, "method": _} if _is_id(found):
                yield found
            case _:
                pass


def _is_id(identity: object) -> bool:
    return isinstance(identity, (str, int, type(None))) and not isinstance(identity, bool)


def _with_headers(found: Frame, method: str, params: Mapping[str, object]) -> Frame:
    match params.get("_meta"):
        case {"io.modelcontextprotocol/protocolVersion": version}:
            pass
        case _:
            version = ""
    name = params.get("name") or params.get("uri")
    return replace(found, method=method, name=_header(name), version=_header(version))


def _header(value: object) -> str:
    """As it may stand in a header; empty for everything else."""
    return value if isinstance(value, str) and value.isprintable() and value.isascii() else ""


def _cancelled_id(params: Mapping[str, object]) -> RequestId | None:
    match params.get("requestId"):
        case str() | int() as found:
            return found
        case _:
            return None
