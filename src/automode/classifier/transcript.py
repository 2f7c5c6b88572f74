"""From what a host tells to what a classifier may know: words of the user, calls, facts."""

# ruff: noqa: RUF001 - signs of many languages
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from automode.classifier.events import (
    AgentParagraph,
    ApprovalsForgotten,
    BranchTaken,
    Event,
    FactNoted,
    HostQuestionAnswered,
    Origin,
    ToolFinished,
    ToolProposed,
    UserPrompt,
    person_words,
    word_table,
)
from automode.classifier.hygiene import cut_in_the_middle
from automode.core.transcript import (
    AgentText,
    Entry,
    Fact,
    Outcome,
    PriorCall,
    Transcript,
    UserMessage,
)

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


@dataclass(slots=True)
class _Kept:
    """An entry in its place, where it may be put right later."""

    entry: Entry
    size: int


@dataclass(slots=True)
class Memory:
    """What is remembered of a session: bounded, because a session has no end.

    Old calls go first. Words of the user and facts are kept apart from them, as in a prompt: a
    flood of calls must not wash out what the user said. What went is marked, and goes in one large
    step: the places of all that stays then move together, and prompts keep what they share."""

    dropped: int = 0
    _kept: list[_Kept] = field(default_factory=list)
    _characters: int = 0

    @property
    def entries(self) -> tuple[Entry, ...]:
        return tuple([one.entry for one in self._kept])  # quicker than by a generator

    def add(self, entry: Entry) -> _Kept:
        kept = _Kept(*_shorten(entry))
        self._kept.append(kept)
        self._characters += kept.size
        while len(self._kept) > MOST_ENTRIES or self._heavy():
            self._drop()
        return kept

    def drop_unless(self, stays: Callable[[Entry], bool]) -> list[UserMessage]:
        """Forgets entries for good; returns the user's messages among them, without what they
        answered."""
        gone = [one.entry for one in self._kept if not stays(one.entry)]
        left = set(map(id, gone))
        self._kept = [one for one in self._kept if id(one.entry) not in left]
        self._characters = sum(one.size for one in self._kept)
        return [replace(one, referent="") for one in gone if isinstance(one, UserMessage)]

    def forget_approvals(self) -> None:
        for kept in self._kept:
            if isinstance(kept.entry, PriorCall) and kept.entry.approved:
                kept.entry = replace(kept.entry, approved=False)

    def _heavy(self) -> bool:
        """A few entries always stay: none of them is long enough to matter."""
        return self._characters > MOST_CHARACTERS and len(self._kept) > FEWEST

    def _drop(self) -> None:
        step = STEP if len(self._kept) > 2 * STEP else max(1, len(self._kept) // 2)
        # One more than the step for each that stays and for the mark, less the mark of before.
        end, staying = step, self._places_to_keep(step)
        while end - len(staying) - 1 < step and end < len(self._kept) - 1:
            end += 1
            staying = self._places_to_keep(end)
        self.dropped += end - len(staying) - int(bool(self.dropped))
        text = f"{self.dropped} older entries of this session are no longer kept"
        places = (*staying, *range(end, len(self._kept)))
        self._kept = [_Kept(Fact(OMITTED, text), len(text)), *(self._kept[at] for at in places)]
        self._characters = sum(one.size for one in self._kept)

    def _places_to_keep(self, end: int) -> list[int]:
        """The places before `end` whose entries stay: the first words, the newest, the facts."""
        facts: list[int] = []
        words: list[int] = []
        first: list[int] = []
        room = MOST_WORD_CHARACTERS
        for place in range(end - 1, -1, -1):
            entry = self._kept[place].entry
            if isinstance(entry, UserMessage):
                first = [place]
                if len(words) < MOST_WORDS:
                    room -= self._kept[place].size
                    words += [place] if room >= 0 else []
            elif isinstance(entry, Fact) and entry.name != OMITTED and len(facts) < MOST_FACTS:
                facts.append(place)
        return sorted({*first, *words, *facts})


def _size(entry: Entry) -> int:
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


def _shorten(entry: Entry) -> tuple[Entry, int]:
    """The entry, cut where it is too long, and its size."""
    size = _size(entry)
    if size <= (LONGEST_ENTRY if isinstance(entry, PriorCall) else LONGEST_STRING):
        return entry, size
    short = _short(entry)
    return short, _size(short)


def _short(entry: Entry) -> Entry:
    match entry:
        case UserMessage(text, referent):
            return UserMessage(cut_in_the_middle(text, LONGEST_STRING), referent)
        case PriorCall(tool, given, outcome):
            cut = _shorten_input(given)
            fits = _characters(cut) <= LONGEST_ENTRY
            # Very many short strings: what the call touched can no longer be told.
            return PriorCall(tool, cut if fits else {"input": "too long to be kept"}, outcome)
        case Fact(name, text):
            return Fact(name, cut_in_the_middle(text, LONGEST_STRING))
        case AgentText(text):
            return AgentText(cut_in_the_middle(text, LONGEST_STRING))


def _shorten_input(given: Mapping[str, object]) -> Mapping[str, object]:
    return {name: _cut_value(value) for name, value in given.items()}


def _cut_value(value: object) -> object:
    if isinstance(value, str):
        return cut_in_the_middle(value, LONGEST_STRING)
    if isinstance(value, Mapping):
        return {str(name): _cut_value(one) for name, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [_cut_value(one) for one in value]
    return value


REFERENT_CHARACTERS = 600
MOST_RUNNING = 256


@dataclass(slots=True)
class Recorder:
    """Hears a session's events in order. However long the session is, what is remembered of it is
    not."""

    _memory: Memory = field(default_factory=Memory)
    _running: dict[str, _Kept] = field(default_factory=dict)  # by the host's id of the call
    _said: str = ""  # the agent's last paragraph, while nothing has happened since
    _referring: _Kept | None = None  # the message whose referent still holds
    _left: list[UserMessage] = field(default_factory=list)  # words of branches that were left
    _transcript: Transcript | None = None  # until something is heard

    def hear(self, event: Event) -> None:
        self._transcript = None
        match event:
            case ToolProposed():
                self._said = ""
                self._add_call(event)
            case ToolFinished():
                self._end_call(event)
            case ApprovalsForgotten():
                self._memory.forget_approvals()
            case UserPrompt():
                self._prompt(event)
            case BranchTaken():
                self._take_branch(event)
            case AgentParagraph():
                self._said = last_paragraph(event.text)
                if event.shown:
                    self._memory.add(AgentText(event.text.strip()))
            case HostQuestionAnswered():
                self._answer(event)
            case FactNoted():
                self._memory.add(event.fact)

    @property
    def transcript(self) -> Transcript:
        if self._transcript is None:
            self._transcript = Transcript(self._memory.entries)
        return self._transcript

    def running(self, call_id: str) -> bool:
        """Whether a call was proposed under this id and has not finished."""
        return call_id in self._running

    def _add_call(self, event: ToolProposed) -> None:
        self._running.pop(event.id, None)
        self._running[event.id] = self._memory.add(PriorCall(event.tool, event.input))
        while len(self._running) > MOST_RUNNING:  # the host does not say when calls finish
            del self._running[next(iter(self._running))]

    def _prompt(self, event: UserPrompt) -> None:
        words = person_words(event.text) if event.origin is Origin.PERSON else ""
        if not words:
            return  # a machine's turn: neither the user's words nor the end of a referent
        self._void_referent()
        answers = bool(self._said) and bare_affirmation(words)
        message = self._memory.add(UserMessage(words, self._said if answers else ""))
        self._referring = message if answers else None
        self._said = ""

    def _take_branch(self, event: BranchTaken) -> None:
        """The user's words are now those on this branch, as far as they were heard before: words
        that nobody typed become no user's. Words that the tree does not show stay."""
        self._void_referent()
        self._said = ""
        self._memory.forget_approvals()
        wanted = Counter(person_words(text) for text in event.words)
        known = {*wanted, *(person_words(text) for text in event.left)}

        def stays(entry: Entry) -> bool:
            if not isinstance(entry, UserMessage) or entry.text not in known:
                return True
            wanted[entry.text] -= 1
            return wanted[entry.text] >= 0

        back, self._left = self._left, self._memory.drop_unless(stays)
        for message in back:
            if wanted[message.text] > 0:
                wanted[message.text] -= 1
                self._memory.add(message)
            else:
                self._left.append(message)
        del self._left[:-MOST_WORDS]

    def _void_referent(self) -> None:
        """One "yes" answers one proposal; after the user's next words it stands for nothing."""
        kept, self._referring = self._referring, None
        if kept is not None and isinstance(kept.entry, UserMessage):
            kept.entry = replace(kept.entry, referent="")

    def _end_call(self, event: ToolFinished) -> None:
        kept = self._running.pop(event.id, None)
        if kept is not None and isinstance(kept.entry, PriorCall):
            kept.entry = replace(kept.entry, outcome=event.outcome, approved=event.approved)

    def _answer(self, event: HostQuestionAnswered) -> None:
        """The question was on the user's screen, so it is kept in every mode, and for good."""
        if event.own_tool and event.answer.strip():
            self._void_referent()
            self._said = ""
            question = _tail(event.question.strip())
            self._memory.add(UserMessage(event.answer.strip(), question))


def transcript_of(events: Iterable[Event]) -> Transcript:
    recorder = Recorder()
    for event in events:
        recorder.hear(event)
    return recorder.transcript


def transcript_of_row(
    messages: Sequence[Mapping[str, object]], prior_calls: Sequence[Mapping[str, object]]
) -> Transcript:
    """The transcript of one row of a batch: `messages` with `role` and `content`, and the calls
    before this one with `tool`, `input` and maybe `outcome`. A row does not say how the two
    interleave; calls are put last, where the newest belong."""
    events: list[Event] = [event for message in messages for event in _events_of(message)]
    calls = [_prior(row) for row in prior_calls]
    entries = transcript_of(events).entries
    return Transcript((*entries, *(call for call in calls if call is not None)))


def last_paragraph(text: str) -> str:
    """The last paragraph, or its end where it is long: the question stands there."""
    paragraphs = text.replace("\r\n", "\n").strip().rsplit("\n\n", 1)
    return _tail(paragraphs[-1].strip())


def _tail(text: str) -> str:
    if len(text) <= REFERENT_CHARACTERS:
        return text
    return "…" + text[-(REFERENT_CHARACTERS - 1) :]


def _events_of(message: Mapping[str, object]) -> tuple[Event, ...]:
    text = _content(message.get("content"))
    match message.get("role"):
        case "user":
            return (UserPrompt(text),)
        case "assistant":
            return (AgentParagraph(text),)
        case _:
            return ()


def _content(content: object) -> str:
    """Plain text, or the text parts of a list of parts; tool results are no text of anybody."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, Mapping)]
    return "\n".join(text for text in texts if isinstance(text, str))


def _prior(row: Mapping[str, object]) -> PriorCall | None:
    tool, given, outcome = row.get("tool"), row.get("input"), row.get("outcome")
    if not isinstance(tool, str):
        return None
    known = next((one for one in Outcome if one.value == outcome), None)
    return PriorCall(tool, given if isinstance(given, Mapping) else {"input": given}, known)


LONGEST_AFFIRMATION = 60  # characters; longer messages say something of their own

_ORNAMENT = re.compile("[\u200d\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]")  # joiners, skin tones
_SEPARATORS = re.compile(r"[\s,.;:!…~*_`\"“”„()\-—–、。！，]+")


def _normal(text: str) -> str:
    plain = _ORNAMENT.sub("", unicodedata.normalize("NFKC", text)).casefold().replace("’", "'")
    return _SEPARATORS.sub(" ", plain).strip()


# A phrase ends at a blank, or anywhere in scripts that write no blanks.
_END = r"(?:\s+|$|(?<=[^\x00-\u04ff]))"


@cache
def _assent() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What says yes, and a text that says nothing else."""
    yes = {_normal(word) for one in word_table("yes").values() for word in one}
    polite = {_normal(word) for word in word_table("beside")["polite"]}
    found, only = (
        "|".join(map(re.escape, sorted(these, key=len, reverse=True)))
        for these in (yes, yes | polite)
    )
    begin = r"(?:^|\s|(?<=[^\x00-\u04ff]))"
    return re.compile(rf"{begin}(?:{found}){_END}"), re.compile(rf"(?:(?:{only}){_END})+")


def bare_affirmation(text: str) -> bool:
    """True for "yes", "ok, go ahead", "好的", "👍"; False for anything that adds words of its own,
    and for a question, which is no consent."""
    if len(text) > LONGEST_AFFIRMATION or "?" in text or "？" in text:
        return False
    (assent, nothing_else), normal = _assent(), _normal(text)
    return bool(nothing_else.fullmatch(normal) and assent.search(normal))
