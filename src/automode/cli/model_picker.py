"""Picks a model from a numbered list that can be filtered; works in any terminal."""

import re
from collections.abc import Callable, Sequence
from decimal import Decimal

from automode.cli.printing import columns, faint, say
from automode.llm.prices import Priced

MOST_SHOWN = 20
QUESTION = "number, words to filter by, provider/id, or nothing to leave"
NAME = re.compile(r"[^/\s]+/\S+")


def pick(models: Sequence[Priced], ask: Callable[[str], str]) -> str | None:
    """The name of the chosen model; None when the person leaves. `ask` shows a question and
    returns the answer."""
    fitting = list(models)
    while True:
        show(fitting)
        answer = ask(QUESTION).strip()
        if not answer:
            return None
        if answer.isdecimal():
            if 1 <= int(answer) <= min(len(fitting), MOST_SHOWN):
                return fitting[int(answer) - 1].name
            say(f"there is no number {answer}")
            continue
        chosen = _chosen(models, answer)
        if chosen is not None:
            return chosen
        fitting = filtered(models, answer)
        if not fitting:
            say(f"nothing fits `{answer}`")
            fitting = list(models)


def filtered(models: Sequence[Priced], words: str) -> list[Priced]:
    """Those whose names hold every word."""
    wanted = words.casefold().split()
    return [model for model in models if all(word in model.name.casefold() for word in wanted)]


def show(models: Sequence[Priced]) -> None:
    shown = models[:MOST_SHOWN]
    columns([(f"{place:3d}", one.name, priced(one)) for place, one in enumerate(shown, 1)])
    if len(models) > len(shown):
        say(faint(f"  and {len(models) - len(shown)} more: type a part of the name"))


def priced(model: Priced) -> str:
    """Dollars per million tokens."""
    if model.input_usd is None or model.output_usd is None:
        return "price unknown or by size"
    return f"{_plain(model.input_usd)} in, {_plain(model.output_usd)} out"


def _plain(amount: Decimal) -> str:
    return f"${amount.normalize():f}"


def _chosen(models: Sequence[Priced], answer: str) -> str | None:
    """A name from the list, or one that the list does not know and that is no filter for it."""
    if any(model.name == answer for model in models):
        return answer
    return answer if NAME.fullmatch(answer) and not filtered(models, answer) else None
