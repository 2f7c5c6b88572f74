"""What every adapter makes of payloads and decisions beyond what was recorded: nothing is guessed,
nothing but an enforced allow is answered like one."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.agents.catalog import ADAPTERS, UNATTENDED
from automode.agents.codex.payloads import LONGEST_REWRITTEN
from automode.agents.events import (
    Answer,
    BranchTaken,
    CallFinished,
    CallProposed,
    Feedback,
    HostEvent,
    Moment,
    PermissionSought,
    PersonSaid,
    PromptTyped,
    SessionRef,
    SessionStarted,
    TurnEnded,
)
from automode.agents.gemini_cli.payloads import LONGEST_ERROR
from automode.core.decision import Decision, Verdict
from automode.core.errors import BadCall
from automode.core.tool_input import canonical, harmless
from automode.core.transcript import Outcome
from tests.agents.recordings import decisions
from tests.rows import each_row, rows

Fields: TypeAlias = Mapping[str, object]

LS: Fields = {"command": "ls"}
CALLS: dict[str, Fields] = {
    path.parents[1].name.replace("_", "-"): json.loads(path.read_text())["payload"]
    for path in sorted(Path(__file__).parent.glob("*/recorded/call.json"))
}
"""A call of each agent, as it was recorded."""
PROMPT: Fields = {"hook_event_name": "UserPromptSubmit"}
GONE = object()


def changed(agent: str, changes: Fields) -> Fields:
    whole = {**CALLS[agent], **changes}
    return {name: value for name, value in whole.items() if value is not GONE}


def parse(agent: str, changes: Fields) -> HostEvent:
    return ADAPTERS[agent].parse(changed(agent, changes))


def said(answer: Answer) -> dict[str, object]:
    assert answer.stdout.isascii()
    found: object = json.loads(answer.stdout) if answer.stdout else {}
    assert isinstance(found, dict)
    return found


ASKED_WITH_ANSWERS: Fields = {
    "tool_name": "AskUserQuestion",
    "tool_input": {"questions": [], "answers": {"Delete it?": "Yes"}},
}
NEEDED = {
    "claude-code": ("session_id", "cwd", "hook_event_name", "tool_name", "tool_input"),
    "plain": ("event", "session", "cwd", "tool", "input"),
}
UNREADABLE: list[tuple[str, Fields]] = [
    *((agent, dict.fromkeys(call, GONE)) for agent, call in CALLS.items()),
    *(("claude-code", {name: GONE}) for name in NEEDED["claude-code"]),
    *(("claude-code", {"cwd": cwd}) for cwd in (None, "shop")),
    *(("claude-code", {"tool_name": tool}) for tool in ("", ["Bash"], "Bash\0")),
    *(("claude-code", {"tool_input": given}) for given in ("ls", ["ls"])),
    *(("claude-code", {"session_id": session}) for session in ("", 7)),
    ("claude-code", {"agent_id": {}}),
    ("claude-code", {"transcript_path": []}),
    ("claude-code", ASKED_WITH_ANSWERS),
    ("claude-code", {**ASKED_WITH_ANSWERS, "hook_event_name": "PermissionRequest"}),
    ("claude-code", {**PROMPT, "prompt": 7}),
    ("cline", {"tool_call": None}),
    ("cline", {"tool_call": {"id": "1", "name": "", "input": {}}}),
    ("cline", {"tool_call": {"id": "1", "name": "editor", "input": "x"}}),
    ("cline", {"tool_call": {"name": "editor", "input": {}}}),
    *(("cline", {"workspaceInfo": GONE, "workspaceRoots": one}) for one in ([], ["shop"])),
    ("cline", {"sessionContext": {}, "taskId": ""}),
    ("codex", {**PROMPT, "prompt": 7}),
    *(("copilot-cli", {"toolArgs": given}) for given in (GONE, ["ls"], "{")),
    ("copilot-cli", {"sessionId": ""}),
    ("copilot-cli", {"toolName": ""}),
    ("copilot-cli", {"cwd": "shop"}),
    ("copilot-cli", {"toolName": GONE, "toolArgs": GONE, "other": 1}),
    ("cursor", {"tool_input": "{"}),
    ("cursor", {"tool_input": []}),
    ("cursor", {"conversation_id": ""}),
    ("cursor", {"cwd": GONE, "workspace_roots": []}),
    ("cursor", {"tool_name": None}),
    ("gemini-cli", {"mcp_context": {}}),
    ("gemini-cli", {"mcp_context": "notes"}),
    *(("pi", {name: strange}) for name in ("session", "toolName") for strange in ("", 7, "a\0")),
    *(("pi", {"input": given}) for given in (GONE, "ls", ["ls"])),
    *(("pi", {"cwd": cwd}) for cwd in (None, "shop")),
    ("pi", {"event": "input", "text": 7}),
    ("pi", {"event": "before_agent_start", "contextFiles": {}}),
    ("pi", {"event": "before_agent_start", "contextFiles": [{"path": "AGENTS.md"}]}),
    ("pi", {"event": "agent_end", "calls": [1]}),
    *(("pi", {"event": "session_tree", "words": words, "left": []}) for words in (GONE, "a", [1])),
    *(("plain", {name: GONE}) for name in NEEDED["plain"]),
    ("plain", {"cwd": "."}),
    ("plain", {"event": "finished", "outcome": "fine"}),
    ("plain", {"event": "prompt", "text": ["tidy up"]}),
]


@each_row("agent, changes", UNREADABLE)
def test_what_cannot_be_read_is_said_to_be_so(agent: str, changes: Fields) -> None:
    with pytest.raises(BadCall) as caught:
        parse(agent, changes)

    assert caught.value.hint


@each_row("name", ADAPTERS)
def test_an_adapter_keeps_its_contract(name: str) -> None:
    adapter = ADAPTERS[name]
    statuses = {moment: adapter.closing_answer(moment, "no daemon").exit for moment in Moment}

    assert adapter.name == name.removesuffix(UNATTENDED)
    assert statuses.pop(Moment.PROPOSED) == 2
    assert set(statuses.values()) == {0}
    # A hook has time to answer before its agent goes on.
    assert 0 < adapter.abilities.deadline_ms < 60_000
    with pytest.raises(BadCall):
        adapter.parse({"something": "else"})


@each_row("agent", set(CALLS) - {"cline", "cursor"})
def test_a_payload_cannot_say_that_somebody_is_there(agent: str) -> None:
    more = {"permission_mode": "default", "attended": True, "hasUI": True}
    event = ADAPTERS[f"{agent}{UNATTENDED}"].parse({**CALLS[agent], **more})

    assert isinstance(event, CallProposed)
    assert not event.ref.attended


NEVER_ASKS = {"cline", "codex", "cursor"}


def word_of(answer: dict[str, object]) -> object:
    """What an agent's answer says, as one of our words; None where it says nothing."""
    match answer:
        case {"permission": one, "hookSpecificOutput": {"permissionDecision": other}}:
            return one if one == other else "two words"
        case {"hookSpecificOutput": {"permissionDecision": word}} | {"permissionDecision": word}:
            return word
        case {"verdict": word} | {"decision": word}:
            return {"halt": "deny", "force_ask": "ask"}.get(str(word), word)
        case {"cancel": bool(cancel)}:
            return "deny" if cancel else None
        case _:
            return None


