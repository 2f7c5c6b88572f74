"""What adapters share: reading payloads, the steps of `parse` and `render`, how answers close."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from automode.agents.agent import Agent
from automode.agents.events import (
    NO_FEEDBACK,
    Abilities,
    Answer,
    CallFinished,
    CallProposed,
    Feedback,
    HostEvent,
    Ignored,
    Moment,
    PermissionSought,
    PersonSaid,
    PromptTyped,
    SessionEnded,
    SessionRef,
    SessionStarted,
    TurnEnded,
)
from automode.agents.shared.wording import (
    LONGEST,
    note_text,
    printable_text,
    undecided_text,
    unscreened_text,
    with_id,
)
from automode.core.decision import Decision, settle
from automode.core.errors import BadCall
from automode.core.strict_json import decode
from automode.core.tool_input import with_command

Payload: TypeAlias = Mapping[str, object]
Call: TypeAlias = tuple[str, Mapping[str, object]]

STOP = 2
VERBS = (
    *("on", "off", "reset", "approve", "status", "denials"),
    *("config", "defaults", "reload", "model", "help"),
)
_ENCODER = json.JSONEncoder(separators=(",", ":"))  # making one takes as long as using it
_SAID = re.compile(
    rf"\s*/auto-?mode(?:(?::|\s+)(?P<verb>{'|'.join(VERBS)})(?P<rest>\s.*)?)?\s*", re.DOTALL
)
_CODE = re.compile(r"[0-9]{6}")


def json_line(answer: Payload) -> str:
    """ASCII: half a surrogate pair in a reason must not keep an answer from being written."""
    return _ENCODER.encode(answer) + "\n"


def print_json(answer: Payload) -> Answer:
    """Nothing for an empty answer."""
    return Answer(json_line(answer) if answer else "")


@dataclass(frozen=True, slots=True)
class Fields:
    """Reads payloads of one agent. The words are for errors: a field is missing in what was `said`,
    one of `whose` is odd, and `hint` is the way out."""

    said: str
    whose: str
    hint: str

    @classmethod
    def of(cls, agent: Agent, what: str = "hook") -> "Fields":
        whose = f"{agent.title}'s {what}"
        return cls(f"what {whose} was given", whose, f"run `automode install {agent.name}` again")

    def text(self, payload: Payload, field: str) -> str:
        text = self.optional(payload, field)
        if not text:
            raise BadCall(f"no `{field}` in {self.said}", self.hint)
        return text

    def optional(self, payload: Payload, field: str, *, odd: bool = False) -> str:
        """Empty without it. `odd`: what a tool printed may hold anything."""
        found = payload.get(field)
        if found is None:
            return ""
        if isinstance(found, str) and (odd or "\0" not in found):
            return found
        raise BadCall(f"`{field}` of {self.whose} is not plain text", self.hint)

    def object_at(self, payload: Payload, field: str, *, written: bool = False) -> Payload:
        """An object, such as a tool's input. `written`: it may come as a text in JSON."""
        given = payload.get(field)
        if written and isinstance(given, str):
            try:
                given = decode(given)
            except (ValueError, RecursionError) as error:
                raise BadCall(f"`{field}` of {self.whose} is no JSON", self.hint) from error
        if not isinstance(given, Mapping):
            raise BadCall(f"`{field}` of {self.whose} is no object", self.hint)
        return given

    def folder(self, payload: Payload, found: object = None) -> str:
        """`found`, else the field `cwd`. A relative one would be resolved against the daemon's
        folder."""
        folder = found or self.text(payload, "cwd")
        if not isinstance(folder, str) or not folder.startswith("/") or "\0" in folder:
            raise BadCall(f"no absolute path of a folder in {self.said}", self.hint)
        return folder


def person_said(ref: SessionRef, text: str) -> PersonSaid | None:
    """A word to automode in a prompt, `/automode off` and its kin; None for every other text. What
    follows the word is split into what it is about and the code that confirms it; anything else
    stays what it is about, and fits nothing."""
    found = _SAID.fullmatch(text)
    if found is None:
        return None
    words = (found["rest"] or "").split()
    # An id may be all digits: then it is no code where nothing stands before it.
    first = 1 if found["verb"] in ("approve", "model") else 0
    coded = len(words) == first + 1 and _CODE.fullmatch(words[-1]) is not None
    code = words.pop() if coded else ""
    return PersonSaid(ref, found["verb"] or "status", " ".join(words), code, text.strip())


