"""Pi's session files: `sessions/<folder>/<time>_<id>.jsonl`, a header and one row per message."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from automode.evaluation.transcripts.gathering import (
    Gathering,
    RecordedCall,
    Row,
    outcome_of,
    seconds,
    texts,
)

HOST = "pi"


def recognised(row: Row) -> bool:
    match row:
        case {"type": "session", "id": str(), "cwd": str()}:
            return True
        case _:
            return False


def calls(rows: Iterable[Row]) -> Iterator[RecordedCall]:
    """Every call of the file, also those on branches that the person left."""
    session = Gathering(HOST)
    for row in rows:
        match row:
            case {"type": "session", "id": str(own), "cwd": str(folder)}:
                session.session = own
                session.moved(folder)
            case {"type": "message", "message": Mapping() as message}:
                _heard(session, message, seconds(row.get("timestamp")))
                yield from session.ready()
            case _:
                pass
    yield from session.rest()


def _heard(session: Gathering, message: Mapping[str, object], at: float) -> None:
    match message:
        case {"role": "user", "content": content}:
            session.said(texts(content))
        case {"role": "assistant", "content": [*blocks]}:
            _agent(session, blocks, at)
        case {"role": "toolResult", "toolCallId": str(call)}:
            failed = message.get("isError") is True
            session.finished(call, outcome_of(texts(message.get("content")), failed=failed))
        case _:
            pass


def _agent(session: Gathering, blocks: Sequence[object], at: float) -> None:
    for block in blocks:
        match block:
            case {"type": "text", "text": str(text)}:
                session.agent_said(text)
            case {"type": "toolCall", "id": str(call), "name": str(tool), "arguments": given}:
                known = given if isinstance(given, Mapping) else {"input": given}
                session.proposed(call, tool, known, at)
            case _:
                pass
