"""What is remembered of decided calls: exactly the same call, the newest word, and not for ever."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.decision import Decision, Verdict, allow, ask, deny
from automode.sessions.live_session import (
    MOST_PROPOSED,
    MOST_RULED,
    TWIN_SECONDS,
    Ruled,
    Rulings,
    binding,
)
from tests.rows import each_row

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
    rulings.note("c1", Ruled("own", YES))

    assert rulings.of("c1", "own") == Ruled("own", YES)
    assert rulings.of("", "own") == Ruled("own", YES)
    assert rulings.of("c2", "own") is None
    assert rulings.of("c1", "other") is None
    assert rulings.of("", "other") is None


def test_the_newest_word_counts() -> None:
    rulings = Rulings()
    rulings.note("c1", Ruled("own", YES))
    rulings.note("c2", Ruled("own", NO))

    assert rulings.of("", "own") == Ruled("own", NO)
    assert rulings.of("c1", "own") == Ruled("own", YES)


def test_what_has_run_allows_no_other_call() -> None:
    rulings = Rulings()
    rulings.note("c1", Ruled("own", YES))

    assert rulings.finished("c1", "own") == Ruled("own", YES)
    assert rulings.of("c1", "own") is None
    assert rulings.of("", "own") is None
    assert rulings.unknown(["c1", "c2"]) == ["c2"]


def test_a_finished_call_of_the_same_id_with_another_input_takes_nothing_away() -> None:
    rulings = Rulings()
    rulings.note("c1", Ruled("own", NO))

    assert rulings.finished("c1", "other") is None
    assert rulings.of("c1", "own") == Ruled("own", NO)


TWINS = {
    # id, tool and input, folder, seconds later → whether it is the same call once more
    "the same": ("c1", "own", "/p", 0.0, True),
    "a little later": ("c1", "own", "/p", TWIN_SECONDS, True),
    "much later": ("c1", "own", "/p", TWIN_SECONDS + 1, False),
    "before it, by a clock that was set back": ("c1", "own", "/p", -1.0, False),
    "another input": ("c1", "other", "/p", 0.0, False),
    "another id": ("c2", "own", "/p", 0.0, False),
    "no id": ("", "own", "/p", 0.0, False),
    "another folder": ("c1", "own", "/q", 0.0, False),
}


@each_row("name", TWINS)
def test_a_twin_has_the_same_id_input_and_folder_and_comes_soon(name: str) -> None:
    call, own, cwd, later, same = TWINS[name]
    rulings = Rulings()
    rulings.note("c1", Ruled("own", YES, "r1", "/p", 100.0))

    assert (rulings.twin(call, own, cwd, 100.0 + later) is not None) is same


def test_what_a_person_changed_and_what_has_run_has_no_twin() -> None:
    for end in (Rulings.forget, lambda rulings: rulings.finished("c1", "own")):
        rulings = Rulings()
        rulings.note("c1", Ruled("own", YES, "r1", "/p", 100.0))
        end(rulings)

        assert rulings.twin("c1", "own", "/p", 100.0) is None
        assert not rulings.has("c1")
        assert rulings.unknown(["c1", "c2"]) == ["c2"]


def test_a_call_ends_once_until_it_is_proposed_anew() -> None:
    rulings = Rulings()
    rulings.note("c1", Ruled("own", YES, "r1", "/p", 100.0))

    assert [rulings.ended_before("c1") for _ in range(2)] == [False, True]
    assert rulings.twin("c1", "own", "/p", 100.0) is None
    rulings.note("c1", Ruled("own", YES, "r2", "/p", 100.0))
    assert not rulings.ended_before("c1")
    assert [rulings.ended_before("") for _ in range(2)] == [False, False]
    for number in range(2 * MOST_RULED):
        rulings.ended_before(str(number))
    assert len(rulings._ended) <= MOST_RULED


def test_another_call_under_the_same_id_is_told_from_the_one_that_was_decided() -> None:
    rulings = Rulings()
    rulings.note("c1", Ruled("own", YES))

    assert rulings.another("c1", "other")
    assert not rulings.another("c1", "other", "own")
    assert not rulings.another("c2", "other")
    assert not rulings.another("", "other")


def test_of_a_long_session_the_newest_calls_are_known() -> None:
    rulings = Rulings()
    calls = [f"toolu_{number}" for number in range(MOST_PROPOSED + 100)]
    for call in calls:
        rulings.proposed(call)

    assert rulings.unknown(calls) == calls[:100]
    assert rulings.unknown(["never"]) == ["never"]


@given(st.lists(st.tuples(st.text(max_size=3), st.text(max_size=3)), max_size=300))
def test_memory_is_bounded_and_never_answers_for_another_call(
    calls: list[tuple[str, str]],
) -> None:
    rulings = Rulings()
    for call, own in calls:
        rulings.note(call or own, Ruled(own, NO))

    assert len(rulings._ruled) <= MOST_RULED
    assert len(rulings._proposed) <= MOST_PROPOSED
    known = {own for _, own in calls}
    others = [(call, f"{own}!") for call, own in calls if f"{own}!" not in known]
    assert all(rulings.of(call, other) is None for call, other in others)


def test_what_nobody_vouches_for_does_not_hide_what_somebody_does() -> None:
    rulings = Rulings()
    first, again = (rulings.ended_before("c1", doubted=True) for _ in range(2))
    vouched, doubted, later = (
        rulings.ended_before("c1", doubted=one) for one in (False, True, False)
    )

    assert (first, again) == (False, True)
    assert (vouched, doubted, later) == (False, True, True)
    assert rulings.over("c1")
    assert not rulings.over("")
