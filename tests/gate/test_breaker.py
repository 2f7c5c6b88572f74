"""Denials pile up: when a person is asked, when a run ends, and what no limit ever loosens."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.decision import Decision, Failure, Remark, Verdict, allow, ask, deny
from automode.core.session import NOTHING_YET, Denial, History, add_denial
from automode.gate.breaker import (
    Limits,
    after,
    after_below,
    always_denied,
    escalate,
    limit_reached,
    resume,
)
from tests.rows import each_row

LIMITS = Limits(consecutive=3, total=5, unavailable=2)
YES = allow("read-only", "only reads")
NO = deny("classifier.deliberate", "not asked for", clearable=True)
FLOOR = deny("floor.delete-root", "never")
OUTAGE = deny("classifier.fast", "no model", clearable=True, error=Failure.UNAVAILABLE)
QUESTION = ask("rules.ask", "a rule asks")
JUDGED = allow("classifier.fast", "fine")
APPROVED = allow("approval", "a person approved exactly this call")
SHADOWED = replace(NO, enforced=False)
KINDS = {
    "yes": YES,
    "question": QUESTION,
    "no": NO,
    "judged": JUDGED,
    "rule": deny("rules.deny", "a rule forbids it"),
    "floor": FLOOR,
    "hard": deny("classifier.deliberate", "hard_deny", clearable=False),
    "unsettled": deny("gate.undecided", "no layer (nobody is there to ask)", clearable=True),
    "outage": OUTAGE,
    "unread": deny("gate.bad-call", "no command", error=Failure.UNREADABLE),
    "cancelled": deny("gate.cancelled", "cancelled", error=Failure.CANCELLED),
    "approved": APPROVED,
    "shadowed": SHADOWED,
}
EVERY = [*KINDS.values(), replace(OUTAGE, verdict=Verdict.ASK)]


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
        final.append(escalate(decision, history, limits, attended=attended))
        history = after(history, final[-1], limits)
    return final, history


def words(given: list[Decision], final: list[Decision]) -> str:
    """The verdicts; where the breaker changed a decision, with the limit it names."""
    found = []
    for before, now in zip(given, final, strict=True):
        limit = LIMIT_OF.get(now.source, "")
        assert limit or now == before
        found.append(f"{now.verdict}{limit}")
    return " ".join(found)


# why, whether a person is there, what is decided one after the other, what becomes of it
ROWS = [
    ("the third denial in a row is asked", True, "no no no", "deny deny ask.row"),
    ("an allowed call starts the row anew", True, "no no yes no", "deny deny allow deny"),
    ("an asked call does not", True, "no question no no", "deny ask deny ask.row"),
    ("then every call is asked", True, "no no no yes no", "deny deny ask.row ask.row ask.row"),
    ("what asks keeps its name", True, "no no no question", "deny deny ask.row ask"),
    ("a rule stays denied, the next is asked", True, "no no rule yes", "deny deny deny ask.row"),
    ("so does the floor", True, "no no floor yes", "deny deny deny ask.row"),
    ("so does a hard deny", True, "hard hard hard yes", "deny deny deny ask.row"),
    ("an approval resumes", True, "no no no approved no", "deny deny ask.row allow deny"),
    ("a cancelled call counts for nothing", True, "no no cancelled no", "deny deny deny ask.row"),
    ("nor what is not enforced", True, "no shadowed shadowed no", "deny deny deny deny"),
    ("the total", True, "no no yes no no yes no", "deny deny allow deny deny allow ask.total"),
    ("the second outage in a row is asked", True, "outage outage", "deny ask.outage"),
    ("what needs no judge does not end it", True, "outage yes outage", "deny allow ask.outage"),
    ("a judge that answers does", True, "outage judged outage", "deny allow deny"),
    ("what nobody can read is never asked", True, "unread " * 4, "deny deny deny deny"),
    ("an outage is no denial", True, "no no outage judged no", "deny deny deny allow deny"),
    ("alone, the third ends the run", False, "no no no", "deny deny halt.row"),
    ("it stays ended", False, "no no no yes no", "deny deny halt.row halt.row halt.row"),
    ("also by the floor", False, "floor floor floor", "deny deny halt.row"),
    ("an approval resumes it", False, "no no no approved yes", "deny deny halt.row allow allow"),
    ("outages never end it", False, "outage " * 4, "deny deny deny deny"),
]
LIMIT_OF = {
    "breaker.consecutive": ".row",
    "breaker.total": ".total",
    "breaker.unavailable": ".outage",
}


@each_row("why, attended, kinds, expected", ROWS)
def test_denials_pile_up(why: str, attended: bool, kinds: str, expected: str) -> None:
    given = [KINDS[kind] for kind in kinds.split()]

    final, _ = walked(given, attended=attended)

    assert words(given, final) == expected, why


def test_with_nobody_there_denials_may_stand_one_by_one() -> None:
    limits = replace(LIMITS, unattended=Verdict.DENY)

    final, _ = walked([NO] * 8 + [YES], attended=False, limits=limits)

    assert final == [NO] * 8 + [YES]


def test_the_reason_says_how_many_and_why_and_does_not_grow_and_the_trail_keeps_the_rest() -> None:
    final, _ = walked([NO, NO, NO, YES, YES])

    assert final[2].reason == (
        "3 calls in a row were denied, the last because: not asked for; "
        "a person's yes resumes auto mode"
    )
    assert final[4].reason == final[2].reason
    assert final[2].clearable
    assert final[2].trail[-1] == Remark("classifier.deliberate", "deny", "not asked for")


def test_a_stopped_run_says_how_it_goes_on_and_approving_a_call_of_the_floor_clears_none() -> None:
    stopped, by_floor = (walked([one] * 3, attended=False)[0][2] for one in (NO, FLOOR))

    assert stopped.reason.startswith("auto mode stopped this run: 3 calls in a row were denied")
    assert "automode reset" in stopped.remedy
    assert not by_floor.clearable


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


def test_calls_that_the_embedded_judge_took_over_are_counted_until_the_model_answers() -> None:
    stand_in = allow("classifier.stand-in", "fine")

    _, during = walked([stand_in, YES, stand_in, YES])
    _, later = walked([stand_in, JUDGED, YES])

    assert (during.stood_in, during.stands_in) == (2, True)
    assert (later.stood_in, later.stands_in) == (1, False)


def test_a_decision_changes_nothing_but_what_it_is_about() -> None:
    told = Denial(1.0, "bash", "no", "rm", "setup", "r")
    before = History(9, 8, 7, 6, Verdict.DENY, "a", "b", "c", 1, 5, 4, (told,))

    now = after(before, allow("read-only", "it reads"), Limits())

    said = (Verdict.ALLOW, "it reads", "read-only")
    assert now == History(10, 8, 7, 6, *said, "c", 0, 5, 4, (told,))


def test_an_approval_empties_the_total_only_when_its_limit_was_hit() -> None:
    _, short = walked([NO] * 3)
    _, full = walked([NO, NO, YES, NO, NO, YES, NO])

    assert (resume(short, LIMITS).row, resume(short, LIMITS).total) == (0, 3)
    assert (resume(full, LIMITS).row, resume(full, LIMITS).total) == (0, 0)


def test_the_newest_denials_are_kept() -> None:
    history = NOTHING_YET
    for number in range(20):
        history = add_denial(
            history, Denial(number, "bash", "no", "rm", "classifier", f"r{number}")
        )

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
        final = escalate(decision, history, terms, attended=True)
        if not open_ and final.enforced:
            assert final.verdict >= Verdict.ASK or final.source == "approval"
        history = after(history, final, terms)
        open_ = limit_reached(history, terms) is None


@given(st.integers(0, 9), st.integers(0, 30), st.sampled_from(EVERY), limits, st.booleans())
def test_more_denials_never_let_more_through(
    row: int, total: int, decision: Decision, terms: Limits, attended: bool
) -> None:
    few, many = History(row=row, total=total), History(row=row + 1, total=total + 1)

    if limit_reached(few, terms):
        assert limit_reached(many, terms)
    loose = escalate(decision, few, terms, attended=attended).verdict
    strict = escalate(decision, many, terms, attended=attended).verdict
    assert strict is not Verdict.ALLOW or loose is Verdict.ALLOW


HISTORIES = st.builds(History, row=st.integers(0, 6), total=st.integers(0, 6))


@given(st.sampled_from(EVERY), HISTORIES, st.lists(HISTORIES, max_size=3), st.booleans())
def test_sessions_above_can_only_tighten(
    decision: Decision, own: History, above: list[History], attended: bool
) -> None:
    alone = escalate(decision, own, LIMITS, attended=attended)
    both = escalate(decision, own, LIMITS, attended=attended, above=above)

    assert both.verdict is not Verdict.ALLOW or alone.verdict is Verdict.ALLOW
    if always_denied(decision):
        assert both.verdict >= Verdict.DENY
    elif any(limit_reached(one, LIMITS) for one in above) and decision not in (APPROVED, SHADOWED):
        assert both.verdict is not Verdict.ALLOW


@given(st.sampled_from(EVERY), HISTORIES)
def test_a_decision_below_trips_and_resumes_as_one_of_its_own_would(
    decision: Decision, above: History
) -> None:
    final = escalate(decision, NOTHING_YET, LIMITS, attended=True, above=[above])
    below, own = after_below(above, final, LIMITS), after(above, final, LIMITS)

    assert (below.row, below.total, below.last_denial) == (own.row, own.total, own.last_denial)
    assert (below.checked, below.blocked) == (above.checked, above.blocked)


@pytest.mark.parametrize("clearable", [True, False])
def test_a_halt_is_as_clearable_as_the_ask_that_it_replaces(*, clearable: bool) -> None:
    asked = ask("wall", "please ask", clearable=clearable)
    history = History(row=3)

    halted = escalate(asked, history, Limits(), attended=False)

    assert (halted.verdict, halted.clearable) == (Verdict.HALT, clearable)
