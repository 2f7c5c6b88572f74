"""One run of one agent: the only thing in core that changes."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from automode.core.history import NOTHING_YET, History
from automode.core.transcript import Transcript
from automode.core.workspace import Workspace


class Mode(StrEnum):
    ENFORCE = "enforce"
    SHADOW = "shadow"  # decide and record everything, enforce nothing
    OFF = "off"  # no opinion at all; managed deny rules survive


@dataclass(slots=True)
class Session:
    id: str
    workspace: Workspace
    attended: bool = True  # whether a person is there to answer an ask
    mode: Mode = Mode.ENFORCE
    host: str = "cli"
    parent: str | None = None
    transcript: Transcript = field(default_factory=Transcript)
    history: History = NOTHING_YET
    above: tuple["Session", ...] = ()  # the ones that started it, the nearest first
    instructions: tuple[tuple[str, str], ...] = ()  # files the agent began with: path and text
    # What any session of the project wrote: absolute paths without regard to case, each with the
    # path as people know it.
    written_around: Mapping[str, str] | None = None
    ran_around: str = ""  # which calls of the session ran around automode; empty: none is known
    not_looked_at: str = ""  # what the project tells the agent and nobody knows to be harmless
    suspect: str = ""  # what a result that the agent read seems to ask for, until a person says yes
    # Looks up which prompts a person typed, before a judge is asked; None: nothing to look up.
    recheck: Callable[[], Awaitable[Transcript]] | None = None
