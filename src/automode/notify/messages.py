"""What a message says: text of automode's own around what an agent wrote, cut and cleaned."""

import json
import os
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

from automode.agents.catalog import AGENTS
from automode.config.settings import printable
from automode.core.call import Read, Shell
from automode.core.errors import BadCall
from automode.core.record import Record
from automode.core.tools import tool_call

LONGEST_ACTION = 500
LONGEST_REASON = 300
LONGEST_NAME = 60
MOST_LISTED = 10
LONGEST_LIST_BYTES = 3500  # ntfy takes 4096
_LONG_BLANK = re.compile(r" {8,}")
_LINK = re.compile(r"(?i)\b([a-z][a-z0-9+.-]{1,20})://([^\s/?#]*)|\bwww\.(?=\w)")


@dataclass(frozen=True, slots=True)
class Message:
    """`whole`: everything that the call does is shown, so a yes is a yes to what was read."""

    title: str
    text: str
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Shown:
    text: str
    whole: bool


def shown(text: str, longest: int) -> Shown:
    """`text` on one line, with nothing in it that steers, hides, reorders or can be tapped."""
    plain = _LONG_BLANK.sub(lambda run: f" [{len(run[0])} blanks] ", printable(text))
    inert = _LINK.sub(_inert, plain)
    return Shown(inert if len(inert) <= longest else f"{inert[:longest]}…", len(inert) <= longest)


def _inert(link: re.Match[str]) -> str:
    if link[1] is None:
        return link[0].replace(".", "[.]")
    return f"{link[1]}[://]{link[2].replace('.', '[.]')}"


def one_call(record: Record, seconds: float, until: float) -> Message:
    """About a call that waits for so many seconds."""
    action, reason = shown(_deed(record), LONGEST_ACTION), shown(record.reason, LONGEST_REASON)
    lines = [
        f"{_tool(record)}: {action.text}",
        f"Why: {reason.text}",
        f"It waits {duration(seconds)}, until {time.strftime('%H:%M:%S', time.localtime(until))}."
        f" Record {record.id}.",
    ]
    if not action.whole:
        lines.append("It is too long for this message: read all of it with `automode inbox`.")
    return Message(f"automode asks: {where(record)}", "\n".join(lines), action.whole)


def several_calls(records: Sequence[Record]) -> Message:
    """One message about calls that came together. It is no ground to allow any of them."""
    lines = [
        f"- {where(one)}: {_tool(one)}: {shown(one.action, LONGEST_ACTION // 4).text}"
        for one in records[:MOST_LISTED]
    ]
    if len(records) > MOST_LISTED:
        lines.append(f"- and {len(records) - MOST_LISTED} more")
    listed = "\n".join(lines).encode()[:LONGEST_LIST_BYTES].decode("utf-8", "ignore")
    text = f"{listed}\nAnswer each of them with `automode inbox`."
    return Message(f"automode asks: {len(records)} calls wait", text, whole=False)


def _tool(record: Record) -> str:
    return shown(record.tool, LONGEST_NAME).text


def _deed(record: Record) -> str:
    """All that the call does. The summary says it of commands and of what is read; a call that
    writes, or that nobody knows, does what its whole input says."""
    try:
        given = json.loads(record.input)
        action = tool_call(record.tool, given).action if isinstance(given, dict) else None
    except (ValueError, BadCall):
        action = None
    return record.action if isinstance(action, Shell | Read) else record.input


def where(record: Record) -> str:
    agent = AGENTS.get(record.session.host)
    name = (agent.title if agent is not None else "") or record.session.host
    project = os.path.basename(record.root) or record.root or "no project"
    return f"{shown(name, LONGEST_NAME).text} in {shown(project, LONGEST_NAME).text}"


def duration(seconds: float) -> str:
    whole = max(1, round(seconds))
    if whole < 120:
        return f"{whole} second{'s' * (whole != 1)}"
    return f"{round(whole / 60)} minutes"
