"""Claude Code's session files: `projects/<folder>/<session>.jsonl`, and its sub-agents' below."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from automode.agents.claude_code.results import person_answers
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

HOST = "claude-code"
MOST_AGENTS = 256
"""Sub-agents whose rows stand in one file; older versions wrote them beside the main ones."""

_UNNAMED_AGENT = "side"
_FROM_OUTSIDE = ("human", "sdk")
_MARKS = ("isMeta", "isCompactSummary", "isVirtual", "isVisibleInTranscriptOnly")
_REJECTED = (
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "[Request interrupted by user",
)
_REFUSED = ("Permission to use ", "Claude requested permissions ", "PreToolUse:")


def recognised(row: Row) -> bool:
    return isinstance(row.get("sessionId"), str) and isinstance(row.get("type"), str)


def calls(rows: Iterable[Row]) -> Iterator[RecordedCall]:
    """Every call of the file with what became of it."""
    sessions: dict[str, Gathering] = {}
    for row in rows:
        match row:
            case {"type": "user" | "assistant" as kind, "message": Mapping() as message}:
                session = _session(sessions, row)
                if kind == "assistant":
                    _agent(session, message, seconds(row.get("timestamp")))
                else:
                    _user(session, row, message)
                yield from session.ready()
            case {"type": "attachment", "attachment": {"type": "queued_command"} as queued}:
                _queued(_session(sessions, row), queued)
            case _:
                pass
    for session in sessions.values():
        yield from session.rest()


def _session(sessions: dict[str, Gathering], row: Row) -> Gathering:
    own = row.get("sessionId")
    above = own if isinstance(own, str) else ""
    agent = row.get("agentId")
    name = agent if isinstance(agent, str) else _UNNAMED_AGENT
    side = row.get("isSidechain") is True
    key = name if side else ""
    if key not in sessions:
        if len(sessions) >= MOST_AGENTS:
            key = next(reversed(sessions))
        else:
            sessions[key] = Gathering(
                HOST, f"{above}/{name}" if side else above, above if side else None
            )
    sessions[key].moved(row.get("cwd"))
    return sessions[key]


def _agent(session: Gathering, message: Mapping[str, object], at: float) -> None:
    for block in _blocks(message):
        match block:
            case {"type": "text", "text": str(text)}:
                session.agent_said(text)
            case {"type": "tool_use", "id": str(call), "name": str(tool), "input": given}:
                known = given if isinstance(given, Mapping) else {"input": given}
                session.proposed(call, tool, known, at)
            case _:
                pass


def _user(session: Gathering, row: Row, message: Mapping[str, object]) -> None:
    """A result of a tool stands in the user's place, too."""
    results = [one for one in _blocks(message) if _is_result(one)]
    for result in results:
        _result(session, row, result)
    if not results and (words := texts(message.get("content"))):
        session.said(words, _origin(row))


def _result(session: Gathering, row: Row, result: object) -> None:
    match result:
        case {"tool_use_id": str(call)} if isinstance(result, Mapping):
            tool = session.tool(call)
            session.finished(call, _outcome(row, result))
            for question, answer in person_answers(tool, row.get("toolUseResult")):
                session.answered(question, answer)
        case _:
            pass


def _outcome(row: Row, result: Mapping[str, object]) -> Outcome:
    text = texts(result.get("content"))
    match row.get("permissionDecision"):
        case {"decision": "reject", "source": str(source)} if source.startswith("user"):
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


def _queued(session: Gathering, given: object) -> None:
    """What a person typed while the agent was at work."""
    match given:
        case {"prompt": prompt} if isinstance(given, Mapping):
            session.said(texts(prompt), _origin(given))
        case _:
            pass


def _origin(row: Row) -> Origin:
    match row.get("origin"):
        case {"kind": str(kind)} if kind != "human":
            return Origin.MACHINE
        case _:
            pass
    turn = row.get("turnOrigin")
    alone = isinstance(turn, str) and turn not in _FROM_OUTSIDE
    if alone or row.get("promptSource") == "system" or any(row.get(one) is True for one in _MARKS):
        return Origin.MACHINE
    return Origin.PERSON


def _blocks(message: Mapping[str, object]) -> Sequence[object]:
    match message.get("content"):
        case [*blocks]:
            return blocks
        case _:
            return ()


def _is_result(block: object) -> bool:
    return isinstance(block, Mapping) and block.get("type") == "tool_result"
