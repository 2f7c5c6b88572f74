"""Finds the JSON objects in a text that may hold anything else."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

ATTEMPTS = 64  # braces looked at: an answer with more of them is no decision

Pairs: TypeAlias = tuple[tuple[str, object], ...]


@dataclass(frozen=True, slots=True)
class Found:
    """An object with its keys as they were written, twice where they were written twice."""

    pairs: Pairs
    start: int
    end: int


class _Object(tuple[tuple[str, object], ...]):
    """Told apart from an array by its type."""

    __slots__ = ()


def _no_constant(name: str) -> object:
    raise ValueError(name)  # NaN and the infinities are not JSON


_DECODER = json.JSONDecoder(object_pairs_hook=_Object, parse_constant=_no_constant)


def objects(text: str) -> Iterator[Found]:
    """The outermost objects of `text`, in order."""
    start = text.find("{")
    for _ in range(ATTEMPTS):
        if start < 0:
            return
        try:
            value, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            yield Found(tuple(value), start, end)
        start = text.find("{", end)
