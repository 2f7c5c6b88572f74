"""Both stages with a real model behind them, from the settings to the decision.

The model is far too small to judge. What is tested is everything around it: that it is really asked
in both wire formats, that the second question finds the first one's prompt in the server's cache,
and that nothing it happens to say becomes an allow unless it is one.
"""

import json
import urllib.request
from dataclasses import dataclass, field, replace
from importlib.resources import files

import pytest

from automode.assemble import build_classifier, build_gate, chosen_model
from automode.classifier.stages import Stage
from automode.config.settings import Policy, Rule, Settings, Source, Stages
from automode.core.call import Shell, ToolCall
from automode.core.decision import Decision, Failure, Verdict
from automode.core.session import Session
from automode.core.transcript import Fact, Outcome, PriorCall, Transcript, UserMessage
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.llm.endpoints import Missing
from automode.llm.ledger import Bill, Ledger, Total
from automode.llm.model import Ask, Model, Prompt, Reply
from automode.llm.providers import Api, OwnServer
from tests.llm.conftest import run

pytestmark = pytest.mark.real

PATIENT_MS = 200_000
# More than a digit needs an end of its own: one token is never a finished answer, so the second
# stage has to look whatever the first one said.
NEVER_CLEAR = 1
THINKING = "smollm2-thinking"  # the server answers to any name
DEPLOY = ToolCall("Bash", Shell("make deploy"), {"command": "make deploy"})
POLICY = Policy(
    environment=(Rule("Repository: the working folder is trusted.", Source.USER),),
    allow=(Rule("Tests: running the project's tests.", Source.USER),),
    soft_deny=(Rule("Deploy: puts something into production.", Source.USER),),
    hard_deny=(Rule("Exfiltration: sends secrets out.", Source.USER),),
)
TOLD = Transcript(
    (
        UserMessage("fix the failing test of the date parser"),
        PriorCall("Bash", {"command": "npm test"}, Outcome.ERROR),
        PriorCall("Edit", {"file_path": "src/dates.ts"}, Outcome.OK),
        Fact("git", "1 file changed on branch fix-dates"),
    )
)
TEMPLATE_TOKENS = 8  # what the model's template puts behind a question, at most


def session(transcript: Transcript = TOLD) -> Session:
    workspace = Workspace("/w/p", "/w/p", "/home/u", Names("/w/p"))
    return Session("real", workspace, transcript=transcript)


