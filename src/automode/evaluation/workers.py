"""Processes that decide without a model, side by side. When the run dies they end by themselves."""

import asyncio
import logging
import multiprocessing
import signal
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

from automode.config.settings import Settings
from automode.core.errors import AutomodeError
from automode.evaluation.deciding import decider
from automode.evaluation.rows import Row
from automode.evaluation.sampling import Drawn

AT_ONCE = 16
"""Cases in one parcel: enough that nobody waits for the pipe, few enough to lose little."""
ENDING_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class _Worker:
    line: "Connection[Sequence[Drawn], Sequence[Row]]"
    process: SpawnProcess

    @classmethod
    def started(cls, settings: Settings) -> "_Worker":
        # A forked child would share locks and open files with whatever runs here already.
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, settings), daemon=True)
        process.start()
        # Held by the child alone, so that its death can be heard.
        theirs.close()
        return cls(ours, process)

    def answer(self) -> Sequence[Row]:
        try:
            return self.line.recv()
        except (EOFError, OSError) as error:
            raise _lost() from error

    def give(self, parcel: Sequence[Drawn]) -> None:
        try:
            self.line.send(parcel)
        except OSError as error:
            raise _lost() from error


def decided_by(work: Iterable[Drawn], settings: Settings, jobs: int) -> Generator[Row, None, None]:
    """In the order in which answers come. Raises AutomodeError when a process is lost; what it
    held was not given out and is decided the next time."""
    parcels = iter(_parcels(work))
    workers: list[_Worker] = []
    try:
        for parcel in islice(parcels, jobs):
            workers.append(_Worker.started(settings))
            workers[-1].give(parcel)
        busy = list(workers)
        while busy:
            ready = wait([one.line for one in busy])
            for worker in [one for one in busy if one.line in ready]:
                rows = worker.answer()
                following = next(parcels, None)
                if following is None:
                    busy.remove(worker)
                else:
                    worker.give(following)
                yield from rows
    finally:
        for worker in workers:
            worker.line.close()
        for worker in workers:
            worker.process.join(ENDING_SECONDS)


def _lost() -> AutomodeError:
    return AutomodeError(
        "a process that decides cases has died", "run the same command again to go on"
    )


def _parcels(work: Iterable[Drawn]) -> Iterator[Sequence[Drawn]]:
    waiting = iter(work)
    while parcel := tuple(islice(waiting, AT_ONCE)):
        yield parcel


def _serve(line: "Connection[Sequence[Row], Sequence[Drawn]]", settings: Settings) -> None:
    # An interrupt on the terminal reaches everybody; the run itself says when this ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.getLogger("automode").addHandler(logging.NullHandler())
    # The run is over, or died: there is nobody left to answer.
    with suppress(EOFError, OSError):
        asyncio.run(_answer_all(line, settings))


async def _answer_all(
    line: "Connection[Sequence[Row], Sequence[Drawn]]", settings: Settings
) -> None:
    deciding = decider(settings, None)
    while True:
        parcel = line.recv()
        line.send([await deciding.row(drawn) for drawn in parcel])
