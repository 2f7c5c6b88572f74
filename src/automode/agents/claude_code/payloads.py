"""Claude Code: what its hooks are given, and what they answer."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from automode.agents.agent import load
from automode.agents.events import CallFinished, HostEvent, PromptTyped, SessionRef
from automode.agents.shared.adapter import Call, Fields, Payload
from automode.agents.shared.dialects import AFTER, BEFORE, FAILED, ClaudeDialect, specific
from automode.core.errors import BadCall
from automode.core.transcript import Outcome

ASKING = "AskUserQuestion"
DELEGATING = frozenset({"Agent", "Task"})  # the same tool under its new and its old name
_NOTIFIED = re.compile(
    r"<task-notification>\s*<task-id>(?P<task>[\w-]{1,64})</task-id>"
    r"(?:\s*<tool-use-id>(?P<call>[\w-]{1,80})</tool-use-id>)?"
)
MOST_NOTIFIED = 16
_MODEL = re.compile(r"(claude-[\w.-]+)(?:\[\w+\])?")
# The model is told one fixed sentence; the response repeats what the agent itself has just written.
_REPEATING = frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit", ASKING})


@dataclass(frozen=True, slots=True)
class ClaudeCallFinished(CallFinished):
    """With the agent's own response, because a warning is answered in its shape."""

    response: object = field(default=None, repr=False)
    hook: str = AFTER


@dataclass(frozen=True, slots=True)
class ClaudeCode(ClaudeDialect):
    agent = load("claude_code")
    fields = Fields.of(agent)
    takes_commands = True
    # Turns that the agent gives itself: nothing else in the payload tells them from a person's.
    machine_turns = ("<task-notification", "<system-reminder")
    never_prompts = ("dontAsk",)

    def model(self, payload: Payload) -> str | None:
        """Only Anthropic's own names: behind other clouds the same model has another one."""
        named = payload.get("model")
        found = _MODEL.fullmatch(named) if isinstance(named, str) else None
        return f"anthropic/{found[1]}" if found else None

    def record(self, payload: Payload, child: str) -> str:
        """The payload names the record of the parent; a sub-agent's record is in a folder beside
        it."""
        path = self.fields.optional(payload, "transcript_path")
        if not child or not path:
            return path
        return f"{path.removesuffix('.jsonl')}/subagents/agent-{child}.jsonl"

    def call(self, payload: Payload) -> Call:
        """The agent must not fill in answers to its own question: they would come back as a
        person's. After the question they are in the input as well."""
        tool, given = ClaudeDialect.call(self, payload)
        proposed = payload.get("hook_event_name") in (BEFORE, "PermissionRequest")
        if proposed and tool == ASKING and given.get("answers"):
            raise BadCall(
                f"`answers` of {ASKING} are the person's to give", "ask again, without answers"
            )
        return tool, given

    def prompt(self, ref: SessionRef, payload: Payload) -> HostEvent:
        """What sub-agents in the background found out comes as a prompt, of several at once."""
        event = ClaudeDialect.prompt(self, ref, payload)
        if not isinstance(event, PromptTyped) or not event.machine:
            return event
        above = ref.parent or ref.session
        told = islice(_NOTIFIED.finditer(event.text), MOST_NOTIFIED)
        found = {f"{above}/{one['task']}": one["call"] or "" for one in told}
        return replace(event, returned=tuple(found.items()))

    def finished(self, ref: SessionRef, payload: Payload, event: str) -> CallFinished:
        (tool, given), identity = self.call(payload), self.identity(payload)
        if event == "PermissionDenied":
            return CallFinished(ref, identity, tool, given, outcome=Outcome.DENIED)
        failed = event == FAILED
        response = payload.get("error" if failed else "tool_response")
        stopped = isinstance(response, Mapping) and response.get("interrupted") is True
        child = finished_child(tool, response)
        return ClaudeCallFinished(
            ref,
            identity,
            tool,
            given,
            Outcome.ERROR if failed or stopped else Outcome.OK,
            result=read_text(tool, response),
            answers=person_answers(tool, response) if ref.attended else (),
            child=f"{ref.parent or ref.session}/{child}" if child else "",
            # What the agent itself puts into the input of a call while it runs.
            added=("answers", "annotations") if tool == ASKING else (),
            response=response,
            hook=event,
        )

    def note(self, sentence: str) -> Payload:
        """For a result of either event: no other answer names none. It is kept as it is."""
        return {"decision": "block", "reason": sentence}

    def warn_of_task(self, warning: str) -> Payload:
        return specific("UserPromptSubmit", additionalContext=warning)

    def warn(self, event: CallFinished, warning: str) -> Payload:
        if not isinstance(event, ClaudeCallFinished):
            return {}
        failed = event.hook == FAILED
        rewritten = None if failed else with_warning(event.tool, event.response, warning)
        if rewritten is None:
            return specific(event.hook, additionalContext=warning)
        # What stands in a sub-agent's report passes for its own words.
        beside = {"additionalContext": warning} if event.tool in DELEGATING else {}
        return specific(event.hook, updatedToolOutput=rewritten, **beside)


