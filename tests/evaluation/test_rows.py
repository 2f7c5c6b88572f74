"""The file of decisions: whole lines, one writer, nothing half-written counted."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from automode.core.errors import AutomodeError
from automode.evaluation.run_folder import DECISIONS, Decisions, rows_in

ONE = {"id": "1", "corpus": "calls", "verdict": "allow"}
TWO = {"id": "2", "corpus": "calls", "verdict": "ask", "reason": "não\n"}


def test_what_was_added_is_found_again(tmp_path: Path) -> None:
    with closing(Decisions(tmp_path)) as decisions:
        assert decisions.rows == ()
        decisions.add(ONE)
        assert list(rows_in(tmp_path)) == [ONE]
        decisions.add(TWO)

    with closing(Decisions(tmp_path)) as decisions:
        assert decisions.rows == (ONE, TWO)


@pytest.mark.parametrize("cut", range(1, len(json.dumps(TWO)) + 1, 7))
def test_half_a_line_at_the_end_is_cut_off(cut: int, tmp_path: Path) -> None:
    half = json.dumps(TWO)[:cut]
    (tmp_path / DECISIONS).write_text(json.dumps(ONE) + "\n" + half)

    assert list(rows_in(tmp_path)) == [ONE]
    with closing(Decisions(tmp_path)) as decisions:
        assert decisions.rows == (ONE,)
        decisions.add(TWO)

    assert list(rows_in(tmp_path)) == [ONE, TWO]


def test_only_one_run_writes_at_a_time(tmp_path: Path) -> None:
    with closing(Decisions(tmp_path)), pytest.raises(AutomodeError, match="another run") as raised:
        Decisions(tmp_path)

    assert "--out" in raised.value.hint


@pytest.mark.parametrize("line", ["{", "[]", '{"id": 1, "corpus": "c"}', '{"id": "1"}', ""])
def test_a_line_that_no_run_wrote_is_named(line: str, tmp_path: Path) -> None:
    (tmp_path / DECISIONS).write_text(f"{json.dumps(ONE)}\n{line}\n")

    with pytest.raises(AutomodeError, match="line 2") as raised:
        Decisions(tmp_path)

    assert "--out" in raised.value.hint
    with pytest.raises(AutomodeError, match="line 2"):
        Decisions(tmp_path)  # the first try holds no lock
