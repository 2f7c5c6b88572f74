"""Which mode holds for a session, and which project: the one where it began."""

import json
from pathlib import Path

import pytest

from automode.agents.events import CallProposed, SessionStarted
from automode.config.settings import Settings
from automode.core.errors import BadCall
from automode.core.session import Mode
from automode.sessions.decision_service import DecisionService
from automode.sessions.gate_run import failed, mode
from automode.sessions.live_session import Override
from tests.rows import each_row
from tests.sessions.offices import HOST, Judging, Office, records, said, working

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
    ours, other = failed(BadCall("no such `thing`", "name it")), failed(ValueError("a secret"))

    assert (ours.reason, ours.advice) == ("deciding failed: no such `thing`", "name it")
    assert other.reason == "deciding failed (ValueError)"


def at(office: Office, folder: Path, tool: str, given: dict[str, object]) -> CallProposed:
    return CallProposed(office.speaker(cwd=str(folder)), tool, given)


def written(office: Office, folder: Path) -> CallProposed:
    return at(office, folder, "Write", {"file_path": str(folder / "x"), "content": ""})


def test_a_file_that_became_a_link_to_a_key_is_not_read_any_more(office: Office) -> None:
    office.layers = [Judging()]
    office.project.mkdir()
    notes, key = office.project / "notes.txt", office.home / ".ssh" / "id_rsa"
    notes.write_text("x")
    key.parent.mkdir()
    key.write_text("x")

    async def work(desk: DecisionService) -> None:
        before = await desk.decide(office.bash("cat notes.txt"), HOST)
        notes.unlink()
        notes.symlink_to(key)
        after = await desk.decide(office.bash("cat notes.txt"), HOST)
        assert said(before) == ("allow", "read-only")
        assert said(after) == ("allow", "classifier.fast")

    working(office, work)


@pytest.fixture
def elsewhere(office: Office) -> Path:
    folder = office.home / "elsewhere"
    folder.mkdir()
    return folder


def test_going_elsewhere_does_not_make_that_the_workspace(office: Office, elsewhere: Path) -> None:
    office.layers = [Judging()]

    async def work(desk: DecisionService) -> None:
        begun = await desk.decide(written(office, office.project), HOST)
        assert said(begun) == ("allow", "workspace-edit")
        gone = await desk.decide(written(office, elsewhere), HOST)
        assert said(gone) == ("allow", "classifier.fast")

    async def restarted(desk: DecisionService) -> None:
        gone = await desk.decide(written(office, elsewhere), HOST)
        assert said(gone) == ("allow", "classifier.fast")
        assert {one.root for one in await records(desk)} == {str(office.project)}

    working(office, work, restarted)


def test_a_sub_agent_works_in_the_project_of_the_one_above(office: Office, elsewhere: Path) -> None:
    office.layers = [Judging()]
    speaker = office.speaker("sub", parent="s", cwd=str(elsewhere))
    given = {"file_path": str(elsewhere / "x"), "content": ""}

    async def work(desk: DecisionService) -> None:
        await desk.hear(SessionStarted(office.speaker()), HOST)
        ruling = await desk.decide(CallProposed(speaker, "Write", given), HOST)
        assert said(ruling) == ("allow", "classifier.fast")

    working(office, work)


def forbids(folder: Path, pattern: str) -> None:
    (folder / ".automode").mkdir(parents=True, exist_ok=True)
    rules = {"permissions": {"deny": [pattern]}}
    (folder / ".automode" / "config.json").write_text(json.dumps(rules))


@pytest.mark.parametrize("place", ["project/nested", "elsewhere"])
def test_deny_rules_of_where_it_began_and_of_where_it_is_both_hold(
    office: Office, elsewhere: Path, place: str
) -> None:
    folder = office.home / place
    forbids(office.project, "bash(git push*)")
    forbids(folder, "bash(git fetch*)")
    office.layers = [Judging()]

    async def work(desk: DecisionService) -> None:
        await desk.decide(office.bash("ls"), HOST)
        for command in ("git push", "git fetch"):
            ruling = await desk.decide(at(office, folder, "bash", {"command": command}), HOST)
            assert said(ruling) == ("deny", "rules.deny")

    working(office, work)
