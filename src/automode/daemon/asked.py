"""What a JSON request asks for, taken apart with an error for everything that does not fit."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from automode.core.errors import BadCall
from automode.core.record import SessionKey
from automode.daemon.peers import Peer
from automode.daemon.tokens import Right

MOST_VALUES = 10_000
"""Each is looked through for secrets while all other sessions wait; a second at most."""


@dataclass(frozen=True, slots=True)
class Asked:
    """`peer` None: who asks came over the network and cannot be seen. `inside`: a person speaks
    through the agent of this session, and about this session alone."""

    fields: Mapping[str, object]
    rights: frozenset[Right]
    peer: Peer | None
    seconds: float
    inside: SessionKey | None = None

    @property
    def verb(self) -> str:
        return self.text("do")

    def text(self, name: str) -> str:
        found = self.optional(name)
        if not found:
            raise BadCall(f"no `{name}` in the request", "see docs/reference/wire.md")
        return found

    def optional(self, name: str) -> str:
        match self.fields.get(name):
            case None:
                return ""
            case str(text):
                return text
            case _:
                raise BadCall(f"`{name}` of the request is not text", "see docs/reference/wire.md")

    def flag(self, name: str) -> bool:
        match self.fields.get(name, False):
            case bool(flag):
                return flag
            case _:
                raise BadCall(f"`{name}` of the request is neither true nor false")

    def whole(self, name: str, default: int) -> int:
        match self.fields.get(name, default):
            case int(number) if number > 0 and not isinstance(number, bool):
                return number
            case _:
                raise BadCall(f"`{name}` of the request is no whole number above 0")

    def object(self, name: str) -> Mapping[str, object]:
        match self.fields.get(name):
            case Mapping() as found:
                return found
            case _:
                raise BadCall(f"`{name}` of the request is no object", "see docs/reference/wire.md")


def json_object(payload: bytes) -> Mapping[str, object]:
    """BadCall for anything but a JSON object in UTF-8 in which every key stands once: another
    reader might see another call. The payload itself is never quoted."""
    try:
        found: object = _DECODER.decode(payload.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        kind = type(error).__name__
        raise BadCall(f"the payload of {len(payload)} bytes is not JSON ({kind})") from None
    if not isinstance(found, dict):
        raise BadCall("the payload is not a JSON object")
    # Each takes a byte at least, and another one to be told from the next.
    if len(payload) > 2 * MOST_VALUES and _values(found) > MOST_VALUES:
        raise BadCall(
            f"the payload holds more than {MOST_VALUES} values", "make several smaller calls"
        )
    return found


def _values(whole: object) -> int:
    """How many there are, counted as far as it matters."""
    waiting, count = [whole], 0
    while waiting and count <= MOST_VALUES:
        one = waiting.pop()
        count += 1
        if isinstance(one, dict):
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
    return count


def _unambiguous(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise BadCall("a key stands twice in the payload", "send every key once")
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_unambiguous)  # making one takes longer than using it
