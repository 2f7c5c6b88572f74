"""awk programs: every one gets an answer, and text in a string is text. Lines are in the table."""

from hypothesis import given
from hypothesis import strategies as st

from automode.programs.awk_sed import awk_use
from automode.programs.use import READS, Effect


@given(st.text(alphabet='{}()/|>"#; \nprint$1systemgetline,[]@', max_size=30))
def test_every_program_gets_an_answer(program: str) -> None:
    assert isinstance(awk_use(program).effect, Effect)


@given(st.text(alphabet="abc |>()[]", max_size=10))
def test_whatever_stands_in_a_string_is_text(text: str) -> None:
    assert awk_use('{ print "' + text + '" }') == READS
