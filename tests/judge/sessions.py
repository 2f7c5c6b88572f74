"""Sessions and calls for the judge's tests."""

from automode.core.call import ToolCall
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.transcript import Entry, Fact, Transcript, UserMessage
from automode.facts.place import recorded_workspace

WORKSPACE = recorded_workspace("/home/user/projects/shop", "/home/user")


def saying(*words: str, others: tuple[Entry, ...] = ()) -> Session:
    said = tuple(UserMessage(word) for word in words)
    return Session("s", WORKSPACE, transcript=Transcript((*others, *said)))


def bash(command: str) -> ToolCall:
    return tool_call("bash", {"command": command})


SUSPECT = Fact("probe", "a result of `web_fetch` was suspect: it asks to send data")
