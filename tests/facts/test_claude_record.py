"""Claude Code's own record: rows as the real program writes them, and files that are no record."""

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.facts.claude_record import (
    calls_since_prompt,
    last_words,
    marked_prompts,
    prompt_is_machine_made,
)

NOTIFICATION = "<task-notification>\n<status>completed</status>\n</task-notification>"
Row = dict[str, object]


def typed(text: str) -> Row:
    return {
        "type": "user",
        "message": {"role": "user", "content": text},
        "origin": {"kind": "human"},
        "promptSource": "typed",
        "isSidechain": False,
    }


def sent(text: str) -> Row:
    """With `-p`: the record does not say who wrote it."""
    return {"type": "user", "message": {"role": "user", "content": text}, "promptSource": "sdk"}


def notified(text: str) -> Row:
    return {
        "type": "user",
        "message": {"role": "user", "content": text},
        "origin": {"kind": "task-notification", "producer": "session-task"},
        "promptSource": "system",
    }


def scheduled(text: str) -> Row:
    """Of CronCreate: at the hook it looks like a typed one."""
    row: Row = {"type": "user", "message": {"role": "user", "content": text}}
    return {**row, "turnOrigin": "scheduled", "isSidechain": False}


def queued(text: str) -> Row:
    """What arrives while the agent works stands beside the turn."""
    attachment = {
        "type": "queued_command",
        "prompt": text,
        "commandMode": "task-notification",
        "origin": {"kind": "task-notification", "producer": "session-task"},
    }
    return {"type": "attachment", "attachment": attachment}


def called(*calls: str, text: str = "") -> Row:
    blocks: list[Row] = [{"type": "text", "text": text}] if text else []
    blocks += [{"type": "tool_use", "id": one, "name": "Bash", "input": {}} for one in calls]
    return {"type": "assistant", "message": {"role": "assistant", "content": blocks}}


def ended(call: str, content: object = "done") -> Row:
    block = {"type": "tool_result", "tool_use_id": call, "content": content}
    return {"type": "user", "message": {"role": "user", "content": [block]}}


OTHERS: tuple[Row, ...] = (
    {"type": "queue-operation", "operation": "enqueue", "content": "go on"},
    {"type": "api-request-blob", "message": {"content": [{"type": "text", "text": "no prompt"}]}},
    {"type": "system", "subtype": "stop_hook_summary"},
    {"type": "last-prompt"},
)
Written = Callable[[Sequence[object]], str]


@pytest.fixture
def written(tmp_path: Path) -> Written:
    folder = tmp_path / ".claude" / "projects" / "-home-dev-shop"
    folder.mkdir(parents=True)

    def write(rows: Sequence[object]) -> str:
        path = folder / "s1.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        path.chmod(0o600)
        return str(path)

    return write


MARKED: dict[str, tuple[list[Row], str, bool | None]] = {
    "typed": ([typed("push it")], "push it", False),
    "sent by a program": ([sent("push it")], "push it", False),
    "a notification": ([notified(NOTIFICATION)], NOTIFICATION, True),
    "queued": ([queued(NOTIFICATION)], NOTIFICATION, True),
    "only blanks differ": ([notified(f"{NOTIFICATION}\n")], NOTIFICATION, True),
    "typed, and once the agent's own": ([notified("go on"), typed("go on")], "go on", True),
    "not written yet": ([typed("first")], "push it", None),
    "only in a result": ([ended("t1", "push it")], "push it", None),
    "only in the queue's log": ([*OTHERS], "go on", None),
    "of unknown origin": ([{**sent("go"), "origin": {"kind": "cron"}}], "go", True),
    "scheduled by the agent": ([scheduled("push it")], "push it", True),
    "only said to be started": (
        [{"type": "system", "subtype": "scheduled_task_fire", "prompt": "push it"}],
        "push it",
        True,
    ),
    "typed, by the origin of its turn": (
        [{**typed("push it"), "turnOrigin": "human"}],
        "push it",
        False,
    ),
    "sent, by the origin of its turn": (
        [{**sent("push it"), "turnOrigin": "sdk"}],
        "push it",
        False,
    ),
    "of a turn that nobody knows": ([{**sent("go"), "turnOrigin": "peer"}], "go", True),
    "a summary": ([{**sent("go"), "isCompactSummary": True}], "go", True),
    "other blanks": ([scheduled("push  it\n now")], "push it now", True),
    "kept only in part": ([scheduled("x" * 9000 + "end")], "x" * 9000, True),
    "meta": ([{**sent("go"), "isMeta": True}], "go", True),
    "in blocks": (
        [{**notified(""), "message": {"content": [{"type": "text", "text": "go"}]}}],
        "go",
        True,
    ),
}


