"""Antigravity (`agy`): what its hook is given, and what it answers. Never run here.

Its payloads name no event, so one event alone is heard: the call before it runs. Names of inputs
begin with a capital; those that say what a call does are given the names that others use.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from automode.agents.events import (
    NO_REMARKS,
    Abilities,
    Answer,
    CallProposed,
    Failures,
    Fate,
    HostEvent,
    Remarks,
    Speaker,
)
from automode.agents.shared.adapter import HostAdapter, json_line
from automode.agents.shared.fields import Fields
from automode.agents.shared.wording import told
from automode.core.decision import Decision, Verdict, settled
from automode.core.errors import BadCall

_AGAIN = "run `automode install antigravity` again"
_FIELDS = Fields("what Antigravity gave its hook", "Antigravity's hook", _AGAIN)
_NAMES = {
    "CommandLine": "command",
    "Cwd": "cwd",
    "AbsolutePath": "file_path",
    "TargetFile": "file_path",
    "CodeContent": "content",
    "TargetContent": "old_string",
    "ReplacementContent": "new_string",
    "DirectoryPath": "path",
    "SearchPath": "path",
    "SearchDirectory": "path",
    "Url": "url",
}
_WORDS = {Verdict.ALLOW: "allow", Verdict.ASK: "force_ask"}

_ABILITIES = Abilities(
    asks=True,
    stops=False,
    deadline_ms=25_000,
    allows=False,
    prompts="none: no hook is given what a person typed",
    failures=Failures(
        crash=Fate.RUNS,
        timeout=Fate.RUNS,
        plain_text=Fate.BLOCKED,
        silent_exit_2=Fate.RUNS,
        missing=Fate.RUNS,
    ),
    tested="not run, from its documentation",
)


@dataclass(frozen=True, slots=True)
class Antigravity(HostAdapter):
    """`force_ask` and not `ask`: the other one is answered by what a person once allowed for good.
    With nobody there a call that would be asked about is denied."""

    name = "antigravity"
    abilities = _ABILITIES

    def parse(self, payload: Mapping[str, object]) -> HostEvent:
        call = _FIELDS.given(payload, "toolCall")
        given = {_NAMES.get(name, name): one for name, one in _FIELDS.given(call, "args").items()}
        step = payload.get("stepIdx")
        return CallProposed(
            self._speaker(payload),
            _FIELDS.text(call, "name"),
            given,
            id=f"{_session(payload)}/{step}" if isinstance(step, int) else "",
        )

    def render(
        self, event: HostEvent, decision: Decision | None, _: Remarks = NO_REMARKS
    ) -> Answer:
        """Nothing at all where automode has no say; an answer without a decision would be a no."""
        if decision is None or not decision.enforced or not isinstance(event, CallProposed):
            return Answer()
        final = settled(decision, attended=event.speaker.attended)
        return Answer(json_line(_ruled(_WORDS.get(final.verdict, "deny"), told(final))))

    def denial(self, sentence: str) -> Mapping[str, object]:
        return _ruled("deny", sentence)

    def note(self, sentence: str) -> Mapping[str, object]:
        return {}

    def _speaker(self, payload: Mapping[str, object]) -> Speaker:
        return Speaker(_session(payload), _folder(payload), attended=self.attended)


def _session(payload: Mapping[str, object]) -> str:
    return _FIELDS.text(payload, "conversationId")


def _folder(payload: Mapping[str, object]) -> str:
    """A workspace may have several roots, and the first counts."""
    match payload.get("workspacePaths"):
        case [str(root), *_] if root.startswith("/") and "\0" not in root:
            return root
        case _:
            raise BadCall("`workspacePaths` of Antigravity's hook name no folder", _AGAIN)


def _ruled(word: str, reason: str) -> dict[str, object]:
    return {"decision": word, "reason": reason}
