"""Processes that decide side by side: all answers, and a clear word when one of them dies."""

import multiprocessing
import os
import signal
from pathlib import Path

import pytest

from automode.core.errors import AutomodeError
from automode.evaluation.sampling import drawn
from automode.evaluation.workers import AT_ONCE, decided_by
from tests.evaluation.written import action, corpus_of, usual_settings


@pytest.mark.parametrize("count", [1, AT_ONCE, 3 * AT_ONCE + 1])
def test_every_case_comes_back_once(count: int, tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, *(action(f"{n}", f"ls d{n}") for n in range(count)))

    rows = list(decided_by(drawn([corpus], None, seed=0), usual_settings(), jobs=2))

    assert sorted(str(row["id"]) for row in rows) == sorted(case.id for case in corpus.cases)
    assert {row["verdict"] for row in rows} == {"allow"}


def test_nothing_to_do_starts_nobody() -> None:
    assert list(decided_by([], usual_settings(), jobs=4)) == []
    assert multiprocessing.active_children() == []


def test_a_worker_that_dies_ends_the_run_with_a_way_out(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, *(action(f"{n}", f"ls d{n}") for n in range(20 * AT_ONCE)))
    rows = decided_by(drawn([corpus], None, seed=0), usual_settings(), jobs=2)
    next(rows)
    for worker in multiprocessing.active_children():
        os.kill(int(worker.pid or 0), signal.SIGKILL)

    with pytest.raises(AutomodeError, match="has died") as raised:
        list(rows)

    assert "again" in raised.value.hint


def test_whoever_stops_listening_leaves_nobody_behind(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, *(action(f"{n}", f"ls d{n}") for n in range(20 * AT_ONCE)))
    rows = decided_by(drawn([corpus], None, seed=0), usual_settings(), jobs=2)
    next(rows)

    rows.close()

    assert multiprocessing.active_children() == []
