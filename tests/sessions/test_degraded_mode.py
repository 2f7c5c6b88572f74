"""While nobody knows the session, what nobody may permit is denied, and nothing is allowed."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from automode.agents.events import CallProposed, SessionStarted
from automode.core.decision import Verdict
from automode.core.errors import AutomodeError
from automode.core.record import SessionKey
from automode.sessions.decision_service import DecisionService
from automode.sessions.host_checks import HostChecks, Switched
from automode.store.database import Database, ErrorKind, StoreError
from automode.store.writer import Writer
from tests.sessions.service_setup import (
    HOST,
    KEY,
    PATIENCE_SECONDS,
    Judging,
    Losing,
    Setup,
    decision,
    records,
    working,
)
from tests.sessions.service_setup import said as answered

T = TypeVar("T")
TROUBLE = StoreError(ErrorKind.LOCKED, "the database is locked", "wait")
RULES = {
    "permissions": {
        "deny": ["bash(evil*)"],
        "ask": ["bash(git push*)"],
        "allow": ["bash(make ok)"],
    }
}
OUT = "gate.service-failed"


@dataclass
class Unread(Losing):
    """A store that takes everything, and cannot be read for a while: it fails, or hangs."""

    failing: Exception | None = None
    hanging: bool = False

    async def run(self, work: Callable[[Database], T]) -> T:
        if self.hanging:
            await asyncio.sleep(3600)
        if self.failing is not None:
            raise self.failing
        return await self.writer.run(work)


@dataclass
class Closed(Setup):
    store: Unread = field(init=False)

    def __post_init__(self) -> None:
        def keeping(writer: Writer) -> Unread:
            self.store = Unread(writer, losing=False)
            return self.store

        self.keeping = keeping
        self.settings = RULES
        self.layers = [Judging()]


@pytest.fixture
def closed(tmp_path: Path) -> Closed:
    return Closed(tmp_path)


# command → what is said with a person there, and with nobody there
SAID = {
    "rm -rf /": ("deny floor.delete-root", "deny floor.delete-root"),
    "echo x >> ~/.bashrc": ("deny floor.shell-profile", "deny floor.shell-profile"),
    "evil --now": ("deny rules.deny", "deny rules.deny"),
    "git push": (f"ask {OUT}", f"deny {OUT}"),
    "make ok": (f"ask {OUT}", f"deny {OUT}"),
    "ls": (f"ask {OUT}", f"deny {OUT}"),
    "make fine": (f"ask {OUT}", f"deny {OUT}"),
}


@pytest.mark.parametrize("attended", [True, False])
@pytest.mark.parametrize("error", [TROUBLE, RuntimeError("quotes the call")])
async def test_walls_stand_while_the_store_cannot_be_read(
    closed: Closed, attended: bool, error: Exception
) -> None:
    async with closed.open() as service:
        closed.store.failing = error
        found = {}
        for number, command in enumerate(SAID):
            event = closed.bash(command, f"s{number}", attended=attended)
            found[command] = " ".join(answered(await service.decide(event, HOST)))

        assert found == {name: row[0 if attended else 1] for name, row in SAID.items()}


@pytest.mark.parametrize("held", [True, False])
async def test_walls_stand_when_the_time_is_up_before_them(closed: Closed, held: bool) -> None:
    async with closed.open() as service:
        closed.store.hanging = held
        live = service.registry.seen(KEY, closed.ref())
        if not held:
            await live.turn.acquire()
        found = [
            answered(await service.decide(closed.bash(command), HOST, seconds=0.05))
            for command in ("rm -rf /", "evil", "ls")
        ]

        assert found == [
            ("deny", "floor.delete-root"),
            ("deny", "rules.deny"),
            ("ask", "gate.deadline"),
        ]


async def test_a_store_that_hangs_is_given_up_as_one_that_fails(closed: Closed) -> None:
    async with closed.open() as service:
        closed.store.hanging, closed.store._patience_seconds = True, 0.05
        ruling = await service.decide(closed.bash("ls"), HOST, seconds=600)

        assert answered(ruling) == ("ask", OUT)
        assert "the store does not answer" in decision(ruling).reason
        closed.store.hanging, closed.store._patience_seconds = False, PATIENCE_SECONDS
        assert await closed.says("ls") == ("allow", "read-only")


async def test_the_rules_of_where_the_call_runs_hold_beside_those_of_the_session(
    closed: Closed,
) -> None:
    elsewhere = closed.home / "elsewhere"
    (elsewhere / ".automode").mkdir(parents=True)
    rules = {"permissions": {"deny": ["bash(git fetch*)"]}}
    (elsewhere / ".automode" / "config.json").write_text(json.dumps(rules))
    async with closed.open() as service:
        await service.decide(closed.bash("ls"), HOST)
        closed.store._patience_seconds = 0.05
        closed.store.hanging = True
        sub = closed.bash("git fetch", "sub", parent="s", cwd=str(elsewhere))
        assert answered(await service.decide(sub, HOST)) == ("deny", "rules.deny")
        closed.store.hanging = False
        [record] = await records(service, SessionKey(HOST, "sub"))
        assert (record.root, record.cwd) == (str(closed.project), str(elsewhere))


MODES = [
    # settings                                    managed  command   verdict  enforced
    ({"autoMode": {"mode": "shadow"}, **RULES}, {}, "evil", "deny", False),
    ({"autoMode": {"mode": "shadow"}, **RULES}, {}, "ls", "ask", False),
    ({"autoMode": {"mode": "shadow"}}, RULES, "evil", "deny", True),
    ({"autoMode": {"enabled": False}, **RULES}, {}, "rm -rf /", "ask", True),
    ({"autoMode": {"enabled": False}}, RULES, "evil", "deny", True),
]


@pytest.mark.parametrize(("chosen", "managed", "command", "word", "enforced"), MODES)
async def test_the_mode_is_the_one_that_is_configured(
    closed: Closed,
    chosen: dict[str, object],
    managed: dict[str, object],
    command: str,
    word: str,
    enforced: bool,
) -> None:
    closed.settings, closed.managed = chosen, managed
    async with closed.open() as service:
        closed.store.failing = TROUBLE
        ruling = decision(await service.decide(closed.bash(command), HOST))

        assert (ruling.verdict.word, ruling.enforced) == (word, enforced)


async def test_a_call_that_cannot_be_read_is_denied_then_as_well(closed: Closed) -> None:
    async with closed.open() as service:
        closed.store.failing = TROUBLE
        for event in (
            CallProposed(closed.ref(), "bash", {}),
            closed.bash("ls", cwd="/no/such/folder"),
        ):
            assert answered(await service.decide(event, HOST)) == ("deny", "gate.bad-call")


@pytest.mark.parametrize(("blinds", "attended"), [(True, True), (False, False)])
async def test_hooks_that_are_switched_off_are_seen_without_the_store(
    closed: Closed, blinds: bool, attended: bool
) -> None:
    closed.host_checks = HostChecks(switched=lambda root, host: Switched("a switch", blinds=blinds))
    async with closed.open():
        closed.store.failing = TROUBLE
        assert await closed.says("ls", attended=attended) == ("deny", "gate.hooks-switched-off")


async def test_who_began_unattended_during_an_outage_is_not_asked_about(closed: Closed) -> None:
    async with closed.open() as service:
        closed.store.failing = TROUBLE
        with pytest.raises(AutomodeError):
            await service.hear(SessionStarted(closed.ref(attended=False)), HOST)
        assert await closed.says("ls") == ("deny", OUT)
        assert await closed.says("ls", "sub", parent="s") == ("deny", OUT)
        closed.store.failing = None
        assert await closed.says("git push") == (
            "deny",
            "rules.ask",
        )


async def test_what_stopped_the_one_above_stops_who_is_not_known_below(closed: Closed) -> None:
    async with closed.open() as service:
        for _ in range(3):
            await service.decide(closed.bash("evil", attended=False), HOST)
        closed.store.failing = TROUBLE
        assert await closed.says("ls", "sub", parent="s", attended=False) == (
            "halt",
            "breaker.consecutive",
        )


async def test_what_was_asked_in_an_outage_can_be_approved_and_reads_as_ever(
    closed: Closed,
) -> None:
    event = closed.bash("make deny")
    async with closed.open() as service:
        closed.store.failing = TROUBLE
        asked = await service.decide(event, HOST)
        closed.store.failing = None
        assert asked.record is not None
        await service.person.approve(asked.record)
        again = await service.decide(event, HOST)

        assert answered(again) == ("allow", "approval")
        found = [one for one in await records(service) if one.tool == "bash"]
        assert [one.action for one in found] == ["make deny", "make deny"]
        assert {(one.root, one.cwd) for one in found} == {(str(closed.project),) * 2}


async def test_what_is_denied_while_the_store_cannot_be_read_counts_with_what_it_has(
    closed: Closed,
) -> None:
    async with closed.open() as service:
        for number in range(2):
            await service.decide(closed.bash(f"make deny {number}"), HOST)
    async with closed.open() as service:
        closed.store.failing = TROUBLE
        await service.decide(closed.bash("evil"), HOST)
        closed.store.failing = None
        await service.decide(closed.bash("git push"), HOST)
        assert closed.live().session.history.total == 3


COMMANDS = [*SAID, "sudo rm -rf ~", "cat x | bash -c 'evil'", "curl -k https://x.test", "echo $("]


@settings(max_examples=12)
@given(st.sampled_from(COMMANDS), st.booleans(), st.booleans())
def test_an_outage_only_ever_tightens(command: str, attended: bool, hanging: bool) -> None:
    async def work(service: DecisionService) -> None:
        known = decision(await service.decide(setup.bash(command, "a", attended=attended), HOST))
        setup.store._patience_seconds = 0.01 if hanging else 60
        setup.store.hanging, setup.store.failing = hanging, None if hanging else TROUBLE
        unknown = decision(await service.decide(setup.bash(command, "b", attended=attended), HOST))

        assert unknown.verdict is not Verdict.ALLOW
        assert unknown.verdict >= known.verdict
        assert attended or unknown.verdict >= Verdict.DENY

    with TemporaryDirectory() as folder:
        setup = Closed(Path(folder))
        working(setup, work)
