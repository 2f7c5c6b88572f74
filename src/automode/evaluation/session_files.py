"""The session files of agents: where they are, and how Claude Code, Codex and Pi write them.

- Claude Code: `projects/<folder>/<session>.jsonl`, and its sub-agents' below.
- Codex: `sessions/<year>/<month>/<day>/rollout-….jsonl`, each row with a payload. The same thing is
  often told twice, once for the model and once for the screen; only what went to the model is read:
  every version has it.
- Pi: `sessions/<folder>/<time>_<id>.jsonl`, a header and one row per message, also of branches that
  the person left.
"""

import hashlib
import json
import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import chain, count, islice
from types import MappingProxyType
from typing import TypeAlias

from automode.agents.claude_code.payloads import person_answers
from automode.classifier.events import Origin
from automode.core.errors import AutomodeError
from automode.core.transcript import Outcome
from automode.evaluation.recorded_calls import (
    RecordedCall,
    Row,
    SessionReader,
    Unreadable,
    outcome_of,
    rows,
    seconds,
    texts,
)
from automode.facts.claude_record import DECLINED, by_the_agent, is_persons_no

ENDING = ".jsonl"
ROWS_LOOKED_AT = 64
MOST_SESSIONS = 256
"""Sessions of one file: the agent's, and those of its sub-agents."""

Sessions: TypeAlias = dict[str, SessionReader]


@dataclass(frozen=True, slots=True)
class SessionFormat:
    """How one agent writes session files. `hear` reads a row into the session it belongs to. The
    files are in `folder` below the agent's own, which `variable` moves."""

    name: str
    recognises: Callable[[Row], bool]
    hear: Callable[[Sessions, Row], None]
    variable: str
    home: tuple[str, ...]
    folder: str

    def place(self, home: str, environment: Mapping[str, str]) -> str:
        moved = environment.get(self.variable, "")
        own = moved if os.path.isabs(moved) else os.path.join(home, *self.home)
        return os.path.join(own, self.folder)

    def calls(self, rows: Iterable[Row]) -> Iterator[RecordedCall]:
        """Every call of the file with what became of it."""
        sessions: Sessions = {}
        for row in rows:
            self.hear(sessions, row)
        for session in sessions.values():
            yield from session.calls.values()


CLAUDE_CODE, CODEX, PI = "claude-code", "codex", "pi"

_UNNAMED_AGENT = "side"
_REJECTED = (*DECLINED, "[Request interrupted by user")
_REFUSED = ("Permission to use ", "Claude requested permissions ", "PreToolUse:")


def _is_claude(row: Row) -> bool:
    return isinstance(row.get("sessionId"), str) and isinstance(row.get("type"), str)


def _hear_claude(sessions: Sessions, row: Row) -> None:
    match row:
        case {"type": "assistant", "message": Mapping() as message}:
            session = _claude_session(sessions, row)
            session.hear_blocks(message.get("content"), seconds(row.get("timestamp")))
        case {"type": "user", "message": Mapping() as message}:
            session = _claude_session(sessions, row)
            _hear_claude_user(session, row, message.get("content"))
        case {"type": "attachment", "attachment": {"type": "queued_command"} as queued}:
            # What a person typed while the agent was at work.
            session = _claude_session(sessions, row)
            if isinstance(queued, Mapping) and "prompt" in queued:
                session.hear_user(texts(queued["prompt"]), _claude_origin(queued))
        case _:
            pass


def _claude_session(sessions: Sessions, row: Row) -> SessionReader:
    """Older versions wrote the rows of sub-agents beside those of the agent."""
    own, agent = row.get("sessionId"), row.get("agentId")
    above = own if isinstance(own, str) else ""
    name = agent if isinstance(agent, str) else _UNNAMED_AGENT
    side = row.get("isSidechain") is True
    key = name if side else ""
    if key not in sessions:
        if len(sessions) >= MOST_SESSIONS:
            key = next(reversed(sessions))
        else:
            sessions[key] = SessionReader(
                CLAUDE_CODE, f"{above}/{name}" if side else above, above if side else None
            )
    sessions[key].move_to(row.get("cwd"))
    return sessions[key]


def _hear_claude_user(session: SessionReader, row: Row, content: object) -> None:
    """A result of a tool stands in the user's place, too."""
    found = False
    for block in content if isinstance(content, list) else ():
        match block:
            case {"type": "tool_result"} as result if isinstance(result, dict):
                found = True
                call = result.get("tool_use_id")
                if isinstance(call, str):
                    tool = session.finish(call, _claude_outcome(row, result))
                    for question, answer in person_answers(tool, row.get("toolUseResult")):
                        session.hear_answer(question, answer)
            case _:
                pass
    if not found and (words := texts(content)):
        session.hear_user(words, _claude_origin(row))


def _claude_outcome(row: Row, result: Mapping[str, object]) -> Outcome:
    text = texts(result.get("content"))
    match row.get("permissionDecision"):
        case _ if is_persons_no(row):
            return Outcome.REJECTED
        case {"decision": "reject"}:
            return Outcome.DENIED
        case _ if result.get("is_error") is not True:
            return Outcome.OK
        case _ if text.startswith(_REJECTED):
            return Outcome.REJECTED
        case _ if text.startswith(_REFUSED):
            return Outcome.DENIED
        case _:
            return outcome_of(text, failed=True)


