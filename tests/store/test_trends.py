"""Decisions are added up by day, agent, source and rule, on both engines."""

from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal

from automode.core.decision import Verdict
from automode.core.record import SessionKey
from automode.store.chain import Chain
from automode.store.changes import Change, Decided, Heard, SessionKept
from automode.store.database import Database
from automode.store.folder import StateFolder
from automode.store.tables import apply
from automode.store.trends import trends
from tests.store.examples import KEY, RECORD, ROW, USED

TODAY = datetime(2026, 11, 18, 12).astimezone()
YESTERDAY = TODAY - timedelta(days=1)
PI = SessionKey("pi", "p1")


def decided(
    number: int,
    verdict: Verdict,
    source: str,
    *,
    at: datetime = TODAY,
    session: SessionKey = KEY,
    micros: int = 1000,
    reason: str = 'it says "micros":7 and no more',
) -> Decided:
    return Decided(
        replace(
            RECORD,
            id=f"t{number:04}",
            at=at.timestamp(),
            verdict=verdict,
            source=source,
            session=session,
            micros=micros,
            reason=reason,
        )
    )


CHANGES: tuple[Change, ...] = (
    decided(1, Verdict.ALLOW, "read-only", at=YESTERDAY, micros=3000),
    decided(2, Verdict.ALLOW, "classifier.fast", at=YESTERDAY, micros=9000),
    decided(3, Verdict.ASK, "classifier.local"),
    decided(4, Verdict.DENY, "rules.deny", reason="deny rule `bash(rm*)` matches", session=PI),
    decided(5, Verdict.HALT, "rules.deny", reason="deny rule `bash(rm*)` matches", session=PI),
    decided(6, Verdict.ALLOW, "person.approve"),
    decided(7, Verdict.ALLOW, "read-only", at=TODAY - timedelta(days=40)),
    replace(USED, id="u1", at=TODAY.timestamp(), usd="0.25"),
    replace(USED, id="u2", at=YESTERDAY.timestamp(), usd=None),
    SessionKept(replace(ROW, seen=TODAY.timestamp())),
    Heard(KEY, '{"heard":"fact","name":"probe","text":"a result was suspect"}'),
    Heard(KEY, '{"heard":"fact","name":"probe","text":"another one"}'),
)


def test_each_day_agent_source_and_rule_has_its_sums(db: Database, folder: StateFolder) -> None:
    with db.transaction():
        apply(db, CHANGES, Chain.of(folder))

    found = trends(db, TODAY.date(), 7)

    assert len(found.days) == 7
    before, today = found.days[YESTERDAY.date()], found.days[TODAY.date()]
    assert (before.decisions, before.without_model, before.asks, before.denials) == (2, 1, 0, 0)
    assert (today.decisions, today.without_model, today.asks, today.denials) == (3, 3, 1, 2)
    assert (before.millis(0.5), before.millis(0.95)) == (9.0, 9.0)
    assert today.usd == Decimal("0.25")
    assert today.suspect_sessions == 1
    assert {name: one.decisions for name, one in found.agents.items()} == {KEY.host: 3, "pi": 2}
    assert found.sources["rules.deny", "halt"] == 1
    assert found.rules == {("rules.deny", "deny rule `bash(rm*)` matches"): 2}
    assert found.total.decisions == 5


def test_one_agent_can_be_looked_at_alone(db: Database, folder: StateFolder) -> None:
    with db.transaction():
        apply(db, CHANGES, Chain.of(folder))

    found = trends(db, TODAY.date(), 7, "pi")

    assert list(found.agents) == ["pi"]
    assert found.total.decisions == 2
    assert found.total.suspect_sessions == 0


def test_days_on_which_nothing_was_decided_have_no_rates(db: Database) -> None:
    found = trends(db, TODAY.date(), 7)

    assert [one.decisions for one in found.days.values()] == [0] * 7
    assert found.total.per_100(0) is None
    assert found.total.millis(0.5) is None
