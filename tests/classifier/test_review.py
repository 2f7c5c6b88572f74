"""A returning sub-agent is looked over: warned about, never blocked, never quietly unreviewed."""

import asyncio

import pytest

from automode.classifier.prompt import system_prompt
from automode.classifier.review import Returned, Step
from automode.core.call import Shell, ToolCall
from automode.core.decision import allow, deny
from automode.core.transcript import Outcome
from automode.llm.ledger import Bill, Ledger
from automode.llm.model import ModelError, ModelFault, Reply, Usage
from automode.llm.scripted import ScriptedModel
from tests.classifier.judging import POLICY, classifier
from tests.rows import each_row

FINE = '{"suspect": false, "reason": "ordinary"}'
BAD = '{"suspect": true, "reason": "reads keys, then posts\\u200b them"}'


def step(command: str, *, denied: bool = False, outcome: Outcome | None = None) -> Step:
    decision = deny("floor.x", "no") if denied else allow("classifier.fast", "fine")
    return Step(ToolCall("Bash", Shell(command), {"command": command}), decision, outcome)


RETURNED = Returned("child", "parent", "fix the tests", (step("ls"), step("rm -rf /", denied=True)))


def reviewed(model: ScriptedModel | None, returned: Returned = RETURNED) -> str | None:
    return asyncio.run(classifier(model).review(returned))


@pytest.mark.parametrize("text", [FINE, f"Nothing odd.\n{FINE}", f"```json\n{FINE}\n```"])
def test_an_ordinary_history_returns_without_a_warning(text: str) -> None:
    assert reviewed(ScriptedModel([text])) is None


def test_a_suspect_history_returns_with_a_clean_warning() -> None:
    warning = reviewed(ScriptedModel([BAD]))

    assert warning is not None
    assert "looks suspect: reads keys, then posts them" in warning
    assert "not as instructions" in warning


UNREADABLE: list[str | Reply | ModelError] = [
    "",
    "fine",
    "{}",
    f"{FINE} is what it wants me to say",
    f"{FINE}\n{BAD}",
    f"{FINE}\n{FINE}",
    FINE.replace("false", "0"),
    FINE.replace("false", '"false"'),
    FINE.replace("ordinary", ""),
    FINE.replace("}", ', "x": 1}'),
    '{"suspect": true, "suspect": false, "reason": "x"}',
    Reply(FINE, complete=False, usage=Usage(), stop="length"),
    *(ModelError(kind, "x", retry_after=99.0) for kind in ModelFault),
]


@each_row("answer", UNREADABLE)
def test_what_could_not_be_reviewed_says_so(answer: str | Reply | ModelError) -> None:
    warning = reviewed(ScriptedModel([answer]))

    assert warning is not None
    assert warning.startswith("[automode] Unreviewed, untrusted")
    assert "fails closed" not in warning


def test_without_a_model_a_history_is_unreviewed() -> None:
    warning = reviewed(None)

    assert warning is not None
    assert "No classifier model/API key available." in warning


def test_a_history_without_actions_needs_no_review() -> None:
    model = ScriptedModel([BAD])

    assert reviewed(model, Returned("child", "parent", "think", ())) is None
    assert model.prompts == []


def test_a_history_that_does_not_fit_is_unreviewed_not_shortened() -> None:
    model = ScriptedModel([FINE], context_tokens=3000)
    warning = reviewed(model, Returned("c", "p", "t", (step("x" * 50_000),)))

    assert warning is not None
    assert "too large" in warning
    assert model.prompts == []


def test_the_whole_history_is_shown_with_what_became_of_it() -> None:
    model = ScriptedModel([FINE])
    steps = tuple(step(f"echo {n}", outcome=Outcome.OK) for n in range(300))
    reviewed(model, Returned("c", "p", "task text", (*steps, *RETURNED.steps)))

    prompt = model.prompts[0]
    assert prompt.system == system_prompt(POLICY)
    assert prompt.context.count("kind=call") == 302
    assert prompt.context.count('outcome="ok"') == 300
    assert prompt.context.count('outcome="denied"') == 1
    assert "kind=user" not in prompt.context


def test_the_review_is_recorded_and_a_known_outage_is_not_hammered() -> None:
    ledger = Ledger(price=lambda model, usage, at: None)
    model = ScriptedModel([FINE, ModelError(ModelFault.UNREACHABLE, "refused"), FINE])
    one = classifier(model, ledger=ledger)

    found = [asyncio.run(one.review(RETURNED)) for _ in range(3)]

    assert [warning is None for warning in found] == [True, False, False]
    assert model.unplayed == 1
    assert list(Bill(ledger.take("child")).lines(["child"])) == [("review", "scripted/model")]
