"""The classifier as the gate sees it: stages, deadline, outage, budget, and whole walks."""

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal

from automode.assemble import build_gate
from automode.classifier.reply import DELIBERATE_SCHEMA
from automode.classifier.review import Returned, Step
from automode.classifier.stages import Terms, plan
from automode.config.settings import Permissions, Rule, Settings, Source
from automode.core.call import Shell, ToolCall
from automode.core.decision import Failure, Remark, Verdict, allow
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.gate.layer import Trail
from automode.judge.embedded import Judged
from automode.llm.ledger import Bill, Ledger
from automode.llm.model import Ask, ModelError, ModelFault, Prompt, Reply, Usage
from automode.llm.scripted import ScriptedModel
from automode.programs.call_facts import CallFacts
from tests.classifier.judging import (
    ALLOW,
    BLOCK,
    CALL,
    USUAL,
    WORKSPACE,
    Time,
    answer,
    classifier,
    judged,
    session,
)
from tests.reading import facts_of
from tests.rows import each_row, rows

HARD = '{"decision": "block", "tier": "hard_deny", "reason": "Exfiltration: posts a key"}'
INTENT = '{"decision": "allow", "tier": "explicit_intent", "reason": "user: \\"deploy it now\\""}'


def in_stages(stages: str) -> Terms:
    return replace(USUAL, stages=plan(stages))


@dataclass
class Judge:
    answer: float
    asked: int = 0

    def assess(self, facts: CallFacts, session: Session, trail: Trail) -> Judged:
        self.asked += 1
        return Judged(self.answer, ("it pushes to a remote, which nobody asked for",))


@each_row("said, probability, verdict, stage", rows("classifier", "stand-ins"))
def test_the_embedded_judge_stands_in_during_an_outage_where_the_person_wants_that(
    said: str, probability: float, verdict: str, stage: str
) -> None:
    """Alone it clears below 0.1. What is no outage, the text of the call itself may have caused."""
    terms = replace(in_stages("deliberate"), stand_in=True)

    found = judged(classifier(ScriptedModel([answer(said)] * 3), terms, judge=Judge(probability)))

    assert (found.verdict.word, found.source) == (verdict, f"classifier.{stage}")
    assert ("stands in for the model" in found.reason) is (stage == "stand-in")


def test_nobody_stands_in_unless_that_was_chosen() -> None:
    judge = Judge(0.0)
    model = ScriptedModel([ModelError(ModelFault.QUOTA, "x")] * 2)

    found = judged(classifier(model, in_stages("deliberate"), judge=judge))

    assert (found.verdict, found.error, judge.asked) == (Verdict.ASK, Failure.UNAVAILABLE, 0)


def test_a_call_of_the_judge_itself_is_refused_whatever_it_does() -> None:
    folder = "/tmp/automode-judge-abc"
    where = Session("s", Workspace(folder, folder, "/home/u", Names(folder)))
    settings = Settings(permissions=Permissions(allow=(Rule("Bash(ls)", Source.USER),)))
    gate = build_gate(settings)

    found = asyncio.run(gate.decide(tool_call("bash", {"command": "ls"}), where))

    assert found is not None
    assert (found.verdict, found.source, found.clearable) == (Verdict.DENY, "gate.judge", False)


@each_row("stages, answers, verdict, stage, rooms", rows("classifier", "stages"))
def test_the_stages_decide_in_their_order(
    stages: str, answers: list[str], verdict: str, stage: str, rooms: list[int]
) -> None:
    model = ScriptedModel(map(answer, answers))

    decision = judged(classifier(model, in_stages(stages)))

    assert (decision.verdict.word, decision.source) == (verdict, f"classifier.{stage}")
    assert decision.error is None
    assert decision.clearable is (verdict != "allow")
    assert [ask.max_tokens for ask in model.asks] == rooms


def test_an_unsure_zero_is_for_the_second_look() -> None:
    unsure = Reply("0", complete=True, usage=Usage(), probabilities={"0": 0.45, "1": 0.55})

    decision = judged(classifier(ScriptedModel([unsure, BLOCK])))

    assert (decision.verdict, decision.source) == (Verdict.DENY, "classifier.deliberate")


def test_only_a_first_look_that_nobody_follows_is_unreadable_by_itself() -> None:
    decision = judged(classifier(ScriptedModel(["banana", "banana"]), in_stages("fast")))

    assert (decision.verdict, decision.error) == (Verdict.ASK, Failure.UNREADABLE)
    assert "neither 0 nor 1" in decision.reason


@each_row("stages, probability, mark, verdict, stage, requests", rows("classifier", "local-stage"))
def test_the_embedded_judge_clears_only_below_its_threshold(
    stages: str, probability: float, mark: str, verdict: str, stage: str, requests: int
) -> None:
    model, trail = ScriptedModel(["0"]), (Remark("gate", mark, ""),) if mark else ()

    decision = judged(classifier(model, in_stages(stages), judge=Judge(probability)), trail=trail)

    assert (decision.verdict.word, decision.source) == (verdict, f"classifier.{stage}")
    assert (decision.error, len(model.prompts)) == (None, requests)


