"""What a message says: text of automode's own around what an agent wrote, cut and cleaned."""

import os
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

from automode.agents.catalog import AGENTS
from automode.config.settings import printable
from automode.core.record import Record, beside

LONGEST_ACTION = 500
LONGEST_REASON = 300
LONGEST_FOLDER = 200
LONGEST_NAME = 60
MOST_LISTED = 10
LONGEST_LIST_BYTES = 3500  # ntfy takes 4096
_NEW_LINE = "\N{RETURN SYMBOL}"
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
    lines = printable(text.replace(_NEW_LINE, "\\u23ce").replace("\n", _NEW_LINE))
    plain = _LONG_BLANK.sub(lambda run: f" [{len(run[0])} blanks] ", lines)
    inert = _LINK.sub(_inert, plain)
    cut = inert[:longest].encode()[: 2 * longest].decode("utf-8", "ignore")
    return Shown(inert if cut == inert else f"{cut}…", cut == inert)


def _inert(link: re.Match[str]) -> str:
    if link[1] is None:
        return link[0].replace(".", "[.]")
    return f"{link[1]}[://]{link[2].replace('.', '[.]')}"


def one_call(record: Record, seconds: float, until: float) -> Message:
    """About a call that waits for so many seconds."""
    action, folder = shown(_deed(record), LONGEST_ACTION), shown(record.cwd, LONGEST_FOLDER)
    whole = action.whole and folder.whole and not record.replaced
    lines = [
        f"{_tool(record)}: {action.text}",
        f"Folder: {folder.text}",
        f"Why: {shown(record.reason, LONGEST_REASON).text}",
        f"It waits {duration(seconds)}, until {time.strftime('%H:%M:%S', time.localtime(until))}."
        f" Record {record.id}.",
    ]
    if record.replaced:
        lines.append("A part of it was replaced by `[secret:…]` and cannot be seen here.")
    elif not whole:
        lines.append("It is too long for this message: read all of it with `automode inbox`.")
    return Message(f"automode asks: {where(record)}", "\n".join(lines), whole)


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
    """All that the call does: its action, where that is all of its input."""
    return record.input if beside(record.action, record.input) else record.action


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
