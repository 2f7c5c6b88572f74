"""What agents and people read of a decision: one table, and readers that are never confused."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given

from automode.agents.catalog import ADAPTERS
from automode.agents.events import CallProposed, Feedback, SessionRef
from automode.agents.shared.wording import (
    LONGEST,
    TEXTS,
    Reader,
    printable_text,
    refusal_text,
    sentence_for,
)
from automode.classifier.failures import Broken, failure_decision, kind_of
from automode.classifier.reply import Fault, Judgement, Tier
from automode.classifier.stages import block
from automode.core.decision import TEACHES, Decision, Remark, Verdict, allow, ask, deny, settle
from automode.core.session import History
from automode.gate.breaker import Limits, escalate
from automode.guards.floor.layer import GUARDS
from automode.llm.model import ModelFault
from automode.policy.defaults import Section, texts
from automode.sessions.gate_run import failed_decision, late
from automode.sessions.layers import NOT_LOOKED_AT, RAN_AROUND
from automode.sessions.live_session import PastUnknown
from tests.agents.recordings import decisions
from tests.rows import each_row

DENIED = deny("floor.x", "it cannot be undone")
SOFT = deny("classifier.deliberate", "not asked for", clearable=True)
OUTAGE = failure_decision("classifier.fast", Broken(kind_of(ModelFault.TIMEOUT)), Verdict.ASK)
SENTENCES: list[tuple[Decision, str]] = [
    (allow("read-only", "only reads"), "automode (read-only): only reads."),
    (ask("rules.ask", "a rule asks"), "Allow it only if you want this very call."),
    (
        replace(ask("classifier.local", "unsure"), trail=(Remark("x", TEACHES, "pushes: to `a`"),)),
        "Allow it only if you want this call and later ones like it: to `a`.",
    ),
    (
        deny("rules.deny", "a rule denies"),
        "Go on without this call, or tell the person which rule stopped it.",
    ),
    (replace(DENIED, advice="name one folder"), "Name one folder."),
    (replace(DENIED, remedy="run it"), "Nothing lifts this: tell the person, who can run it."),
    (
        replace(DENIED, advice="name one folder", remedy="run it"),
        "Name one folder, or tell the person, who can run it.",
    ),
    (
        settle(replace(DENIED, remedy="run it"), attended=False),
        "Nothing lifts this: leave it out, and name it in your report.",
    ),
    (
        SOFT,
        "Do not try it in another form: only the person's own words that name this action and its"
        " target clear it.",
    ),
    (
        settle(SOFT, attended=False),
        "Do not try it in another form: leave it out, and name it in your report.",
    ),
    (
        OUTAGE,
        "Nothing judged this call, so look at it yourself; you can wait, or look at"
        " `automode status`.",
    ),
    (
        replace(OUTAGE, verdict=Verdict.DENY),
        "This is no judgement of the call: tell the person, who can wait, or look at"
        " `automode status`.",
    ),
    (
        settle(OUTAGE, attended=False),
        "This is no judgement of the call: try it once more later, or leave it out, and name it in"
        " your report.",
    ),
]


@each_row("decision, last", SENTENCES)
def test_a_decision_is_told_in_two_sentences(decision: Decision, last: str) -> None:
    head = f"automode ({decision.source}): {decision.reason}"

    assert sentence_for(decision) in (last, f"{head.removesuffix('.')}. {last}")


def _every_decision() -> Iterator[Decision]:
    """As every place makes them that stops calls."""
    for guard in GUARDS:
        yield deny(f"floor.{guard.id}", guard.reason, guard.advice, remedy=guard.remedy)
    for name in (*ModelFault, *Fault, "over-budget"):
        for verdict in (Verdict.ASK, Verdict.DENY):
            yield failure_decision("classifier.fast", Broken(kind_of(name), "detail"), verdict)
    rules = texts(Section.SOFT_DENY)
    for rule in (*rules, "nothing that a rule names"):
        yield block(Judgement(False, Tier.SOFT_DENY, rule.partition(":")[0]), rules)
    yield block(Judgement(False, Tier.HARD_DENY, "never"), rules)
    for found in (RAN_AROUND, NOT_LOOKED_AT):
        yield ask(f"gate.{found.name}", "found", clearable=False, remedy=found.remedy)
    yield from (late(), failed_decision(PastUnknown()), failed_decision(ValueError()))
    yield from (ask("rules.ask", "asks"), deny("rules.deny", "denies"), ask("gate.undecided", "x"))
    history, limits = History(row=5, total=5), Limits()
    for attended in (True, False):
        yield escalate(settle(SOFT, attended=attended), history, limits, attended=attended)


@each_row("decision", list(dict.fromkeys(_every_decision())))
def test_nobody_reads_what_is_said_to_somebody_else(decision: Decision) -> None:
    plain = replace(decision, reason="no")
    agent, alone, person = (sentence_for(plain, reader) for reader in Reader)

    assert not re.search(r"the person|your report|in another form", person)
    for text in (agent, alone, refusal_text(plain)):
        assert not re.search(r"another way|safer way|work around|ask the person", text)
    assert "person" not in alone
    if decision.error is not None:
        assert not re.search(r"\bwords\b|\bclear", agent + alone + person)


@each_row("agent", sorted(ADAPTERS))
def test_every_agent_is_told_by_the_table(agent: str) -> None:
    adapter = ADAPTERS[agent]
    attended = not agent.endswith("+unattended")
    event = CallProposed(SessionRef("s", "/w", attended=attended), "bash", {"command": "make"}, "1")
    for decision in (SOFT, OUTAGE, ask("rules.ask", "asks")):
        answer = adapter.render(event, decision)
        text = (answer.stdout or "") + answer.stderr
        final = settle(decision, attended=attended)
        closing = [sentence_for(final, one).rpartition(": ")[2][:30] for one in Reader]

        assert any(one in text for one in closing) or "automode approve" in text


@given(decisions)
def test_what_is_told_is_bounded_and_moves_no_cursor(decision: Decision) -> None:
    text = sentence_for(decision)

    assert len(text) <= LONGEST
    assert text.removeprefix(f"automode ({decision.source})").isprintable()


def test_a_denial_however_long_keeps_its_last_sentence() -> None:
    text = sentence_for(deny("floor.x", "because " * 2000))

    assert text.endswith(" Nothing lifts this: do not try it in another form.")
    assert len(text) == LONGEST


def test_every_reader_has_a_sentence_for_all_that_stops_a_call() -> None:
    assert all(set(row) == set(Reader) for row in TEXTS.values())


def test_text_that_would_turn_the_writing_round_is_taken_out() -> None:
    assert printable_text("a\x1b[31m\u202eb\r\nc\u200bd") == "a [31m b  c d"


@pytest.mark.parametrize("agent", ["claude-code", "qwen-code", "gemini-cli", "copilot-cli"])
def test_an_ask_names_its_record_and_a_denial_does_not(agent: str) -> None:
    """By the id a person can answer elsewhere."""
    event = CallProposed(SessionRef("s", "/p"), "bash", {"command": "make"})
    told = Feedback(record="01KAD")

    asked = ADAPTERS[agent].render(event, ask("rules.ask", "a rule matches."), told).stdout
    denied = ADAPTERS[agent].render(event, deny("rules.deny", "a rule matches."), told).stdout

    assert "a rule matches [01KAD]." in asked
    assert "01KAD" not in denied
