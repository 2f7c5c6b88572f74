"""One case through the real gate or the real probe, and the row that is written down of it."""

import json
import time
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial

from automode.assemble import build_classifier
from automode.classifier.circuit import Circuit
from automode.classifier.transcript import transcript_of_row
from automode.config.settings import Settings
from automode.core.decision import Decision, Failure
from automode.core.paths import within
from automode.core.session import Session
from automode.core.transcript import Transcript
from automode.core.workspace import Workspace
from automode.evaluation.cases import ActionCase, Case, ResultCase
from automode.evaluation.offline import decide_call, offline_gate
from automode.evaluation.run_folder import Row
from automode.evaluation.suites import DrawnCase
from automode.facts.place import recorded_workspace
from automode.gate.gate import Gate, closed
from automode.llm.endpoints import Missing
from automode.llm.ledger import Ledger, Request, total_of
from automode.llm.model import Ask, Model, Prompt, Reply, Usage
from automode.llm.prices import cost_beside
from automode.probe.screening import Screened, screen

HOST = "eval"
NEUTRAL_FOLDER = "/workspace/project"
NEUTRAL_HOME = "/home/user"
FAILED = "gate.evaluation-failed"
LONGEST_ACTION = 1_000
LONGEST_ASKED = 300


@dataclass(frozen=True, slots=True)
class ListeningModel:
    """A model whose word probabilities can be read afterwards: the gate itself drops them."""

    model: Model

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
        reply = await self.model.complete(prompt, ask)
        if ask.choices and reply.probabilities:
            _heard.get().append(reply.probabilities)
        return reply


class NeverRefusing(Circuit):
    """Spares no model: the next case is no repetition of the one that failed, and would be counted
    with an answer that nobody asked for. A run notices an outage by itself."""

    def refusal(self, model: str) -> None:
        return None


_heard: ContextVar[list[Mapping[str, float]]] = ContextVar("heard")


@dataclass(slots=True)
class Decider:
    gate: Gate
    ledger: Ledger = field(default_factory=Ledger)

    async def row(self, drawn: DrawnCase) -> Row:
        """Never raises: what cannot be decided is asked about, what cannot be screened suspect."""
        start = time.perf_counter_ns()
        match drawn.case:
            case ActionCase() as case:
                return await self._action(drawn, case, start)
            case ResultCase() as case:
                found = await closed(_screen(case), lambda _: None)
                return _result_row(drawn.corpus, case, found, _micros(start))

    async def _action(self, drawn: DrawnCase, case: ActionCase, start: int) -> Row:
        heard: list[Mapping[str, float]] = []
        _heard.set(heard)
        session = f"{drawn.corpus}/{case.id}"
        around = partial(_session, session, case)
        decision = await decide_call(self.gate, case.tool, case.input, around, FAILED)
        micros = _micros(start)
        requests = self.ledger.taken(session)
        row = _case_row(drawn.corpus, case) | _decision_row(decision) | {"micros": micros}
        row |= _usage_row(requests)
        score = _score(heard)
        return row if score is None else row | {"score": score}


def decider(settings: Settings, model: Model | Missing | None) -> Decider:
    """`model` None leaves the classifier out."""
    if model is None:
        return Decider(offline_gate(settings))
    ledger = Ledger(price=cost_beside({server.name for server in settings.providers}))
    heard = model if isinstance(model, Missing) else ListeningModel(model)
    judge = build_classifier(replace(settings, budget_usd=None), heard, ledger=ledger)
    judge.circuit = NeverRefusing(judge.clock)
    return Decider(offline_gate(settings, [judge]), ledger)


def _session(name: str, case: ActionCase) -> Session:
    return Session(
        name,
        case_workspace(case.cwd or NEUTRAL_FOLDER),
        host=HOST,
        parent=case.parent or None,
        transcript=case_transcript(case),
    )


def case_workspace(folder: str) -> Workspace:
    """Where a folder says nothing of a home, none of this machine may stand in for it: the same
    case would be decided differently elsewhere."""
    found = recorded_workspace(folder)
    known = found.home != "/" and within(found.cwd, found.home)
    return found if known else recorded_workspace(folder, NEUTRAL_HOME)


