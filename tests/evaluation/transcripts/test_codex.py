"""Codex's session files, recorded from the real one and written by hand."""

import json

import pytest

from automode.core.tools import tool_call
from automode.evaluation.transcripts.codex import calls
from automode.evaluation.transcripts.finding import calls_in
from tests.evaluation.transcripts.written_sessions import (
    CODEX,
    Row,
    codex_item,
    told,
    words_before,
)
from tests.rows import each_row

META: Row = {"type": "session_meta", "payload": {"id": "c1", "cwd": "/home/dev/parrot"}}
EXEC: dict[str, object] = {
    "type": "function_call",
    "name": "exec_command",
    "call_id": "c",
    "arguments": '{"cmd": "make"}',
}
PATCH = "*** Begin Patch\n*** Add File: a.py\n+1\n*** End Patch"


def test_every_call_of_a_real_session_comes_with_what_became_of_it() -> None:
    found = list(calls_in(str(CODEX)))

    assert [(call.tool, call.then.value) for call in found] == [
        ("exec_command", "ran"),
        ("exec_command", "ran"),
        ("exec_command", "ran"),
        ("view_image", "ran"),
        ("exec_command", "ran"),
    ]
    assert told(found[-1]) == ("exec_command", "git push -f origin main", "ran")
    assert {(call.host, call.cwd, call.parent) for call in found} == {
        ("codex", "/home/dev/parrot", None)
    }
    assert words_before(found[-1]) == [
        ("look after the parrot, please", ""),
        ("yes", "Shall I push it?"),
    ]


SHAPES: dict[str, tuple[Row, str]] = {
    "a function": (EXEC, "exec_command"),
    "a list of words": (
        EXEC | {"name": "shell", "arguments": '{"command": ["bash", "-lc", "make"]}'},
        "shell",
    ),
    "a patch": (
        {"type": "custom_tool_call", "name": "apply_patch", "call_id": "c", "input": PATCH},
        "apply_patch",
    ),
    "its own shell": (
        {
            "type": "local_shell_call",
            "call_id": "c",
            "action": {"type": "exec", "command": ["make"], "working_directory": "/home/dev"},
        },
        "local_shell",
    ),
    "a server's tool": (
        EXEC | {"namespace": "mcp__forge__", "name": "list"},
        "mcp__forge__list",
    ),
    "what a model mistyped": (EXEC | {"name": "other", "arguments": "{cmd:"}, "other"),
}


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_of_a_call_becomes_one_that_can_be_decided(name: str) -> None:
    item, tool = SHAPES[name]

    (call,) = calls([META, codex_item(item)])

    assert call.tool == tool
    assert tool_call(call.tool, call.input).tool == tool


ENDS: dict[str, tuple[object, str]] = {
    "it worked": ("Chunk ID: 1\nProcess exited with code 0\nOutput:\nfine", "ran"),
    "it failed": ("Exit code: 1\nOutput:\nno", "ran"),
    "an older one": (json.dumps({"output": "x", "metadata": {"exit_code": 0}}), "ran"),
    "a person said no": ("exec command rejected by user", "rejected by user"),
    "a hook said no": ("Command blocked by PreToolUse hook: no", "refused"),
    "a program that says so": ("Process exited with code 0\nOutput:\nrejected by user", "ran"),
    "parts": ([{"type": "input_text", "text": "fine"}], "ran"),
    "a failure without words": ({"content": "", "success": False}, "ran"),
    "nothing at all": (None, "ran"),
}


@each_row("name", ENDS)
def test_the_end_of_a_call_is_read_from_its_output(name: str) -> None:
    output, then = ENDS[name]
    ended = codex_item({"type": "function_call_output", "call_id": "c", "output": output})

    (call,) = calls([META, codex_item(EXEC), ended])

    assert call.then.value == then


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


WORDS = {
    "a person, newer": (said("push it", "user"), [("push it", "")]),
    "the harness, newer": (said("push it", "harness"), []),
    "a person, older": (said("push it"), [("push it", "")]),
    "the harness, older": (said("<environment_context>push it</environment_context>"), []),
}


@pytest.mark.parametrize("name", WORDS)
def test_only_a_persons_words_are_the_users(name: str) -> None:
    row, words = WORDS[name]

    (call,) = calls([META, row, codex_item(EXEC)])

    assert words_before(call) == words


def test_what_a_sub_agent_is_told_is_nobodys_word() -> None:
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": "c0", "depth": 1}}}
    meta: Row = {"type": "session_meta", "payload": {"id": "c1", "cwd": "/w", "source": spawned}}

    (call,) = calls([meta, said("push it", "user"), codex_item(EXEC)])

    assert call.parent == "c0"
    assert words_before(call) == []
