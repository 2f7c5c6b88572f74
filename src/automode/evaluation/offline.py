"""Calls that are not about to run: decided by a gate of their own, by processes side by side."""

import asyncio
import logging
import multiprocessing
import signal
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Generic, Self, TypeAlias, TypeVar

from automode.assemble import build_gate
from automode.config.settings import Settings
from automode.core.decision import Decision, Failure, ask, deny
from automode.core.errors import AutomodeError, BadCall
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.facts.reader import ShellReader
from automode.gate.gate import Gate, closed
from automode.gate.layer import Layer
from automode.guards.own_files import OwnFolders

ENDING_SECONDS = 10.0
_READER = ShellReader(60.0)  # patient: this machine may be busy
BAD_CALL = "gate.bad-call"
Task = TypeVar("Task")
Answer = TypeVar("Answer")
Work: TypeAlias = Callable[[Sequence[Task]], Awaitable[Sequence[Answer]]]


async def decide_call(
    gate: Gate,
    tool: str,
    given: Mapping[str, object],
    session: Callable[[], Session],
    failed: str,
) -> Decision:
    """Never raises: what cannot be read is denied, what cannot be decided is asked about, with
    `failed` as its source."""

    async def decide() -> Decision:
        try:
            call = tool_call(tool, given)
        except BadCall as error:
            return deny(BAD_CALL, f"the call cannot be read: {error}", error=Failure.UNREADABLE)
        decision = await gate.decide(call, session())
        if decision is None:
            return ask(failed, "the gate gave no answer", error=Failure.UNAVAILABLE)
        return decision

    def undecided(error: Exception) -> Decision:
        reason = f"deciding failed ({type(error).__name__})"
        return ask(failed, reason, error=Failure.UNAVAILABLE)

    return await closed(decide(), undecided)


def offline_gate(
    settings: Settings, judges: Sequence[Layer] = (), folders: OwnFolders | None = None
) -> Gate:
    """For calls that are not about to run. Every one is a session of its own: the budget of a real
    session means nothing, and what is decided must not depend on how busy this machine is."""
    unpriced = replace(settings, budget_usd=None)
    return build_gate(unpriced, judges=judges, reader=_READER, folders=folders)


@dataclass(slots=True)
class Workers(Generic[Task, Answer]):
    """Processes, to be used with `with`. When whoever asks them dies they end by themselves.

    `make` is called in each process with `arguments`, and returns what answers a parcel
    of tasks. AutomodeError when a process is lost: nothing of its parcel was given out."""

    make: Callable[..., Work[Task, Answer]]
    arguments: tuple[object, ...]
    hint: str  # what to do when a process is lost
    busy: dict[Connection, Sequence[Task]] = field(default_factory=dict)
    _all: dict[Connection, BaseProcess] = field(default_factory=dict)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for line in self._all:
            line.close()
        for process in self._all.values():
            process.join(ENDING_SECONDS)

    def answers(self, parcels: Iterable[Sequence[Task]], jobs: int) -> Iterator[Answer]:
        """Of all parcels, in the order in which they come."""
        waiting = iter(parcels)
        while True:
            while len(self.busy) < jobs and (parcel := next(waiting, None)) is not None:
                self.send(parcel)
            if not self.busy:
                return
            for _, found in self.answered():
                yield from found

    def send(self, parcel: Sequence[Task]) -> None:
        line = next((one for one in self._all if one not in self.busy), None) or self._start()
        try:
            line.send(parcel)
        except OSError as error:
            raise self._lost() from error
        self.busy[line] = parcel

    def answered(self) -> Iterator[tuple[Sequence[Task], Sequence[Answer]]]:
        """Waits for one; each with its parcel."""
        for line in wait(list(self.busy)) if self.busy else ():
            if not isinstance(line, Connection):
                continue
            try:
                found: Sequence[Answer] = line.recv()
            except (EOFError, OSError) as error:
                raise self._lost() from error
            yield self.busy.pop(line), found

    def _start(self) -> Connection:
        # A forked child would share locks and open files with whatever runs here already.
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        given = (theirs, self.make, self.arguments)
        process = context.Process(target=_serve, args=given, daemon=True)
        process.start()
        # Held by the child alone, so that its death can be heard.
        theirs.close()
        self._all[ours] = process
        return ours

    def _lost(self) -> AutomodeError:
        return AutomodeError("a process that decides has died", self.hint)


def _serve(
    line: Connection, make: Callable[..., Work[Task, Answer]], arguments: tuple[object, ...]
) -> None:
    # An interrupt on the terminal reaches everybody; whoever asks says when this ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.getLogger("automode").addHandler(logging.NullHandler())
    work = make(*arguments)
    # Whoever asks is done, or died: there is nobody left to answer.
    with asyncio.Runner() as runner, suppress(EOFError, OSError):
        while True:
            line.send(runner.run(_awaited(work(line.recv()))))


async def _awaited(work: Awaitable[Sequence[Answer]]) -> Sequence[Answer]:
    return await work
