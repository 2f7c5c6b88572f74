"""JSON of one meaning. Readers differ about keys that stand twice, about `NaN` and about numbers
beyond any float: a host might run another call than the one that was decided."""

import json
from math import isinf


class Ambiguous(ValueError):
    """Goes on with the subject of a sentence: "has a key twice"."""


def _refuse_constant(word: str) -> object:
    raise Ambiguous(f"holds `{word}`, which is no JSON")


def _finite(digits: str) -> float:
    found = float(digits)
    if isinf(found):
        raise Ambiguous("holds a number that is too large, and readers differ about it")
    return found


def _each_key_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Ambiguous("has a key twice, and readers differ about which one counts")
    return found


_DECODER = json.JSONDecoder(
    parse_constant=_refuse_constant, parse_float=_finite, object_pairs_hook=_each_key_once
)


def decode(text: str) -> object:
    """Raises Ambiguous, ValueError for what is no JSON, and RecursionError."""
    found: object = _DECODER.decode(text)
    return found
