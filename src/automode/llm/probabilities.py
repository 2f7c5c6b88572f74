"""How likely each wanted one-token answer was, from the alternatives a provider lists."""

from collections.abc import Iterable, Mapping
from math import exp, isnan

from automode.llm.payload import number_at, text_at


def of_choices(
    choices: tuple[str, ...], alternatives: Iterable[object], token: str, logarithm: str
) -> Mapping[str, float] | None:
    """`alternatives` are records of the first token, with the names of their two fields. Spellings
    of one choice (`1`, ` 1`) add up; a choice that is not listed was very unlikely: zero."""
    found: dict[str, float] = {}
    for record in alternatives:
        spelling, chance = text_at(record, token), number_at(record, logarithm)
        if spelling is not None and chance is not None and not isnan(chance):
            found[spelling] = exp(min(chance, 0.0))
    if not choices or not found:
        return None
    return {
        choice: min(1.0, sum(p for spelling, p in found.items() if spelling.strip() == choice))
        for choice in choices
    }
