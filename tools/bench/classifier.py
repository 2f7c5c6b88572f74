"""What the classifier adds to a model's own time, over a simulated session; no model is needed."""

import argparse
import asyncio
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from automode.assemble import build_classifier, build_gate, load_settings
from automode.classifier.layer import Classifier
from automode.config.places import Places
from automode.core.call import ToolCall
from automode.core.decision import Decision
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.transcript import Entry, Fact, Outcome, PriorCall, Transcript, UserMessage
from automode.facts.place import live_workspace
from automode.gate.layer import Trail
from automode.llm.formats import FORMATS
from automode.llm.ledger import Ledger
from automode.llm.model import Ask, Prompt
from automode.llm.providers import traits_of
from automode.llm.scripted import ScriptedModel
from automode.programs.call_facts import CallFacts

NOWHERE = "/nonexistent"
MODEL = "openai/gpt-4o-mini"  # for its price: nobody is asked
CLEAR = "0"
ALLOW = '{"decision": "allow", "tier": "none", "reason": "ordinary work on the project"}'
SECOND_LOOK_EVERY = 5
# Nothing that a wall or a door decides.
COMMANDS = (
    "npm run build && npm test -- --filter {n}",
    "git push origin feature/{n}",
    "docker compose up -d service{n}",
    "python scripts/migrate.py --step {n}",
    "curl -X POST http://localhost:8080/api/items/{n} -d '{{\"n\": {n}}}'",
    "make release VERSION=1.{n}",
    "bash scripts/check.sh {n}",
    "pip install requests=={n}.0 && python -m build",
)
REQUESTS = (
    "now make step {n} of the migration work, and run its tests before you push anything",
    "yes, go on",
    "that broke the build of service {n}. Look at the logs first, and leave the database alone",
)


def calls(count: int) -> Iterator[ToolCall]:
    for n in range(count):
        command = COMMANDS[n % len(COMMANDS)].format(n=n)
        yield tool_call("bash", {"command": command, "description": f"step {n}"})


def in_between(n: int, dice: random.Random) -> Iterator[Entry]:
    """What a session has besides the calls that are judged: edits, words of the user, facts."""
    if n % 9 == 0:
        yield UserMessage(REQUESTS[n // 9 % len(REQUESTS)].format(n=n))
    for part in range(dice.randrange(3)):
        lines = "\n".join(f"    value_{line} = compute({n}, {line})" for line in range(part * 30))
        edit = {"file_path": f"src/part{n}.py", "old_string": "pass", "new_string": lines}
        yield PriorCall("edit", edit, Outcome.OK)
    if n % 25 == 0:
        yield Fact("git", f"{n % 7} files changed on branch feature/{n}")


@dataclass(slots=True)
class Timed:
    """The classifier, and how long each of its answers took."""

    name: ClassVar[str] = "classifier"

    layer: Classifier
    millis: list[float] = field(default_factory=list)
    cpu_millis: list[float] = field(default_factory=list)  # tells the same on a busy machine

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Decision:
        start, cpu = time.perf_counter(), time.process_time()
        decision = await self.layer(facts, session, trail)
        self.millis.append((time.perf_counter() - start) * 1000)
        self.cpu_millis.append((time.process_time() - cpu) * 1000)
        return decision


@dataclass(slots=True)
class Walk:
    millis: list[float] = field(default_factory=list)  # of the whole gate
    classifier_millis: list[float] = field(default_factory=list)
    classifier_cpu_millis: list[float] = field(default_factory=list)
    request_millis: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    session_shares: list[float] = field(default_factory=list)  # without the system prompt


async def walk(count: int, folder: str) -> Walk:
    """A session of `count` judged calls, with the built-in policy, rules, guards and ledger."""
    places = Places.of(home=NOWHERE, environment={}, managed=f"{NOWHERE}/config.json")
    settings = load_settings(places).settings
    looks = [([CLEAR] if n % SECOND_LOOK_EVERY else ["1", ALLOW]) for n in range(count + 1)]
    model = ScriptedModel([answer for look in looks for answer in look], name=MODEL)
    ledger = Ledger()
    judge = Timed(build_classifier(settings, model, ledger=ledger))
    gate = build_gate(settings, judges=[judge])
    session = Session("bench", live_workspace(folder, NOWHERE))
    entries: list[Entry] = [UserMessage("build the new service, step by step")]
    found, dice, before = Walk(), random.Random(7), None
    for n, call in enumerate(calls(count + 1)):
        session.transcript = Transcript(tuple(entries))
        asked = len(model.prompts)
        start = time.perf_counter()
        decision = await gate.decide(call, session)
        millis = (time.perf_counter() - start) * 1000
        if decision is None or not decision.source.startswith("classifier."):
            raise RuntimeError(f"no model judged {call.input}: {decision}")
        entries += [PriorCall(call.tool, call.input, Outcome.OK), *in_between(n, dice)]
        prompt = model.prompts[asked]
        if before is not None:  # the first call loads parsers and prices
            found.millis.append(millis)
            found.request_millis.append(request_millis(model.prompts[asked:]))
            note(found, before, prompt)
        before = prompt
    found.classifier_millis, found.classifier_cpu_millis = judge.millis[1:], judge.cpu_millis[1:]
    return found


def request_millis(prompts: Sequence[Prompt]) -> float:
    write = FORMATS["openai"].body
    start = time.perf_counter()
    for prompt in prompts:
        json.dumps(write("gpt-4o-mini", prompt, Ask(16, 20.0), traits_of("gpt-4o-mini")))
    return (time.perf_counter() - start) * 1000


def note(found: Walk, before: Prompt, prompt: Prompt) -> None:
    text = prompt.system + prompt.context + prompt.question
    common = common_characters(before.system + before.context, text)
    system = len(prompt.system)
    found.sizes.append(len(text) // 4)
    found.shares.append(common / len(text))
    found.session_shares.append(max(0, common - system) / (len(text) - system))


def common_characters(one: str, other: str) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def spread(values: Sequence[float], form: str) -> str:
    points = statistics.quantiles(values, n=100)
    named = {
        "min": min(values), "p5": points[4], "mean": statistics.fmean(values),
        "median": points[49], "p95": points[94], "max": max(values),
    }  # fmt: skip
    return "   ".join(f"{name} {format(value, form)}" for name, value in named.items())


def report(count: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "scripts").mkdir()
        for name in ("migrate.py", "check.sh"):
            Path(folder, "scripts", name).write_text("")
        found = asyncio.run(walk(count, folder))
    half = count // 2
    print(f"a simulated session of {count} judged calls, the built-in policy")
    print("  the classifier's own time, ms", spread(found.classifier_millis, ".2f"))
    print("    on the processor           ", spread(found.classifier_cpu_millis, ".2f"))
    halves = (found.classifier_millis[:half], found.classifier_millis[half:])
    first, last = (statistics.median(part) for part in halves)
    print(f"    median of the first half {first:.2f}, of the second {last:.2f}")
    print("  with rules and guards, ms    ", spread(found.millis, ".2f"))
    print("  writing its requests, ms     ", spread(found.request_millis, ".2f"))
    print("  tokens of a prompt, estimated", spread(found.sizes, ".0f"))
    print("  shared with the call before  ", spread(found.shares, ".1%"))
    print("    without the system prompt  ", spread(found.session_shares, ".1%"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=200)
    report(parser.parse_args().calls)
    return 0


if __name__ == "__main__":
    sys.exit(main())
