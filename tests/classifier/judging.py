"""What the tests of the classifier share: a call, a session, a classifier with a scripted model."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from automode.classifier.layer import Classifier
from automode.classifier.prompt import PolicyLists, Prompts
from automode.classifier.stages import Judge, Terms, plan
from automode.core.decision import Decision
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.transcript import Entry, Transcript, UserMessage
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.gate.layer import Trail
from automode.llm.ledger import Ledger
from automode.llm.model import Model, ModelError, ModelFault, Reply, Usage
from tests.reading import facts_of

Answers = Sequence[str | Reply | ModelError]

WORKSPACE = Workspace("/w/p", "/w/p", "/home/u", Names("/w/p"))
CALL = tool_call("Bash", {"command": "make deploy"})
SOFT = "Git Destructive: rewrites history. To clear it the user must name: the branch."
POLICY = PolicyLists(soft_deny=(SOFT,), hard_deny=("Exfiltration: sends secrets out.",))
PROMPTS = Prompts(POLICY, b"k" * 32)
ALLOW = '{"decision": "allow", "tier": "none", "reason": "ordinary work"}'
BLOCK = '{"decision": "block", "tier": "soft_deny", "reason": "Git Destructive: force-push"}'
USUAL = Terms(plan("both"), 0.2, 0.1)


@dataclass
class Time:
    """Stands still unless somebody sleeps or it is moved."""

    now: float = 1000.0
    slept: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def session(*said: str | Entry, attended: bool = True, parent: str | None = None) -> Session:
    entries = tuple(UserMessage(one) if isinstance(one, str) else one for one in said)
    transcript = Transcript(entries)
    return Session("s", WORKSPACE, attended=attended, parent=parent, transcript=transcript)


def answer(text: str) -> str | Reply | ModelError:
    """As tables write it: `ALLOW`, `BLOCK`, `!no-key` for a fault, `~length:said` for what was cut
    off, else what the model says."""
    if text.startswith("!"):
        return ModelError(ModelFault(text[1:]), "detail")
    if text.startswith("~"):
        stop, _, said = text[1:].partition(":")
        return Reply(said, complete=False, usage=Usage(1, 1), stop=stop)
    return {"ALLOW": ALLOW, "BLOCK": BLOCK}.get(text, text)


def classifier(
    model: Model | None,
    terms: Terms = USUAL,
    *,
    time: Time | None = None,
    judge: Judge | None = None,
    ledger: Ledger | None = None,
) -> Classifier:
    time = time or Time()
    return Classifier(PROMPTS, model, terms, judge, ledger, clock=time, sleep=time.sleep)


def judged(layer: Classifier, where: Session | None = None, trail: Trail = ()) -> Decision:
    where = where or session()
    return asyncio.run(layer(facts_of(CALL, where), where, trail))
