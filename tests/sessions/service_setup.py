"""A service as it runs: a real writer on a state folder of its own, and a real project."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias, TypeVar

from automode.agents.events import CallFinished, CallProposed, PromptTyped, SessionRef
from automode.assemble import READER, build_classifier, build_gate, load_settings
from automode.classifier.layer import Classifier
from automode.config.places import Places
from automode.config.settings import Settings
from automode.core.decision import Decision, allow, ask, deny
from automode.core.record import Record, SessionKey
from automode.core.session import Session
from automode.core.transcript import Outcome
from automode.gate.gate import Gate
from automode.gate.layer import Answer, Layer, Trail
from automode.llm.endpoints import Missing
from automode.llm.ledger import Ledger
from automode.llm.model import Model, ModelFault
from automode.programs.call_facts import CallFacts
from automode.sessions.decision_service import DecisionService, Ruling
from automode.sessions.host_checks import HostChecks, live_host_checks
from automode.sessions.layers import Approvals
from automode.sessions.live_session import LiveSession
from automode.sessions.projects import Projects
from automode.sessions.record_builder import RecordBuilder
from automode.sessions.rule_offers import RuleOffers
from automode.store import tables
from automode.store.changes import Change, Kept, RecordQuery
from automode.store.database import Database
from automode.store.folder import StateFolder
from automode.store.writer import Writer

PATIENCE_SECONDS = 60.0  # how long a decision waits for the store is for agents
HOST = "plain"
KEY = SessionKey(HOST, "s")
INSTALLATION = b"0123456789abcdef0123456789abcdef"
T = TypeVar("T")
Life: TypeAlias = "Callable[[DecisionService], Coroutine[object, object, None]]"

BLOCK = json.dumps({"decision": "block", "tier": "soft_deny", "reason": "not asked for"})
HARD = json.dumps({"decision": "block", "tier": "hard_deny", "reason": "never"})
CLEAR = "0"
LOOK = "1"
DENIED = (LOOK, BLOCK)
"""What a model says over both stages to deny one call."""


@dataclass
class Setup:
    """`open()` starts a service; opening another one later is a restart."""

    home: Path
    model: Model | None = None
    layers: Sequence[Layer] = ()  # judges in the place of a model
    keeping: Callable[[Writer], Writer] = lambda writer: writer
    settings: Mapping[str, object] = field(default_factory=dict)
    managed: Mapping[str, object] = field(default_factory=dict)
    clock: Callable[[], float] = time.time
    host_checks: HostChecks | None = None  # in the place of the real ones
    opened: DecisionService | None = None  # the one that runs now
    holds: bool = False

    @property
    def project(self) -> Path:
        return self.home / "project"

    @property
    def folder(self) -> StateFolder:
        return StateFolder(str(self.home / "state"))

    @property
    def config(self) -> Path:
        return self.home / "config"

    def places(self, root: str) -> Places:
        return Places.of(
            home=self.home,
            environment={},
            project=root,
            config_folder=self.config,
            managed=self.home / "managed.json",
        )

    def configure(self, **settings: object) -> None:
        self.config.mkdir(exist_ok=True)
        (self.config / "config.json").write_text(json.dumps(settings))

    def ref(self, session: str = "s", **more: object) -> SessionRef:
        return replace(SessionRef(session, str(self.project)), **more)  # type: ignore[arg-type]

    def bash(
        self, command: str, session: str = "s", call: str = "", **more: object
    ) -> CallProposed:
        return CallProposed(self.ref(session, **more), "bash", {"command": command}, call)

    def ran(
        self, event: CallProposed, outcome: Outcome = Outcome.OK, **more: object
    ) -> CallFinished:
        done = CallFinished(event.ref, event.id, event.tool, event.input, outcome)
        return replace(done, **more)  # type: ignore[arg-type]

    def typed(self, text: str, session: str = "s", **more: object) -> PromptTyped:
        return PromptTyped(self.ref(session, **more), text)

    @property
    def now(self) -> DecisionService:
        assert self.opened is not None
        return self.opened

    async def says(
        self, command: str, session: str = "s", call: str = "", host: str = "plain", **more: object
    ) -> tuple[str, str]:
        """Verdict and source for a command."""
        return said(await self.now.decide(self.bash(command, session, call, **more), host))

    async def deny(self, count: int, session: str = "s", **more: object) -> None:
        """So many calls that the judge of these tests denies."""
        for number in range(count):
            await self.now.decide(self.bash(f"deny {number}", session, "", **more), HOST)

    def live(self, key: SessionKey = KEY) -> LiveSession:
        found = self.now.registry.get(key)
        assert found is not None
        return found

    @asynccontextmanager
    async def open(self) -> AsyncIterator[DecisionService]:
        (self.project / ".git").mkdir(parents=True, exist_ok=True)
        if self.settings:
            self.configure(**self.settings)
        if self.managed:
            (self.home / "managed.json").write_text(json.dumps(self.managed))
        async with Writer(self.folder.prepared(), patience_seconds=PATIENCE_SECONDS) as writer:
            service = self.opened = self.service(self.keeping(writer))
            yield service
            await service.close()

    def service(self, store: Writer) -> DecisionService:
        builder = RecordBuilder(INSTALLATION, "tester", READER)
        approvals = Approvals(store, builder.retries, self.clock)
        ledger = Ledger()

        def build(
            settings: Settings, host_model: str | None, lender: str
        ) -> tuple[Gate, Classifier | None]:
            model = self.model or Missing(ModelFault.NO_KEY, "none in this test")
            judge = build_classifier(settings, model, ledger=ledger)
            gate = build_gate(settings, judges=self.layers or [judge], approvals=[approvals])
            return gate, None if self.layers else judge

        projects = Projects(self.places, load_settings, build)
        host_checks = self.host_checks or live_host_checks(
            str(self.home), system=str(self.home / "etc")
        )
        return DecisionService(
            *(store, projects, builder, ledger, self.clock),
            host_checks=host_checks,
            holds=self.holds,
            offers=RuleOffers(
                lambda root: load_settings(self.places(root)).settings,
                build_gate,
                lambda: self.places("/"),
                READER,
            ),
        )


def in_two_lives(setup: Setup, first: Life, second: Life, *, restart: bool) -> None:
    """One after the other; with `restart`, at a service of its own each."""

    async def both(service: DecisionService) -> None:
        await first(service)
        await second(service)

    working(setup, *([first, second] if restart else [both]))


def working(setup: Setup, *lives: Life) -> None:
    """Each of `lives` at a service of its own, one after the other: a restart between them."""

    async def all_of_them() -> None:
        for life in lives:
            async with setup.open() as service:
                await life(service)

    asyncio.run(all_of_them())


@dataclass
class Judging:
    """A judge that denies what it is told to, and may take its time."""

    denies: str = "deny"
    seconds: float = 0.0
    name: str = "classifier"
    seen: list[Session] = field(default_factory=list)

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Answer:
        self.seen.append(replace(session))
        await asyncio.sleep(self.seconds)
        text = str(facts.call.input)
        if "raise" in text:
            raise RuntimeError("inside")
        if "ask-me" in text:
            return ask("classifier.deliberate", "unsure")
        if self.denies in text:
            return deny("classifier.deliberate", "not asked for", clearable=True)
        return allow("classifier.fast", "fine")

    async def asked(self) -> None:
        """Until a call has come as far as this."""
        async with asyncio.timeout(60):
            while not self.seen:
                await asyncio.sleep(0.005)


@dataclass
class Losing(Writer):
    """A store whose disk is full: nothing can be written, everything can be read."""

    writer: Writer
    losing: bool = True
    handed: list[Change] = field(default_factory=list)
    _patience_seconds: float = PATIENCE_SECONDS

    async def append(self, changes: Sequence[Change]) -> Kept:
        self.handed += changes
        if self.losing:
            return Kept("the disk is full")
        return await self.writer.append(changes)

    async def run(self, work: Callable[[Database], T]) -> T:
        return await self.writer.run(work)

    def late(self) -> int:
        return self.writer.late()

    def notices(self) -> tuple[str, ...]:
        return self.writer.notices()


def decision(ruling: Ruling) -> Decision:
    assert ruling.decision is not None
    return ruling.decision


def said(ruling: Ruling) -> tuple[str, str]:
    return decision(ruling).verdict.word, decision(ruling).source


async def records(service: DecisionService, key: SessionKey | None = KEY) -> list[Record]:
    """The oldest first."""
    query = RecordQuery(session=key, limit=100_000)
    found = await service.store.run(lambda db: tables.records(db, query))
    return [one.record for one in reversed(found) if one.record is not None]
