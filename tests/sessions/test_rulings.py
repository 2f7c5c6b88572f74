"""What is remembered of decided calls: exactly the same call, the newest word, and not for ever."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.decision import Decision, Verdict, allow, ask, deny
from automode.sessions.rulings import MOST_PROPOSED, MOST_RULED, Ruled, Rulings, binding

YES = allow("read-only", "fine")
NO = deny("rules.deny", "no")
PERHAPS = ask("rules.ask", "who knows")

BINDING = {
    "an allow": (YES, YES),
    "a denial": (NO, NO),
    "a question is for the person": (PERHAPS, None),
    "off": (None, None),
    "shadow": (Decision(Verdict.DENY, "rules.deny", "no", enforced=False), None),
}


@pytest.mark.parametrize("name", BINDING)
def test_only_what_needs_no_person_binds_the_host(name: str) -> None:
    decision, expected = BINDING[name]

    assert binding(decision) == expected
    assert Ruled("own", decision).for_the_host == expected


def test_a_call_is_found_by_its_id_and_without_one_by_tool_and_input() -> None:
    rulings = Rulings()
    rulings.note("c1", "own", YES)

    assert rulings.of("c1", "own") == Ruled("own", YES)
    assert rulings.of("", "own") == Ruled("own", YES)
    assert rulings.of("c2", "own") is None
    assert rulings.of("c1", "other") is None
    assert rulings.of("", "other") is None


def test_the_newest_word_counts() -> None:
    rulings = Rulings()
    rulings.note("c1", "own", YES)
    rulings.note("c2", "own", NO)

    assert rulings.of("", "own") == Ruled("own", NO)
    assert rulings.of("c1", "own") == Ruled("own", YES)


def test_what_has_run_allows_no_other_call() -> None:
    rulings = Rulings()
    rulings.note("c1", "own", YES)

    assert rulings.finished("c1", "own") == Ruled("own", YES)
    assert rulings.of("c1", "own") is None
    assert rulings.of("", "own") is None
    assert rulings.knows("c1")


def test_a_finished_call_of_the_same_id_with_another_input_takes_nothing_away() -> None:
    rulings = Rulings()
    rulings.note("c1", "own", NO)

    assert rulings.finished("c1", "other") is None
    assert rulings.of("c1", "own") == Ruled("own", NO)


@given(st.lists(st.tuples(st.text(max_size=3), st.text(max_size=3)), max_size=300))
def test_memory_is_bounded_and_never_answers_for_another_call(
    calls: list[tuple[str, str]],
) -> None:
    rulings = Rulings()
    for call, own in calls:
        rulings.note(call or own, own, NO)

    assert len(rulings._ruled) <= MOST_RULED
    assert len(rulings._proposed) <= MOST_PROPOSED
    assert all(rulings.of(call, f"{own}!") is None for call, own in calls)
