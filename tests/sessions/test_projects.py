"""One gate for each project and model, built anew when its settings change."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from automode.agents.events import CallProposed
from automode.assemble import build_gate, load_settings
from automode.config.places import Places
from automode.config.settings import Settings
from automode.core.errors import BadCall
from automode.core.transcript import Outcome
from automode.gate.gate import Gate
from automode.sessions.decision_service import DecisionService
from automode.sessions.projects import (
    FRESH_SECONDS,
    MOST_FOLDERS,
    MOST_PATHS,
    MOST_PROJECTS,
    Projects,
)
from tests.sessions.service_setup import HOST, Judging, Setup, in_two_lives, said


class Time:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def projects(home: Path, time: Time) -> Projects:
    def places(root: str) -> Places:
        return Places.of(home=home, environment={}, project=root, managed=home / "managed.json")

    def build(settings: Settings, model: str | None, lender: str) -> tuple[Gate, None]:
        return build_gate(settings), None

    return Projects(places, load_settings, build, time)


def denied(found: Projects, root: Path) -> list[str]:
    return [rule.text for rule in found.at(str(root), None).settings.permissions.deny]


def test_a_project_is_opened_once(tmp_path: Path) -> None:
    time = Time()
    found = projects(tmp_path, time)

    first = found.at(str(tmp_path), None)
    time.now += 60

    assert found.at(str(tmp_path), None) is first
    assert found.at(str(tmp_path), "a/model").gate is not first.gate
    assert found.roots() == (str(tmp_path),)


CHANGES = {
    "written": '{"permissions": {"deny": ["bash(b*)"]}}',
    "of the same length": '{"permissions": {"deny": ["bash(c*)"]}}',
}


@pytest.mark.parametrize("name", [".automode/config.json", "managed.json"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_counts_after_a_moment(tmp_path: Path, name: str, change: str) -> None:
    (tmp_path / ".automode").mkdir()
    file = tmp_path / name
    if change != "written":
        file.write_text(CHANGES["written"])
    time = Time()
    found = projects(tmp_path, time)
    before = denied(found, tmp_path)

    times = (file.stat().st_atime_ns, file.stat().st_mtime_ns) if file.exists() else None
    file.write_text(CHANGES[change])
    if times is not None:
        os.utime(file, ns=times)  # who sets the time back is found out all the same
    at_once = denied(found, tmp_path)
    time.now += FRESH_SECONDS + 0.01

    assert at_once == before
    assert denied(found, tmp_path) == [CHANGES[change].split('"')[5]]


def test_a_file_that_goes_away_counts_too_and_forgetting_reads_anew_at_once(tmp_path: Path) -> None:
    (tmp_path / "managed.json").write_text(CHANGES["written"])
    time = Time()
    found = projects(tmp_path, time)
    before = denied(found, tmp_path)
    (tmp_path / "managed.json").unlink()
    time.now += 1
    gone = denied(found, tmp_path)
    (tmp_path / "managed.json").write_text(CHANGES["written"])
    found.forget()

    assert (before, gone, denied(found, tmp_path)) == (["bash(b*)"], [], ["bash(b*)"])


def test_what_is_open_is_bounded(tmp_path: Path) -> None:
    found = projects(tmp_path, Time())
    for number in range(MOST_FOLDERS + 10):
        (tmp_path / f"p{number}").mkdir()
        found.workspace(str(tmp_path / f"p{number}"))
    for number in range(MOST_PROJECTS + 10):
        found.at(f"/p{number}", None)

    assert len(found.roots()) == MOST_PROJECTS
    assert len(found._folders) == MOST_FOLDERS


def test_a_folder_is_looked_at_again_after_a_moment(tmp_path: Path) -> None:
    time = Time()
    found = projects(tmp_path, time)
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / ".git").mkdir()
    before = found.workspace(str(inner)).root

    (inner / ".git").mkdir()
    time.now += 1

    assert (before, found.workspace(str(inner)).root) == (str(tmp_path), str(inner))
    with pytest.raises(BadCall, match="no such folder"):
        found.workspace(str(tmp_path / "gone"))


ALLOWED = {"permissions": {"allow": ["bash(pytest*)", "bash(./run.sh*)", "bash(ls*)"]}}
PYTEST = ("allow", "rules.allow")


@pytest.fixture
def ruled(setup: Setup) -> Setup:
    setup.settings = ALLOWED
    setup.layers = [Judging()]
    return setup


def write(setup: Setup, path: str, session: str = "s", parent: str | None = None) -> CallProposed:
    given = {"file_path": str(setup.project / path), "content": "import os"}
    return CallProposed(setup.ref(session, parent=parent), "Write", given)


SESSIONS = {
    # who writes, who runs: (session, parent)
    "a sub-agent and the one above": (("s/b", "s"), ("s", None)),
    "the one above and a sub-agent": (("s", None), ("s/b", "s")),
    "two sub-agents": (("s/a", "s"), ("s/b", "s")),
    "two that have nothing to do with each other": (("one", None), ("other", None)),
    "the same": (("s", None), ("s", None)),
}


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("name", SESSIONS)
def test_what_any_session_of_the_project_wrote_is_not_run_by_a_rule(
    ruled: Setup, name: str, restart: bool
) -> None:
    writer, runner = SESSIONS[name]
    run = ruled.bash("pytest -q", session=runner[0], parent=runner[1])

    async def writes(service: DecisionService) -> None:
        assert said(await service.decide(run, HOST)) == PYTEST
        await service.decide(write(ruled, "conftest.py", *writer), HOST)

    async def runs(service: DecisionService) -> None:
        assert said(await service.decide(run, HOST)) == ("allow", "classifier.fast")

    in_two_lives(ruled, writes, runs, restart=restart)


WAYS: dict[str, Callable[[Setup, str], CallProposed]] = {
    "a file tool": lambda setup, session: write(setup, "run.sh", session),
    "a redirect": lambda setup, session: setup.bash("echo rm > run.sh", session=session),
    "a copy": lambda setup, session: setup.bash("cp a.txt run.sh", session=session),
}


@pytest.mark.parametrize("way", WAYS)
async def test_no_number_of_other_calls_makes_it_forgotten(ruled: Setup, way: str) -> None:
    async with ruled.open() as service:
        await service.decide(WAYS[way](ruled, "s"), HOST)
        for _ in range(1_100):
            await service.decide(ruled.bash("ls"), HOST)

        assert await ruled.says("./run.sh") == ("allow", "classifier.fast")


async def test_what_was_written_while_auto_mode_was_not_asked_counts(ruled: Setup) -> None:
    async with ruled.open() as service:
        await service.hear(ruled.ran(write(ruled, "run.sh", "other"), Outcome.OK), HOST)
        await service.decide(ruled.bash("ls"), HOST)
        await service.hear(ruled.ran(write(ruled, "conftest.py", "other"), Outcome.ERROR), HOST)

        for command in ("./run.sh", "pytest"):
            assert await ruled.says(command) == ("allow", "classifier.fast")


async def test_a_write_from_another_project_counts_where_the_file_lies(ruled: Setup) -> None:
    elsewhere = ruled.home / "elsewhere"
    (elsewhere / ".git").mkdir(parents=True)
    given = {"file_path": str(ruled.project / "run.sh"), "content": ""}
    ref = ruled.ref("other", cwd=str(elsewhere))
    async with ruled.open() as service:
        await service.decide(CallProposed(ref, "Write", given), HOST)
        assert await ruled.says("./run.sh") == (
            "allow",
            "classifier.fast",
        )
        assert await ruled.says("pytest") == PYTEST
    async with ruled.open() as service:
        assert await ruled.says("./run.sh") == (
            "allow",
            "classifier.fast",
        )


async def test_what_was_denied_or_lies_in_another_project_is_not_taken_for_written(
    ruled: Setup,
) -> None:
    elsewhere = ruled.home / "elsewhere"
    (elsewhere / ".git").mkdir(parents=True)
    other = ruled.ref("another", cwd=str(elsewhere))
    async with ruled.open() as service:
        denied = ruled.bash("cp deny conftest.py", session="other")
        assert said(await service.decide(denied, HOST))[0] == "deny"
        given = {"file_path": str(elsewhere / "conftest.py"), "content": ""}
        await service.decide(CallProposed(other, "Write", given), HOST)

        assert await ruled.says("pytest") == PYTEST


async def test_memory_of_a_project_is_bounded_and_the_newest_stay(ruled: Setup) -> None:
    async with ruled.open() as service:
        many = " ".join(f"f{number}" for number in range(2_000))
        for folder in range(MOST_PATHS // 2_000 + 2):
            await service.decide(ruled.bash(f"cd d{folder} && touch {many}"), HOST)
        await service.decide(write(ruled, "run.sh"), HOST)

        known = await service._files.around(str(ruled.project))
        assert len(known) <= MOST_PATHS
        assert str(ruled.project / "run.sh").casefold() in known
