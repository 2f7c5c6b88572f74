"""What every adapter has: a name, what its agent was measured to do, and how its answers close."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from automode.agents.events import NO_REMARKS, Abilities, Answer, HostEvent, Moment, Remarks
from automode.agents.shared.wording import noted, undecided, unseen
from automode.core.decision import Decision

STOP = 2
_ENCODER = json.JSONEncoder(separators=(",", ":"))  # making one takes as long as using it


def json_line(answer: Mapping[str, object]) -> str:
    """ASCII: half a surrogate pair in a reason must not keep an answer from being written."""
    return _ENCODER.encode(answer) + "\n"


@dataclass(frozen=True, slots=True)
class HostAdapter:
    """Keeps the contract of `events.Adapter`. `attended`: what the hook's own start knows."""

    attended: bool = True

    name: ClassVar[str]
    abilities: ClassVar[Abilities]

    def parse(self, payload: Mapping[str, object]) -> HostEvent:
        raise NotImplementedError

    def render(
        self, event: HostEvent, decision: Decision | None, remarks: Remarks = NO_REMARKS
    ) -> Answer:
        raise NotImplementedError

    def denial(self, sentence: str) -> Mapping[str, object]:
        """The answer that denies a call, with `sentence` for the agent."""
        raise NotImplementedError

    def note(self, sentence: str) -> Mapping[str, object]:
        """The answer that puts `sentence` beside a result; empty where the agent reads none."""
        raise NotImplementedError

    def closed(self, moment: Moment, reason: str) -> Answer:
        """Closes twice: by the answer, and by the exit status where the answer is lost, with a
        sentence on standard error, because some agents let a call run without one."""
        if moment is Moment.FINISHED:
            note = self.note(unseen(reason))
            return Answer(json_line(note) if note else "", f"{noted(reason)}\n")
        if moment is not Moment.PROPOSED:
            return Answer(stderr=f"{noted(reason)}\n")
        sentence = undecided(reason)
        return Answer(json_line(self.denial(sentence)), f"{sentence}\n", exit=STOP)