def reply_text(feedback: Feedback) -> str:
    """The reply to a person's word to automode."""
    first, *others = (feedback.reply or "nothing was done").splitlines()
    lines = (f"automode: {first}", *others)
    return "\n".join(map(printable_text, lines))[:LONGEST]


def named_once(text: str) -> str:
    """The prefix `automode:` is written once."""
    return note_text(text.removeprefix("automode: "))


@dataclass(frozen=True, slots=True)
class HookAdapter:
    """Keeps the contract of `events.Adapter`, for an agent that starts a hook for each event. This
    holds what the payloads and answers of agents have in common, with Claude Code's names; each
    overrides what differs. `attended`: what the hook's own start knows; a payload can only take it
    back."""

    attended: bool = True

    agent: ClassVar[Agent]
    fields: ClassVar[Fields]
    machine_turns: ClassVar[tuple[str, ...]] = ()
    """How texts begin that the agent itself puts in the user's place."""
    never_prompts: ClassVar[tuple[str, ...]] = ()
    """Permission modes in which whatever would be asked is denied."""
    takes_commands: ClassVar[bool] = False
    """Whether a person may speak to automode in its prompt, and only they read the reply."""
    silence: ClassVar[Answer] = Answer()
    """The answer where automode has no say: then the agent's own flow goes on."""

    @property
    def name(self) -> str:
        return self.agent.name

    @property
    def abilities(self) -> Abilities:
        return self.agent.abilities

    @property
    def events(self) -> Mapping[str, str]:
        return self.agent.events

    @classmethod
    def guest_for(cls, payload: Payload, *, attended: bool) -> "HookAdapter | None":
        """Of an agent that also runs the hooks in Claude Code's settings, and tells such a hook
        what it tells its own, in other words: the adapter for its payload; None for any other."""
        return None

    def parse(self, payload: Payload) -> HostEvent:
        event = self.event_name(payload)
        kind = self.events.get(event)
        if kind is None:
            return Ignored(event)
        ref = self.ref(payload)
        match kind:
            case "proposed":
                return CallProposed(
                    ref, *self.call(payload), self.identity(payload), self.changeable(payload)
                )
            case "sought":
                return PermissionSought(ref, *self.sought(payload), id=self.identity(payload))
            case "finished":
                return self.finished(ref, payload, event)
            case "prompt":
                return self.prompt(ref, payload)
            case "branch":
                return self.branch(ref, payload)
            case "started":
                return SessionStarted(ref)
            case "turn":
                return TurnEnded(ref, self.last_words(payload))
            case _:
                return SessionEnded(ref)

    def event_name(self, payload: Payload) -> str:
        return self.fields.text(payload, "hook_event_name")

    def ref(self, payload: Payload) -> SessionRef:
        """A sub-agent sends the session id of its parent, and its own agent id."""
        session, child = (
            self.fields.text(payload, "session_id"),
            self.fields.optional(payload, "agent_id"),
        )
        return SessionRef(
            session=f"{session}/{child}" if child else session,
            cwd=self.fields.folder(payload),
            parent=session if child else None,
            attended=self.attended and payload.get("permission_mode") not in self.never_prompts,
            model=self.model(payload),
            record=self.record(payload, child),
        )

    def model(self, payload: Payload) -> str | None:
        return None

    def record(self, payload: Payload, child: str) -> str:
        return self.fields.optional(payload, "transcript_path")

    def call(self, payload: Payload) -> Call:
        given = self.fields.object_at(payload, "tool_input")
        return self.fields.text(payload, "tool_name"), given

    def sought(self, payload: Payload) -> Call:
        """The call of the agent's own question, as it was proposed."""
        return self.call(payload)

    def identity(self, payload: Payload) -> str:
        return self.fields.optional(payload, "tool_use_id")

    def changeable(self, payload: Payload) -> bool:
        """Whether the answer can change the input of the call."""
        return bool(self.abilities.confines)

    def finished(self, ref: SessionRef, payload: Payload, event: str) -> CallFinished:
        raise NotImplementedError

    def prompt(self, ref: SessionRef, payload: Payload) -> HostEvent:
        """What reaches a sub-agent in the user's place was written by the agent above it."""
        text = self.fields.optional(payload, "prompt", odd=True)
        machine = ref.parent is not None or text.lstrip().startswith(self.machine_turns)
        said = person_said(ref, text) if self.takes_commands and not machine else None
        return said or PromptTyped(ref, text, machine=machine)

    def branch(self, ref: SessionRef, payload: Payload) -> HostEvent:
        raise NotImplementedError

    def last_words(self, payload: Payload) -> str:
        found = payload.get("last_assistant_message")
        return found if isinstance(found, str) else ""

    def render(
        self, event: HostEvent, decision: Decision | None, feedback: Feedback = NO_FEEDBACK
    ) -> Answer:
        match event:
            case CallProposed(ref) | PermissionSought(ref):
                if decision is None or not decision.enforced:
                    return self.silence
                final = settle(decision, attended=ref.attended)
                if isinstance(event, PermissionSought):
                    return print_json(self.permit(final))
                final = with_id(final, feedback.record)
                return print_json(self.rewrite(self.rule(final), final, event.input))
            case SessionStarted(ref):
                return self.say(self.guide(ref), feedback, event)
            case CallFinished() if feedback.warning:
                return self.say(self.warn(event, feedback.warning), feedback, event)
            case PromptTyped() if feedback.warning:
                return self.say(self.warn_of_task(feedback.warning), feedback, event)
            case PersonSaid():
                return print_json({"decision": "block", "reason": reply_text(feedback)})
            case _:
                return self.say({}, feedback, event)

    def rule(self, final: Decision) -> Payload:
        """The answer to a call that is proposed."""
        raise NotImplementedError

    def rewrite(self, answer: Payload, final: Decision, given: Payload) -> Payload:
        """The answer with the input that runs in the place of `given`, where the call may run only
        so. An agent that cannot be told is told no."""
        if not final.runs_instead:
            return answer
        if not self.abilities.confines:
            return self.denial(undecided_text(f"{self.agent.title} cannot run it confined"))
        return self.change(answer, with_command(given, final.runs_instead))

    def change(self, answer: Payload, given: Payload) -> Payload:
        """The answer that allows a call with the input `given`."""
        raise NotImplementedError

    def permit(self, final: Decision) -> Payload:
        """The answer to the agent's own question; empty: the person's dialog goes on."""
        raise NotImplementedError

    def denial(self, sentence: str) -> Payload:
        """The answer that denies a call, with `sentence` for the agent."""
        raise NotImplementedError

    def note(self, sentence: str) -> Payload:
        """The answer that puts `sentence` beside a result; empty where the agent reads none."""
        raise NotImplementedError

    def guide(self, ref: SessionRef) -> Payload:
        """What the agent is told when a session begins."""
        return {}

    def warn_of_task(self, warning: str) -> Payload:
        """A warning beside the result of a background task, which came as a prompt."""
        return {}

    def warn(self, event: CallFinished, warning: str) -> Payload:
        """A warning in front of a result, or where that cannot be, beside it."""
        return self.note(warning)

    def say(self, answer: Payload, feedback: Feedback, event: HostEvent) -> Answer:
        """With what a person is to be told. On standard error, for agents that show nothing of a
        hook; it is in their log."""
        notes = [note_text(part) for part in (feedback.refusal, feedback.notice) if part]
        return Answer(print_json(answer).stdout, "".join(f"{one}\n" for one in notes))

    def closing_answer(self, moment: Moment, reason: str) -> Answer:
        """Closes twice: by the answer, and by the exit status where the answer is lost, with a
        sentence on standard error, because some agents let a call run without one."""
        if moment is Moment.PROPOSED:
            sentence = undecided_text(reason)
            return Answer(json_line(self.denial(sentence)), f"{sentence}\n", exit=STOP)
        note = self.note(unscreened_text(reason)) if moment is Moment.FINISHED else {}
        return Answer(print_json(note).stdout, f"{note_text(reason)}\n")
