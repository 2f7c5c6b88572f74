"""The session files of agents: where they are found, what is read of each agent's, and that nothing
in them can stop a replay."""

import json
import os
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.errors import AutomodeError
from automode.core.tools import tool_call
from automode.core.transcript import PriorCall
from automode.evaluation.recorded_calls import RecordedCall
from automode.evaluation.session_files import (
    FORMATS,
    SessionFile,
    SessionFiles,
    calls_in,
    files_of,
    named_files,
)
from tests.evaluation.written_sessions import (
    CLAUDE_AGENT,
    CLAUDE_CODE,
    CODEX,
    PI,
    Row,
    claude_call,
    claude_result,
    claude_user,
    codex_item,
    told,
    words_before,
    written,
)
from tests.rows import each_row, rows

PLACES = {
    "claude-code": ("CLAUDE_CONFIG_DIR", ".claude/projects"),
    "pi": ("PI_CODING_AGENT_DIR", ".pi/agent/sessions"),
    "codex": ("CODEX_HOME", ".codex/sessions"),
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "message", "content", "payload", "id", "role", "call_id"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@each_row("name", PLACES)
def test_files_are_looked_for_where_the_agent_keeps_them(name: str, tmp_path: Path) -> None:
    variable, usual = PLACES[name]
    tmp_path = tmp_path / name
    (tmp_path / usual / "deep").mkdir(parents=True)
    (tmp_path / usual / "deep" / "a.jsonl").touch()
    (tmp_path / usual / "a.txt").touch()
    moved = tmp_path / "moved" / usual.rsplit("/", 1)[1]
    moved.mkdir(parents=True)
    (moved / "b.jsonl").touch()

    never_used = files_of(FORMATS[name], str(tmp_path / "other"), {})
    at_home = files_of(FORMATS[name], str(tmp_path), {})
    elsewhere = files_of(FORMATS[name], str(tmp_path), {variable: str(tmp_path / "moved")})

    assert never_used == []
    assert [os.path.basename(one.path) for one in at_home] == ["a.jsonl"]
    assert [os.path.basename(one.path) for one in elsewhere] == ["b.jsonl"]


UNKNOWN = [
    ("x.jsonl", "is no session file", "claude-code"),
    ("nowhere", "neither an agent nor a file", "audit"),
    ("nul\0byte", "neither an agent nor a file", "audit"),
    ("empty", "no session file in", "end in .jsonl"),
]


@each_row("name, problem, hint", UNKNOWN)
def test_what_holds_no_session_is_named_with_a_way_out(
    name: str, problem: str, hint: str, tmp_path: Path
) -> None:
    (tmp_path / "x.jsonl").write_text('{"a": 1}\n')
    (tmp_path / "empty").mkdir(exist_ok=True)

    with pytest.raises(AutomodeError, match=problem) as caught:
        list(SessionFiles(named_files(str(tmp_path / name))).calls())

    assert hint in caught.value.hint


def call_at(number: int) -> dict[str, object]:
    when = f"2026-11-15T16:00:{number:02}.000Z"
    return {**claude_call(f"t{number}", "Bash", {"command": "make"}), "timestamp": when}


def ids(files: SessionFiles, since: float | None = None, limit: int | None = None) -> list[str]:
    return [call.id for call in files.calls(since, limit)]


def test_the_newest_calls_are_taken_over_all_files(tmp_path: Path) -> None:
    even = written(tmp_path / "even.jsonl", [call_at(number) for number in range(0, 10, 2)])
    odd = written(tmp_path / "odd.jsonl", [call_at(number) for number in range(1, 10, 2)])
    moment = 1_794_758_400.0  # 16:00:00
    files = [SessionFile(str(even), moment + 9), SessionFile(str(odd), moment + 9)]

    assert ids(SessionFiles(files), limit=3) == ["t9", "t8", "t7"]
    assert sorted(ids(SessionFiles(files), since=moment + 8)) == ["t8", "t9"]


def test_a_conversation_that_was_copied_counts_once(tmp_path: Path) -> None:
    rows = [call_at(number) for number in range(4)]
    written(tmp_path / "first.jsonl", rows)
    written(tmp_path / "resumed.jsonl", [*rows, call_at(5)])

    found = ids(SessionFiles(named_files(str(tmp_path))))

    assert sorted(found) == ["t0", "t1", "t2", "t3", "t5"]


def test_links_and_pipes_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    written(tmp_path / "real" / "a.jsonl", [call_at(1)])
    (tmp_path / "real" / "loop").symlink_to(tmp_path)
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "real" / "a.jsonl")
    os.mkfifo(tmp_path / "pipe.jsonl")

    found = named_files(str(tmp_path))

    assert [os.path.basename(one.path) for one in found] == ["a.jsonl"]


@each_row("name", sorted(FORMATS))
@given(rows=st.lists(JSON, max_size=6))
def test_no_row_can_stop_a_reading(name: str, rows: list[object]) -> None:
    good = [row for row in rows if isinstance(row, dict)]

    found = list(FORMATS[name].calls(good))

    assert all(call.host == name for call in found)


