"""What a recorder remembers of a session: bounded, because a session has no end.

Old calls go first. Words of the user and facts are kept apart from them, as in a prompt: a flood of
calls must not wash out what the user said. What went is marked, and goes in one large step: the
places of all that stays then move together, and prompts keep what they share.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from automode.classifier.cutting import cut_in_the_middle
from automode.core.transcript import Entry, Fact, PriorCall, UserMessage

MOST_ENTRIES = 512
STEP = 128  # a power of two: see `classifier.budget` on where a window begins
MOST_CHARACTERS = 4 * 1024 * 1024
LONGEST_ENTRY = 1024 * 1024  # characters; the longer ones are cut in their strings
LONGEST_STRING = 65_536
MOST_WORDS = 128  # messages of the user among what is older than the newest entries
MOST_WORD_CHARACTERS = 512 * 1024
FEWEST = 4
MOST_FACTS = 16
OMITTED = "omitted"


@dataclass(frozen=True, slots=True)
class AgentText:
    """Prose of the agent. It has no place in a `Transcript`; only `visible` mode shows it."""

    text: str


Told: TypeAlias = Entry | AgentText


@dataclass(slots=True)
class Memory:
    """Entries in their order, each with a number that stays its own."""

    entries: list[Told] = field(default_factory=list)
    dropped: int = 0
    _prose: bool = False  # whether the agent's own text is among them
    _numbers: list[int] = field(default_factory=list)
    _sizes: list[int] = field(default_factory=list)
    _next: int = 0
    _characters: int = 0

    def add(self, entry: Told) -> int:
        """The number under which the entry is found again."""
        number = self._next
        self._next += 1
        kept, size = _shortened(entry)
        self.entries.append(kept)
        self._prose = self._prose or isinstance(kept, AgentText)
        self._numbers.append(number)
        self._sizes.append(size)
        self._characters += size
        while len(self.entries) > MOST_ENTRIES or self._heavy():
            self._drop()
        return number

    def _heavy(self) -> bool:
        """A few entries always stay: none of them is long enough to matter."""
        return self._characters > MOST_CHARACTERS and len(self.entries) > FEWEST

    def without_prose(self) -> tuple[Entry, ...]:
        """All but what the agent said itself. Asked for with every call, so it has to be quick."""
        if self._prose:
            return tuple(one for one in self.entries if not isinstance(one, AgentText))
        return cast("tuple[Entry, ...]", tuple(self.entries))

    def get(self, number: int) -> Told | None:
        place = self._place(number)
        return None if place is None else self.entries[place]

    def change(self, number: int, entry: Told) -> None:
        """Puts another entry of about the same size in the place of one that is still there."""
        place = self._place(number)
        if place is not None:
            self.entries[place] = entry

    def _place(self, number: int) -> int | None:
        place = bisect_left(self._numbers, number)
        there = place < len(self._numbers) and self._numbers[place] == number
        return place if there else None

    def _drop(self) -> None:
        step = STEP if len(self.entries) > 2 * STEP else max(1, len(self.entries) // 2)
        first = next((i for i, one in enumerate(self.entries) if isinstance(one, UserMessage)), -1)
        # One more than the step for each that stays and for the mark, less the mark of before.
        end, staying = step, self._staying(step, first)
        while end - len(staying) - 1 < step and end < len(self.entries) - 1:
            end += 1
            staying = self._staying(end, first)
        marked = int(bool(self.dropped))
        self.dropped += end - len(staying) - marked
        text = f"{self.dropped} older entries of this session are no longer kept"
        places = (*staying, *range(end, len(self.entries)))
        self.entries = [Fact(OMITTED, text), *(self.entries[place] for place in places)]
        self._numbers = [-1, *(self._numbers[place] for place in places)]
        self._sizes = [len(text), *(self._sizes[place] for place in places)]
        self._characters = sum(self._sizes)

    def _staying(self, end: int, first: int) -> list[int]:
        """The places before `end` whose entries stay: the first words, the newest, the facts."""
        facts: list[int] = []
        words: list[int] = []
        room = MOST_WORD_CHARACTERS
        for place in range(end - 1, -1, -1):
            entry = self.entries[place]
            if isinstance(entry, UserMessage) and len(words) < MOST_WORDS:
                room -= self._sizes[place]
                words += [place] if room >= 0 else []
            elif isinstance(entry, Fact) and entry.name != OMITTED and len(facts) < MOST_FACTS:
                facts.append(place)
        earliest = [first] if 0 <= first < end else []
        return sorted({*earliest, *words, *facts})


def _size(entry: Told) -> int:
    match entry:
        case PriorCall():
            return len(entry.tool) + _characters(entry.input)
        case UserMessage():
            return len(entry.text) + len(entry.referent)
        case Fact() | AgentText():
            return len(entry.text)


def _characters(value: object) -> int:
    """Of every string in an input; another value counts as one of eight."""
    count = 0
    waiting: list[object] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            count += len(one)
        elif isinstance(one, (list, tuple)):
            waiting += one
        elif isinstance(one, (dict, Mapping)):  # a dict is told at once, others are asked
            waiting += one.keys()
            waiting += one.values()
        else:
            count += 8
    return count


def _shortened(entry: Told) -> tuple[Told, int]:
    """The entry, cut where it is too long, and its size."""
    size = _size(entry)
    if size <= (LONGEST_ENTRY if isinstance(entry, PriorCall) else LONGEST_STRING):
        return entry, size
    short = _short(entry)
    return short, _size(short)


def _short(entry: Told) -> Told:
    match entry:
        case UserMessage(text, referent):
            return UserMessage(cut_in_the_middle(text, LONGEST_STRING), referent)
        case PriorCall(tool, given, outcome):
            cut = _cut(given)
            fits = _characters(cut) <= LONGEST_ENTRY
            # Very many short strings: what the call touched can no longer be told.
            return PriorCall(tool, cut if fits else {"input": "too long to be kept"}, outcome)
        case Fact(name, text):
            return Fact(name, cut_in_the_middle(text, LONGEST_STRING))
        case AgentText(text):
            return AgentText(cut_in_the_middle(text, LONGEST_STRING))


def _cut(given: Mapping[str, object]) -> Mapping[str, object]:
    return {name: _cut_value(value) for name, value in given.items()}


def _cut_value(value: object) -> object:
    if isinstance(value, str):
        return cut_in_the_middle(value, LONGEST_STRING)
    if isinstance(value, Mapping):
        return {str(name): _cut_value(one) for name, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [_cut_value(one) for one in value]
    return value
