"""How deep an input may be nested: what is deeper can be neither judged nor written down."""

from collections.abc import Iterable, Mapping

MOST_NESTED = 100
_NESTS = (dict, list, tuple, Mapping)


def too_deep(value: object) -> bool:
    """Whether it is nested deeper than anything that agents really send."""
    level: list[object] = [value]
    for _ in range(MOST_NESTED):
        level = [inner for one in level for inner in _inside(one)]
        if not level:
            return False
    return True


def shallow(given: Mapping[str, object]) -> Mapping[str, object]:
    """The input, or a word in the place of one that is nested too deeply."""
    return {"cut": f"nested more than {MOST_NESTED} levels deep"} if too_deep(given) else given


def _inside(value: object) -> list[object]:
    if isinstance(value, (list, tuple)):
        inner: Iterable[object] = value
    elif isinstance(value, (dict, Mapping)):
        inner = value.values()
    else:
        return []
    # Texts are by far the most, and asking whether one is a mapping takes its time.
    return [one for one in inner if not isinstance(one, str) and isinstance(one, _NESTS)]
