"""Session files as tests need them: the recorded ones, and rows written by hand."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from automode.core.transcript import UserMessage
from automode.evaluation.recorded_calls import RecordedCall

HERE = Path(__file__).parent / "transcripts"
CLAUDE_CODE = HERE / "claude-code" / "session.jsonl"
CLAUDE_AGENT = HERE / "claude-code" / "subagents" / "agent-a000000000000000a.jsonl"
PI = HERE / "pi" / "session.jsonl"
CODEX = HERE / "codex" / "rollout.jsonl"

Row = Mapping[str, object]


def written(path: Path, rows: Iterable[Row]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def told(call: RecordedCall) -> tuple[object, ...]:
    """A call as a table of a test writes it down."""
    given = call.input.get("command") or call.input.get("cmd") or call.input.get("input")
    return (call.tool, given, call.then.value)


def words_before(call: RecordedCall) -> list[tuple[str, str]]:
    """What the user said before, each with what it answered."""
    entries = call.transcript.entries
    return [(one.text, one.referent) for one in entries if isinstance(one, UserMessage)]


def claude_user(content: object, **more: object) -> Row:
    return _claude("user", {"role": "user", "content": content}, more)


def claude_call(call: str, tool: str, given: Row, **more: object) -> Row:
    block = {"type": "tool_use", "id": call, "name": tool, "input": given}
    return _claude("assistant", {"role": "assistant", "content": [block]}, more)


def claude_result(call: str, text: str = "", *, failed: bool = False, **more: object) -> Row:
    block = {"type": "tool_result", "tool_use_id": call, "content": text, "is_error": failed}
    return claude_user([block], **more)


def _claude(kind: str, message: Row, more: Mapping[str, object]) -> Row:
    place = {"sessionId": "s1", "cwd": "/home/dev/parrot", "isSidechain": False}
    return {"type": kind, "message": message, **place, **more}


def codex_item(item: Row) -> Row:
    return {"timestamp": "2026-11-15T16:00:00.000Z", "type": "response_item", "payload": item}
