"""One harmless call, judged by what was chosen: shows who judges, and how long that takes.

It is made up, so it tells nothing of the person's work; and nothing of it is kept.
"""

import time
from dataclasses import replace

from automode.classifier.layer import Classifier
from automode.classifier.stages import Stage
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.transcript import Transcript, UserMessage
from automode.facts.place import recorded_workspace
from automode.llm.ledger import Ledger
from automode.llm.trial import usage_data
from automode.programs.call_facts import CallFacts
from automode.shell.script import Reader

SESSION = "canary"
COMMAND = "npm test"
WORDS = f"run the tests with `{COMMAND}`"
EMBEDDED = "the embedded judge"


async def judge_canary(classifier: Classifier, reader: Reader) -> dict[str, object]:
    """Where a model was chosen, the embedded judge neither looks first nor replaces it: the model
    has to answer."""
    terms = classifier.terms
    asked = tuple(stage for stage in terms.stages if stage is not Stage.LOCAL)
    ledger = Ledger() if classifier.ledger is None else Ledger(price=classifier.ledger.price)
    alone = replace(
        classifier,
        terms=replace(terms, stages=asked or terms.stages, stand_in=False, budget_usd=None),
        ledger=ledger,
        cache=None,
    )
    place = recorded_workspace("/workspace/project", "/home/somebody")
    session = Session(SESSION, place, transcript=Transcript((UserMessage(WORDS),)))
    call = tool_call("bash", {"command": COMMAND})
    started = time.perf_counter()
    decision = await alone(CallFacts(call, place, reader), session, ())
    millis = round((time.perf_counter() - started) * 1000)
    by = alone.model.name if alone.model is not None else ""
    spent = ledger.spent(SESSION)
    return {
        "judge": by if asked else EMBEDDED,
        "ok": decision.error is None,
        "verdict": decision.verdict.word,
        "source": decision.source,
        "reason": decision.reason,
        "advice": decision.way_out,
        "millis": millis,
        **usage_data(spent.usage, None if spent.unpriced else spent.money),
    }
