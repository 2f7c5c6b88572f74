"""One session while its file is read: what was said before each call, and how the call ended."""

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from automode.classifier.events import (
    AgentParagraph,
    Event,
    HostQuestionAnswered,
    Origin,
    ToolFinished,
    ToolProposed,
    UserPrompt,
)
from automode.classifier.transcript import Recorder
from automode.core.transcript import Outcome
from automode.evaluation.transcripts.recorded import RecordedCall, Then

MOST_WAITING = 256
"""Calls whose end was not read yet: agents that were killed leave such calls behind for ever."""

THEN = {
    Outcome.OK: Then.RAN,
    Outcome.ERROR: Then.RAN,
    Outcome.DENIED: Then.REFUSED,
    Outcome.REJECTED: Then.REJECTED,
}
_DENIED_BY_US = ("automode (", "automode could not decide")


def ended(text: str, *, failed: bool) -> Outcome:
    """The outcome of a result that says no more than whether it failed. How our own denials begin
    is known."""
    if failed:
        denied = text.lstrip().startswith(_DENIED_BY_US)
        return Outcome.DENIED if denied else Outcome.ERROR
    return Outcome.OK


@dataclass(slots=True)
class Gathering:
    """Calls come out in the order in which they were proposed, each when its end is known."""

    host: str
    session: str = ""
    parent: str | None = None
    cwd: str = ""
    root: str = ""
    _recorder: Recorder = field(default_factory=Recorder)
    _waiting: OrderedDict[str, RecordedCall | None] = field(default_factory=OrderedDict)
    _done: dict[str, RecordedCall] = field(default_factory=dict)

    def moved(self, folder: object) -> None:
        """To another working folder; the first one is the project."""
        if isinstance(folder, str) and folder:
            self.cwd = folder
            self.root = self.root or folder

    def said(self, text: str, origin: Origin = Origin.PERSON) -> None:
        """Inside a sub-agent nobody but the agent above it speaks in the user's place."""
        if self.parent is not None and origin is Origin.PERSON:
            origin = Origin.ORCHESTRATOR
        self._hear(UserPrompt(text, origin))

    def agent_said(self, text: str) -> None:
        if text.strip():
            self._hear(AgentParagraph(text))

    def answered(self, question: str, answer: str) -> None:
        self._hear(HostQuestionAnswered(question, answer, own_tool=self.parent is None))

    def proposed(self, call_id: str, tool: str, given: Mapping[str, object], at: float) -> None:
        call = RecordedCall(
            self.host,
            self.session,
            call_id,
            tool,
            given,
            self.cwd,
            self.root,
            at,
            self.parent,
            transcript=self._recorder.transcript,
        )
        if call_id in self._waiting:
            return  # the same row again: a file may hold a conversation twice
        self._waiting[call_id] = call
        self._hear(ToolProposed(call_id, tool, given))

    def tool(self, call_id: str) -> str:
        """The tool of a call that has not ended; empty for any other."""
        call = self._waiting.get(call_id)
        return "" if call is None else call.tool

    def finished(self, call_id: str, outcome: Outcome) -> None:
        call = self._waiting.get(call_id)
        if call is not None:
            self._waiting[call_id] = None
            self._done[call_id] = replace(call, then=THEN[outcome])
            self._hear(ToolFinished(call_id, outcome))

    def ready(self) -> Iterator[RecordedCall]:
        """Those in front whose end is known, and those that wait too long for theirs."""
        while self._waiting:
            call_id, call = next(iter(self._waiting.items()))
            if call is not None and len(self._waiting) <= MOST_WAITING:
                return
            del self._waiting[call_id]
            yield self._done.pop(call_id) if call is None else call

    def rest(self) -> Iterator[RecordedCall]:
        """The file is over."""
        for call_id, call in self._waiting.items():
            yield self._done.pop(call_id) if call is None else call
        self._waiting.clear()

    def _hear(self, event: Event) -> None:
        self._recorder.hear(event)