def _claude_origin(row: Row) -> Origin:
    shown_alone = row.get("isVisibleInTranscriptOnly") is True
    return Origin.MACHINE if shown_alone or by_the_agent(row) else Origin.PERSON


_EXIT = re.compile(r"(?:exited with code |Exit code: |\"exit_code\":\s?)(-?\d+)")
_HEAD = 400  # characters: what a program printed may say anything
_CODEX_REJECTED = ("rejected by user", "aborted by user")


def _is_codex(row: Row) -> bool:
    match row:
        case {"type": "session_meta", "payload": {"id": str()}}:
            return True
        case _:
            return False


def _hear_codex(sessions: Sessions, row: Row) -> None:
    session = sessions.setdefault("", SessionReader(CODEX))
    match row:
        case {"type": "session_meta", "payload": {"id": str(own)} as payload} if isinstance(
            payload, dict
        ):
            session.session = session.session or own
            session.parent = session.parent or _codex_parent(payload)
            session.move_to(payload.get("cwd"))
        case {"type": "turn_context", "payload": {"cwd": folder}}:
            session.move_to(folder)
        case {"type": "response_item", "payload": Mapping() as item}:
            _hear_codex_item(session, item, seconds(row.get("timestamp")))
        case _:
            pass


def _hear_codex_item(session: SessionReader, item: Mapping[str, object], at: float) -> None:
    match item:
        case {"type": "message", "role": "user", "content": content}:
            session.hear_user(texts(content), _codex_origin(item))
        case {"type": "message", "role": "assistant", "content": content}:
            session.hear_agent(texts(content))
        case {"type": "function_call", "name": str(name), "call_id": str(call)}:
            tool = _codex_tool(item.get("namespace"), name)
            session.propose(call, tool, _codex_arguments(item.get("arguments")), at)
        case {"type": "custom_tool_call", "name": str(tool), "call_id": str(call), "input": given}:
            session.propose(call, tool, {"input": given}, at)
        case {"type": "local_shell_call", "call_id": str(call), "action": Mapping() as action}:
            given = {name: action[name] for name in ("command", "env") if action.get(name)}
            folder = action.get("working_directory")
            session.propose(call, "local_shell", given | ({"cwd": folder} if folder else {}), at)
        case {"type": str(kind), "call_id": str(call)} if kind.endswith("_output"):
            session.finish(call, _codex_outcome(item.get("output")))
        case _:
            pass


def _codex_tool(namespace: object, name: str) -> str:
    """Tools of MCP servers stand in the namespace of their server."""
    inside = isinstance(namespace, str) and namespace.startswith("mcp__")
    if not inside or name.startswith("mcp__"):
        return name
    return f"{str(namespace).rstrip('_')}__{name}"


def _codex_arguments(given: object) -> object:
    """As text, because a model may write anything."""
    try:
        return json.loads(given) if isinstance(given, str) else given
    except (ValueError, RecursionError):
        return given


def _codex_outcome(output: object) -> Outcome:
    failed = isinstance(output, Mapping) and output.get("success") is False
    head = texts(output.get("content") if isinstance(output, Mapping) else output)[:_HEAD]
    code = _EXIT.search(head)
    if code is not None:
        return Outcome.OK if code[1] == "0" else Outcome.ERROR
    if any(words in head for words in _CODEX_REJECTED):
        return Outcome.REJECTED
    # A hook's own words follow, so nothing else can be said of it.
    if "blocked by" in head and "hook" in head:
        return Outcome.DENIED
    return outcome_of(head, failed=failed)


def _codex_origin(item: Mapping[str, object]) -> Origin:
    """Newer versions say where each part came from; in older ones the text itself has to tell."""
    match item.get("internal_chat_message_metadata_passthrough"):
        case {"content_item_metadata": [*parts]} if not all(map(_is_from_user, parts)):
            return Origin.MACHINE
        case _:
            return Origin.PERSON


def _is_from_user(part: object) -> bool:
    match part:
        case {"provenance": {"type": str(kind)}}:
            return kind == "user"
        case _:
            return True


def _codex_parent(payload: Mapping[str, object]) -> str | None:
    match payload.get("source"):
        case {"subagent": {"thread_spawn": {"parent_thread_id": str(parent)}}}:
            return parent
        case {"subagent": _}:
            return CODEX
        case _:
            return None


def _is_pi(row: Row) -> bool:
    match row:
        case {"type": "session", "id": str(), "cwd": str()}:
            return True
        case _:
            return False


