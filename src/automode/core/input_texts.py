"""Every text in a tool's input, however deep it lies."""

from collections.abc import Iterator, Mapping


def input_texts(value: object, *, keys: bool = False) -> Iterator[str]:
    """With `keys` the names of fields as well. A stack, because depth is the sender's choice."""
    waiting: list[object] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping):
            waiting += [*one.keys(), *one.values()] if keys else one.values()
        elif isinstance(one, (list, tuple)):
            waiting += one