def test_both_stages_and_the_retry_share_their_prefix_byte_for_byte() -> None:
    model = ScriptedModel(["1", "unreadable", ALLOW])

    judged(classifier(model))

    assert len({(prompt.system, prompt.context) for prompt in model.prompts}) == 1
    first, second, again = (prompt.question for prompt in model.prompts)
    assert first != second
    assert again.startswith(second)
    assert len(again) > len(second)


def test_requests_have_room_by_the_kind_of_model() -> None:
    plain, reasoning = ScriptedModel(["1", ALLOW]), ScriptedModel(["1", ALLOW], reasons=True)
    brief = ScriptedModel(["0"])

    judged(classifier(plain))
    judged(classifier(reasoning))
    judged(classifier(brief, Terms(fast_max_tokens=3)))

    assert [ask.max_tokens for ask in reasoning.asks] == [512, 4096]
    assert [ask.max_tokens for ask in brief.asks] == [3]
    assert [ask.choices for ask in plain.asks] == [("0", "1"), ()]
    assert [ask.schema for ask in reasoning.asks] == [None, DELIBERATE_SCHEMA]


BLOCKS = [(BLOCK, True, "that name the branch"), (HARD, False, "")]


@each_row("answer, clearable, remedy", BLOCKS)
def test_a_soft_block_says_what_the_user_would_have_to_name_and_a_hard_one_cannot_be_cleared(
    answer: str, clearable: bool, remedy: str
) -> None:
    decision = judged(classifier(ScriptedModel(["1", answer])))

    assert (decision.verdict, decision.clearable) == (Verdict.DENY, clearable)
    assert decision.remedy.endswith(remedy)
    assert bool(decision.way_out) is clearable


def test_consent_counts_only_with_words_that_the_user_said() -> None:
    quoted = judged(classifier(ScriptedModel(["1", INTENT])), session("OK, deploy it now!"))
    invented = judged(classifier(ScriptedModel(["1", INTENT, INTENT])), session("tidy up"))

    assert quoted.verdict is Verdict.ALLOW
    assert (invented.verdict, invented.error) == (Verdict.ASK, Failure.UNREADABLE)


def test_a_call_too_large_for_the_model_is_not_sent() -> None:
    model = ScriptedModel(["0"], context_tokens=500)

    decision = judged(classifier(model))

    assert (decision.verdict, decision.error) == (Verdict.ASK, Failure.TOO_LARGE)
    assert model.prompts == []


def test_a_cancelled_call_asks_no_model() -> None:
    model = ScriptedModel(["0"])

    call = ToolCall("Bash", Shell("ls"), cancelled=True)
    decision = asyncio.run(classifier(model)(facts_of(call, session()), session(), ()))

    assert (decision.verdict, decision.error) == (Verdict.DENY, Failure.CANCELLED)
    assert model.prompts == []


class Silent(ScriptedModel):
    """Never answers and keeps to no limit."""

    async def complete(self, prompt: Prompt, ask: Ask) -> Reply:
        self.asks.append(ask)
        await asyncio.Event().wait()
        raise AssertionError


def test_a_model_that_never_answers_is_stopped() -> None:
    model = Silent()
    layer = classifier(model, Terms(request_seconds=0.01))

    decision = judged(layer)

    assert (decision.verdict, decision.error) == (Verdict.ASK, Failure.UNAVAILABLE)
    assert "timed out" in decision.reason


def test_cancelling_the_turn_ends_the_question_and_decides_nothing() -> None:
    async def cancelled() -> bool:
        layer = classifier(Silent())
        task = asyncio.create_task(layer(facts_of(CALL, session()), session(), ()))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled()

    assert asyncio.run(cancelled())


def test_requests_get_no_more_time_than_the_decision_has_left() -> None:
    time = Time()
    busy = ModelError(ModelFault.OVERLOADED, "x", retry_after=6.0)
    model = ScriptedModel(["1", busy, ALLOW])
    layer = classifier(model, Terms(deadline_seconds=10.0), time=time)

    decision = judged(layer)

    assert decision.verdict is Verdict.ALLOW
    assert [ask.timeout_seconds for ask in model.asks] == [10.0, 10.0, 4.0]
    assert time.slept == [6.0]


def test_nobody_waits_past_the_deadline_or_very_long() -> None:
    for wait in (51.0, 11.0):
        time = Time()
        model = ScriptedModel([ModelError(ModelFault.RATE_LIMITED, "x", retry_after=wait), "0"])

        decision = judged(classifier(model, time=time))

        assert decision.error is Failure.UNAVAILABLE
        assert time.slept == []


def test_a_decision_waits_for_a_busy_provider_only_once() -> None:
    time = Time()
    busy = ModelError(ModelFault.RATE_LIMITED, "x")
    model = ScriptedModel([busy, "1", busy, ALLOW])

    decision = judged(classifier(model, time=time))

    assert decision.error is Failure.UNAVAILABLE
    assert (time.slept, model.unplayed) == ([1.0], 1)


