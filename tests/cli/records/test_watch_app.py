"""`automode watch` as a list: scroll, filter, open, approve it; hostile text is escaped."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static

from automode.agents.catalog import ADAPTERS
from automode.cli.options import Surroundings
from automode.cli.records.watch import Desk
from automode.cli.records.watch_app import Details, WatchApp, Words, details, fits
from automode.core.decision import Verdict
from automode.core.errors import AutomodeError
from automode.core.record import Record
from automode.daemon.agents import markers_of
from automode.store.changes import Decided
from automode.store.folder import StateFolder
from automode.store.newcomers import Newcomers
from automode.store.open import reading
from automode.store.tables import approvals
from tests.cli.daemons import Place
from tests.cli.stored import keep, record

PATIENCE_SECONDS = 60.0
HOSTILE = "a\x1b[2Jb\u202e[bold]c[/bold] [link=x]y[/link]\nd"


async def until(pilot: "Pilot[None]", done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not done():
        assert time.monotonic() < deadline, "it never came"
        await pilot.pause(0.05)


def try_out(app: WatchApp, act: Callable[["Pilot[None]"], Awaitable[None]]) -> None:
    async def go() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            await act(pilot)

    asyncio.run(go())


def app_of(place: Place) -> WatchApp:
    surroundings = Surroundings(config_folder=place.config, state_folder=place.state.path)
    return WatchApp(Newcomers(place.state, "sqlite"), Desk(surroundings))


def answer_of(app: WatchApp) -> str:
    return str(app.screen.query_one("#answer", Static).content)


def test_a_denied_call_is_found_opened_and_approved_and_its_retry_runs(served: Place) -> None:
    assert served.proposed("frobnicate now", attended=False)["verdict"] == "deny"
    served.proposed("ls", attended=False)
    app = app_of(served)

    async def act(pilot: "Pilot[None]") -> None:
        await until(pilot, lambda: app.table.row_count == 2)
        await pilot.press("slash", *"DENY", "space", *"frob")
        assert app.table.row_count == 1
        await pilot.press("enter", "enter")
        await until(pilot, lambda: isinstance(app.screen, Details))
        await pilot.press("a", "n")
        assert answer_of(app) == ""
        await pilot.press("a", "y")
        await until(pilot, lambda: answer_of(app) != "")
        assert answer_of(app).startswith("approved: one retry, until ")
        await pilot.press("escape")
        assert not isinstance(app.screen, Details)

    try_out(app, act)
    assert served.proposed("frobnicate now", attended=False)["source"] == "approval"


@pytest.fixture
def folder(place: Place) -> StateFolder:
    return place.state.prepared()


def shown(app: WatchApp) -> list[str]:
    return [" ".join(map(str, app.table.get_row(row.key))) for row in app.table.ordered_rows]


def test_what_comes_is_added_at_the_end_and_who_scrolled_up_stays_there(
    place: Place, folder: StateFolder
) -> None:
    def came(number: int) -> Decided:
        return Decided(record(number, at=time.time(), action=f"make {number}"))

    keep(folder, *map(came, range(40)))
    app = app_of(place)

    async def act(pilot: "Pilot[None]") -> None:
        await until(pilot, lambda: app.table.row_count == 40)
        assert app.table.cursor_row == 39
        await asyncio.to_thread(keep, folder, came(50))
        await until(pilot, lambda: app.table.row_count == 41)
        assert app.table.cursor_row == 40
        await pilot.press("pageup", "pageup")
        above = app.table.cursor_row
        assert above < 20
        await asyncio.to_thread(keep, folder, came(51))
        await until(pilot, lambda: app.table.row_count == 42)
        assert app.table.cursor_row == above
        assert "allow 2" in str(app.counts.content)
        await pilot.press("q")

    try_out(app, act)


def test_hostile_text_is_shown_escaped_and_no_markup_is_read(
    place: Place, folder: StateFolder
) -> None:
    one = record(1, at=time.time(), action=HOSTILE, tool="[red]x", reason="\x1b]0;t\x07")
    huge = record(2, at=time.time(), action="x" * 1_000_000, verdict=Verdict.DENY)
    keep(folder, Decided(one), Decided(huge))
    app = app_of(place)

    async def act(pilot: "Pilot[None]") -> None:
        await until(pilot, lambda: app.table.row_count == 2)
        first, second = shown(app)
        assert "[red]x a\\x1b[2Jb\\u202e[bold]c[/bold] [link=x]y[/link]\\nd" in first
        assert len(second) < 400
        await pilot.press("up", "enter")
        await until(pilot, lambda: isinstance(app.screen, Details))
        text = str(app.screen.query_one("#details", Static).content)
        assert "a\\x1b[2Jb\\u202e[bold]c[/bold] [link=x]y[/link]\nd" in text
        assert "\\x1b]0;t\\x07" in text
        await pilot.press("a")
        assert answer_of(app) == "cannot be approved: it was allowed"

    try_out(app, act)


def test_a_refusal_is_shown_and_nothing_is_approved(place: Place, folder: StateFolder) -> None:
    denied = replace(
        record(1, at=time.time(), verdict=Verdict.DENY, source="classifier.fast"), clearable=True
    )
    keep(folder, Decided(denied))

    class Refusing(Desk):
        def answer(self, record: Record, kind: str, words: str = "") -> str:
            raise AutomodeError("only a person may do this, and an agent started it")

    app = WatchApp(Newcomers(folder, "sqlite"), Refusing(Surroundings(state_folder=folder.path)))

    async def act(pilot: "Pilot[None]") -> None:
        await until(pilot, lambda: app.table.row_count == 1)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Details))
        await pilot.press("a", "y")
        await until(pilot, lambda: answer_of(app) != "")
        assert answer_of(app).startswith("not done: only a person may do this")

    try_out(app, act)


def test_what_waits_is_opened_and_answered(served: Place) -> None:
    settings = {"autoMode": {"asks": {"hold": 50}}, "permissions": {"ask": ["bash(make *)"]}}
    (Path(served.config) / "config.json").write_text(json.dumps(settings))
    served.run("reload")
    app = app_of(served)
    with ThreadPoolExecutor(1) as beside:
        call = beside.submit(partial(served.proposed, "make all", "s1", 60.0, attended=False))

        async def act(pilot: "Pilot[None]") -> None:
            await until(pilot, lambda: bool(app.waiting and app.records))
            await pilot.press("w")
            await until(pilot, lambda: isinstance(app.screen, Details))
            await pilot.press("d")
            await until(pilot, lambda: isinstance(app.screen, Words))
            await pilot.press(*"later", "enter")
            await until(pilot, lambda: isinstance(app.screen, Details) and answer_of(app) != "")
            assert answer_of(app) == "denied: the agent is told why"

        try_out(app, act)
        told = call.result(PATIENCE_SECONDS)

    assert (told["verdict"], told["source"]) == ("deny", "person.decline")
    assert told["reason"] == "the person said no to this call: later"


def test_a_rule_is_shown_changed_and_saved(served: Place) -> None:
    served.proposed("frobnicate --now", attended=False)
    app = app_of(served)

    async def act(pilot: "Pilot[None]") -> None:
        await until(pilot, lambda: app.table.row_count == 1)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Details))
        await pilot.press("r")
        await until(pilot, lambda: isinstance(app.screen, Words))
        assert app.screen.query_one(Input).value == "bash(frobnicate --now)"
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Details) and answer_of(app) != "")
        assert answer_of(app).startswith(f"saved in {served.config}/config.json")

    try_out(app, act)
    assert served.proposed("frobnicate --now", "other")["source"] == "rules.allow"


BELOW = """
import sys
from automode.cli.options import Surroundings
from automode.store.newcomers import Newcomers
from automode.cli.records.watch import Desk
from automode.core.errors import AutomodeError
from automode.store.folder import StateFolder
where = Surroundings(state_folder=sys.argv[1])
(record,) = Newcomers(StateFolder(sys.argv[1]), "sqlite").look()
try:
    print(Desk(where).answer(record, "once"))
except AutomodeError as error:
    print(error)
"""


def test_an_agent_that_draws_the_list_cannot_approve(place: Place, folder: StateFolder) -> None:
    denied = replace(record(1, verdict=Verdict.DENY, source="classifier.fast"), clearable=True)
    keep(folder, Decided(denied))
    marker = min(markers_of(ADAPTERS.values()))

    done = subprocess.run(
        (sys.executable, "-c", BELOW, folder.path),
        capture_output=True,
        text=True,
        env={**os.environ, marker: "1"},
        check=True,
    )

    assert done.stdout.startswith("only a person may do this")
    with reading(folder) as db:
        assert approvals(db) == []


def test_every_word_of_a_filter_must_fit() -> None:
    one = record(1, action="git push", tool="Bash", source="read-only")

    assert fits(one, "ALLOW push bash")
    assert fits(one, "")
    assert not fits(one, "push deny")
    assert "press a" not in details(one)
    assert json.dumps(details(one)).isascii()
