"""Which mode holds for a session, and which project: the one where it began."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from automode.agents.events import CallProposed
from automode.config.settings import Settings
from automode.core.errors import BadCall
from automode.core.session import Mode
from automode.core.transcript import Outcome
from automode.sessions.gate_run import MOST_NESTED, failed_decision, mode, shallow, too_deep
from automode.sessions.live_session import Override
from tests.rows import each_row
from tests.sessions.service_setup import HOST, Judging, Setup, records, said

ROWS = [
    # enabled  configured     typed           holds
    (True, Mode.ENFORCE, Override.NONE, Mode.ENFORCE),
    (True, Mode.SHADOW, Override.NONE, Mode.SHADOW),
    (False, Mode.ENFORCE, Override.NONE, Mode.OFF),
    (True, Mode.ENFORCE, Override.OFF, Mode.OFF),
    (False, Mode.ENFORCE, Override.ON, Mode.ENFORCE),
    (False, Mode.SHADOW, Override.ON, Mode.SHADOW),
    (True, Mode.OFF, Override.ON, Mode.ENFORCE),
    (True, Mode.SHADOW, Override.OFF, Mode.OFF),
]


@each_row("enabled, configured, typed, holds", ROWS)
def test_what_a_person_typed_comes_before_what_is_configured(
    enabled: bool, configured: Mode, typed: Override, holds: Mode
) -> None:
    assert mode(Settings(enabled=enabled, mode=configured), typed) is holds


def test_errors_of_ours_are_told_and_others_only_named() -> None:
    ours, other = (
        failed_decision(BadCall("no such `thing`", "name it")),
        failed_decision(ValueError("a secret")),
    )

    assert (ours.reason, ours.remedy) == ("deciding failed: no such `thing`", "name it")
    assert other.reason == "deciding failed (ValueError)"


def at(setup: Setup, folder: Path, tool: str, given: dict[str, object]) -> CallProposed:
    return CallProposed(setup.ref(cwd=str(folder)), tool, given)


def written(setup: Setup, folder: Path) -> CallProposed:
    return at(setup, folder, "Write", {"file_path": str(folder / "x"), "content": ""})


async def test_a_file_that_became_a_link_to_a_key_is_not_read_any_more(setup: Setup) -> None:
    setup.layers = [Judging()]
    setup.project.mkdir()
    notes, key = setup.project / "notes.txt", setup.home / ".ssh" / "id_rsa"
    notes.write_text("x")
    key.parent.mkdir()
    key.write_text("x")
    async with setup.open() as service:
        before = await service.decide(setup.bash("cat notes.txt"), HOST)
        notes.unlink()
        notes.symlink_to(key)
        after = await service.decide(setup.bash("cat notes.txt"), HOST)
        assert said(before) == ("allow", "read-only")
        assert said(after) == ("allow", "classifier.fast")


@pytest.fixture
def elsewhere(setup: Setup) -> Path:
    folder = setup.home / "elsewhere"
    folder.mkdir()
    return folder


async def test_going_elsewhere_does_not_make_that_the_workspace(
    setup: Setup, elsewhere: Path
) -> None:
    """Nor does a sub-agent that is started there."""
    setup.layers = [Judging()]
    gone = written(setup, elsewhere)
    below = replace(gone, ref=setup.ref("sub", parent="s", cwd=str(elsewhere)))
    async with setup.open() as service:
        begun = await service.decide(written(setup, setup.project), HOST)
        assert said(begun) == ("allow", "workspace-edit")
        for event in (gone, below):
            assert said(await service.decide(event, HOST)) == ("allow", "classifier.fast")
    async with setup.open() as service:
        assert said(await service.decide(gone, HOST)) == ("allow", "classifier.fast")
        assert {one.root for one in await records(service)} == {str(setup.project)}


def forbids(folder: Path, pattern: str) -> None:
    (folder / ".automode").mkdir(parents=True, exist_ok=True)
    rules = {"permissions": {"deny": [pattern]}}
    (folder / ".automode" / "config.json").write_text(json.dumps(rules))


@pytest.mark.parametrize("place", ["project/nested", "elsewhere"])
async def test_deny_rules_of_where_it_began_and_of_where_it_is_both_hold(
    setup: Setup, elsewhere: Path, place: str
) -> None:
    folder = setup.home / place
    forbids(setup.project, "bash(git push*)")
    forbids(folder, "bash(git fetch*)")
    setup.layers = [Judging()]
    async with setup.open() as service:
        await service.decide(setup.bash("ls"), HOST)
        for command in ("git push", "git fetch"):
            ruling = await service.decide(at(setup, folder, "bash", {"command": command}), HOST)
            assert said(ruling) == ("deny", "rules.deny")


def nested(levels: int, *, lists: bool = False) -> dict[str, object]:
    """So many containers, the outermost one included."""
    value: object = "x"
    for _ in range(levels - 1):
        value = [value] if lists else {"a": value}
    return {"a": value}


@pytest.mark.parametrize("lists", [False, True])
def test_what_is_nested_no_deeper_than_the_most_stays_as_it_is(lists: bool) -> None:
    fits = nested(MOST_NESTED, lists=lists)

    assert shallow(fits) is fits
    assert too_deep(nested(MOST_NESTED + 1, lists=lists))


@pytest.mark.parametrize("tool", ["mcp__a__b", "bash", "Write", "WebSearch"])
@pytest.mark.parametrize("levels", [101, 600, 950])
async def test_what_is_nested_too_deeply_is_denied_and_recorded(
    setup: Setup, tool: str, levels: int
) -> None:
    setup.layers = [Judging()]
    event = CallProposed(setup.ref(), tool, nested(levels), "c1")
    async with setup.open() as service:
        ruling = await service.decide(event, HOST)
        await service.hear(setup.ran(event, Outcome.DENIED), HOST)

        assert said(ruling) == ("deny", "gate.bad-call")
        [record] = await records(service)
        assert "nested more than 100 levels deep" in record.reason
        assert await setup.says("ls") == ("allow", "read-only")
