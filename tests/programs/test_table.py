"""The table of programs: its examples hold, and what a row does not name is never proved."""

import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.programs.checks import check_of, touches_of
from automode.programs.row import EFFECTS, PROGRAM_KINDS, REFUSED_PLACES, Words
from automode.programs.table import (
    families,
    family_names,
    heads,
    of_kind,
    parse_row,
    programs,
    refusals_of,
)
from automode.programs.use import Effect, Use
from automode.shell.script import HOLE, Origin, Word
from tests.programs.conftest import ROWS, command_facts, use_of
from tests.rows import each_row

PAGE = Path(__file__).parents[2].joinpath("docs/contributing/programs.md").read_text("utf-8")


def _examples(kind: str) -> list[str]:
    found: list[str] = []
    for rows in families().values():
        for row in rows.values():
            examples = row.get("examples", {})
            assert isinstance(examples, dict)
            assert set(examples) <= {*OTHER_KINDS, *EFFECTS}
            found += examples.get(kind, [])
    return found


OTHER_KINDS = "remote unproved foreign everyday dynamic dynamic-unproved touches deeds".split()
READS, REMOTE = _examples("reads"), _examples("remote")
OTHERS = {kind: _examples(kind) for kind in EFFECTS if kind != "reads"}
UNPROVED = _examples("unproved") + [line for lines in OTHERS.values() for line in lines]
HARMLESS = (Effect.NONE, Effect.REMOTE_READ)


def _wrong(kind: str, right: Callable[[Effect], bool]) -> dict[str, Use]:
    uses = {line: use_of(line) for line in _examples(kind)}
    assert uses
    return {line: use for line, use in uses.items() if not right(use.effect)}


def test_the_examples_do_what_their_kind_says() -> None:
    assert _wrong("reads", lambda effect: not effect) == {}
    assert _wrong("remote", lambda effect: effect is Effect.REMOTE_READ) == {}
    assert _wrong("unproved", lambda effect: effect not in HARMLESS) == {}
    assert _wrong("everyday", lambda effect: Effect.DEVELOPMENT in effect) == {}
    for kind in OTHERS:
        if OTHERS[kind]:
            assert _wrong(kind, lambda effect, kind=kind: EFFECTS[kind] in effect) == {}  # type: ignore[misc]
    assert [line for line in UNPROVED if use_of(line).effect in HARMLESS] == []


def test_code_or_settings_from_elsewhere_are_not_ordinary() -> None:
    assert _wrong("foreign", lambda effect: Effect.DEVELOPMENT not in effect) == {}
    assert _wrong("foreign", lambda effect: effect not in HARMLESS) == {}


@each_row("line, is_ordinary", ROWS["ordinary-steps"])
def test_a_step_of_development_stays_in_the_project(line: str, *, is_ordinary: bool) -> None:
    assert (Effect.DEVELOPMENT in use_of(line).effect) == is_ordinary
    assert Effect.DEVELOPMENT not in use_of(line, cwd="/tmp").effect
    assert Effect.DEVELOPMENT not in use_of(line, cwd=None).effect


def test_a_word_that_is_known_only_when_it_runs_is_harmless_where_it_can_do_no_more() -> None:
    assert _wrong("dynamic", lambda effect: not effect) == {}
    assert _wrong("dynamic-unproved", lambda effect: effect not in HARMLESS) == {}


@each_row("row", _examples("touches"))
def test_a_command_touches_these_files(row: str) -> None:
    line, _, wanted = row.partition(" |")
    touched = command_facts(line).touches
    told = [f"{one.kind} {one.word.text}{'' if one.whole else ' (files)'}" for one in touched]

    assert sorted(told) == sorted(
        one.replace("…", HOLE) for one in wanted.strip().split(", ") if one
    )


@each_row("row", _examples("deeds"))
def test_a_command_is_to_the_judge_what_its_rows_say(row: str) -> None:
    line, _, wanted = row.partition(" |")
    facts = command_facts(tuple(map(Word, shlex.split(line))))
    always = facts.program.always if facts.program else ()

    assert {*always, *facts.deeds} == {one for one in wanted.strip().split(", ") if one}


def test_every_program_that_reads_has_examples_of_both_kinds() -> None:
    both = {line.split()[0] for line in (*READS, *REMOTE)} & {line.split()[0] for line in UNPROVED}
    missing = {
        name
        for name, program in programs().items()
        for row in program.rows
        if row.words is not None and not row.base.effect & ~Effect.REMOTE_READ
        if name == program.row.name and not program.names & both
        if row.check or not row.spec.only_words  # to `echo` every word is text
    }

    assert missing == set()


def test_help_is_proved_where_it_is_known_what_is_loaded_before_it() -> None:
    """Of a program that runs the project's code a row says what it loads, or `help-first`."""
    written = {
        name: row
        for rows in families().values()
        for name, row in rows.items()
        if " " not in name and (row.get("help") or row.get("verb-help"))
    }
    helps = {name for name in written if (row := programs()[name].row).help or row.verb_help}

    assert written.keys() - helps == set()
    assert "--version" not in programs()["rector"].row.help


def test_the_row_of_the_program_says_whether_values_are_glued_to_letters() -> None:
    rows = [(name, row) for rows in families().values() for name, row in rows.items()]

    assert [name for name, row in rows if "glues" in row and " " in name] == []


