"""What a memory writes takes nothing away that was counted in the store beside it."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from automode.core.decision import Decision
from automode.core.history import NOTHING_YET, noted
from automode.gate.breaker import after
from automode.sessions.scribe import denial
from automode.store.changes import Decided, SessionKept
from automode.store.database import Database
from automode.store.tally import uncounted
from tests.store.examples import KEY
from tests.store.lone import LIMITS, PLAIN, Store, alone, empty, made, text

STEPS = st.lists(st.sampled_from(["live a", "live d", "alone a", "alone d", "restart"]))


@given(STEPS)
def test_a_session_in_memory_writes_over_nothing_that_was_decided_beside_it(
    steps: list[str],
) -> None:
    """However a daemon that has it, restarts, and hooks without a daemon take turns."""
    store, memory = empty(), NOTHING_YET
    store.write(SessionKept(replace(PLAIN, history=text(memory))))
    words = ""
    for number, step in enumerate(steps):
        kind, _, word = step.partition(" ")
        words += word
        one = None if kind == "restart" else made(number, word)
        if one is None:
            memory = store.history
        elif kind == "live":
            said = Decision(one.verdict, one.source, one.reason)
            memory = after(memory, said, LIMITS)
            memory = noted(memory, denial(one)) if one.denied else memory
            row = replace(PLAIN, seen=one.at, history=text(memory))
            store.write(Decided(one), SessionKept(row))
        else:
            store.write(*alone(one), late=True)

    found = store.history
    assert (found.checked, found.blocked, found.total) == (
        len(words),
        words.count("d"),
        words.count("d"),
    )
    assert found.row >= len(words) - len(words.rstrip("d"))
    assert len(found.denials) == min(12, words.count("d"))
    store.db.close()


def test_a_session_above_in_memory_writes_over_no_denial_below_it(db: Database) -> None:
    store = Store(db)
    child = replace(KEY, id="child")
    store.write(SessionKept(replace(PLAIN, history=text(NOTHING_YET))))
    denied = replace(made(1, "d"), session=child, parent=KEY.id)
    rows = [replace(PLAIN, key=child, parent=KEY.id), PLAIN]
    store.write(*(SessionKept(uncounted(row)) for row in rows), Decided(denied), late=True)

    one = made(2, "q")
    memory = after(NOTHING_YET, Decision(one.verdict, one.source, one.reason), LIMITS)
    store.write(Decided(one), SessionKept(replace(PLAIN, history=text(memory))))

    assert (store.history.checked, store.history.total) == (1, 1)
