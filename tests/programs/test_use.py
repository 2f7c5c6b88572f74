"""Uses add up: adding "only reads" changes nothing."""

from hypothesis import given
from hypothesis import strategies as st

from automode.programs.use import READS, Effect, Use

USES = st.builds(Use, st.sampled_from(Effect), st.sampled_from(["", "one", "two"]))


@given(USES, USES)
def test_two_uses_have_all_effects_and_the_first_reason(one: Use, other: Use) -> None:
    assert one | other == Use(one.effect | other.effect, one.why or other.why)


@given(USES)
def test_reading_adds_nothing(use: Use) -> None:
    assert use | READS == READS | use == use