def test_past_its_deadline_a_decision_asks_no_more() -> None:
    time = Time()

    class Slow(ScriptedModel):
        async def complete(self, prompt: Prompt, ask: Ask) -> Reply:
            time.now += 60.0
            return await super().complete(prompt, ask)

    model = Slow(["1", ALLOW])

    decision = judged(classifier(model, time=time))

    assert (decision.verdict, decision.error) == (Verdict.ASK, Failure.UNAVAILABLE)
    assert len(model.prompts) == 1


def test_an_outage_is_not_hammered_and_says_so() -> None:
    time = Time()
    down = ModelError(ModelFault.UNREACHABLE, "connection refused")
    model = ScriptedModel([down, down, "0", "0"])
    layer = classifier(model, time=time)

    judged(layer)
    time.now += 2.0
    during = [judged(layer) for _ in range(20)]

    assert len(model.prompts) == 1
    assert {decision.error for decision in during} == {Failure.UNAVAILABLE}
    assert "connection refused; failing for 2 s, asked again in 3 s" in during[0].reason
    time.now += 3.0
    assert (judged(layer).error, len(model.prompts)) == (Failure.UNAVAILABLE, 2)
    time.now += 10.0
    assert judged(layer).verdict is Verdict.ALLOW


def price(model: str, usage: Usage, at: datetime | None) -> Decimal:
    return Decimal("0.40")


def test_past_the_budget_the_model_is_not_called() -> None:
    model = ScriptedModel(["0", "0", "0", "0"])
    layer = classifier(model, Terms(budget_usd=1.0), ledger=Ledger(price=price))

    for _ in range(3):
        judged(layer)
    decision = judged(layer)

    assert len(model.prompts) == 3
    assert (decision.verdict, decision.error) == (Verdict.ASK, Failure.UNAVAILABLE)
    assert "$1.20 of $1.00" in decision.reason


def test_a_sub_session_spends_the_budget_of_its_parent() -> None:
    ledger = Ledger(price=price)
    for name in ("other", "s", "s"):
        ledger.record(name, None, "fast", "m", Usage(), 1)
    layer = classifier(ScriptedModel(["0"] * 9), Terms(budget_usd=0.8), ledger=ledger)
    child = Session("child", WORKSPACE, parent="s")

    assert judged(layer, child).error is Failure.UNAVAILABLE


RETURNED = Returned("child", "s", "test it", (Step(CALL, allow("classifier.fast", "fine")),))


def test_a_review_shares_model_budget_and_ledger_with_the_judge() -> None:
    ledger = Ledger(price=price)
    model = ScriptedModel(['{"suspect": true, "reason": "odd"}', "0", "0"])
    layer = classifier(model, Terms(budget_usd=0.4), ledger=ledger)

    first = asyncio.run(layer.review(RETURNED))
    second = asyncio.run(layer.review(RETURNED))

    assert first is not None
    assert "looks suspect: odd" in first
    assert second is not None
    assert second.startswith("[automode] Unreviewed")
    assert "budget" in second
    assert [one.stage for one in ledger.take("child")] == ["review"]
    assert judged(layer).error is Failure.UNAVAILABLE


def test_every_request_is_recorded_with_its_stage() -> None:
    ledger = Ledger(price=price)
    layer = classifier(ScriptedModel(["1", "?", ALLOW]), ledger=ledger)

    judged(layer)

    lines = Bill(ledger.take("s")).lines(["s"])
    assert {stage: total.requests for (stage, _), total in lines.items()} == {
        "fast": 1,
        "deliberate": 2,
    }


def rule(text: str) -> Rule:
    return Rule(text, Source.USER)


SETTINGS = Settings(
    permissions=Permissions(deny=(rule("bash(git push*)"),), ask=(rule("bash(npm *)"),))
)


@each_row("command, answers, verdict, source", rows("classifier", "walks"))
def test_whole_walks(command: str, answers: list[str], verdict: str, source: str) -> None:
    gate = build_gate(SETTINGS, judges=[classifier(ScriptedModel(map(answer, answers)))])

    decision = asyncio.run(gate.decide(tool_call("Bash", {"command": command}), session()))

    assert decision is not None
    assert (decision.verdict.word, decision.source) == (verdict, source)


def test_with_nobody_there_a_failure_is_a_denial_that_still_says_it_is_none() -> None:
    gate = build_gate(SETTINGS, judges=[classifier(None)])
    call = tool_call("Bash", {"command": "make surprise"})

    decision = asyncio.run(gate.decide(call, session(attended=False)))

    assert decision is not None
    assert (decision.verdict, decision.error) == (Verdict.DENY, Failure.UNAVAILABLE)


class Faulty(ScriptedModel):
    async def complete(self, prompt: Prompt, ask: Ask) -> Reply:
        raise KeyError("a bug in a client")


def test_a_bug_in_a_client_is_caught_by_the_gate() -> None:
    gate = build_gate(SETTINGS, judges=[classifier(Faulty())])
    call = tool_call("Bash", {"command": "make surprise"})

    decision = asyncio.run(gate.decide(call, session()))

    assert decision is not None
    assert (decision.verdict, decision.source) == (Verdict.ASK, "gate.classifier-failed")