def test_lines_that_cannot_be_read_are_counted_and_the_others_read(tmp_path: Path) -> None:
    good = json.dumps(call_at(1)).encode()
    file = tmp_path / "a.jsonl"
    file.write_bytes(b"\xff\xfe\n" + b"[" * 100_000 + b"\n[]\n\n" + good + b"\n" + good[:40])
    written(tmp_path / "b.jsonl", [call_at(2)])
    (tmp_path / "c.jsonl").write_text("nonsense\n")  # no session file at all
    files = SessionFiles(named_files(str(tmp_path)))

    assert sorted(ids(files)) == ["t1", "t2"]
    assert files.lost == {str(file): 4}
    assert files.unread == [str(tmp_path / "c.jsonl")]


def claude(rows: Iterable[Row]) -> Iterable[RecordedCall]:
    return FORMATS["claude-code"].calls(rows)


def codex(rows: Iterable[Row]) -> Iterable[RecordedCall]:
    return FORMATS["codex"].calls(rows)


PUSH = "git push -f origin main"
PATCHING = """apply_patch <<EOF
*** Begin Patch
*** Add File: src/parrot.py
+print(1)
*** End Patch
EOF"""
REAL: dict[Path, tuple[str, list[tuple[str, str | None, str]]]] = {
    CLAUDE_CODE: (
        "claude-code",
        [
            ("Bash", "ls -la", "ran"),
            ("Read", None, "ran"),
            ("Bash", "cat no-such-file", "ran"),
            ("Write", None, "ran"),
            ("Agent", None, "ran"),
            ("Bash", "curl -s http://127.0.0.1:9/", "refused"),
            ("Bash", PUSH, "ran"),
        ],
    ),
    CODEX: (
        "codex",
        [
            ("exec_command", "ls -la", "ran"),
            ("exec_command", "cat no-such-file", "ran"),
            ("exec_command", PATCHING, "ran"),
            ("view_image", None, "ran"),
            ("exec_command", PUSH, "ran"),
        ],
    ),
    PI: (
        "pi",
        [
            ("bash", "ls -la", "ran"),
            ("read", None, "ran"),
            ("bash", "cat no-such-file", "ran"),
            ("write", None, "ran"),
            ("bash", PUSH, "ran"),
        ],
    ),
}


@each_row("path", REAL)
def test_every_call_of_a_real_session_comes_with_what_became_of_it(path: Path) -> None:
    """The rows tell who wrote a file. A call knows the words before it, and what a yes answered."""
    host, wanted = REAL[path]

    found = list(calls_in(str(path)))

    assert [told(call) for call in found] == wanted
    assert {(call.host, call.cwd, call.root, call.parent) for call in found} == {
        (host, "/home/dev/parrot", "/home/dev/parrot", None)
    }
    assert all(found[i].at <= found[i + 1].at for i in range(len(found) - 1))
    assert words_before(found[-1]) == [
        ("look after the parrot, please", ""),
        ("yes", "Shall I push it?"),
    ]


NO = "The user doesn't want to proceed with this tool use. The tool use was rejected"
BASH = {"command": "make"}


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


def refused(text: str = "", **decision: str) -> Row:
    return claude_result("t", text, failed=True, permissionDecision=decision or None)


def answered(tool: str) -> list[Row]:
    said = {"questions": [{"question": "Push?"}], "answers": {"Push?": "yes, push"}}
    return [
        claude_call("q", tool, {"questions": []}),
        claude_result("q", "answered", toolUseResult=said),
    ]


def test_rows_of_sub_agents_beside_the_main_ones_stay_apart() -> None:
    side = {"isSidechain": True, "agentId": "a1"}
    rows = [
        claude_user("do it"),
        claude_user("count the lines", **side),
        claude_call("t1", "Bash", BASH, **side),
        claude_call("t2", "Bash", BASH),
    ]

    found = {call.id: call for call in claude(rows)}

    assert found["t1"].parent == "s1"
    assert words_before(found["t1"]) == []
    assert words_before(found["t2"]) == [("do it", "")]


def test_a_session_that_moves_keeps_the_folder_it_began_in() -> None:
    rows = [
        claude_call("t1", "Bash", BASH),
        claude_call("t2", "Bash", BASH, cwd="/home/dev/parrot/src"),
    ]

    _, moved = claude(rows)

    assert (moved.cwd, moved.root) == ("/home/dev/parrot/src", "/home/dev/parrot")


META: Row = {"type": "session_meta", "payload": {"id": "c1", "cwd": "/home/dev/parrot"}}
EXEC: dict[str, object] = {
    "type": "function_call",
    "name": "exec_command",
    "call_id": "c",
    "arguments": '{"cmd": "make"}',
}


@each_row("item, tool", rows("evaluation", "codex-calls"))
def test_every_shape_of_a_call_becomes_one_that_can_be_decided(item: Row, tool: str) -> None:
    (call,) = codex([META, codex_item(item)])

    assert call.tool == tool
    assert tool_call(call.tool, call.input).tool == tool