@pytest.mark.parametrize("agent", CALLS)
@given(decision=decisions, attended=st.booleans())
def test_only_an_enforced_allow_allows_and_nobody_is_asked_who_is_not_there(
    agent: str, decision: Decision, attended: bool
) -> None:
    proposed = CallProposed(SessionRef("s1", "/", attended=attended), "bash", {})

    answer = ADAPTERS[agent].render(proposed, decision)

    word = word_of(said(answer))
    if agent == "plain" and not decision.enforced:
        assert answer.exit == 0
        return
    asked = "ask" if attended and agent not in NEVER_ASKS else "deny"
    words = {Verdict.ALLOW: ("allow", None), Verdict.ASK: (asked,)}
    expected = words.get(decision.verdict, ("deny",)) if decision.enforced else (None,)
    assert word in expected
    stops = answer.exit != 0
    assert stops in ({False} if word in ("allow", None) else {True, False})


@pytest.mark.parametrize("agent", ["claude-code", "gemini-cli", "qwen-code", "pi", "opencode"])
@given(decision=decisions)
def test_a_halt_ends_the_run_and_nothing_else_does(agent: str, decision: Decision) -> None:
    answer = said(ADAPTERS[agent].render(parse(agent, {}), decision))

    ends = answer.get("continue") is False or answer.get("verdict") == "halt"
    assert ends is (decision.enforced and decision.verdict is Verdict.HALT)


@pytest.mark.parametrize("agent", ["claude-code", "codex", "copilot-cli"])
@given(decision=st.none() | decisions, attended=st.booleans())
def test_only_an_enforced_allow_answers_the_agents_own_question_with_yes(
    agent: str, decision: Decision | None, attended: bool
) -> None:
    sought = PermissionSought(SessionRef("s1", "/", attended=attended), "Bash", {})

    answer = said(ADAPTERS[agent].render(sought, decision))

    match answer:
        case {"hookSpecificOutput": {"decision": {**found}}}:
            ruled: Fields = {str(name): value for name, value in found.items()}
        case _:
            ruled = answer
    if decision is None or not decision.enforced or (decision.verdict is Verdict.ASK and attended):
        assert answer == {}  # the person's dialog goes on
        return
    assert ruled["behavior"] == ("allow" if decision.verdict is Verdict.ALLOW else "deny")
    halts = decision.verdict is Verdict.HALT and agent != "codex"  # to which it is an error
    assert ruled.get("interrupt", False) is halts
    assert bool(ruled.get("message")) is (decision.verdict is not Verdict.ALLOW)


