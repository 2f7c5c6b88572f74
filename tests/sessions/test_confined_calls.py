"""What is made of a confined call when it is over, in a running service."""

import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from threading import current_thread

import pytest

from automode.agents.events import NO_FEEDBACK, CallFinished, CallProposed, SessionRef
from automode.assemble import build_service
from automode.confine.guard import Guard
from automode.core.record import SessionKey
from automode.core.tool_input import with_command
from automode.core.transcript import Outcome
from automode.sessions import confinement
from automode.sessions.confinement import unwrap
from automode.sessions.decision_service import DecisionService
from automode.store.writer import Writer
from tests.sessions.service_setup import INSTALLATION, Setup, records, said

HOST = "claude-code"


@pytest.fixture(autouse=True)
def _nothing_is_uncommitted(monkeypatch: pytest.MonkeyPatch) -> None:
    """No git is asked."""
    monkeypatch.setattr(confinement, "uncommitted", lambda *_: ())


CONFINED = ("allow", "confine")


@asynccontextmanager
async def confining(setup: Setup) -> AsyncIterator[DecisionService]:
    setup.configure(autoMode={"confine": "unproved"})
    (setup.project / ".git").mkdir(parents=True, exist_ok=True)
    async with Writer(setup.folder.prepared()) as writer:
        found = build_service(
            writer,
            places=setup.places,
            key=INSTALLATION,
            account="me",
            environment={},
            judged=False,
            home=str(setup.home),
            confines=True,
        )
        assert found.confinement is not None
        os.makedirs(found.confinement.folder, 0o700, exist_ok=True)
        found.confinement._trying = current_thread()  # the guard counts as tried
        found.confinement._guard = Guard("bubblewrap", "/usr/bin/bwrap")
        yield found
        await found.close()


def proposed(setup: Setup, call: str, command: str = "make test") -> CallProposed:
    ref = SessionRef("s", str(setup.project))
    return CallProposed(ref, "Bash", {"command": command}, call, changeable=True)


async def confined(service: DecisionService, event: CallProposed) -> tuple[str, CallFinished]:
    """The command that runs in the call's place, and the agent's word that it is over."""
    ruling = await service.decide(event, HOST)
    assert said(ruling) == CONFINED
    assert ruling.decision is not None
    command = ruling.decision.runs_instead
    given = with_command(event.input, command)
    return command, CallFinished(event.ref, event.id, event.tool, given, Outcome.OK)


def end(command: str, status: int, *kinds: str) -> None:
    found = unwrap(command)
    assert found is not None
    stem = found.order.removesuffix(".json")
    Path(f"{stem}.begun").touch()
    refused = [{"kind": kind, "what": "x"} for kind in kinds]
    Path(f"{stem}.end.json").write_text(json.dumps({"status": status, "refused": refused}))


async def test_a_call_that_ran_as_it_was_rewritten_is_no_changed_call(
    setup: Setup,
) -> None:
    async with confining(setup) as service:
        command, over = await confined(service, proposed(setup, "c1"))
        end(command, 0)

        assert await service.hear(over, HOST) == NO_FEEDBACK
        assert said(await service.decide(proposed(setup, "c2"), HOST)) == CONFINED


async def test_a_call_that_ran_around_the_guard_is_told_of(
    setup: Setup,
) -> None:
    async with confining(setup) as service:
        event = proposed(setup, "c1")
        _, over = await confined(service, event)

        feedback = await service.hear(replace(over, input=event.input), HOST)

        assert "was changed after automode decided it" in feedback.notice


async def test_the_same_call_again_is_asked_until_something_was_written(
    setup: Setup,
) -> None:
    async with confining(setup) as service:
        command, over = await confined(service, proposed(setup, "c1"))
        end(command, 1)
        await service.hear(replace(over, outcome=Outcome.ERROR), HOST)

        again = await service.decide(proposed(setup, "c2"), HOST)
        assert said(again) == ("ask", "confine")
        assert again.decision is not None
        assert "ran confined before" in again.decision.reason
        write = {"file_path": f"{setup.project}/a.py", "content": "x = 1\n"}
        await service.decide(CallProposed(over.ref, "Write", write, "c3"), HOST)
        assert said(await service.decide(proposed(setup, "c4"), HOST)) == CONFINED


async def test_one_that_met_the_guard_is_asked_and_a_credential_is_a_denial(
    setup: Setup,
) -> None:
    async with confining(setup) as service:
        command, over = await confined(service, proposed(setup, "c1"))
        end(command, 1, "read")
        await service.hear(replace(over, outcome=Outcome.ERROR), HOST)
        write = {"file_path": f"{setup.project}/a.py", "content": "x = 1\n"}
        await service.decide(CallProposed(over.ref, "Write", write, "c3"), HOST)

        assert said(await service.decide(proposed(setup, "c4"), HOST)) == ("ask", "confine")
        found = [one.source for one in await records(service, SessionKey(HOST, "s"))]
        assert "confine.refused" in found
        live = service.registry.get(SessionKey(HOST, "s"))
        assert live is not None
        assert live.session.history.total == 1


@pytest.mark.parametrize("left", [None, ""])
async def test_one_whose_end_is_not_known_is_asked_even_after_something_was_written(
    left: str | None, setup: Setup
) -> None:
    """Its wrapper was killed, or the disk was full: what it was refused cannot be known."""
    async with confining(setup) as service:
        command, over = await confined(service, proposed(setup, "c1"))
        end(command, 0)
        found = unwrap(command)
        assert found is not None
        kept = Path(f"{found.order.removesuffix('.json')}.end.json")
        kept.unlink()
        if left is not None:
            kept.write_text(left)
        await service.hear(over, HOST)
        write = {"file_path": f"{setup.project}/a.py", "content": "x = 1\n"}
        await service.decide(CallProposed(over.ref, "Write", write, "c3"), HOST)

        assert said(await service.decide(proposed(setup, "c4"), HOST)) == ("ask", "confine")


async def test_once_a_call_may_run_confined_all_of_the_workspace_counts_as_written(
    setup: Setup,
) -> None:
    """Whatever it writes, renames or makes, and whether or not its end is heard."""
    async with confining(setup) as service:
        await confined(service, proposed(setup, "c1"))
    async with confining(setup) as service:
        ruling = await service.decide(proposed(setup, "c2", "./deploy.sh && git push"), HOST)

        assert ruling.decision is not None
        marks = {one.mark: one.text for one in ruling.decision.trail}
        assert f"{setup.project}/**" in marks["executes-session-files"]


async def test_a_credential_counts_also_where_the_call_ended_well_and_the_network_does_not(
    setup: Setup,
) -> None:
    async with confining(setup) as service:
        for call, kind, again in (
            ("c1", "socket", ("ask", "confine")),
            ("c2", "network", CONFINED),
        ):
            command, over = await confined(service, proposed(setup, call, f"make {kind}"))
            end(command, 0, kind)
            await service.hear(over, HOST)
            next_call = proposed(setup, f"{call}-again", f"make {kind}")
            assert said(await service.decide(next_call, HOST)) == again

        denials = [
            one.reason
            for one in await records(service, SessionKey(HOST, "s"))
            if one.source == "confine.refused"
        ]
        assert denials == ["while it ran confined it tried what it may not: a service (x)"]
