"""Recorded calls, decided without a model: each distinct one once, by processes side by side.

The same call in the same folder gets the same answer, whoever made it. Only an allow rule asks what
was written in the session before: `Deciding.again` looks at that.
"""

import asyncio
import hashlib
import json
import os
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import count
from typing import TypeAlias

from automode.config.settings import Settings
from automode.core.decision import Decision
from automode.core.paths import normal
from automode.core.session import Session
from automode.core.transcript import Transcript
from automode.core.workspace import Workspace
from automode.evaluation.offline import Work, Workers, decide_call, offline_gate
from automode.evaluation.transcripts.gathering import NOTHING_SAID, RecordedCall
from automode.facts.place import live_workspace, recorded_workspace
from automode.gate.gate import Gate
from automode.gate.layer import Layer
from automode.guards.own_files import OwnFolders

HOST = "replay"
FAILED = "gate.replay-failed"
BY_RULE = "rules.allow"
AT_ONCE = 48
"""Calls in one parcel: several scripts then share a run of the second parser."""
MOST_KNOWN = 1_000_000
MOST_WAITING = 20_000

Parcel: TypeAlias = Sequence[RecordedCall]
Decided: TypeAlias = tuple[RecordedCall, Decision]


@dataclass(slots=True)
class Deciding:
    """Never raises: what cannot be decided is asked about or denied. Every call is a session of its
    own, so the breaker never has a say."""

    gate: Gate
    _number: Iterator[int] = field(default_factory=count)

    async def decision(self, call: RecordedCall) -> Decision:
        """As if nothing had been said or done before."""
        return await self._decide(call, NOTHING_SAID)

    async def again(self, call: RecordedCall, session: str = "") -> Decision:
        """With what was said and done before."""
        return await self._decide(call, call.transcript, session)

    async def _decide(self, call: RecordedCall, said: Transcript, session: str = "") -> Decision:
        def around() -> Session:
            return Session(
                session or f"{HOST}/{next(self._number)}",
                workspace_of(call.root, call.cwd),
                host=call.host,
                parent=call.parent,
                transcript=said,
            )

        return await decide_call(self.gate, call.tool, call.input, around, FAILED)


def deciding(
    settings: Settings, folders: OwnFolders | None = None, judges: Sequence[Layer] = ()
) -> Deciding:
    return Deciding(offline_gate(settings, judges, folders))


@lru_cache(maxsize=4096)
def workspace_of(root: str, cwd: str) -> Workspace:
    """Around the folder that the session began in: as it is on this disk now, or an empty one of
    that name where it is gone."""
    project = root or cwd
    live = project.startswith("/") and os.path.isdir(project)
    place = live_workspace(project) if live else recorded_workspace(project)
    return replace(place, cwd=normal(cwd)) if cwd.startswith("/") else place


def name_of(call: RecordedCall) -> bytes:
    """The same for calls that get the same answer."""
    given = json.dumps(call.input, sort_keys=True, default=repr)
    parts = (call.tool, call.root, call.cwd, given)
    text = "\0".join(f"{len(part)} {part}" for part in parts)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


@dataclass(slots=True)
class Distinct:
    """Use once. `decided` counts the distinct calls."""

    settings: Settings
    folders: OwnFolders | None = None
    jobs: int = 1
    decided: int = 0
    _known: OrderedDict[bytes, Decision] = field(default_factory=OrderedDict)
    _texts: dict[Decision, Decision] = field(default_factory=dict)
    _waiting: dict[bytes, list[RecordedCall]] = field(default_factory=dict)
    _held: int = 0
    _over: bool = False
    _ready: deque[Decided] = field(default_factory=deque)

    def answers(self, calls: Iterable[RecordedCall], runner: asyncio.Runner) -> Iterator[Decided]:
        """Every call with its decision, in the order in which answers come. `runner` is for what is
        decided here: whoever looks again must use the same one, since readings wait in its loop.
        Raises AutomodeError when a process is lost, and what `calls` raises."""
        reading = iter(calls)
        parcel = self._parcel(reading)
        if self.jobs < 2 or self._over:
            yield from self._alone(parcel, reading, runner)
            return
        hint = "try again with --jobs 1"
        with Workers(call_work, (self.settings, self.folders), hint) as processes:
            while parcel or processes.busy or not self._over:
                while parcel and len(processes.busy) < self.jobs:
                    processes.send(parcel)
                    parcel = self._parcel(reading)
                    yield from self._drained()
                for asked, decisions in processes.answered():
                    self._keep(asked, decisions)
                yield from self._drained()
                parcel = parcel or self._parcel(reading)
        yield from self._drained()

    def _alone(
        self, parcel: Parcel, reading: Iterator[RecordedCall], runner: asyncio.Runner
    ) -> Iterator[Decided]:
        own = deciding(self.settings, self.folders)
        while parcel or not self._over:
            self._keep(parcel, runner.run(_all(own, parcel)))
            yield from self._drained()
            parcel = self._parcel(reading)
        yield from self._drained()

    def _parcel(self, reading: Iterator[RecordedCall]) -> Parcel:
        """The next calls that nobody has decided. It may be empty before all were read: calls that
        wait for somebody else's answer, or to be given out, are not piled up without end."""
        parcel: list[RecordedCall] = []
        while len(parcel) < AT_ONCE and not self._over and self._piled() < MOST_WAITING:
            call = next(reading, None)
            if call is None:
                self._over = True
                break
            name = name_of(call)
            if name in self._known:
                self._ready.append((call, self._known[name]))
                continue
            self._held += 1
            if name in self._waiting:
                self._waiting[name].append(call)
                continue
            self._waiting[name] = [call]
            # Nobody looks at the transcript there, and it may be large.
            parcel.append(replace(call, transcript=NOTHING_SAID))
        return tuple(parcel)

    def _piled(self) -> int:
        return self._held + len(self._ready)

    def _keep(self, parcel: Parcel, decisions: Sequence[Decision]) -> None:
        for call, decision in zip(parcel, decisions, strict=True):
            name = name_of(call)
            known = self._texts.setdefault(decision, decision)
            self._known[name] = known
            self.decided += 1
            asking = self._waiting.pop(name, ())
            self._held -= len(asking)
            self._ready.extend((one, known) for one in asking)
        while len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)

    def _drained(self) -> Iterator[Decided]:
        while self._ready:
            yield self._ready.popleft()


def call_work(settings: Settings, folders: OwnFolders | None) -> Work[RecordedCall, Decision]:
    return partial(_all, deciding(settings, folders))


async def _all(own: Deciding, parcel: Parcel) -> Sequence[Decision]:
    """Without the trails: nobody reads them, and there are many."""
    found = await asyncio.gather(*(own.decision(call) for call in parcel))
    return [replace(one, trail=()) for one in found]
