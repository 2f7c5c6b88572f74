"""What a record says of itself, and which denials a person's yes may lift."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from automode.core.decision import Failure, Remark, Verdict
from automode.core.record import Record, SessionKey, beside, clearance, denial_kind
from tests.rows import each_row

SOURCES = (
    *("rules.deny", "rules.ask", "rules.malformed", "floor.delete-root", "classifier.fast"),
    *("classifier.deliberate", "gate.undecided", "gate.floor-failed", "breaker.total"),
)


def record(
    source: str,
    verdict: Verdict = Verdict.DENY,
    *,
    clearable: bool = True,
    error: Failure | None = None,
    enforced: bool = True,
    digest: str = "d",
) -> Record:
    return Record(
        *("r1", 0.0, SessionKey("plain", "s"), None, "me", "/w", "/w", "bash", "ls", "{}", digest),
        *(verdict, source, "why", "advice", clearable, error, enforced, True, 5),
    )


CLEARED = {
    "a soft denial": record("classifier.deliberate"),
    "an ask rule with nobody there": record("rules.ask"),
    "an outage": record("classifier.fast", error=Failure.UNAVAILABLE),
    "nothing decided": record("gate.undecided"),
    "a stopped run": record("breaker.total", Verdict.HALT),
    "a question": record("rules.ask", Verdict.ASK),
}

REFUSED = {
    "allowed": (record("read-only", Verdict.ALLOW), "it was allowed"),
    "a deny rule": (record("rules.deny", clearable=False), "a deny rule"),
    "a deny rule that could match": (record("rules.deny", Verdict.ASK), "a deny rule"),
    "the floor": (record("floor.delete-root", clearable=False), "`floor.delete-root`"),
    "hard_deny": (record("classifier.deliberate", clearable=False), "`hard_deny`"),
    "cancelled": (record("gate.cancelled", error=Failure.CANCELLED), "cancelled"),
    "shadow": (record("classifier.fast", enforced=False), "shadow"),
    "not clearable": (record("rules.malformed", clearable=False), "`rules.malformed`"),
    "no digest": (record("classifier.fast", digest=""), "too many or too large files"),
}


def test_these_may_be_approved() -> None:
    assert [name for name, one in CLEARED.items() if not clearance(one).possible] == []


@each_row("one, said", REFUSED.values())
def test_these_may_not_and_the_reason_is_named(one: Record, said: str) -> None:
    found = clearance(one)

    assert not found.possible
    assert said in found.refusal


@given(
    source=st.sampled_from(SOURCES),
    verdict=st.sampled_from(Verdict),
    clearable=st.booleans(),
    error=st.none() | st.sampled_from(Failure),
)
def test_no_yes_lifts_a_deny_rule_the_floor_or_what_is_not_clearable(
    source: str, verdict: Verdict, clearable: bool, error: Failure | None
) -> None:
    one = record(source, verdict, clearable=clearable, error=error)

    never = source == "rules.deny" or source.startswith("floor.") or not clearable
    assert not (never and clearance(one).possible)


KINDS = {
    "rules.deny": "permissions.deny",
    "rules.ask": "permissions.ask",
    "floor.delete-root": "hard-deny",
    "classifier.deliberate": "classifier",
    "classifier.fast": "classifier",
    "gate.undecided": "setup",
    "gate.classifier-failed": "setup",
    "breaker.total": "setup",
}


@each_row("source", KINDS)
def test_a_source_says_who_denied(source: str) -> None:
    assert denial_kind(source) == KINDS[source]


SAID_BEFORE = [
    # what was decided before the breaker, by whom → the kind
    ("deny", "rules.deny", "permissions.deny"),
    ("deny", "floor.delete-root", "hard-deny"),
    ("deny", "classifier.deliberate", "classifier"),
    ("allow", "read-only", "setup"),
]


@each_row("mark, source, kind", SAID_BEFORE)
def test_what_the_breaker_stopped_is_of_the_kind_that_was_denied(
    mark: str, source: str, kind: str
) -> None:
    trail = (Remark("gate", "asked", "rules.ask asks"), Remark(source, mark, "never"))

    assert replace(record("breaker.consecutive", Verdict.HALT), trail=trail).kind == kind
    assert replace(record("rules.deny"), trail=trail[:1]).kind == "permissions.deny"


def test_a_session_is_named_by_its_host_and_its_id() -> None:
    assert str(SessionKey("claude-code", "abc/1")) == "claude-code/abc/1"


@each_row(
    "action, given, more",
    [
        ("ls", '{"command":"ls"}', ""),
        ("ls", '{"command":"ls","stdin":"é"}', '{"stdin":"é"}'),
        ("ls", '{"command":"ls","stdin":"ls"}', '{"command":"ls","stdin":"ls"}'),
        ("a", '{"urls":["a","b"]}', '{"urls":["a","b"]}'),
        ('{"to":"all"}', '{"to":"all"}', ""),
        ("ls", '{"command":"l… [9 more characters]', '{"command":"l… [9 more characters]'),
        ("ls", "[" * 100_000, "[" * 100_000),
        ("ls", '["ls"]', '["ls"]'),
        ("ls", "", ""),
    ],
)
def test_what_the_action_does_not_say_is_told_beside_it(action: str, given: str, more: str) -> None:
    assert beside(action, given) == more


@each_row("field", ["action", "input"])
def test_a_placeholder_shows_that_a_part_cannot_be_seen(field: str) -> None:
    assert not record("rules.ask").replaced
    assert replace(record("rules.ask"), **{field: "make # [secret:private-key#5760]"}).replaced  # type: ignore[arg-type]
