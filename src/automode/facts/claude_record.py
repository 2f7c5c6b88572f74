"""What Claude Code's own record of a session says: which prompts no person typed, which calls ran.

The agent can write that file. So it may only take something away from the agent: that a prompt was
a person's, that a call was seen by the gate. Nothing here ever raises; None where the record says
nothing that may be believed.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from automode.facts.record_file import LONGEST_TAIL, Row, record_rows

_PLACE = re.compile(r"/.+/projects/[^/]+/[^/]+(?:/subagents/[^/]+)?\.jsonl", re.DOTALL)
_HUMAN = "human"
_BY_THE_AGENT = "system"
_FROM_OUTSIDE = ("human", "sdk")  # of turns; all others begin by themselves
_LONGEST_COMPARED = 4096  # characters: who keeps a prompt may have cut it behind them
DECLINED = (
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
)
_NEVER_RAN = "<tool_use_error>"  # refused by the agent itself, before any hook


def prompt_is_machine_made(path: str, text: str, *, tail: int = LONGEST_TAIL) -> bool | None:
    """True: the record marks a prompt of these words as not typed by a person. A prompt is written
    only after its hook has answered, so ask again later. False says that there is such a prompt
    without a mark, never that a person typed it."""
    return (marked_prompts(path, (text,), tail=tail) or {}).get(text)


def marked_prompts(
    path: str, texts: Iterable[str], *, tail: int = LONGEST_TAIL
) -> dict[str, bool] | None:
    """The same for several prompts at once; without those that the record does not know."""
    rows = _rows(path, tail)
    if rows is None:
        return None
    wanted = {text: _plain(text) for text in texts}
    marks: dict[str, bool] = {}
    for row in rows:
        found = _prompt_anywhere(row)
        if found is not None:
            plain = _plain(found.text)
            marks[plain] = marks.get(plain, False) or found.machine
    return {text: marks[plain] for text, plain in wanted.items() if plain in marks}


def calls_since_prompt(path: str, *, tail: int = LONGEST_TAIL) -> tuple[str, ...] | None:
    """The ids of the calls that have a result since the last prompt, whoever made that prompt. Not
    those that the agent refused by itself: no hook is asked about them."""
    rows = _rows(path, tail)
    if rows is None:
        return None
    begun: list[str] = []
    ended: dict[str, bool] = {}
    for row in rows:
        if row.get("isSidechain") is True:
            continue
        if _prompt(row) is not None:
            begun.clear()
        for block in _blocks(row):
            match row.get("type"), block:
                case "assistant", {"type": "tool_use", "id": str(call)}:
                    begun.append(call)
                case "user", {"type": "tool_result", "tool_use_id": str(call)}:
                    ended[call] = not _result_text(block).startswith(_NEVER_RAN)
                case _:
                    pass
    return tuple(call for call in begun if ended.get(call, False))


def declined_ids(path: str, *, tail: int = LONGEST_TAIL) -> tuple[str, ...]:
    """The calls that a person said no to in the agent's own dialog."""
    return tuple(
        str(block["tool_use_id"])
        for row in _rows(path, tail) or ()
        for block in _blocks(row)
        if isinstance(block, Mapping) and block.get("is_error") is True and "tool_use_id" in block
        if is_persons_no(row) or _result_text(block).startswith(DECLINED)
    )


def is_persons_no(row: Row) -> bool:
    """Whether the row of a result says that a person refused the call."""
    match row.get("permissionDecision"):
        case {"decision": "reject", "source": str(source)}:
            return source.startswith("user")
        case _:
            return False


def last_words(path: str, *, tail: int = LONGEST_TAIL) -> str | None:
    """What the agent wrote last, as text; empty where it wrote none."""
    rows = _rows(path, tail)
    if rows is None:
        return None
    for row in reversed(rows):
        if row.get("type") == "assistant" and row.get("isSidechain") is not True:
            said = [text for block in _blocks(row) if (text := _text(block))]
            if said:
                return "\n".join(said)
    return ""


def _prompt_anywhere(row: Row) -> "_Prompt | None":
    """The prompt of a row, also where it stands beside the turn that it came in."""
    match row:
        case {"type": "attachment", "attachment": {"type": "queued_command"} as queued}:
            return _Prompt.queued(queued)
        case {"type": "system", "subtype": "scheduled_task_fire", "prompt": str(text)}:
            return _Prompt(text, machine=True)
        case _:
            return _prompt(row)


def _plain(text: str) -> str:
    return " ".join(text.split())[:_LONGEST_COMPARED]


@dataclass(frozen=True, slots=True)
class _Prompt:
    text: str
    machine: bool

    @classmethod
    def queued(cls, given: object) -> "_Prompt | None":
        match given:
            case {"prompt": str(text)} if isinstance(given, Mapping):
                return cls(text, by_the_agent(given))
            case _:
                return None


def _prompt(row: Row) -> _Prompt | None:
    """A text in the user's place; results of tools stand there too, and are none."""
    match row:
        case {"type": "user", "message": {"content": str(text)}}:
            return _Prompt(text, by_the_agent(row))
        case {"type": "user", "message": {"content": [*blocks]}} if not _holds_results(blocks):
            said = [text for block in blocks if (text := _text(block))]
            return _Prompt("\n".join(said), by_the_agent(row)) if said else None
        case _:
            return None


def by_the_agent(row: Row) -> bool:
    """Whether no person typed a prompt. What the agent scheduled for itself is marked by
    `turnOrigin` alone."""
    match row.get("origin"):
        case {"kind": str(kind)} if kind != _HUMAN:
            return True
        case _:
            pass
    turn = row.get("turnOrigin")
    began_by_itself = isinstance(turn, str) and turn not in _FROM_OUTSIDE
    marks = (row.get(name) is True for name in ("isMeta", "isCompactSummary", "isVirtual"))
    return began_by_itself or row.get("promptSource") == _BY_THE_AGENT or any(marks)


def _holds_results(blocks: Sequence[object]) -> bool:
    return any(isinstance(one, Mapping) and one.get("type") == "tool_result" for one in blocks)


def _blocks(row: Row) -> Sequence[object]:
    match row.get("message"):
        case {"content": [*blocks]}:
            return blocks
        case _:
            return ()


def _text(block: object) -> str:
    match block:
        case {"type": "text", "text": str(text)}:
            return text
        case _:
            return ""


def _result_text(block: object) -> str:
    match block:
        case {"content": str(text)}:
            return text
        case {"content": [first, *_]}:
            return _text(first)
        case _:
            return ""


def _rows(path: str, tail: int) -> list[Row] | None:
    return record_rows(path, _PLACE, tail)