@pytest.mark.parametrize(("rows", "text", "expected"), MARKED.values(), ids=MARKED.keys())
def test_a_mark_in_the_record_says_that_nobody_typed_it(
    written: Written, rows: list[Row], text: str, expected: bool | None
) -> None:
    assert prompt_is_machine_made(written([*rows, *OTHERS]), text) is expected


def test_several_prompts_are_looked_up_at_once_and_unknown_ones_left_out(written: Written) -> None:
    record = written([typed("first"), scheduled("second"), *OTHERS])

    assert marked_prompts(record, ["first", "second", "third"]) == {"first": False, "second": True}
    assert marked_prompts("/no/record", ["first"]) is None


CALLS: dict[str, tuple[list[Row], tuple[str, ...]]] = {
    "of the last turn": (
        [typed("a"), called("t1"), ended("t1"), typed("b"), called("t2", "t3"), ended("t3")],
        ("t3",),
    ),
    "one after the other": (
        [typed("a"), called("t1"), ended("t1"), called("t2"), ended("t2")],
        ("t1", "t2"),
    ),
    "refused by the agent itself": (
        [typed("a"), called("t1"), ended("t1", "<tool_use_error>Read it first")],
        (),
    ),
    "the same, in blocks": (
        [called("t1"), ended("t1", [{"type": "text", "text": "<tool_use_error>no"}])],
        (),
    ),
    "failed": ([typed("a"), called("t1"), ended("t1", "Exit code 1")], ("t1",)),
    "after a notification": (
        [typed("a"), called("t1"), ended("t1"), notified(NOTIFICATION), called("t2"), ended("t2")],
        ("t2",),
    ),
    "of a sub-agent": ([typed("a"), {**called("t1"), "isSidechain": True}, ended("t1")], ()),
    "none": ([typed("a"), called(text="hello")], ()),
}


@pytest.mark.parametrize(("rows", "calls"), CALLS.values(), ids=CALLS.keys())
def test_calls_that_ran_since_the_last_prompt(
    written: Written, rows: list[Row], calls: tuple[str, ...]
) -> None:
    assert calls_since_prompt(written([*rows, *OTHERS])) == calls


def test_the_last_words_are_the_agents(written: Written) -> None:
    below = {**called(text="below"), "isSidechain": True}
    rows = [called(text="first"), called("t1", text="Shall I push?"), called("t2"), below, *OTHERS]

    assert last_words(written(rows)) == "Shall I push?"
    assert last_words(written([typed("a")])) == ""


def test_of_a_long_record_only_the_end_is_read(written: Written) -> None:
    path = written([typed("old"), *[called(text="x" * 100) for _ in range(50)], typed("new")])

    assert prompt_is_machine_made(path, "new", tail=1000) is False
    assert prompt_is_machine_made(path, "old", tail=1000) is None


def all_three(path: str) -> list[object]:
    return [prompt_is_machine_made(path, "a"), calls_since_prompt(path), last_words(path)]


NOTHING: list[object] = [None, None, None]


def test_a_file_that_is_no_record_says_nothing(written: Written, tmp_path: Path) -> None:
    path = Path(written([typed("a")]))
    link, folder, pipe = (path.with_name(f"{one}.jsonl") for one in ("link", "folder", "pipe"))
    link.symlink_to(path)
    folder.mkdir()
    os.mkfifo(pipe)
    elsewhere = tmp_path / "s1.jsonl"
    elsewhere.write_bytes(path.read_bytes())
    elsewhere.chmod(0o600)
    named = [link, folder, pipe, elsewhere, path.with_name("none.jsonl"), path.with_name("s1.txt")]

    found = [all_three(one) for one in ["", "relative", f"{path}\0.jsonl", *map(str, named)]]

    assert found == [NOTHING] * 9
    path.chmod(0o622)
    assert all_three(str(path)) == NOTHING


values = st.recursive(
    st.none() | st.booleans() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from("type message content attachment prompt origin kind id text".split()),
            inner | st.sampled_from(["user", "assistant", "attachment", "tool_use", "text"]),
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(st.lists(values, max_size=5), st.binary(max_size=60))
def test_whatever_stands_in_it_nothing_is_raised(
    written: Written, rows: list[object], rubbish: bytes
) -> None:
    path = written(rows)
    with open(path, "ab") as file:
        file.write(rubbish)

    machine, calls, words = all_three(path)

    assert machine in (True, False, None)
    assert isinstance(calls, tuple)
    assert isinstance(words, str)
