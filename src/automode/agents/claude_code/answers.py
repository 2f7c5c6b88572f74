"""What Claude Code's hooks answer: to a proposed call, to its own question, to everything else."""

from dataclasses import dataclass, field

from automode.agents.claude_code.results import DELEGATING, warned
from automode.agents.events import Answer, CallFinished, Remarks, Speaker
from automode.agents.shared.adapter import json_line
from automode.agents.shared.wording import GUIDANCE, LONGEST, noted, shown, summary, told
from automode.core.decision import Decision, Verdict, settled

BEFORE = "PreToolUse"
AFTER = "PostToolUse"
FAILED = "PostToolUseFailure"
PERMISSION = "PermissionRequest"

_WORDS = {Verdict.ALLOW: "allow", Verdict.ASK: "ask", Verdict.DENY: "deny", Verdict.HALT: "deny"}


@dataclass(frozen=True, slots=True)
class ClaudeCallFinished(CallFinished):
    """With the agent's own response, because a warning is answered in its shape."""

    response: object = field(default=None, repr=False)
    hook: str = AFTER


def decided(decision: Decision | None, *, attended: bool) -> Answer:
    """Nothing at all where automode has no say: then the agent's own flow goes on."""
    if decision is None or not decision.enforced:
        return Answer()
    final = settled(decision, attended=attended)
    answer = _ruled(_WORDS[final.verdict], told(final))
    if final.verdict is Verdict.HALT:
        # `continue` alone would let this call run before the agent stops.
        answer |= _stopping(summary(final))
    return Answer(json_line(answer))


def permitted(decision: Decision | None, *, attended: bool) -> Answer:
    """The answer to the agent's own question. Without one the person's dialog goes on."""
    if decision is None or not decision.enforced:
        return Answer()
    final = settled(decision, attended=attended)
    if final.verdict is Verdict.ASK:
        return Answer()
    ruled: dict[str, object] = {"behavior": _WORDS[final.verdict]}
    if final.verdict >= Verdict.DENY:
        ruled["message"] = told(final)
    if final.verdict is Verdict.HALT:
        ruled["interrupt"] = True
    return Answer(json_line(_specific(PERMISSION, decision=ruled)))


def started(speaker: Speaker, remarks: Remarks) -> Answer:
    """No answer stops the agent here: a refusal is shown, and the next prompt is stopped."""
    name = "SessionStart" if speaker.parent is None else "SubagentStart"
    notice = "\n".join(part for part in (remarks.refusal, remarks.notice) if part)
    return _said(_specific(name, additionalContext=GUIDANCE), Remarks(notice=notice))


def heard(remarks: Remarks) -> Answer:
    """The answer where no result can take a warning."""
    return _said({}, remarks)


def replied(remarks: Remarks) -> Answer:
    """To a person's word to automode: a blocked prompt is shown to them alone."""
    lines = (remarks.reply or "nothing was done").splitlines()
    reason = "\n".join(shown(line) for line in (f"automode: {lines[0]}", *lines[1:]))
    return Answer(json_line({"decision": "block", "reason": reason[:LONGEST]}))


def finished(event: ClaudeCallFinished, remarks: Remarks) -> Answer:
    return _said(_to_its_result(event, remarks.warning), remarks)


def in_context(hook: str, remarks: Remarks) -> Answer:
    said = context(hook, remarks.warning) if remarks.warning else {}
    return _said(said, remarks)


def unscreened(sentence: str) -> dict[str, object]:
    """For a result of either event: no other answer names none. It is kept as it is."""
    return {"decision": "block", "reason": sentence}


def denied(sentence: str) -> dict[str, object]:
    """The denial of a call about which nothing could be decided."""
    return _ruled("deny", sentence)


def context(hook: str, sentence: str) -> dict[str, object]:
    """For agents that put a sentence behind a result, and never in front of it."""
    return _specific(hook, additionalContext=sentence)


def _to_its_result(event: ClaudeCallFinished, warning: str) -> dict[str, object]:
    if not warning:
        return {}
    rewritten = None if event.hook == FAILED else warned(event.tool, event.response, warning)
    if rewritten is None:
        return _specific(event.hook, additionalContext=warning)
    if event.tool in DELEGATING:
        # What stands in a sub-agent's report passes for its own words.
        return _specific(event.hook, updatedToolOutput=rewritten, additionalContext=warning)
    return _specific(event.hook, updatedToolOutput=rewritten)


def _said(answer: dict[str, object], remarks: Remarks) -> Answer:
    if remarks.notice:
        answer |= {"systemMessage": _named(remarks.notice)}
    if remarks.refusal:
        answer |= _stopping(_named(remarks.refusal))
    return Answer(json_line(answer)) if answer else Answer()


def _named(text: str) -> str:
    """Whoever speaks is named once."""
    return noted(text.removeprefix("automode: "))


def _stopping(why: str) -> dict[str, object]:
    return {"continue": False, "stopReason": why}


def _ruled(word: str, text: str) -> dict[str, object]:
    return _specific(BEFORE, permissionDecision=word, permissionDecisionReason=text)


def _specific(hook: str, **said: object) -> dict[str, object]:
    return {"hookSpecificOutput": {"hookEventName": hook, **said}}