@given(decisions)
def test_codex_hears_one_word_that_it_knows_or_none(decision: Decision) -> None:
    """Any other would be an error to it, and then the call runs."""
    answer = ADAPTERS["codex"].render(parse("codex", {}), decision)

    assert set(said(answer)) <= {"hookSpecificOutput"}
    assert (answer.stderr, answer.exit) == ("", 0)


@each_row("agent, payload, text, machine", rows("agents", "prompts"))
def test_only_what_a_person_typed_may_be_a_persons(
    agent: str, payload: Fields, text: str, machine: bool
) -> None:
    event = parse(agent, payload)

    assert isinstance(event, PromptTyped)
    assert (event.text, event.machine) == (text, machine)


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
@given(reply=st.text(max_size=200))
def test_a_word_to_automode_is_no_prompt_and_its_reply_blocks_it(agent: str, reply: str) -> None:
    event = parse(agent, {**PROMPT, "prompt": "/automode off"})
    assert isinstance(event, PersonSaid)

    answer = said(ADAPTERS[agent].render(event, None, Feedback(reply=reply)))

    assert answer["decision"] == "block"
    reason = str(answer["reason"])
    assert reason.startswith("automode: ")
    assert all(line.isprintable() for line in reason.split("\n"))  # it moves no cursor


MODELS: list[tuple[str, str, str | None]] = [
    ("claude-code", "claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"),
    ("claude-code", "claude-opus-4-1[1m]", "anthropic/claude-opus-4-1"),
    ("claude-code", "us.anthropic.claude-haiku-4-5-20251001-v1:0", None),
    *(("claude-code", name, None) for name in ("sonnet", "claude-x; evil", "")),
    ("codex", "gpt-5.5", "openai/gpt-5.5"),
    ("codex", "o4-mini", "openai/o4-mini"),
    *(("codex", name, None) for name in ("llama3", "")),
    ("pi", "anthropic/claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"),
    *(("pi", name, None) for name in ("no-slash", "", "a b/c")),
]


@each_row("agent, name, model", MODELS)
def test_the_agents_model_is_named_where_its_provider_is_known(
    agent: str, name: str, model: str | None
) -> None:
    event = parse(agent, {"model": name})

    assert isinstance(event, CallProposed)
    assert event.ref.model == model


TOOLS = {
    # agent: tools of servers, and its own
    "cline": ("task__update todo__write ask__question list find", "run_commands ask_question"),
    "copilot-cli": ("task-update todo-write ask-user list find", "bash update_todo ask_user"),
    "opencode": ("todo_write task_update plan_exit Bash read_file", "bash todowrite apply_patch"),
}


@pytest.mark.parametrize("agent", TOOLS)
def test_a_tool_of_a_server_cannot_call_itself_harmless(agent: str) -> None:
    foreign, own = (one.split() for one in TOOLS[agent])
    for tool in (*foreign, *own, "mcp__db__query"):
        call = {"tool_call": {"id": "c1", "name": tool, "input": {}}, "toolName": tool}
        event = parse(agent, call)

        assert isinstance(event, CallProposed)
        assert event.tool == (f"mcp__{agent}__{tool}" if tool in foreign else tool)
        if tool in foreign:
            assert canonical(event.tool).startswith("mcp__")
            assert not harmless(event.tool)


@pytest.mark.parametrize("event", ["tool_result", "refused"])
def test_a_result_goes_by_the_name_of_its_call(event: str) -> None:
    found = parse("opencode", {"event": event, "toolName": "todo_write"})

    assert isinstance(found, CallFinished)
    assert found.tool == "mcp__opencode__todo_write"


SPEAKERS: list[tuple[str, Fields, tuple[str, str | None, str]]] = [
    (
        "cline",
        {"sessionContext": {"rootSessionId": "s1"}, "agent_id": "a1", "parent_agent_id": "a0"},
        ("s1/a1", "s1", ""),
    ),
    ("opencode", {"session": "s2", "parent": "s1"}, ("s2", "s1", "")),
    *(
        ("claude-code", {"session_id": "s1", **changes}, expected)
        for changes, expected in (
            ({"transcript_path": "/c/s1.jsonl"}, ("s1", None, "/c/s1.jsonl")),
            ({"transcript_path": None}, ("s1", None, "")),
            (
                {"transcript_path": "/c/s1.jsonl", "agent_id": "a1"},
                ("s1/a1", "s1", "/c/s1/subagents/agent-a1.jsonl"),
            ),
        )
    ),
]


