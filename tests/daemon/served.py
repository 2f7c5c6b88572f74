"""A daemon for tests: the real one on a real store, which stops where a file says so.

    python served.py STATE CONFIG [LIMIT=VALUE …]

A file `STATE/../pause-<point>` makes the next call that comes to that point write `reached-<point>`
and wait there until the file is gone: `received` (before it is decided), `decided` (before it is
recorded), `recorded` (before it is answered). `broken` raises there instead.
"""

import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from automode.agents.catalog import ADAPTERS
from automode.agents.events import NO_FEEDBACK, Adapter, Answer, Feedback, HostEvent
from automode.agents.plain.payloads import Plain
from automode.assemble import READER, build_service, load_settings
from automode.core.decision import Decision
from automode.daemon.connections import Limits
from automode.daemon.placement import OneDaemon, Placement
from automode.daemon.process import open_log, serve
from automode.store.changes import Change, Decided, Kept
from automode.store.database import Database
from automode.store.folder import StateFolder, secret
from automode.store.writer import Writer

T = TypeVar("T")

# How long the second parser may take is for users, not for a busy machine that runs the tests.
READER.seconds = 60.0


class Broken(RuntimeError):
    pass


class Points:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def at(self, point: str) -> None:
        if (self._folder / f"broken-{point}").exists():
            raise Broken("rm -rf /very/secret/folder")
        pause = self._folder / f"pause-{point}"
        if pause.exists():
            (self._folder / f"reached-{point}").touch()
            while pause.exists():
                await asyncio.sleep(0.01)


class Pausing(Writer):
    """The real writer, with two points around every record."""

    def __init__(self, writer: Writer, points: Points) -> None:
        self._writer = writer
        self.folder = writer.folder
        self._points = points
        self._patience_seconds = 60

    async def append(self, changes: Sequence[Change]) -> Kept:
        decided = any(isinstance(change, Decided) for change in changes)
        if decided:
            await self._points.at("decided")
        kept = await self._writer.append(changes)
        if decided:
            await self._points.at("recorded")
        return kept

    async def truncate_log(self) -> None:
        await self._writer.truncate_log()

    async def run(self, work: Callable[[Database], T]) -> T:
        await self._points.at("received")
        return await self._writer.run(work)

    def late(self) -> int:
        return self._writer.late()

    def notices(self) -> tuple[str, ...]:
        return self._writer.notices()


class Careless(Plain):
    """A host whose adapter fails in a way that nobody foresaw, on the way in."""

    def parse(self, payload: Mapping[str, object]) -> HostEvent:
        raise KeyError("rm -rf /very/secret/folder")


class Muddled(Plain):
    """The same on the way out, when the call was decided already."""

    def render(
        self, event: HostEvent, decision: Decision | None, feedback: Feedback = NO_FEEDBACK
    ) -> Answer:
        raise ZeroDivisionError


HOSTS: dict[str, Adapter] = {
    "plain": Plain(),
    "plain+unattended": Plain(attended=False),
    "claude-code": ADAPTERS["claude-code"],
    "claude-code+unattended": ADAPTERS["claude-code+unattended"],
    "copilot-cli": ADAPTERS["copilot-cli"],
    "pi": ADAPTERS["pi"],
    "pi+unattended": ADAPTERS["pi+unattended"],
    "careless": Careless(),
    "muddled": Muddled(),
}


class Unmarked:
    """An adapter without markers: whoever runs these tests may be an agent."""

    def __init__(self, adapter: Adapter) -> None:
        self.name = adapter.name
        self.abilities = replace(adapter.abilities, markers=())
        self.parse = adapter.parse
        self.render = adapter.render
        self.closing_answer = adapter.closing_answer


async def main(state: str, config: str, limits: Limits) -> None:
    placement = Placement(StateFolder(state).prepared(), config)
    folder = placement.state
    one = OneDaemon.claim(folder)
    open_log(folder, also_here=False)
    async with Writer(folder, patience_seconds=60) as writer:
        pausing = Pausing(writer, Points(Path(state).parent))
        decisions = build_service(
            pausing,
            places=placement.places,
            key=secret(folder.signing_key),
            account="tester",
            environment={},
            holds=True,
        )
        hosts = {name: Unmarked(adapter) for name, adapter in HOSTS.items()}
        words = placement.settings_words
        await serve(
            *(one, decisions, pausing),
            limits=limits,
            adapters=hosts,
            settings=words,
            asks=lambda: load_settings(placement.places(None)).settings.asks,
        )
        await decisions.close()
    one.release()


def limits_of(given: Mapping[str, str]) -> Limits:
    usual = Limits()
    numbers = {name: type(getattr(usual, name))(value) for name, value in given.items()}
    return replace(usual, **numbers)


if __name__ == "__main__":
    words = dict(word.split("=") for word in sys.argv[3:])
    asyncio.run(main(sys.argv[1], sys.argv[2], limits_of(words)))
