"""A record counts as its decision did, and a row that waits beside the store says no counts."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from automode.core.decision import Decision, Failure, Verdict
from automode.core.history import NOTHING_YET, History, noted
from automode.core.record import Record
from automode.gate.breaker import after, after_below, escalated
from automode.sessions.history_text import remembered
from automode.sessions.scribe import denial
from automode.store.tally import NOTHING_SINCE, begun, counted, is_uncounted, uncounted
from tests.store.examples import record
from tests.store.lone import LIMITS, PLAIN, made


def recorded(number: int, decision: Decision) -> Record:
    """As the scribe writes a decision down."""
    return record(
        number,
        decision.verdict,
        source=decision.source,
        reason=decision.reason,
        clearable=decision.clearable,
        error=decision.error,
        enforced=decision.enforced,
        trail=decision.trail,
    )


def lived(history: History, decision: Decision, number: int) -> tuple[History, Decision]:
    """What a session in memory makes of a decision."""
    said = escalated(decision, history, LIMITS, attended=True)
    made = recorded(number, said)
    history = after(history, said, LIMITS)
    return noted(history, denial(made)) if made.denied and made.enforced else history, said


decisions = st.builds(
    Decision,
    st.sampled_from([Verdict.ALLOW, Verdict.ASK, Verdict.DENY]),
    st.sampled_from(["floor.delete-root", "classifier.fast", "read-only", "rules.ask"]),
    st.sampled_from(["one reason", "another: with a colon"]),
    clearable=st.booleans(),
    error=st.sampled_from([None, None, None, *Failure]),
    enforced=st.sampled_from([True, True, True, False]),
)


@given(st.lists(decisions, max_size=30))
def test_a_record_counts_as_its_decision_does_in_a_session_in_memory(
    several: list[Decision],
) -> None:
    history, stored = NOTHING_YET, begun("{}")
    for number, decision in enumerate(several):
        history, said = lived(history, decision, number)
        stored = counted(stored, [(recorded(number, said), NOTHING_SINCE)])

    assert remembered(stored).history == history


@given(st.lists(decisions, max_size=12))
def test_a_record_counts_for_the_sessions_above_as_its_decision_does(
    several: list[Decision],
) -> None:
    above, stored = NOTHING_YET, begun("{}")
    for number, decision in enumerate(several):
        said = escalated(decision, NOTHING_YET, LIMITS, attended=True, above=[above])
        above = after_below(above, said, LIMITS)
        stored = counted(stored, [(recorded(number, said), NOTHING_SINCE)], below=True)

    assert remembered(stored).history == above


@given(st.text() | st.sampled_from(["[]", "7", '{"checked": -3}', '{"beside": 1, "row": "x"}']))
def test_a_history_that_cannot_be_read_counts_from_nothing(history: str) -> None:
    found = remembered(counted(begun(history), [(made(1, "d"), NOTHING_SINCE)])).history

    assert (found.checked, found.row, found.total) == (1, 1, 1)
    assert is_uncounted(uncounted(replace(PLAIN, history=history)).history)
