"""A service in a process of its own, to be killed: says which records it answered, and where it is.

    python -m tests.sessions.dying_service FOLDER POINT

POINT is where it stops for good: `decide`, `record`, `written`, or `never`.
"""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from automode.core.session import Session
from automode.gate.layer import Answer, Trail
from automode.programs.call_facts import CallFacts
from automode.sessions.decision_service import DecisionService
from automode.store.changes import Change, Decided, Kept
from tests.sessions.service_setup import HOST, Judging, Losing, Setup

PAUSED = "make last"


def say(*words: str) -> None:
    print(*words, flush=True)  # noqa: T201 - this is how it talks to the test


async def stop_here(point: str) -> None:
    say("at", point)
    await asyncio.sleep(3600)


@dataclass
class Pausing(Losing):
    point: str = ""

    async def append(self, changes: Sequence[Change]) -> Kept:
        last = any(isinstance(one, Decided) and one.record.action == PAUSED for one in changes)
        if last and self.point == "record":
            await stop_here(self.point)
        kept = await self.writer.append(changes)
        if last and self.point == "written":
            await stop_here(self.point)
        return kept


@dataclass
class PausingJudge(Judging):
    point: str = ""

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Answer:
        if facts.call.input.get("command") == PAUSED and self.point == "decide":
            await stop_here(self.point)
        return await super().__call__(facts, session, trail)


async def main(folder: str, point: str) -> None:
    setup = Setup(
        Path(folder),
        layers=[PausingJudge(point=point)],
        keeping=lambda writer: Pausing(writer, losing=False, point=point),
    )
    async with setup.open() as service:
        number = 0
        while True:
            commands = [f"make {number}", f"ls {number}", "deny me" if number < 5 else "ls"]
            if number == 5 and point != "never":
                commands = [PAUSED]
            for command in commands:
                ruling = await service.decide(setup.bash(command, attended=False), HOST)
                say("answered", str(ruling.record))
            await asyncio.gather(
                *(answered(setup, service, f"s{session}", number) for session in range(4))
            )
            number += 1


async def answered(setup: Setup, service: DecisionService, session: str, number: int) -> None:
    ruling = await service.decide(setup.bash(f"ls {number}", session=session), HOST)
    say("answered", str(ruling.record))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
