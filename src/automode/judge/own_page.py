"""Whether a call acts on a page of this machine: what somebody develops is there to be tried."""

from collections.abc import Iterable

from automode.core.call import ToolCall
from automode.core.session import Session
from automode.core.transcript import Outcome, PriorCall
from automode.judge.hosts import host_of, is_here
from automode.judge.made_here import latest
from automode.judge.page_code import stays_on_page
from automode.judge.tool_names import server_of, tool_words

_SCRIPTS = frozenset("evaluate javascript script code eval exec".split())
_CHOOSES = frozenset("tab tabs select pages back forward connect".split())
_FILES = frozenset("upload file files".split())
_BY_CODE = frozenset("acts-in-browser code-acts deletes-in-service pays changes-service".split())


def on_own_page(call: ToolCall, found: Iterable[str], session: Session) -> tuple[str, ...]:
    """The deeds again: what stays on a page of this machine only looks at it."""
    deeds = tuple(found)
    words = set(tool_words(call.tool))
    if "acts-in-browser" not in deeds or words & _FILES or not _is_open(call.tool, session):
        return deeds
    if not words & _SCRIPTS:
        excused = frozenset({"acts-in-browser"})
    elif _stays(call.input.values()):
        excused = _BY_CODE
    else:
        return deeds
    return (*(name for name in deeds if name not in excused), "browses")


def _stays(values: Iterable[object]) -> bool:
    """Whether every text may be run: which field holds the script differs from tool to tool."""
    texts = [value for value in values if isinstance(value, str)]
    code = [text for text in texts if any(mark in text for mark in "(=.;")]
    return bool(code) and all(map(stays_on_page, code))


def _is_open(tool: str, session: Session) -> bool:
    """Whether the last page that the same browser was sent to is one of this machine."""
    server = server_of(tool)
    for one in latest(session):
        if server_of(one.tool) != server:
            continue
        address = one.input.get("url")
        if isinstance(address, str):
            web = address.casefold().startswith(("http://", "https://"))
            return web and is_here(host_of(address)) and one.outcome is not Outcome.ERROR
        if not _keeps_page(one):
            return False
    return False


def _keeps_page(one: PriorCall) -> bool:
    words = set(tool_words(one.tool))
    if words & _SCRIPTS:
        return _stays(one.input.values())
    return words.isdisjoint(_CHOOSES)
