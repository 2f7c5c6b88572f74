"""Which words in the user's place are no person's after all: by what the agent itself passed to its
tools, and by its own record, which knows of a prompt only after its hook was answered.

PromptOrigin are taken from the user here, and never given to them.
"""

import json
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from automode.classifier.machine_turns import person_words
from automode.core.input_paths import input_texts
from automode.core.transcript import Entry, PriorCall, Transcript, UserMessage
from automode.sessions.transcript_text import encode

LEAST_QUOTED = 12
"""Characters: shorter words are in anybody's mouth."""

ECHO_SECONDS = 2.0
"""An agent with two hooks for a prompt says the same twice; no person types so fast."""

MOST_UNCHECKED = 16
MOST_DISOWNED = 512
DISOWNED_START = '{"heard":"disowned"'
"""How the line begins that keeps it."""


@dataclass(slots=True)
class PromptOrigin:
    """Of one session. `record` is the file in which the agent itself keeps it, `unchecked` are
    prompts that the record has not told of yet."""

    record: str = ""
    unchecked: OrderedDict[str, None] = field(default_factory=OrderedDict)
    disowned: OrderedDict[str, None] = field(default_factory=OrderedDict)
    awaited: str = ""  # the prompt that the record was given time for
    _last: tuple[str, int, float] = ("", -1, 0.0)  # the last prompt, its place, when it came

    def echoed(self, prompt: str, place: int, now: float) -> bool:
        """Whether it was just heard, with nothing since then. `place`: events so far."""
        last, then, at = self._last
        again = last == prompt and then == place and 0.0 <= now - at <= ECHO_SECONDS
        self._last = (prompt, place if again else place + 1, now)
        return again

    def typed(self, text: str) -> None:
        """By a person, as far as anybody knows yet."""
        self.unchecked[text] = None
        self.unchecked.move_to_end(text)
        if len(self.unchecked) > MOST_UNCHECKED:
            self.unchecked.popitem(last=False)

    def checked(self, marks: Mapping[str, bool]) -> list[str]:
        """What the record says of prompts: True for those that nobody typed. Those of them that
        passed for a person's until now."""
        for text in marks:
            self.unchecked.pop(text, None)
        found = [text for text, machine in marks.items() if machine]
        for text in found:
            self.disown(text)
        return found

    def disown(self, text: str) -> None:
        self.unchecked.pop(text, None)
        self.disowned[person_words(text)] = None
        if len(self.disowned) > MOST_DISOWNED:
            self.disowned.popitem(last=False)

    def persons(self, transcript: Transcript) -> Transcript:
        """Without the words that nobody typed."""
        if not self.disowned:
            return transcript
        return Transcript(tuple(one for one in transcript.entries if not self._disowns(one)))

    def _disowns(self, entry: Entry) -> bool:
        return isinstance(entry, UserMessage) and entry.text in self.disowned


def disowned_text(text: str) -> str:
    """The line that keeps it; `text` is without secrets, as the line of the prompt itself."""
    return encode({"heard": "disowned", "text": text})


def disowned_of(line: str) -> str | None:
    """What such a line says; None for any other line."""
    if not line.startswith(DISOWNED_START):
        return None
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    text = value.get("text") if isinstance(value, Mapping) else None
    return text if isinstance(text, str) else None


def said_by_agent(text: str, entries: Iterable[Entry]) -> bool:
    """Whether the agent itself passed these words to a tool: what it schedules for later comes
    back in the user's place."""
    words = _plain(text)
    if len(words) < LEAST_QUOTED:
        return False
    # Looking for one word is quick, and most strings do not even have that.
    longest = max(words.split(), key=len)
    return any(
        longest in passed and words in _plain(passed)
        for entry in entries
        if isinstance(entry, PriorCall)
        for passed in input_texts(entry.input)
    )


def _plain(text: str) -> str:
    return " ".join(text.split())
