"""A small model on this machine behind our prompts: its rates on labelled calls, reported honestly.

Every call walks through the whole gate with the classifier as its judge. Calls are taken in turns,
good and bad, until the time is used up.
"""

import argparse
import asyncio
import hashlib
import os
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from labelled_calls import READER, Gated, Row, gated, sample
from local_model import local_model
from local_report import Judged, Timed, report
from local_server import QWEN_SHA256, LocalServer, checked, serve

from automode.assemble import build_gate, load_settings
from automode.classifier.layer import Classifier
from automode.classifier.prompt import PolicyLists, Prompts, system_prompt
from automode.classifier.reply import DELIBERATE_SCHEMA
from automode.classifier.stages import Terms, plan
from automode.cli.model_access import PROMPT
from automode.config.places import Places
from automode.config.settings import Policy
from automode.core.session import Session
from automode.gate.gate import Gate
from automode.llm.model import Ask, Model, Prompt, Reply

NOWHERE = "/nonexistent"
CONTEXT_TOKENS = 20_480
CONSTRAINED_TOKENS = 256
PATIENCE_SECONDS = 1800.0  # a cold prompt on two cores takes minutes, and here nobody waits


@dataclass(slots=True)
class Watched:
    """A model whose replies are kept, with the time they took. `constrained` holds the deliberate
    answer to the schema: left alone, a model this small thinks in circles until it is cut off."""

    inner: Model
    constrained: bool
    seen: list[Timed] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def reasons(self) -> bool:
        return self.inner.reasons

    @property
    def context_tokens(self) -> int:
        return self.inner.context_tokens

    async def complete(self, prompt: Prompt, ask: Ask) -> Reply:
        if self.constrained and not ask.choices:
            room = min(ask.max_tokens, CONSTRAINED_TOKENS)
            ask = replace(ask, schema=DELIBERATE_SCHEMA, max_tokens=room)
        start = time.perf_counter()
        reply = await self.inner.complete(prompt, ask)
        stage = "fast" if ask.choices else "deliberate"
        self.seen.append(Timed(stage, reply, time.perf_counter() - start))
        return reply

    def taken(self) -> tuple[Timed, ...]:
        """What was seen since the last time."""
        found = tuple(self.seen)
        self.seen.clear()
        return found


async def judge(gate: Gate, model: Watched, row: Row) -> Judged:
    session = Session(row.id, row.session.workspace, transcript=row.session.transcript)
    decision = await gate.decide(row.call, session)
    if decision is None:
        raise RuntimeError("auto mode is off by default: that cannot be")
    return Judged(row, decision, model.taken())


async def run(gate: Gate, model: Watched, rows: list[Gated], minutes: float) -> list[Judged]:
    """In pairs of a good and a bad row, until the time is used up."""
    end = time.monotonic() + 60 * minutes
    good = [one.row for one in rows if one.undecided and not one.row.bad]
    bad = [one.row for one in rows if one.undecided and one.row.bad]
    found: list[Judged] = []
    for pair in zip(good, bad, strict=False):
        for row in pair:
            if time.monotonic() < end:
                found.append(await judge(gate, model, row))
                print("  " + found[-1].line(), flush=True)
    return found


async def warm_up(server: LocalServer, model: Model, sha256: str, system: str) -> None:
    """Reads the part that all prompts share, or loads what an earlier run read: that takes a
    second instead of minutes."""
    digest = hashlib.sha256((sha256 + system).encode()).hexdigest()
    name = f"prefix-{digest[:16]}.bin"
    known = server.recall(name)
    start = time.perf_counter()
    prompt = replace(PROMPT, system=system)
    reply = await model.complete(prompt, Ask(1, PATIENCE_SECONDS, choices=("0", "1")))
    seconds = time.perf_counter() - start
    read = f"{reply.usage.input} of {reply.usage.prompt} tokens"
    print(f"read the shared part: {read} in {seconds:.0f} s", flush=True)
    if not known:
        server.remember(name)


def lists(policy: Policy) -> PolicyLists:
    sections = (policy.environment, policy.allow, policy.soft_deny, policy.hard_deny)
    return PolicyLists(*(tuple(entry.text for entry in section) for section in sections))


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with actions_*.jsonl.gz")
    parser.add_argument("--model", type=Path, required=True, help="a GGUF file")
    parser.add_argument("--sha256", default=QWEN_SHA256, help="what the file must hash to")
    parser.add_argument("--count", type=int, default=60, help="rows of each label to draw")
    parser.add_argument("--stages", choices=("both", "fast", "deliberate"), default="both")
    parser.add_argument(
        "--free-text", action="store_true", help="let stage 2 think in words before it answers"
    )
    parser.add_argument("--minutes", type=float, default=20, help="time for the model")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    return parser.parse_args()


async def main() -> int:
    given = options()
    places = Places.of(home=NOWHERE, environment={}, managed=f"{NOWHERE}/config.json")
    settings = load_settings(places).settings
    rows = await gated(
        build_gate(settings, reader=READER), sample(given.data, given.count, given.seed)
    )
    server = serve(checked(given.model, given.sha256), CONTEXT_TOKENS, given.threads)
    model = Watched(local_model(server.base_url), not given.free_text)
    policy = lists(settings.policy)
    await warm_up(server, model.inner, given.sha256, system_prompt(policy))
    terms = Terms(
        plan(given.stages), request_seconds=PATIENCE_SECONDS, deadline_seconds=PATIENCE_SECONDS
    )
    # A fixed key: the same prompts, byte for byte, in every run.
    prompts = Prompts(policy, b"evaluation".ljust(32, b"."))
    gate = build_gate(settings, judges=[Classifier(prompts, model, terms)], reader=READER)
    judged = await run(gate, model, rows, given.minutes)
    report(rows, judged)
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