async def _screen(case: ResultCase) -> Screened | None:
    return screen(case.text, case.source_kind)


def case_transcript(case: ActionCase) -> Transcript:
    return transcript_of_row(
        [{"role": one.role, "content": one.content} for one in case.messages],
        [
            {"tool": one.tool, "input": one.input, "outcome": one.outcome or None}
            for one in case.prior_calls
        ],
    )


def _common(corpus: str, case: Case) -> Row:
    return {
        "id": case.id,
        "kind": "action" if isinstance(case, ActionCase) else "result",
        "corpus": corpus,
        "label": case.label,
        "category": case.category,
        "group": case.group,
        "grade": case.grade,
        "weight": case.weight,
        "headline": case.headline,
    }


def _case_row(corpus: str, case: ActionCase) -> Row:
    expected = case.expected
    said = [one.content for one in case.messages if one.role == "user"]
    return _common(corpus, case) | {
        "pair": case.pair,
        "rule": case.rule,
        "giveaway": case.giveaway,
        "mode": case.mode,
        "expected": None
        if expected is None
        else {"verdict": expected.verdict, "source": expected.source},
        "tool": case.tool,
        "action": _shorten(_action_text(case), LONGEST_ACTION),
        "asked": _shorten(said[-1] if said else "", LONGEST_ASKED),
    }


def _decision_row(decision: Decision) -> Row:
    return {
        "verdict": decision.verdict.word,
        "source": decision.source,
        "reason": decision.reason,
        "clearable": decision.clearable,
        "error": None if decision.error is None else decision.error.value,
        "trail": [remark.mark for remark in decision.trail],
    }


def _usage_row(requests: Sequence[Request]) -> Row:
    total = sum((one.usage for one in requests), start=Usage())
    return {
        "stages": [
            {
                "stage": one.stage,
                "model": one.model,
                "millis": one.millis,
                "tokens": _tokens(one.usage),
                "usd": _dollars(one.money),
            }
            for one in requests
        ],
        "tokens": _tokens(total),
        "usd": _money(requests),
    }


def _money(requests: Sequence[Request]) -> float | None:
    """None where a price is not known: that is not the same as nothing."""
    if any(one.money is None for one in requests):
        return None
    return float(sum((total_of(one).money for one in requests), start=Decimal(0)))


def _tokens(usage: Usage) -> dict[str, int]:
    return {
        "input": usage.input,
        "output": usage.output,
        "cache_read": usage.cache_read,
        "cache_write": usage.cache_write,
    }


def _dollars(money: Decimal | None) -> float | None:
    return None if money is None else float(money)


def _score(heard: Sequence[Mapping[str, float]]) -> float | None:
    """How sure the first look was that the call is not clearly fine."""
    if not heard:
        return None
    fine, not_fine = heard[-1].get("0", 0.0), heard[-1].get("1", 0.0)
    return round(not_fine / (fine + not_fine), 6) if fine + not_fine > 0 else None


def _result_row(corpus: str, case: ResultCase, found: Screened | None, micros: int) -> Row:
    row = _common(corpus, case) | {"source_kind": case.source_kind, "micros": micros}
    if found is None:
        return row | {
            "suspect": True,
            "score": 1.0,
            "findings": [],
            "error": Failure.UNAVAILABLE.value,
            "excerpt": "",
        }
    return row | {
        "suspect": found.suspect,
        "score": round(found.score, 6),
        "findings": list(dict.fromkeys(one.kind for one in found.findings)),
        "error": None,
        "excerpt": _excerpt(case.text, found),
    }


def _excerpt(text: str, found: Screened) -> str:
    start = min((one.start for one in found.findings), default=0)
    begin = max(0, start - LONGEST_ASKED // 2)
    return _shorten(text[begin : begin + LONGEST_ACTION + 1], LONGEST_ACTION)


def _action_text(case: ActionCase) -> str:
    match case.input:
        case {"command": str(command)}:
            return command
        case given:
            return json.dumps(given, ensure_ascii=False, sort_keys=True)


def _shorten(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _micros(start: int) -> int:
    return (time.perf_counter_ns() - start) // 1000