WITH_OPTIONS = [
    line for line in READS + REMOTE if not programs()[line.split()[0]].row.spec.only_words
]


@given(st.sampled_from(WITH_OPTIONS), st.text("abcdefghijklmnopqrstuvwxyz-", min_size=6))
def test_an_unknown_option_is_never_proved(line: str, option: str) -> None:
    first, *rest = shlex.split(line)
    words = (first, f"--zz{option}", *rest)
    use = use_of(tuple(map(Word, words)))

    assert use.effect & ~Effect.REMOTE_READ


@pytest.mark.skipif(not REMOTE, reason="no row asks a service yet")
@given(st.sampled_from(REMOTE or [""]))
def test_no_unknown_word_reaches_a_program_that_asks_a_service(line: str) -> None:
    words = (*map(Word, shlex.split(line)), Word(f"x{HOLE}", Origin.DERIVED))

    assert use_of(words).effect & ~Effect.REMOTE_READ


def test_every_check_that_a_row_names_exists() -> None:
    for program in programs().values():
        for row in program.rows:
            assert not row.check or callable(check_of(row.check))
            assert not row.touches or callable(touches_of(row.touches))


def test_every_sub_command_that_is_another_program_names_one() -> None:
    for program in programs().values():
        for path, row in program.subcommands.items():
            assert row.program != "*" or set(path[-1]) <= set(program.family)


ROWS_OF_ALL = [(key, row) for rows in families().values() for key, row in rows.items()]
HEADS = [line.split(" | ")[0] for line in PAGE.partition("## Keys")[2].splitlines()]
KEYS = {key for head in HEADS if head[:3] == "| `" for key in re.findall(r"`([a-z-]+)`", head)}
FLAGS = """complete connects at-files numbers globals-anywhere stops dash optional-values sure-names
    script help-first glues""".split()
TYPES: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(FLAGS, bool),
    **dict.fromkeys(("examples", "deeds"), dict),
    "refuses": (str, list),
}


@each_row("name, row", ROWS_OF_ALL)
def test_a_row_has_the_keys_that_its_page_describes(name: str, row: dict[str, object]) -> None:
    program = name.split()[0]
    lines = list(refusals_of(row.get("refuses", [])))
    places = {place for line in lines for place in str(line.get("in", "")).split()}

    assert row.keys() <= KEYS
    assert [key for key, one in row.items() if not isinstance(one, TYPES.get(key, str))] == []
    assert {key for line in lines for key in line} <= KEYS
    assert {one for one in places if one[0] != "-"} <= REFUSED_PLACES
    assert {*str(row.get("is", "")).split()} <= PROGRAM_KINDS.keys()
    assert program in programs()
    assert [one for one, _ in ROWS_OF_ALL].count(name) == 1


def test_a_complete_row_has_only_options_that_do_no_harm() -> None:
    complete = [program.row for program in programs().values() if program.row.complete]
    harmful = [
        row.name
        for row in complete
        if any(EFFECTS[key] for key in row.effects.values() if key != "lists")
    ]

    assert harmful == []


@each_row("given, message", ROWS["bad-rows"])
def test_a_bad_row_says_what_is_wrong(given: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        parse_row("x", given)


def test_every_kind_of_program_has_programs() -> None:
    assert [kind for kind in PROGRAM_KINDS if not of_kind(kind)] == []


def test_a_program_like_another_is_of_its_kind_unless_its_row_says_otherwise() -> None:
    assert {"rm", "grm", "unlink", "srm"} <= of_kind("remover")
    assert "ansible" in of_kind("client")
    assert "ansible-inventory" not in of_kind("client")


def test_what_is_asked_of_all_programs_is_what_their_rows_say() -> None:
    keys = ("also", "is", "like", "picks", "starts", "keeps")
    for family, rows in families().items():
        found = {
            name: {key: row[key].split() for key in row} for name, row in heads()[family].items()
        }

        assert found.keys() == rows.keys()
        for name, row in rows.items():
            said = {key: str(row[key]).split() for key in keys if key in row}
            assert " " in name or found[name] == said


def test_no_row_is_built_before_it_is_needed() -> None:
    code = (
        "import automode.assemble; from automode.programs.table import programs;"
        "print(len(programs().built))"
    )
    done = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True)

    assert done.stdout == "0\n"


@each_row("words, count, kinds", ROWS["operand-kinds"])
def test_each_operand_has_its_kind(words: str, count: int, kinds: list[str]) -> None:
    """`none`: the row does not take so many."""
    found = Words.parse(words).kinds(count)

    assert (["none"] if found is None else [*found]) == kinds


BUILTINS = [name for name, family in family_names().items() if family == "bash_builtins"]


def test_every_builtin_of_bash_has_a_row_of_its_own() -> None:
    listed = subprocess.run(
        ["bash", "--norc", "-c", "compgen -b"], capture_output=True, text=True, check=True
    ).stdout.split()

    assert len(listed) > 50
    assert [name for name in listed if name not in programs()] == []


@pytest.mark.parametrize("name", sorted({*BUILTINS} - {"echo", ":", "true", "false"}))
def test_no_builtin_takes_any_option(name: str) -> None:
    takes_text = name in ("printf", "test", "[", "getopts")
    assert takes_text or use_of((Word(name), Word("-\x7f"))).effect