def read_text(tool: str, response: object) -> str:
    """What the agent's model will read of a result, as far as others can have written it."""
    match response:
        case _ if tool in _REPEATING:
            return ""
        case str():
            return response
        case {"isImage": True}:
            return ""
        case {"stdout": str(out), "stderr": str(err)}:
            return f"{out}\n{err}".strip("\n")
        case {"type": "text", "file": {"content": str(text)}} | {"result": str(text), "url": str()}:
            return text
        case {"content": [*blocks]} if tool in DELEGATING:
            return "\n".join(_texts(blocks))
        case _:
            return "\n".join(_texts(response))


def with_warning(tool: str, response: object, warning: str) -> object | None:
    """The response in its own shape with the warning in front of its first text. None where it has
    no known place: the agent silently drops what has not the shape that it expects."""
    match response:
        case str():
            return f"{warning}\n{response}"
        case [{"type": str()}, *_] if isinstance(response, Sequence):
            return [{"type": "text", "text": warning}, *response]
        case Mapping():
            changed = _warned_part(tool, response, warning)
            return {**response, **changed} if changed else None
        case _:
            return None


def _warned_part(
    tool: str, response: Mapping[str, object], warning: str
) -> Mapping[str, object] | None:
    match response:
        case {"isImage": True} | {"backgroundTaskId": str()}:
            return None
        case {"stdout": str(out), "stderr": str()}:
            return {"stdout": f"{warning}\n{out}"}
        case {"type": "text", "file": {"content": str(text), "startLine": int(first)}}:
            return {"file": _warned_file(response["file"], text, first, warning)}
        case {"mode": "content" | "count", "content": str(found)}:
            return {"content": f"{warning}\n{found}"}
        case {"filenames": [str(first), *others]}:
            return {"filenames": [f"{warning}\n{first}", *others]}
        case {"content": [*blocks]} if tool in DELEGATING and blocks:
            return {"content": [{"type": "text", "text": warning}, *blocks]}
        case {"result": str(page), "url": str()}:
            return {"result": f"{warning}\n{page}"}
        case _:
            return None


def person_answers(tool: str, response: object) -> tuple[tuple[str, str], ...]:
    """What a person answered to the agent's own ask-the-user tool, each with its question."""
    match response:
        case {"questions": [*questions], "answers": Mapping() as answers} if tool == ASKING:
            asked = [one.get("question") for one in questions if isinstance(one, Mapping)]
            return tuple(
                (question, answer)
                for question in asked
                if isinstance(question, str) and isinstance(answer := answers.get(question), str)
            )
        case _:
            return ()


def finished_child(tool: str, response: object) -> str:
    """The id of the sub-agent whose work a result is. One in the background has only begun."""
    match response:
        case {"status": "completed", "agentId": str(agent)} if tool in DELEGATING:
            return agent
        case _:
            return ""


def _warned_file(file: object, text: str, first: int, warning: str) -> Mapping[str, object]:
    """Lines are shown with their numbers: the warning is one line before the first, so that those
    of the file keep theirs."""
    known = file if isinstance(file, Mapping) else {}
    line = " ".join(warning.split())
    return {**known, "content": f"{line}\n{text}", "startLine": first - 1}


def _texts(value: object) -> Iterator[str]:
    """Every text inside, in its order; a stack, because depth is the sender's choice."""
    waiting = [value]
    while waiting:
        match waiting.pop():
            case str(text):
                yield text
            case {"type": "text", "text": str(text)}:
                yield text
            case {"type": "image"}:
                pass
            case Mapping() as parts:
                waiting.extend(reversed(list(parts.values())))
            case [*parts]:
                waiting.extend(reversed(parts))
            case _:
                pass


ADAPTER = ClaudeCode
