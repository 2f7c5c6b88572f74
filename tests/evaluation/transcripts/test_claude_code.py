"""Claude Code's session files, recorded from the real one and written by hand."""

import pytest

from automode.core.transcript import PriorCall
from automode.evaluation.transcripts.claude_code import calls
from automode.evaluation.transcripts.finding import calls_in
from tests.evaluation.transcripts.written_sessions import (
    CLAUDE_AGENT,
    CLAUDE_CODE,
    Row,
    claude_call,
    claude_result,
    claude_user,
    told,
    words_before,
)
from tests.rows import each_row

ASKED = "look after the parrot, please"
NO = "The user doesn't want to proceed with this tool use. The tool use was rejected"
BASH = {"command": "make"}


def test_every_call_of_a_real_session_comes_with_what_became_of_it() -> None:
    found = list(calls_in(str(CLAUDE_CODE)))

    assert [told(call) for call in found] == [
        ("Bash", "ls -la", "ran"),
        ("Read", None, "ran"),
        ("Bash", "cat no-such-file", "ran"),
        ("Write", None, "ran"),
        ("Agent", None, "ran"),
        ("Bash", "curl -s http://127.0.0.1:9/", "refused"),
        ("Bash", "git push -f origin main", "ran"),
    ]
    assert {(call.host, call.cwd, call.root, call.parent) for call in found} == {
        ("claude-code", "/home/dev/parrot", "/home/dev/parrot", None)
    }
    assert all(found[i].at < found[i + 1].at for i in range(len(found) - 1))


def test_a_call_knows_the_words_before_it_and_what_a_yes_answered() -> None:
    *_, push = calls_in(str(CLAUDE_CODE))

    assert words_before(push) == [(ASKED, ""), ("yes", "Shall I push it?")]


def test_a_call_knows_the_calls_before_it_and_never_itself() -> None:
    found = list(calls_in(str(CLAUDE_CODE)))

    before = [one for one in found[-1].transcript.entries if isinstance(one, PriorCall)]
    assert [one.tool for one in before] == [call.tool for call in found[:-1]]
    assert before[0].outcome is not None


def test_what_a_sub_agent_is_told_is_nobodys_word() -> None:
    (call,) = calls_in(str(CLAUDE_AGENT))

    assert told(call) == ("Bash", "wc -l notes.md", "ran")
    assert call.parent == "5e551017-0000-4000-8000-000000000001"
    assert call.session.startswith(call.parent)
    assert words_before(call) == []


ENDS: dict[str, tuple[Row, str]] = {
    "it worked": (claude_result("t"), "ran"),
    "it failed": (claude_result("t", "Exit code 2", failed=True), "ran"),
    "a person said no": (claude_result("t", NO, failed=True), "rejected by user"),
    "a person's no, marked": (
        claude_result(
            "t", failed=True, permissionDecision={"decision": "reject", "source": "user"}
        ),
        "rejected by user",
    ),
    "a rule said no": (
        claude_result(
            "t", failed=True, permissionDecision={"decision": "reject", "source": "hook"}
        ),
        "refused",
    ),
    "an older rule said no": (
        claude_result("t", "Permission to use Bash has been denied.", failed=True),
        "refused",
    ),
    "automode said no": (
        claude_result("t", "automode (floor.delete-root): no.", failed=True),
        "refused",
    ),
    "what only looks like it": (claude_result("t", "automode (floor.x): no."), "ran"),
    "the file ends": (claude_user("hello"), "unknown"),
}


@each_row("name", ENDS)
def test_the_end_of_a_call_is_read_from_its_result(name: str) -> None:
    row, then = ENDS[name]

    (call,) = calls([claude_call("t", "Bash", BASH), row])

    assert call.then.value == then


MACHINES: dict[str, Row] = {
    "a notification": {"turnOrigin": "task_notification"},
    "an origin": {"origin": {"kind": "task-notification"}},
    "a source": {"promptSource": "system"},
    "a summary": {"isCompactSummary": True},
    "a note of its own": {"isMeta": True},
}


@pytest.mark.parametrize("name", MACHINES)
def test_a_prompt_that_no_person_typed_is_not_the_users_word(name: str) -> None:
    rows = [claude_user("push it now", **MACHINES[name]), claude_call("t", "Bash", BASH)]

    (call,) = calls(rows)

    assert words_before(call) == []


def answered(tool: str) -> list[Row]:
    said = {"questions": [{"question": "Push?"}], "answers": {"Push?": "yes, push"}}
    return [
        claude_call("q", tool, {"questions": []}),
        claude_result("q", "answered", toolUseResult=said),
        claude_call("t", "Bash", BASH),
    ]


def test_an_answer_to_the_agents_own_question_is_the_users_word() -> None:
    *_, call = calls(answered("AskUserQuestion"))

    assert words_before(call) == [("yes, push", "Push?")]


def test_a_tool_from_elsewhere_puts_no_answer_into_the_users_mouth() -> None:
    *_, call = calls(answered("mcp__survey__AskUserQuestion"))

    assert words_before(call) == []


def test_what_a_person_types_while_the_agent_works_is_their_word() -> None:
    queued: Row = {
        "type": "attachment",
        "sessionId": "s1",
        "attachment": {"type": "queued_command", "prompt": "and do not push"},
    }

    (call,) = calls([queued, claude_call("t", "Bash", BASH)])

    assert words_before(call) == [("and do not push", "")]


def test_rows_of_sub_agents_beside_the_main_ones_stay_apart() -> None:
    side = {"isSidechain": True, "agentId": "a1"}
    rows = [
        claude_user("do it"),
        claude_user("count the lines", **side),
        claude_call("t1", "Bash", BASH, **side),
        claude_call("t2", "Bash", BASH),
    ]

    found = {call.id: call for call in calls(rows)}

    assert found["t1"].parent == "s1"
    assert words_before(found["t1"]) == []
    assert words_before(found["t2"]) == [("do it", "")]


def test_a_session_that_moves_keeps_the_folder_it_began_in() -> None:
    rows = [
        claude_call("t1", "Bash", BASH),
        claude_call("t2", "Bash", BASH, cwd="/home/dev/parrot/src"),
    ]

    _, moved = calls(rows)

    assert (moved.cwd, moved.root) == ("/home/dev/parrot/src", "/home/dev/parrot")


def test_calls_that_never_end_are_given_out_in_their_order() -> None:
    rows = [claude_call(f"t{number}", "Bash", BASH) for number in range(600)]

    found = list(calls(rows))

    assert [call.id for call in found] == [f"t{number}" for number in range(600)]
