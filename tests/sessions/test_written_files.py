"""What one session wrote and another runs: no rule that names the command vouches for it."""

from collections.abc import Callable

import pytest

from automode.agents.events import CallProposed
from automode.core.transcript import Outcome
from automode.sessions.decision_service import DecisionService
from automode.sessions.projects import MOST_PATHS
from tests.sessions.service_setup import HOST, Judging, Setup, said, working

ALLOWED = {"permissions": {"allow": ["bash(pytest*)", "bash(./run.sh*)", "bash(ls*)"]}}
PYTEST = ("allow", "rules.allow")


@pytest.fixture
def ruled(setup: Setup) -> Setup:
    setup.settings = ALLOWED
    setup.layers = [Judging()]
    return setup


def write(setup: Setup, path: str, session: str = "s", parent: str | None = None) -> CallProposed:
    given = {"file_path": str(setup.project / path), "content": "import os"}
    return CallProposed(setup.speaker(session, parent=parent), "Write", given)


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

    async def both(service: DecisionService) -> None:
        await writes(service)
        await runs(service)

    working(ruled, *([writes, runs] if restart else [both]))


WAYS: dict[str, Callable[[Setup, str], CallProposed]] = {
    "a file tool": lambda setup, session: write(setup, "run.sh", session),
    "a redirect": lambda setup, session: setup.bash("echo rm > run.sh", session=session),
    "a copy": lambda setup, session: setup.bash("cp a.txt run.sh", session=session),
}


@pytest.mark.parametrize("way", WAYS)
def test_no_number_of_other_calls_makes_it_forgotten(ruled: Setup, way: str) -> None:
    async def work(service: DecisionService) -> None:
        await service.decide(WAYS[way](ruled, "s"), HOST)
        for _ in range(1_100):
            await service.decide(ruled.bash("ls"), HOST)

        ruling = await service.decide(ruled.bash("./run.sh"), HOST)
        assert said(ruling) == ("allow", "classifier.fast")

    working(ruled, work)


def test_what_was_written_while_auto_mode_was_not_asked_counts(ruled: Setup) -> None:
    async def work(service: DecisionService) -> None:
        await service.hear(ruled.ran(write(ruled, "run.sh", "other"), Outcome.OK), HOST)
        await service.decide(ruled.bash("ls"), HOST)
        await service.hear(ruled.ran(write(ruled, "conftest.py", "other"), Outcome.ERROR), HOST)

        for command in ("./run.sh", "pytest"):
            ruling = await service.decide(ruled.bash(command), HOST)
            assert said(ruling) == ("allow", "classifier.fast")

    working(ruled, work)


def test_a_write_from_another_project_counts_where_the_file_lies(ruled: Setup) -> None:
    elsewhere = ruled.home / "elsewhere"
    (elsewhere / ".git").mkdir(parents=True)
    given = {"file_path": str(ruled.project / "run.sh"), "content": ""}
    speaker = ruled.speaker("other", cwd=str(elsewhere))

    async def work(service: DecisionService) -> None:
        await service.decide(CallProposed(speaker, "Write", given), HOST)
        assert said(await service.decide(ruled.bash("./run.sh"), HOST)) == (
            "allow",
            "classifier.fast",
        )
        assert said(await service.decide(ruled.bash("pytest"), HOST)) == PYTEST

    async def restarted(service: DecisionService) -> None:
        assert said(await service.decide(ruled.bash("./run.sh"), HOST)) == (
            "allow",
            "classifier.fast",
        )

    working(ruled, work, restarted)


def test_what_was_denied_or_lies_in_another_project_is_not_taken_for_written(
    ruled: Setup,
) -> None:
    elsewhere = ruled.home / "elsewhere"
    (elsewhere / ".git").mkdir(parents=True)
    other = ruled.speaker("another", cwd=str(elsewhere))

    async def work(service: DecisionService) -> None:
        denied = ruled.bash("cp deny conftest.py", session="other")
        assert said(await service.decide(denied, HOST))[0] == "deny"
        given = {"file_path": str(elsewhere / "conftest.py"), "content": ""}
        await service.decide(CallProposed(other, "Write", given), HOST)

        assert said(await service.decide(ruled.bash("pytest"), HOST)) == PYTEST

    working(ruled, work)


def test_memory_of_a_project_is_bounded_and_the_newest_stay(ruled: Setup) -> None:
    async def work(service: DecisionService) -> None:
        many = " ".join(f"f{number}" for number in range(2_000))
        for folder in range(MOST_PATHS // 2_000 + 2):
            await service.decide(ruled.bash(f"cd d{folder} && touch {many}"), HOST)
        await service.decide(write(ruled, "run.sh"), HOST)

        known = await service._files.around(str(ruled.project))
        assert len(known) <= MOST_PATHS
        assert str(ruled.project / "run.sh").casefold() in known

    working(ruled, work)
