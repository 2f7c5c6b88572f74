"""What a program hands over, as the gate reads it: inputs as JSON, results as text."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass

from automode.core.errors import BadCall


def plain(given: Mapping[str, object]) -> Mapping[str, object]:
    """A copy that nobody changes while it is decided, of nothing but what JSON knows. Raises
    BadCall for what cannot be copied so."""
    try:
        found: object = json.loads(json.dumps(dict(given), default=str))
    except (TypeError, ValueError, RecursionError) as error:
        raise BadCall(f"the input of a call cannot be written as JSON ({error})") from error
    return found if isinstance(found, dict) else {}


def text_of(result: object) -> str:
    """All texts in a result, in their order. Each stands as it is: written as JSON inside JSON, an
    attack would look like something else."""
    return "\n".join(_texts(result))


def _texts(result: object) -> Iterator[str]:
    seen: set[int] = set()
    waiting = [result]
    while waiting:
        one = waiting.pop()
        match one:
            case str():
                yield one
            case bytes() | bytearray():
                yield one.decode("utf-8", "replace")
            case None | bool() | int() | float():
                pass
            case _ if id(one) in seen:
                pass
            case _:
                seen.add(id(one))
                parts = _parts(one)
                if parts is None:
                    yield str(one)
                else:
                    waiting += parts[::-1]


def _parts(one: object) -> list[object] | None:
    """What it is made of, as far as frameworks show that to a model; None for anything else."""
    if isinstance(one, Mapping):
        named = [name for name in one if isinstance(name, str) and " " in name]
        return [*named, *one.values()]
    if isinstance(one, list | tuple | set | frozenset):
        return list(one)
    if is_dataclass(one):
        return [getattr(one, field.name, None) for field in fields(one)]
    if hasattr(one, "model_dump"):
        return [*vars(one).values(), getattr(one, "__pydantic_extra__", None)]
    return None
