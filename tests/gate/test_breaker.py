"""Denials pile up: when a person is asked, when a run ends, and what no limit ever loosens."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.decision import Decision, Failure, Verdict, allow, ask, deny
from automode.core.session import NOTHING_YET, Denial, History, noted
from automode.gate.breaker import (
    Limits,
    after,
    after_below,
    always_denied,
    escalated,
    resumed,
    tripped,
)
from tests.rows import each_row

LIMITS = Limits(consecutive=3, total=5, unavailable=2)
YES = allow("read-only", "only reads")
QUESTION = ask("rules.ask", "a rule asks")
NO = deny("classifier.deliberate", "not asked for", clearable=True)
JUDGED = allow("classifier.fast", "fine")
RULE = deny("rules.deny", "a rule forbids it")
FLOOR = deny("floor.delete-root", "never")
HARD = deny("classifier.deliberate", "hard_deny", clearable=False)
UNSETTLED = deny("gate.undecided", "no layer (nobody is there to ask)", clearable=True)
OUTAGE = deny("classifier.fast", "no model", clearable=True, error=Failure.UNAVAILABLE)
UNREAD = deny("gate.bad-call", "no command", error=Failure.UNREADABLE)
CANCELLED = deny("gate.cancelled", "cancelled", error=Failure.CANCELLED)
APPROVED = allow("approval", "a person approved exactly this call")
SHADOWED = replace(NO, enforced=False)
EVERY = [YES, QUESTION, NO, JUDGED, RULE, FLOOR, HARD, UNSETTLED, OUTAGE, CANCELLED, APPROVED]
EVERY += [UNREAD, SHADOWED, replace(OUTAGE, verdict=Verdict.ASK)]


def walked(
    decisions: list[Decision],
    *,
    attended: bool = True,
    limits: Limits = LIMITS,
    start: History = NOTHING_YET,
) -> tuple[list[Decision], History]:
    """What becomes of each decision, one after the other."""
    history, final = start, []
    for decision in decisions:
        final.append(escalated(decision, history, limits, attended=attended))
        history = after(history, final[-1], limits)
    return final, history


def seen(decisions: list[Decision]) -> list[tuple[str, str]]:
    return [(decision.verdict.word, decision.source) for decision in decisions]


DENIED = ("deny", "classifier.deliberate")
ASKED = ("ask", "breaker.consecutive")
ROWS: dict[str, tuple[list[Decision], list[tuple[str, str]]]] = {
    "the third denial in a row is asked": ([NO, NO, NO], [DENIED, DENIED, ASKED]),
    "an allowed call starts the row anew": (
        [NO, NO, YES, NO],
        [DENIED, DENIED, ("allow", "read-only"), DENIED],
    ),
    "an asked call does not": (
        [NO, QUESTION, NO, NO],
        [DENIED, ("ask", "rules.ask"), DENIED, ASKED],
    ),
    "once tripped every call is asked": (
        [NO, NO, NO, YES, NO],
        [DENIED, DENIED, ASKED, ASKED, ASKED],
    ),
    "what asks by itself keeps its name": (
        [NO, NO, NO, QUESTION],
        [DENIED, DENIED, ASKED, ("ask", "rules.ask")],
    ),
    "a rule stays denied, and the next call is asked": (
        [NO, NO, RULE, YES],
        [DENIED, DENIED, ("deny", "rules.deny"), ASKED],
    ),
    "the floor stays denied, and the next call is asked": (
        [NO, NO, FLOOR, YES],
        [DENIED, DENIED, ("deny", "floor.delete-root"), ASKED],
    ),
    "a hard deny stays denied, and the next call is asked": (
        [HARD, HARD, HARD, YES],
        [DENIED] * 3 + [ASKED],
    ),
    "an approval passes and resumes": (
        [NO, NO, NO, APPROVED, NO],
        [DENIED, DENIED, ASKED, ("allow", "approval"), DENIED],
    ),
    "a cancelled call counts for nothing": (
        [NO, NO, CANCELLED, NO],
        [DENIED, DENIED, ("deny", "gate.cancelled"), ASKED],
    ),
    "what is not enforced counts for nothing": ([NO, SHADOWED, SHADOWED, NO], [DENIED] * 4),
    "the total counts through allowed calls": (
        [NO, NO, YES, NO, NO, YES, NO],
        [DENIED, DENIED, ("allow", "read-only")] * 2 + [("ask", "breaker.total")],
    ),
    "the second outage in a row is asked": (
        [OUTAGE, OUTAGE],
        [("deny", "classifier.fast"), ("ask", "breaker.unavailable")],
    ),
    "what needs no judge does not end an outage": (
        [OUTAGE, YES, OUTAGE],
        [("deny", "classifier.fast"), ("allow", "read-only"), ("ask", "breaker.unavailable")],
    ),
    "a judge that answers does": (
        [OUTAGE, JUDGED, OUTAGE],
        [("deny", "classifier.fast"), ("allow", "classifier.fast"), ("deny", "classifier.fast")],
    ),
    "what nobody can read is not asked about, however often it comes": (
        [UNREAD] * 4,
        [("deny", "gate.bad-call")] * 4,
    ),
    "an outage is no denial": (
        [NO, NO, OUTAGE, JUDGED, NO],
        [DENIED, DENIED, ("deny", "classifier.fast"), ("allow", "classifier.fast"), DENIED],
    ),
}


@each_row("name", ROWS)
def test_with_a_person_there(name: str) -> None:
    decisions, expected = ROWS[name]

    final, _ = walked(decisions)

    assert seen(final) == expected


HALTED = ("halt", "breaker.consecutive")
ALONE: dict[str, tuple[list[Decision], list[tuple[str, str]]]] = {
    "the third denial in a row ends the run": ([NO, NO, NO], [DENIED, DENIED, HALTED]),
    "and the run stays ended": ([NO, NO, NO, YES, NO], [DENIED, DENIED, HALTED, HALTED, HALTED]),
    "also by the floor": (
        [FLOOR, FLOOR, FLOOR],
        [("deny", "floor.delete-root")] * 2 + [HALTED],
    ),
    "a person's approval resumes it": (
        [NO, NO, NO, APPROVED, YES],
        [DENIED, DENIED, HALTED, ("allow", "approval"), ("allow", "read-only")],
    ),
    "outages never end it": ([OUTAGE] * 4, [("deny", "classifier.fast")] * 4),
}


@pytest.mark.parametrize("name", ALONE)
def test_with_nobody_there(name: str) -> None:
    decisions, expected = ALONE[name]

    final, _ = walked(decisions, attended=False)

    assert seen(final) == expected


def test_with_nobody_there_denials_may_stand_one_by_one() -> None:
    limits = replace(LIMITS, unattended=Verdict.DENY)

    final, _ = walked([NO] * 8 + [YES], attended=False, limits=limits)

    assert seen(final) == [DENIED] * 8 + [("allow", "read-only")]


def test_the_reason_says_how_many_and_why_and_does_not_grow() -> None:
    final, _ = walked([NO, NO, NO, YES, YES])

    assert final[2].reason == (
        "3 calls in a row were denied, the last because: not asked for; "
        "a person's yes resumes auto mode"
    )
    assert final[4].reason == final[2].reason
    assert final[2].clearable


def test_a_stopped_run_says_how_it_goes_on() -> None:
    final, _ = walked([NO] * 3, attended=False)

    assert final[2].reason.startswith("auto mode stopped this run: 3 calls in a row were denied")
    assert "automode reset" in final[2].advice


def test_a_run_that_the_floor_ended_can_not_be_cleared_by_approving_that_call() -> None:
    final, _ = walked([FLOOR] * 3, attended=False)

    assert not final[2].clearable


def test_the_trail_keeps_what_the_walk_said() -> None:
    final, _ = walked([NO, NO, NO])

    remark = final[2].trail[-1]
    assert (remark.layer, remark.mark) == ("breaker", "deny")
    assert remark.text == "classifier.deliberate: not asked for"


def test_the_counters_say_what_was_decided() -> None:
    _, history = walked([YES, JUDGED, NO, QUESTION, FLOOR, OUTAGE])

    assert history == History(
        checked=6,
        blocked=3,
        classifier_allowed=1,
        classifier_denied=1,
        last_verdict=Verdict.DENY,
        last_reason="no model",
        last_source="classifier.fast",
        last_denial="never",
        row=2,
        total=2,
        unavailable=1,
    )


def test_a_decision_changes_nothing_but_what_it_is_about() -> None:
    told = Denial(1.0, "bash", "no", "rm", "setup", "r")
    before = History(9, 8, 7, 6, Verdict.DENY, "a", "b", "c", 1, 5, 4, (told,))

    now = after(before, allow("read-only", "it reads"), Limits())

    said = (Verdict.ALLOW, "it reads", "read-only")
    assert now == History(10, 8, 7, 6, *said, "c", 0, 5, 4, (told,))


def test_an_approval_empties_the_total_only_when_its_limit_was_hit() -> None:
    _, short = walked([NO] * 3)
    _, full = walked([NO, NO, YES, NO, NO, YES, NO])

    assert (resumed(short, LIMITS).row, resumed(short, LIMITS).total) == (0, 3)
    assert (resumed(full, LIMITS).row, resumed(full, LIMITS).total) == (0, 0)


def test_the_newest_denials_are_kept() -> None:
    history = NOTHING_YET
    for number in range(20):
        history = noted(history, Denial(number, "bash", "no", "rm", "classifier", f"r{number}"))

    assert [one.record for one in history.denials] == [f"r{number}" for number in range(8, 20)]


decisions = st.lists(st.sampled_from(EVERY), max_size=40)
limits = st.builds(
    Limits,
    consecutive=st.integers(1, 5),
    total=st.integers(1, 12),
    unavailable=st.integers(1, 4),
    unattended=st.sampled_from([Verdict.HALT, Verdict.DENY]),
)


@given(decisions, limits, st.booleans())
def test_the_breaker_allows_nothing_and_loosens_no_hard_denial(
    given_: list[Decision], terms: Limits, attended: bool
) -> None:
    final, _ = walked(given_, attended=attended, limits=terms)

    for before, now in zip(given_, final, strict=True):
        if now.verdict is Verdict.ALLOW:
            assert before == now
        if before.verdict >= Verdict.DENY:
            assert now.verdict >= Verdict.ASK
        if always_denied(before) or not attended:
            assert now.verdict >= before.verdict
        if now.verdict is Verdict.HALT:
            assert not attended


@given(decisions, limits, st.booleans(), st.data())
def test_folding_what_was_decided_gives_the_history_that_was_kept(
    given_: list[Decision], terms: Limits, attended: bool, data: st.DataObject
) -> None:
    final, kept = walked(given_, attended=attended, limits=terms)
    cut = data.draw(st.integers(0, len(given_)))

    folded = NOTHING_YET
    for decision in final:
        folded = after(folded, decision, terms)
    _, first = walked(given_[:cut], attended=attended, limits=terms)
    _, resumed_later = walked(given_[cut:], attended=attended, limits=terms, start=first)

    assert folded == kept
    assert resumed_later == kept


@given(decisions, limits)
def test_once_tripped_nothing_but_a_person_opens_it_again(
    given_: list[Decision], terms: Limits
) -> None:
    history, open_ = NOTHING_YET, True
    for decision in given_:
        final = escalated(decision, history, terms, attended=True)
        if not open_ and final.enforced:
            assert final.verdict >= Verdict.ASK or final.source == "approval"
        history = after(history, final, terms)
        open_ = tripped(history, terms) is None


@given(st.integers(0, 9), st.integers(0, 30), st.sampled_from(EVERY), limits, st.booleans())
def test_more_denials_never_let_more_through(
    row: int, total: int, decision: Decision, terms: Limits, attended: bool
) -> None:
    few, many = History(row=row, total=total), History(row=row + 1, total=total + 1)

    if tripped(few, terms):
        assert tripped(many, terms)
    loose = escalated(decision, few, terms, attended=attended).verdict
    strict = escalated(decision, many, terms, attended=attended).verdict
    assert strict is not Verdict.ALLOW or loose is Verdict.ALLOW


HISTORIES = st.builds(History, row=st.integers(0, 6), total=st.integers(0, 6))


@given(st.sampled_from(EVERY), HISTORIES, st.lists(HISTORIES, max_size=3), st.booleans())
def test_sessions_above_can_only_tighten(
    decision: Decision, own: History, above: list[History], attended: bool
) -> None:
    alone = escalated(decision, own, LIMITS, attended=attended)
    both = escalated(decision, own, LIMITS, attended=attended, above=above)

    assert both.verdict is not Verdict.ALLOW or alone.verdict is Verdict.ALLOW
    if always_denied(decision):
        assert both.verdict >= Verdict.DENY
    elif any(tripped(one, LIMITS) for one in above) and decision not in (APPROVED, SHADOWED):
        assert both.verdict is not Verdict.ALLOW


@given(st.sampled_from(EVERY), HISTORIES)
def test_a_decision_below_trips_and_resumes_as_one_of_its_own_would(
    decision: Decision, above: History
) -> None:
    final = escalated(decision, NOTHING_YET, LIMITS, attended=True, above=[above])
    below, own = after_below(above, final, LIMITS), after(above, final, LIMITS)

    assert (below.row, below.total, below.last_denial) == (own.row, own.total, own.last_denial)
    assert (below.checked, below.blocked) == (above.checked, above.blocked)
