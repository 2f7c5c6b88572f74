"""Processes that decide side by side: all answers, and a clear word when one of them dies."""

import multiprocessing
import os
import signal
from collections.abc import Generator
from pathlib import Path

import pytest

from automode.core.errors import AutomodeError
from automode.evaluation.offline import Workers
from automode.evaluation.run_folder import Row
from automode.evaluation.running import case_work
from automode.evaluation.suites import draw
from tests.evaluation.written import action, corpus_of, usual_settings


def rows(folder: Path, count: int, size: int) -> Generator[Row, None, None]:
    """Of so many cases in parcels of this size, decided by two processes."""
    cases = [action(f"{number}", f"ls d{number}") for number in range(count)]
    work = draw([corpus_of(folder, *cases)], None, seed=0) if cases else []
    with Workers(case_work, (usual_settings(),), "try again") as workers:
        yield from workers.answers((work[at : at + size] for at in range(0, count, size)), 2)


@pytest.mark.parametrize("count", [1, 4, 13])
def test_every_case_comes_back_once(count: int, tmp_path: Path) -> None:
    found = list(rows(tmp_path, count, size=4))

    assert sorted(str(row["id"]) for row in found) == sorted(map(str, range(count)))
    assert {row["verdict"] for row in found} == {"allow"}


def test_nothing_to_do_starts_nobody(tmp_path: Path) -> None:
    assert list(rows(tmp_path, 0, size=4)) == []
    assert multiprocessing.active_children() == []


def test_a_worker_that_dies_ends_the_run_with_a_way_out(tmp_path: Path) -> None:
    found = rows(tmp_path, 200, size=2)
    next(found)
    for worker in multiprocessing.active_children():
        os.kill(int(worker.pid or 0), signal.SIGKILL)

    with pytest.raises(AutomodeError, match="has died") as raised:
        list(found)

    assert raised.value.hint == "try again"


def test_whoever_stops_listening_leaves_nobody_behind(tmp_path: Path) -> None:
    found = rows(tmp_path, 200, size=2)
    next(found)

    found.close()

    assert multiprocessing.active_children() == []
