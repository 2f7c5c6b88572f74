"""How much of a session fits: which entries are kept, and how long texts are cut.

A token is counted as four characters: an estimate that needs no tokenizer. Scripts other than Latin
take more tokens than that, so the budgets limit size, not price.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from automode.core.transcript import AgentText, Entry, Fact, PriorCall, UserMessage

CHARACTERS_PER_TOKEN = 4
FACT_TOKENS = 1000
MESSAGE_CHARACTERS = 2000
FILE_CHARACTERS = 4000
CALL_STRING_CHARACTERS = 1200  # of one string in an earlier call
CALL_CHARACTERS = 4000
_ROUNDEST = 1 << 62  # zero is a multiple of everything


@dataclass(frozen=True, slots=True)
class Limits:
    """What of a session may be in a prompt."""

    visible: bool = False  # whether the agent's own words are shown
    user_tokens: int = 4000
    call_tokens: int = 4000
    visible_entries: int = 80  # in `visible` mode, of any kind


def tokens(text: str) -> int:
    return -(-len(text) // CHARACTERS_PER_TOKEN)


@dataclass(slots=True)
class _Window:
    """The newest entries of one kind that fit, newest first. Each kind has a budget of its own: a
    flood of one cannot push out another."""

    left: int
    places: list[int] = field(default_factory=list)
    full: bool = False

    def offer(self, place: int, cost: int) -> bool:
        """The newest entry is always taken."""
        self.full = self.full or (bool(self.places) and cost > self.left)
        if not self.full:
            self.left -= cost
            self.places.append(place)
        return not self.full

    def steady_places(self) -> Iterator[int]:
        start = _steady_start(self.places) if self.full else 0
        return (place for place in self.places if place >= start)


def _steady_start(places: Sequence[int]) -> int:
    """Where a window that lost its oldest entries begins.

    Not at the oldest entry that fits: the window would then begin one entry later with each call,
    and no prompt would share its transcript with the one before. It begins at the roundest number
    in its older half, and so stays put until that half has moved past it."""
    older = places[len(places) // 2 :]
    return max(reversed(older), key=lambda place: place & -place if place else _ROUNDEST)


def select(
    entries: Sequence[Entry], limits: Limits, render: Callable[[Entry], str]
) -> dict[int, str]:
    """The entries that are kept, by place and rendered, oldest first.

    Rendering is linear in what is kept. What is dropped costs one look at its type, and nothing
    at all once every window is full."""
    rendered: dict[int, str] = {}
    windows = {
        UserMessage: _Window(limits.user_tokens),
        PriorCall: _Window(limits.call_tokens),
        Fact: _Window(FACT_TOKENS),
        AgentText: _Window(limits.user_tokens),
    }
    first = next((i for i, one in enumerate(entries) if isinstance(one, UserMessage)), None)
    if first is not None:
        rendered[first] = render(entries[first])
        windows[UserMessage].left -= tokens(rendered[first])
    for place in range(len(entries) - 1, -1, -1):
        window = windows[type(entries[place])]
        if place == first or window.full:
            continue
        text = render(entries[place])
        if window.offer(place, tokens(text)):
            rendered[place] = text
        elif all(one.full for one in windows.values()):
            break
    kept = {place for window in windows.values() for place in window.steady_places()}
    newest = _last(kept, limits)
    chosen = newest if first is None else newest | {first}
    return {place: rendered[place] for place in sorted(chosen)}


def _last(places: set[int], limits: Limits) -> set[int]:
    """`visible` mode keeps a number of entries, whatever they are."""
    if not limits.visible or len(places) <= limits.visible_entries:
        return places
    newest = sorted(places, reverse=True)[: limits.visible_entries]
    start = _steady_start(newest)
    return {place for place in newest if place >= start}
