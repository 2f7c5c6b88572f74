"""Code on a command line: what is proved to only compute, print and read."""

from hypothesis import given
from hypothesis import strategies as st

from automode.programs import sql
from automode.programs.awk_sed import awk_use, sed_use
from automode.programs.python_code import harmless
from automode.programs.use import READS, Effect
from tests.programs.conftest import ROWS
from tests.rows import each_row, either


@given(st.text(alphabet='{}()/|>"#; \nprint$1systemgetline,[]@', max_size=30))
def test_every_awk_program_gets_an_answer(program: str) -> None:
    assert isinstance(awk_use(program).effect, Effect)


@given(st.text(alphabet="abc |>()[]", max_size=10))
def test_whatever_stands_in_a_string_of_awk_is_text(text: str) -> None:
    assert awk_use('{ print "' + text + '" }') == READS


@given(st.text(alphabet="spwWerRabt{}/;[]\\ \n,1$!gax#:", max_size=20))
def test_every_sed_script_gets_an_answer(script: str) -> None:
    assert isinstance(sed_use(script).effect, Effect)


@given(st.text(alphabet="abc[]^.*", max_size=8))
def test_a_write_after_any_substitution_of_sed_is_never_read_only(pattern: str) -> None:
    assert sed_use(f"s/{pattern}/x/;w out").effect


@each_row("dialect, text", ROWS["sql-reading"])
def test_a_query_reads(dialect: str, text: str) -> None:
    assert sql.judge(text, dialect).effect is Effect.NONE


LONG = [("postgres", text, "unknown") for text in ("SELECT " + "(" * 9_000, "SELECT 1 " * 9_000)]


@each_row("dialect, text, effect", [*ROWS["sql-others"], *LONG])
def test_any_other_statement_is_no_read(dialect: str, text: str, effect: str) -> None:
    assert sql.judge(text, dialect).effect & Effect[effect.upper()]


DEEP = [("(" * 5_000, False), ("1 + " * 2_000, False)]


@each_row("code, closed", [*either("programs", "python-harmless", "python-harmful"), *DEEP])
def test_python_of_the_closed_language_is_harmless_and_beyond_it_is_not(
    code: str, closed: bool
) -> None:
    assert (harmless(code) is not None) is closed


def test_the_files_and_modules_that_python_needs_are_named() -> None:
    found = harmless("import json; print(json.load(open('a.json')))")
    assert found is not None
    assert (found.modules, found.files) == (frozenset({"json"}), frozenset({"a.json"}))
