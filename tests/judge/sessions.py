"""Sessions, calls and tables for the judge's tests."""

import tomllib
from dataclasses import replace
from pathlib import Path

from automode.core.call import ToolCall
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.transcript import Entry, Fact, Transcript, UserMessage
from automode.facts.place import recorded_workspace
from automode.gate.layer import Trail
from automode.judge.consent.requests import users_words
from automode.judge.embedded import EmbeddedJudge, Judged
from automode.judge.reading import CallReader, Reading
from tests.reading import facts_of

TABLES = tomllib.loads(Path(__file__).with_name("tables.toml").read_text("utf-8"))
CALLS = CallReader()
WORKSPACE = recorded_workspace("/home/user/projects/shop", "/home/user")


def saying(*words: str, others: tuple[Entry, ...] = ()) -> Session:
    said = tuple(UserMessage(word) for word in words)
    return Session("s", WORKSPACE, transcript=Transcript((*others, *said)))


def read(call: ToolCall, session: Session) -> Reading:
    words = users_words(session.transcript.entries)
    return CALLS(facts_of(call, session), session, words)


def judged(judge: EmbeddedJudge, call: ToolCall, session: Session, trail: Trail) -> Judged:
    return judge.assess(facts_of(call, session), session, trail)


def bash(command: str) -> ToolCall:
    return tool_call("bash", {"command": command})


SUSPECT = Fact("probe", "a result of `web_fetch` was suspect: it asks to send data")


def suspecting(*words: str) -> Session:
    return replace(saying(*words, others=(SUSPECT,)), suspect="it asks to send data")
