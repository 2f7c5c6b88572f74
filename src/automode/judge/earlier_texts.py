"""The inputs of earlier calls as texts without regard to case: each later call is held against
them, so each is written out once."""

from collections.abc import Mapping

from automode.judge.tool_deeds import written

MOST_KEPT = 2_048
MOST_CHARACTERS = 2 * 1024 * 1024  # of all of them together
LONGEST_KEPT = 128 * 1024


class EarlierTexts:
    """By the identity of an input, with the input itself so that its identity is not given to
    another one. Inputs do not change. A command is its own text: to keep it would save nothing, and
    hold on to whatever stands beside it."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Mapping[str, object], str]] = {}
        self._characters = 0

    def of(self, given: Mapping[str, object]) -> str:
        if isinstance(given.get("command"), str):
            return written(given).casefold()
        known = self._kept.get(id(given))
        if known is not None and known[0] is given:
            return known[1]
        text = written(given).casefold()
        if len(text) <= LONGEST_KEPT:
            self._keep(given, text)
        return text

    def _keep(self, given: Mapping[str, object], text: str) -> None:
        if len(self._kept) >= MOST_KEPT or self._characters + len(text) > MOST_CHARACTERS:
            self._kept.clear()
            self._characters = 0
        self._kept[id(given)] = (given, text)
        self._characters += len(text)
