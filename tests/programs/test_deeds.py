"""What words and options make a command, as rows say it."""

import shlex
from dataclasses import replace

import pytest

from automode.programs.deeds import always_undescribed, command_words, parse_deeds, written_deeds
from automode.programs.table import families, parse_row, programs
from automode.shell.options import arguments
from automode.shell.script import Word
from tests.programs.conftest import ROWS
from tests.rows import each_row

OPTIONS = "-f -n --force -X= --file= -m="


@each_row("line, fitting, others", ROWS["deed-lines"])
def test_a_line_holds_for_what_it_says(line: str, fitting: list[str], others: list[str]) -> None:
    (parsed,) = parse_deeds((("sends", line),))
    spec = replace(parse_row("x", {"options": OPTIONS}).spec, abbreviates=True)

    def holds(text: str) -> bool:
        words = [Word(word) for word in shlex.split(text)]
        return parsed.holds(command_words((), words, arguments(words, spec)))

    assert [text for text in fitting if not holds(text)] == []
    assert [text for text in others if holds(text)] == []


@pytest.mark.parametrize("line", ["-f rm", "!rm", "rm !x"])
def test_words_come_first_and_stand_where_they_are(line: str) -> None:
    with pytest.raises(ValueError, match="needs `"):
        parse_deeds((("sends", line),))


def test_shared_deeds_have_a_name() -> None:
    with pytest.raises(ValueError, match="no name"):
        parse_deeds((("like", "frobnication"),))


def test_a_program_is_described_in_one_place() -> None:
    shared = written_deeds()["shared"].values()
    undescribed = {name for one in shared for name in one.get("programs", "").split()}

    assert (undescribed | set(always_undescribed())) & set(programs()) == set()


def test_shared_deeds_are_used() -> None:
    rows = [row for family in families().values() for row in family.values()]
    used = {name for row in rows for name in _like(row.get("deeds"))}
    shared = written_deeds()["shared"]
    used |= {name for one in shared.values() for name in _like(one)}

    assert {
        name for name, one in shared.items() if name not in used and "programs" not in one
    } == set()


def _like(deeds: object) -> list[str]:
    return str(deeds.get("like", "")).split() if isinstance(deeds, dict) else []