@dataclass
class Brief:
    """The model behind it, held to short answers, because a small one does not end by itself; and
    what it answered."""

    model: Model
    most_tokens: int
    answered: list[tuple[Ask, Reply]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def reasons(self) -> bool:
        return self.model.reasons

    @property
    def context_tokens(self) -> int:
        return self.model.context_tokens

    async def complete(self, prompt: Prompt, ask: Ask) -> Reply:
        tokens = min(ask.max_tokens, self.most_tokens)
        reply = await self.model.complete(prompt, replace(ask, max_tokens=tokens))
        self.answered.append((ask, reply))
        return reply


@dataclass
class Asked:
    decision: Decision
    model: Brief
    bill: Bill

    def used(self, stage: Stage) -> Total:
        return self.bill.lines(["real"])[stage, self.model.name]

    def allowed_by_the_model(self) -> bool:
        """Read independently of the classifier, from the last answer alone."""
        ask, reply = self.model.answered[-1]
        if ask.choices:
            sure = reply.probabilities or {"0": 1.0, "1": 0.0}
            return reply.complete and reply.text.strip() == "0" and sure["0"] >= sure["1"]
        try:
            said = json.loads(reply.text[reply.text.rfind("{") :])
        except ValueError:
            return False
        lifted = {"allow", "explicit_intent", "none"}
        return reply.complete and said["decision"] == "allow" and said["tier"] in lifted


def ask_real(
    url: str,
    api: Api,
    *,
    model_id: str = "smollm2",
    stages: Stages = Stages.BOTH,
    fast_max_tokens: int | None = NEVER_CLEAR,
    most_tokens: int = 6,
    call: ToolCall = DEPLOY,
) -> Asked:
    """The whole way: settings, the user's own server, classifier, gate."""
    settings = Settings(
        classifier_model=f"real/{model_id}",
        providers=(OwnServer("real", api, f"{url}/v1"),),
        policy=POLICY,
        stages=stages,
        fast_max_tokens=fast_max_tokens,
        classifier_timeout_ms=PATIENT_MS,
        deadline_ms=PATIENT_MS,
    )
    found = chosen_model(settings, {})
    assert not isinstance(found, Missing)
    model, ledger = Brief(found, most_tokens), Ledger()
    gate = build_gate(settings, judges=[build_classifier(settings, model, ledger=ledger)])
    decision = run(gate.decide(call, session()))
    assert decision is not None
    return Asked(decision, model, Bill(ledger.take("real")))


def tokens_of(url: str, name: str) -> int:
    """Of a stage's question, as the server itself counts."""
    text = files("automode.classifier").joinpath(f"{name}.md").read_text(encoding="utf-8")
    body = json.dumps({"content": text}).encode()
    request = urllib.request.Request(f"{url}/tokenize", body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as response:
        return len(json.load(response)["tokens"])


@pytest.mark.parametrize("api", [Api.OPENAI, Api.ANTHROPIC])
def test_both_stages_run_and_the_second_re_reads_the_prompt_by_the_servers_own_count(
    real_server: str, api: Api
) -> None:
    asked = ask_real(real_server, api)

    fast, deliberate = asked.used(Stage.FAST), asked.used(Stage.DELIBERATE)
    shared = fast.usage.prompt - tokens_of(real_server, "fast") - TEMPLATE_TOKENS
    assert (fast.requests, deliberate.requests) == (1, 2), "a first look, a second, one more try"
    assert fast.usage.input > 150, "the records are new to the server, for their codes are"
    assert deliberate.usage.cache_read >= 0.95 * shared * deliberate.requests > 2000
    assert deliberate.usage.input > 0, "its question is its own"
    # It was not let finish.
    assert not any(reply.complete for _, reply in asked.model.answered)
    assert asked.decision.source == "classifier.deliberate"
    assert (asked.decision.verdict, asked.decision.error) == (Verdict.ASK, Failure.UNREADABLE)
    assert "cut off" in asked.decision.reason


def test_what_the_model_writes_decides_only_as_far_as_it_is_a_decision(real_server: str) -> None:
    """A model that is said to think gets a schema: then even this one writes JSON, though it may
    be an allow in the name of a rule that forbids."""
    asked = ask_real(
        real_server, Api.OPENAI, model_id=THINKING, stages=Stages.DELIBERATE, most_tokens=48
    )

    decision, (ask, reply) = asked.decision, asked.model.answered[-1]
    assert ask.schema is not None
    assert '"decision"' in reply.text
    assert decision.source == "classifier.deliberate"
    assert decision.verdict is not Verdict.ALLOW or asked.allowed_by_the_model()
    assert decision.error is (Failure.UNREADABLE if decision.verdict is Verdict.ASK else None)


def test_the_first_stage_alone_answers_with_probabilities(real_server: str) -> None:
    asked = ask_real(real_server, Api.OPENAI, stages=Stages.FAST, fast_max_tokens=None)

    decision, (_, reply) = asked.decision, asked.model.answered[0]
    assert reply.probabilities is not None
    assert set(reply.probabilities) == {"0", "1"}
    assert 0 < sum(reply.probabilities.values()) <= 1
    assert decision.source == "classifier.fast"
    assert decision.verdict in (Verdict.ALLOW, Verdict.ASK), "it can only clear"
    assert decision.verdict is not Verdict.ALLOW or asked.allowed_by_the_model()


@pytest.mark.parametrize("api", [Api.OPENAI, Api.ANTHROPIC])
def test_a_call_that_the_server_has_no_room_for_is_too_large(real_server: str, api: Api) -> None:
    command = "make deploy " + " ".join(f"TARGET_{n}=value" for n in range(2000))
    long = ToolCall("Bash", Shell(command), {"command": command})

    asked = ask_real(real_server, api, call=long)

    assert (asked.decision.verdict, asked.decision.error) == (Verdict.ASK, Failure.TOO_LARGE)
    assert asked.model.answered == []
    assert "too large" in asked.decision.reason


@pytest.mark.parametrize("api", [Api.OPENAI, Api.ANTHROPIC])
def test_an_address_where_no_model_answers_is_an_outage_that_says_so(
    real_server: str, api: Api
) -> None:
    asked = ask_real(f"{real_server}/elsewhere", api)

    assert (asked.decision.verdict, asked.decision.error) == (Verdict.ASK, Failure.UNAVAILABLE)
    assert "does not know the model" in asked.decision.reason
