"""Takes a provider's JSON apart: nothing is trusted to have the shape that was promised."""

from collections.abc import Mapping, Sequence


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


def number_at(value: object, *path: str | int) -> float | None:
    found = at(value, *path)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    return float(found)


def list_at(value: object, *path: str | int) -> Sequence[object]:
    found = at(value, *path)
    return found if isinstance(found, list) else []
