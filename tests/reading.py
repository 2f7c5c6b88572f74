"""Calls as layers get them: read once, by a reader that has patience with a busy machine."""

from automode.core.call import ToolCall
from automode.core.session import Session
from automode.core.workspace import Workspace
from automode.facts.reader import ShellReader
from automode.programs.call_facts import CallFacts

PATIENT_SECONDS = 60.0
READER = ShellReader(PATIENT_SECONDS)


def facts_of(call: ToolCall, place: Workspace | Session) -> CallFacts:
    workspace = place.workspace if isinstance(place, Session) else place
    return CallFacts(call, workspace, READER)
