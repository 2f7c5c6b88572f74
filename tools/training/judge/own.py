"""Rows of a user's own log, as `automode training-rows` writes them."""

from dataclasses import replace
from pathlib import Path

from automode.core.errors import AutomodeError
from tools.training.judge.rows import (
    EVALUATION_ONLY,
    NOT_THE_JUDGES,
    Given,
    Row,
    rows,
    side,
    tool_rows,
)

OWN = "own"
WEIGHT = 3.0  # few, and about the very person who will be asked


def own_rows(path: Path, home: Path) -> list[Row]:
    """The labelled calls of the file that may be learnt from. Each session stays on one side of a
    split, and what a run got wrong on that of the case it comes from."""
    listed = [
        one for one in tool_rows(OWN, path) if _file(one) not in EVALUATION_ONLY | NOT_THE_JUDGES
    ]
    if not listed:
        raise AutomodeError(
            f"`{path}` holds no labelled calls", "write some with `automode training-rows`"
        )
    sides = {one.case.id: side(replace(one, file=_file(one))) for one in listed}
    return [replace(row, side=sides[row.id], kind=OWN, weight=WEIGHT) for row in rows(listed, home)]


def _file(one: Given) -> str:
    """The file of cases that a row of a run comes from: the id of a record has no slash."""
    corpus, slash, _ = one.case.id.partition("/")
    return corpus.removeprefix("actions_") if slash else OWN