def _hear_pi(sessions: Sessions, row: Row) -> None:
    session = sessions.setdefault("", SessionReader(PI))
    match row:
        case {"type": "session", "id": str(own), "cwd": str(folder)}:
            session.session = own
            session.move_to(folder)
        case {"type": "message", "message": {"role": "user", "content": content}}:
            session.hear_user(texts(content))
        case {"type": "message", "message": {"role": "assistant", "content": content}}:
            session.hear_blocks(content, seconds(row.get("timestamp")))
        case {
            "type": "message",
            "message": {"role": "toolResult", "toolCallId": str(call), **result},
        }:
            failed = result.get("isError") is True
            session.finish(call, outcome_of(texts(result.get("content")), failed=failed))
        case _:
            pass


FORMATS = MappingProxyType(
    {
        one.name: one
        for one in (
            SessionFormat(
                CLAUDE_CODE, _is_claude, _hear_claude, "CLAUDE_CONFIG_DIR", (".claude",), "projects"
            ),
            SessionFormat(
                PI, _is_pi, _hear_pi, "PI_CODING_AGENT_DIR", (".pi", "agent"), "sessions"
            ),
            SessionFormat(CODEX, _is_codex, _hear_codex, "CODEX_HOME", (".codex",), "sessions"),
        )
    }
)


@dataclass(frozen=True, slots=True)
class SessionFile:
    """`changed` is when it was last written to: none of its calls is younger."""

    path: str
    changed: float
    format: SessionFormat | None = None  # None: its rows tell


@dataclass(slots=True)
class SessionFiles:
    """Calls of many files. Agents copy a conversation when it goes on in another session: a call
    counts once. `unread` are files that could not be read, `lost` the lines that could not, by
    file."""

    files: Sequence[SessionFile]
    unread: list[str] = field(default_factory=list)
    lost: Counter[str] = field(default_factory=Counter)
    _seen: set[bytes] = field(default_factory=set)

    def calls(self, since: float | None = None, limit: int | None = None) -> Iterator[RecordedCall]:
        """With `limit` only so many, the newest. Raises Unreadable where the only file is."""
        if limit is not None:
            return iter(self._newest(since, limit))
        return (call for file in self._by_age() for call in self._fresh(file, since))

    def _newest(self, since: float | None, limit: int) -> list[RecordedCall]:
        number = count()
        kept: list[tuple[float, int, RecordedCall]] = []
        for file in self._by_age():
            if len(kept) == limit and file.changed < kept[0][0]:
                break
            for call in self._fresh(file, since):
                heappush(kept, (call.at, next(number), call))
                if len(kept) > limit:
                    heappop(kept)
        return [call for _, _, call in sorted(kept, reverse=True)]

    def _by_age(self) -> list[SessionFile]:
        return sorted(self.files, key=lambda one: (-one.changed, one.path))

    def _fresh(self, file: SessionFile, since: float | None) -> Iterator[RecordedCall]:
        if since is not None and file.changed < since:
            return
        try:
            for call in calls_in(file.path, file.format, self.lost):
                if since is None or call.at >= since:
                    name = f"{call.host} {call.id} {call.at}".encode("utf-8", "surrogatepass")
                    short = hashlib.blake2b(name, digest_size=12).digest()
                    if short not in self._seen:
                        self._seen.add(short)
                        yield call
        except Unreadable:
            if len(self.files) == 1:
                raise
            self.unread.append(file.path)
            del self.lost[file.path]


def calls_in(
    path: str, known: SessionFormat | None = None, lost: Counter[str] | None = None
) -> Iterator[RecordedCall]:
    """Lines that cannot be read are counted in `lost`. Raises Unreadable, also for a file that no
    known agent wrote."""
    reading = rows(path, Counter() if lost is None else lost)
    first = list(islice(reading, ROWS_LOOKED_AT))
    found = (one for row in first for one in FORMATS.values() if one.recognises(row))
    written_by = known or next(found, None)
    if written_by is None:
        raise Unreadable(
            f"`{path}` is no session file that is known here",
            f"name a file of {', '.join(FORMATS)}, or a folder of them",
        )
    return written_by.calls(chain(first, reading))


def files_of(
    written_by: SessionFormat, home: str, environment: Mapping[str, str]
) -> list[SessionFile]:
    """Every session file of this agent; none where it was never used."""
    place = written_by.place(home, environment)
    return [SessionFile(path, changed, written_by) for path, changed in _session_files(place)]


def named_files(path: str) -> list[SessionFile]:
    """The file itself, or all session files of the folder. Raises AutomodeError."""
    if os.path.isdir(path):
        found = [SessionFile(one, changed) for one, changed in _session_files(path)]
        if not found:
            raise AutomodeError(
                f"no session file in `{path}`", "name a folder with files that end in .jsonl"
            )
        return found
    try:
        return [SessionFile(path, os.stat(path).st_mtime)]
    except (OSError, ValueError) as error:
        raise Unreadable(
            f"`{path}` is neither an agent nor a file",
            f"name {', '.join(FORMATS)}, `audit`, or a session file",
        ) from error


def _session_files(folder: str) -> Iterator[tuple[str, float]]:
    """Links are not followed: they may lead round and round."""
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with suppress(OSError):  # gone in the meantime
                found = os.lstat(path)
                if name.endswith(ENDING) and stat.S_ISREG(found.st_mode):
                    yield path, found.st_mtime
