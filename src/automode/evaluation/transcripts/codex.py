"""Codex's session files: `sessions/<year>/<month>/<day>/rollout-….jsonl`, each row with a payload.

The same thing is often told twice, once for the model and once for the screen. Only what went to
the model is read: every version has it.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from automode.classifier.events import Origin
from automode.core.transcript import Outcome
from automode.evaluation.transcripts.gathering import (
    Gathering,
    RecordedCall,
    Row,
    outcome_of,
    seconds,
    texts,
)

HOST = "codex"
_EXIT = re.compile(r"(?:exited with code |Exit code: |\"exit_code\":\s?)(-?\d+)")
_HEAD = 400  # characters: what a program printed may say anything
_REJECTED = ("rejected by user", "aborted by user")
_REFUSED = "blocked by"


def recognised(row: Row) -> bool:
    match row:
        case {"type": "session_meta", "payload": {"id": str()}}:
            return True
        case _:
            return False


def calls(rows: Iterable[Row]) -> Iterator[RecordedCall]:
    """Every call of the file with what became of it."""
    session = Gathering(HOST)
    for row in rows:
        match row:
            case {"type": "session_meta", "payload": {"id": str(own)} as payload}:
                session.session = session.session or own
                session.parent = session.parent or _parent(payload)
                session.moved(_field(payload, "cwd"))
            case {"type": "turn_context", "payload": {"cwd": folder}}:
                session.moved(folder)
            case {"type": "response_item", "payload": Mapping() as item}:
                _heard(session, item, seconds(row.get("timestamp")))
                yield from session.ready()
            case _:
                pass
    yield from session.rest()


def _heard(session: Gathering, item: Mapping[str, object], at: float) -> None:
    match item:
        case {"type": "message", "role": "user", "content": content}:
            session.said(texts(content), _origin(item))
        case {"type": "message", "role": "assistant", "content": content}:
            session.agent_said(texts(content))
        case {"type": "function_call", "name": str(name), "call_id": str(call)}:
            tool = _tool(item.get("namespace"), name)
            session.proposed(call, tool, _arguments(item.get("arguments")), at)
        case {"type": "custom_tool_call", "name": str(tool), "call_id": str(call), "input": given}:
            session.proposed(call, tool, {"input": given}, at)
        case {"type": "local_shell_call", "call_id": str(call), "action": Mapping() as action}:
            given = {name: action[name] for name in ("command", "env") if action.get(name)}
            folder = action.get("working_directory")
            session.proposed(call, "local_shell", given | ({"cwd": folder} if folder else {}), at)
        case {"type": str(kind), "call_id": str(call)} if kind.endswith("_output"):
            session.finished(call, _outcome(item.get("output")))
        case _:
            pass


def _tool(namespace: object, name: str) -> str:
    """Tools of MCP servers stand in the namespace of their server."""
    inside = isinstance(namespace, str) and namespace.startswith("mcp__")
    if not inside or name.startswith("mcp__"):
        return name
    return f"{str(namespace).rstrip('_')}__{name}"


def _arguments(given: object) -> Mapping[str, object]:
    """As text, because a model may write anything."""
    try:
        value: object = json.loads(given) if isinstance(given, str) else given
    except (ValueError, RecursionError):
        value = given
    return value if isinstance(value, dict) else {"input": value}


def _outcome(output: object) -> Outcome:
    match output:
        case {"success": False}:
            failed, text = True, texts(_field(output, "content"))
        case Mapping():
            failed, text = False, texts(_field(output, "content"))
        case _:
            failed, text = False, texts(output)
    head = text[:_HEAD]
    code = _EXIT.search(head)
    if code is not None:
        return Outcome.OK if code[1] == "0" else Outcome.ERROR
    if any(words in head for words in _REJECTED):
        return Outcome.REJECTED
    # A hook's own words follow, so nothing else can be said of it.
    if _REFUSED in head and "hook" in head:
        return Outcome.DENIED
    return outcome_of(head, failed=failed)


def _origin(item: Mapping[str, object]) -> Origin:
    """Newer versions say where each part came from; in older ones the text itself has to tell."""
    match item.get("internal_chat_message_metadata_passthrough"):
        case {"content_item_metadata": [*parts]} if parts:
            people = [_provenance(part) == "user" for part in parts]
            return Origin.PERSON if all(people) else Origin.MACHINE
        case _:
            return Origin.PERSON


def _provenance(part: object) -> str:
    match part:
        case {"provenance": {"type": str(kind)}}:
            return kind
        case _:
            return "user"


def _parent(payload: object) -> str | None:
    match payload:
        case {"source": {"subagent": {"thread_spawn": {"parent_thread_id": str(parent)}}}}:
            return parent
        case {"source": {"subagent": _}}:
            return "codex"
        case _:
            return None


def _field(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, Mapping) else None
