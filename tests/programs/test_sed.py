"""sed scripts: every one gets an answer, and a write is found. Lines are in the table."""

from hypothesis import given
from hypothesis import strategies as st

from automode.programs.awk_sed import sed_use
from automode.programs.use import Effect


@given(st.text(alphabet="spwWerRabt{}/;[]\\ \n,1$!gax#:", max_size=20))
def test_every_script_gets_an_answer(script: str) -> None:
    assert isinstance(sed_use(script).effect, Effect)


@given(st.text(alphabet="abc[]^.*", max_size=8))
def test_a_write_after_any_substitution_is_never_read_only(pattern: str) -> None:
    assert sed_use(f"s/{pattern}/x/;w out").effect