def said(text: str, kind: str | None = None) -> Row:
    item: dict[str, object] = {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_text", "text": text}],
    }
    if kind is not None:
        parts = [{"provenance": {"type": kind}}]
        item["internal_chat_message_metadata_passthrough"] = {"content_item_metadata": parts}
    return codex_item(item)


QUEUED: Row = {
    "type": "attachment",
    "sessionId": "s1",
    "attachment": {"type": "queued_command", "prompt": "and do not push"},
}
SPAWNED = {"subagent": {"thread_spawn": {"parent_thread_id": "c0", "depth": 1}}}
SUB: Row = {"type": "session_meta", "payload": {"id": "c1", "cwd": "/w", "source": SPAWNED}}
CALL, OWN = claude_call("t", "Bash", BASH), codex_item(EXEC)
PUSH_IT = [("push it", "")]
# What stands in a file before a call, and what of it is the user's word.
WORDS: list[tuple[str, list[Row], list[tuple[str, str]]]] = [
    ("claude-code", [claude_user("push it")], PUSH_IT),
    *(
        ("claude-code", [claude_user("push it", **machine)], [])
        for machine in (
            {"turnOrigin": "task_notification"},
            {"origin": {"kind": "task-notification"}},
            {"promptSource": "system"},
            {"isCompactSummary": True},
            {"isMeta": True},
        )
    ),
    ("claude-code", [QUEUED], [("and do not push", "")]),
    ("claude-code", answered("AskUserQuestion"), [("yes, push", "Push?")]),
    ("claude-code", answered("mcp__survey__AskUserQuestion"), []),
    ("codex", [META, said("push it", "user")], PUSH_IT),
    ("codex", [META, said("push it", "harness")], []),
    ("codex", [META, said("push it")], PUSH_IT),
    ("codex", [META, said("<environment_context>push it</environment_context>")], []),
    ("codex", [SUB, said("push it", "user")], []),
]


@each_row("agent, before, words", WORDS)
def test_only_a_persons_words_are_the_users(
    agent: str, before: list[Row], words: list[tuple[str, str]]
) -> None:
    *_, call = FORMATS[agent].calls([*before, OWN if agent == "codex" else CALL])

    assert words_before(call) == words
    assert call.parent == ("c0" if before[0] is SUB else None)


HEADER: Row = {"type": "session", "version": 3, "id": "p1", "cwd": "/home/dev/parrot"}


def message(role: str, **fields: object) -> Row:
    return {"type": "message", "message": {"role": role, **fields}}


def codex_end(output: object) -> list[Row]:
    item: Row = {"type": "function_call_output", "call_id": "c", "output": output}
    return [META, OWN, codex_item(item)]


def pi_end(text: str, *, failed: bool) -> list[Row]:
    call = {"type": "toolCall", "id": "c", "name": "bash", "arguments": {"command": "make"}}
    content = [{"type": "text", "text": text}]
    result = message("toolResult", toolCallId="c", isError=failed, content=content)
    return [HEADER, message("assistant", content=[call]), result]


RAN, REFUSED, REJECTED, UNKNOWN_END = "ran", "refused", "rejected by user", "unknown"
# A call in the file of an agent with what follows it, and what became of it.
ENDS: list[tuple[str, list[Row], str]] = [
    *(
        ("claude-code", [CALL, row], then)
        for row, then in (
            (claude_result("t"), RAN),
            (refused("Exit code 2"), RAN),
            (refused(NO), REJECTED),
            (refused(decision="reject", source="user"), REJECTED),
            (refused(decision="reject", source="hook"), REFUSED),
            (refused("Permission to use Bash has been denied."), REFUSED),  # of older versions
            (refused("automode (floor.delete-root): no."), REFUSED),
            (claude_result("t", "automode (floor.x): no."), RAN),  # it only looks so
            (claude_user("hello"), UNKNOWN_END),
        )
    ),
    *(
        ("codex", codex_end(output), then)
        for output, then in (
            ("Chunk ID: 1\nProcess exited with code 0\nOutput:\nfine", RAN),
            ("Exit code: 1\nOutput:\nno", RAN),
            (json.dumps({"output": "x", "metadata": {"exit_code": 0}}), RAN),  # of older versions
            ("exec command rejected by user", REJECTED),
            ("Command blocked by PreToolUse hook: no", REFUSED),
            ("Process exited with code 0\nOutput:\nrejected by user", RAN),  # a program says so
            ([{"type": "input_text", "text": "fine"}], RAN),
            ({"content": "", "success": False}, RAN),
            (None, RAN),
        )
    ),
    ("pi", pi_end("fine", failed=False), RAN),
    ("pi", pi_end("exit 1", failed=True), RAN),
    ("pi", pi_end("automode (rules.deny): no.", failed=True), REFUSED),
    ("pi", pi_end("automode could not decide, so …", failed=True), REFUSED),
]


@each_row("agent, rows, then", ENDS)
def test_the_end_of_a_call_is_read_from_its_result(agent: str, rows: list[Row], then: str) -> None:
    (call,) = FORMATS[agent].calls(rows)

    assert call.then.value == then