@each_row("agent, changes, expected", SPEAKERS)
def test_a_speaker_is_named_with_the_session_above_and_the_agents_own_record(
    agent: str, changes: Fields, expected: tuple[str, str | None, str]
) -> None:
    event = parse(agent, changes)

    assert isinstance(event, CallProposed)
    who = event.ref
    assert (who.session, who.parent, who.record) == expected


OUTCOMES: list[tuple[str, Fields, Outcome]] = [
    ("pi", {"event": "tool_result", "isError": False}, Outcome.OK),
    ("pi", {"event": "tool_result", "isError": True}, Outcome.ERROR),
    ("pi", {"event": "tool_result"}, Outcome.ERROR),
    ("pi", {"event": "refused", "isError": False}, Outcome.REJECTED),
    (
        "cline",
        {"hookName": "tool_result", "tool_result": CALLS["cline"]["tool_call"], "tool_call": GONE},
        Outcome.ERROR,
    ),
    ("plain", {"event": "finished", "outcome": "error", "result": "no"}, Outcome.ERROR),
    *(
        ("gemini-cli", {"hook_event_name": "AfterTool", "tool_response": response}, outcome)
        for response, outcome in (
            ({"error": {}}, Outcome.ERROR),
            ({"error": None}, Outcome.OK),
            ({}, Outcome.OK),
            ("error", Outcome.OK),
        )
    ),
]


@each_row("agent, changes, outcome", OUTCOMES)
def test_how_a_call_ended_is_never_guessed_well(
    agent: str, changes: Fields, outcome: Outcome
) -> None:
    event = parse(agent, {"text": "out\0put", **changes})

    assert isinstance(event, CallFinished)
    assert event.outcome is outcome
    assert agent != "pi" or event.result == "out\0put"


def test_pi_tells_of_a_branch_and_what_it_does_not_say_is_left_open() -> None:
    began, ended = (parse("pi", {"event": one}) for one in ("before_agent_start", "agent_end"))
    taken = parse("pi", {"event": "session_tree", "words": ["a", "b"], "left": ["c"]})

    assert isinstance(taken, BranchTaken)
    assert (taken.words, taken.left) == (("a", "b"), ("c",))
    assert isinstance(began, SessionStarted)
    assert isinstance(ended, TurnEnded)
    assert (began.instructions, ended.calls) == (None, None)


def test_an_input_of_copilots_may_come_as_a_text_and_every_call_has_its_own_id() -> None:
    first = parse("copilot-cli", {"toolArgs": '{"command": "ls"}'})
    second = parse("copilot-cli", {"toolArgs": {"command": "pwd"}})

    assert isinstance(first, CallProposed)
    assert isinstance(second, CallProposed)
    assert first.input == LS
    assert first.id != second.id


RESULT: Fields = {"hook_event_name": "PostToolUse", "tool_response": "one line\n"}
LONG: Fields = {**RESULT, "tool_response": "x" * (LONGEST_REWRITTEN + 1)}
FAILED = {"error": {"message": "x" * (LONGEST_ERROR + 1)}, "llmContent": ""}
BESIDE = {"additionalContext": "look out"}
WARNED: list[tuple[str, Fields, object]] = [
    ("codex", RESULT, {"decision": "block", "reason": "look out\none line\n"}),
    # What is too long stays where it is.
    ("codex", LONG, {"hookSpecificOutput": {"hookEventName": "PostToolUse", **BESIDE}}),
    (
        "gemini-cli",
        {"hook_event_name": "AfterTool", "tool_response": FAILED},
        {"hookSpecificOutput": {"hookEventName": "AfterTool", **BESIDE}},
    ),
    ("plain", {"event": "finished", "outcome": "ok", "result": "\0"}, {"warning": "look out"}),
]


@each_row("agent, changes, expected", WARNED)
def test_a_warning_comes_with_the_result_and_takes_nothing_away(
    agent: str, changes: Fields, expected: object
) -> None:
    event, adapter = parse(agent, changes), ADAPTERS[agent]

    assert said(adapter.render(event, None, Feedback(warning="look out"))) == expected
    assert said(adapter.render(event, None)) == {}


NOTES = {"claude-code": "reason", "codex": "hookSpecificOutput", "pi": "warning"}


@pytest.mark.parametrize("agent", NOTES)
def test_the_agent_is_told_of_a_result_that_nobody_looked_at(agent: str) -> None:
    """In Claude Code a block is the only word that both events take, and the result stays; Codex
    would show its reason in the place of the result."""
    answer = said(ADAPTERS[agent].closing_answer(Moment.FINISHED, "too \u202e large"))

    note = str(answer[NOTES[agent]])
    assert "was not looked at" in note
    assert "too   large" in note
    assert ("decision" in answer) is (agent == "claude-code")
