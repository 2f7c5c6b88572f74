"""Takes a provider's JSON apart: nothing is trusted to have the shape that was promised."""

from collections.abc import Iterable, Mapping, Sequence
from math import exp

_LARGEST = 1e9  # of a log probability


def at(value: object, *path: str | int) -> object:
    """What stands at `path`; None where the path leaves the data."""
    for step in path:
        match step, value:
            case str(), Mapping():
                value = value.get(step)
            case int(), list() if -len(value) <= step < len(value):
                value = value[step]
            case _:
                return None
    return value


def text_at(value: object, *path: str | int) -> str | None:
    found = at(value, *path)
    return found if isinstance(found, str) else None


def count_at(value: object, *path: str | int) -> int:
    """A number of tokens: zero where none is given."""
    found = at(value, *path)
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 0 else 0


def list_at(value: object, *path: str | int) -> Sequence[object]:
    found = at(value, *path)
    return found if isinstance(found, list) else []


def chances(alternatives: Iterable[object], logarithm: str) -> dict[str, float]:
    """How likely each first token was, from records with a `token` and a log probability."""
    found: dict[str, float] = {}
    for record in alternatives:
        token, chance = text_at(record, "token"), at(record, logarithm)
        if token is None or isinstance(chance, bool) or not isinstance(chance, int | float):
            continue
        if abs(chance) < _LARGEST:  # neither infinite nor no number
            found[token] = exp(min(chance, 0.0))
    return found
