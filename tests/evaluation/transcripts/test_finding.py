"""Where session files are found, and that nothing in them can stop a replay."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.errors import AutomodeError
from automode.evaluation.transcripts.finding import (
    FORMATS,
    SessionFile,
    SessionFiles,
    calls_in,
    files_of,
    named_files,
)
from automode.evaluation.transcripts.gathering import Unreadable
from tests.evaluation.transcripts.written_sessions import (
    CLAUDE_AGENT,
    CLAUDE_CODE,
    CODEX,
    HERE,
    PI,
    claude_call,
    written,
)

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


@pytest.mark.parametrize("name", PLACES)
def test_files_are_looked_for_where_the_agent_keeps_them(name: str, tmp_path: Path) -> None:
    variable, usual = PLACES[name]
    (tmp_path / usual / "deep").mkdir(parents=True)
    (tmp_path / usual / "deep" / "a.jsonl").touch()
    (tmp_path / usual / "a.txt").touch()
    moved = tmp_path / "moved" / usual.rsplit("/", 1)[1]
    moved.mkdir(parents=True)
    (moved / "b.jsonl").touch()

    at_home = files_of(FORMATS[name], str(tmp_path), {})
    elsewhere = files_of(FORMATS[name], str(tmp_path), {variable: str(tmp_path / "moved")})

    assert [os.path.basename(one.path) for one in at_home] == ["a.jsonl"]
    assert [os.path.basename(one.path) for one in elsewhere] == ["b.jsonl"]


def test_an_agent_that_was_never_used_has_no_files(tmp_path: Path) -> None:
    assert files_of(FORMATS["pi"], str(tmp_path), {}) == []


@pytest.mark.parametrize(
    ("path", "host"),
    [(CLAUDE_CODE, "claude-code"), (CLAUDE_AGENT, "claude-code"), (PI, "pi"), (CODEX, "codex")],
    ids=lambda value: str(value).rsplit("/", 1)[-1],
)
def test_the_rows_tell_who_wrote_a_file(path: Path, host: str) -> None:
    assert {call.host for call in calls_in(str(path))} == {host}


def test_a_folder_stands_for_all_its_session_files() -> None:
    found = SessionFiles(named_files(str(HERE)))

    assert len(list(found.calls())) == 18
    assert found.unread == []


def test_a_file_that_nobody_knows_is_named_with_a_way_out(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text('{"a": 1}\n')

    with pytest.raises(Unreadable, match="no session file") as caught:
        list(calls_in(str(file)))

    assert "claude-code" in caught.value.hint


def test_beside_others_an_unknown_file_is_only_noted(tmp_path: Path) -> None:
    written(tmp_path / "a.jsonl", [claude_call("t", "Bash", {"command": "make"})])
    (tmp_path / "b.jsonl").write_text("nonsense\n")
    found = SessionFiles(named_files(str(tmp_path)))

    assert len(list(found.calls())) == 1
    assert found.unread == [str(tmp_path / "b.jsonl")]


@pytest.mark.parametrize("name", ["nowhere", "nul\0byte"])
def test_a_path_that_is_not_there_is_an_error_with_a_way_out(name: str, tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="neither an agent nor a file"):
        named_files(str(tmp_path / name))


def test_an_empty_folder_is_an_error_with_a_way_out(tmp_path: Path) -> None:
    with pytest.raises(AutomodeError, match="no session file"):
        named_files(str(tmp_path))


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


@pytest.mark.parametrize("name", sorted(FORMATS))
@given(rows=st.lists(JSON, max_size=6))
def test_no_row_can_stop_a_reading(name: str, rows: list[object]) -> None:
    good = [row for row in rows if isinstance(row, dict)]

    found = list(FORMATS[name].calls(good))

    assert all(call.host == name for call in found)


def test_lines_that_cannot_be_read_are_passed_over(tmp_path: Path) -> None:
    good = json.dumps(call_at(1)).encode()
    file = tmp_path / "a.jsonl"
    file.write_bytes(b"\xff\xfe\n" + b"[" * 100_000 + b"\n[]\n" + good + b"\n" + good[:40])

    assert [call.id for call in calls_in(str(file))] == ["t1"]
