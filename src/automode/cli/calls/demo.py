"""`automode demo`: an offline tour. Real calls, decided by the real gate; a wrong verdict fails."""

import asyncio
import statistics
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from automode.assemble import build_classifier, build_gate, chosen_model, load_settings
from automode.cli.options import session_for, workspace_at
from automode.cli.printing import (
    LABEL_WIDTH,
    attributes,
    faint,
    heading,
    one_line,
    paragraph,
    say,
    say_row,
    say_rows,
    section,
    tell,
    verdict_text,
)
from automode.config.places import Places
from automode.core.decision import Decision, Verdict
from automode.core.tools import tool_call
from automode.core.transcript import Entry, Outcome, PriorCall, Transcript, UserMessage
from automode.llm.ledger import Ledger
from automode.sessions.host_checks import suspect_fact, suspicion

EXIT_DIFFERENT = 1
INDENT = 4
UNDECIDED = Decision(Verdict.ASK, "", "not decided yet")
SCRIPT = Path(__file__).with_name("demo.toml")
_WORDS = {"allow": "ran at once", "ask": "waited for a person", "deny": "stopped"}


@dataclass(frozen=True, slots=True)
class Step:
    """A call of the tour, the answer it must get (verdict and source), and what came of it.
    `outcome` and `result` are what running it brings, where it is allowed; `suspect`: whether the
    probe must warn of the result. `said` are the user's words before the scene."""

    scene: str
    told: str
    tool: str
    input: Mapping[str, object]
    answer: str
    said: str = ""
    attended: bool = True
    note: str = ""  # what a newcomer may miss
    result: str = ""
    suspect: bool = False
    outcome: str = "ok"
    decision: Decision = UNDECIDED
    micros: int = 0
    model_requests: int = 0
    warning: str = ""  # in front of a suspect result
    remembered: str = ""  # by the session

    @property
    def expected(self) -> bool:
        answer = f"{self.decision.verdict.word} {self.decision.source}"
        return (answer, bool(self.warning)) == (self.answer, self.suspect)


def read_steps() -> list[Step]:
    scenes = tomllib.loads(SCRIPT.read_text())["scenes"]
    return [Step(**scene, **call) for scene in scenes for call in scene.pop("calls")]


def show_tour() -> int:
    """Returns the exit status."""
    return run_tour(read_steps())


def run_tour(steps: Sequence[Step]) -> int:
    """Decides and prints every call; returns the exit status."""
    with tempfile.TemporaryDirectory(prefix="automode-demo-") as temporary:
        folder = Path(temporary).resolve()
        played = asyncio.run(_play(steps, folder))
    tell([_data(one) for one in played], lambda: _show(played, f"{folder}/"))
    return 0 if all(one.expected for one in played) else EXIT_DIFFERENT


async def _play(steps: Sequence[Step], folder: Path) -> list[Step]:
    """With no key and no setting of whoever looks at the tour. The session grows as a real one
    does: by the user's words, by calls and how they ended, and by what the probe noted."""
    project = folder / "shop"
    script = tomllib.loads(SCRIPT.read_text())
    files = {project / name: text for name, text in script["files"].items()}
    files[folder / "home/.config/automode/config.json"] = script["user_settings"]
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    home, nowhere = folder / "home", folder / "no-such-file"
    places = Places.of(home=home, environment={}, project=project, managed=nowhere)
    settings, ledger = load_settings(places).settings, Ledger()
    judge = build_classifier(settings, chosen_model(settings, {}), ledger=ledger)
    gate = build_gate(settings, judges=[judge])
    session = session_for(settings, workspace_at(str(project)), attended=True)

    def remember(entry: Entry) -> None:
        session.transcript = Transcript((*session.transcript.entries, entry))

    async def play(step: Step) -> Step:
        started = time.perf_counter_ns()
        decision = await gate.decide(tool_call(step.tool, step.input), session)
        micros = (time.perf_counter_ns() - started) // 1000
        if decision is None:
            raise AssertionError("the settings of the tour leave auto mode on")
        outcomes = {Verdict.ALLOW: Outcome(step.outcome), Verdict.ASK: Outcome.REJECTED}
        outcome = outcomes.get(decision.verdict, Outcome.DENIED)
        remember(PriorCall(step.tool, step.input, outcome))
        requests = len(ledger.take(session.id))
        done = replace(step, decision=decision, micros=micros, model_requests=requests)
        found = suspicion(step.result, step.tool) if decision.verdict is Verdict.ALLOW else None
        if found is None:
            return done
        fact = suspect_fact(step.tool, found)
        remember(fact)
        session.suspect = found.asked
        return replace(done, warning=found.warning, remembered=fact.text)

    played: list[Step] = []
    for step in steps:
        if step.said and (not played or step.scene != played[-1].scene):
            remember(UserMessage(step.said))
        session.attended = step.attended
        played.append(await play(step))
    return played


def _show(played: Sequence[Step], folder: str) -> None:
    """`folder` is left out of the sentences, because it is a new one each time."""
    script = tomllib.loads(SCRIPT.read_text())
    heading("automode: a tour")
    paragraph(script["introduction"])
    scene, advised = "", {""}
    for number, one in enumerate(played, start=1):
        if one.scene != scene:
            scene = one.scene
            section(scene)
            paragraph(one.told)
            say_rows([("user says", f'"{one.said}"' if one.said else "")])
        say()
        shown = one_line(str(next(iter(one.input.values()), "")))
        say(f"{number:2}. {click.style(one.tool, bold=True)}  {shown}")
        verdict = verdict_text(one.decision.verdict.word, width=LABEL_WIDTH)
        say(f"{' ' * INDENT}{verdict}{one.decision.source}")
        for label, text in _rows(one):
            if label != "advice" or text not in advised:  # read once, it is only in the way
                say_rows([(label, text.replace(folder, ""))], indent=INDENT)
        advised.add(one.decision.way_out)
        if one.warning:  # as the agent gets it: the warning stands in front
            say_row("warning", one.warning, indent=INDENT)
            for at, line in enumerate(one.result.splitlines()):
                label = "" if at else "result"
                say(f"{' ' * INDENT}{faint(label.ljust(LABEL_WIDTH))}{one_line(line)}")
            say_row("remembered", one.remembered, indent=INDENT)
    _show_summary(played)
    section("Try next")
    for command in script["next"]:
        say(f"  {command}")


def _rows(one: Step) -> Iterator[tuple[str, str]]:
    yield "reason", one.decision.reason
    yield "advice", one.decision.way_out
    yield "note", one.note
    if not one.expected:
        warned = ", with a warning" if one.suspect else ""
        yield "WRONG", f"expected {one.answer.replace(' ', ' by ')}{warned}"


def _show_summary(played: Sequence[Step]) -> None:
    section("Summary")
    counts = Counter(one.decision.verdict.word for one in played)
    for word, what in _WORDS.items():
        say(f"  {verdict_text(word, width=LABEL_WIDTH)}{counts[word]:3}  {what}")
    say()
    results = [one for one in played if one.result and one.decision.verdict is Verdict.ALLOW]
    suspect = sum(bool(one.warning) for one in results)
    median = statistics.median(one.micros for one in played) / 1000
    wrong = sum(not one.expected for one in played)
    rows = [
        ("probe", f"{len(results)} results looked at, {suspect} suspect"),
        ("median", f"{median:.1f} milliseconds per decision"),
        ("models", f"{sum(one.model_requests for one in played)} requests"),
        ("WRONG", f"{wrong} of {len(played)} are not as expected" if wrong else ""),
    ]
    say_rows(rows, indent=2)


def _data(one: Step) -> dict[str, object]:
    return {
        **attributes(one, "scene said attended tool"),
        "input": dict(one.input),
        **attributes(one.decision, "verdict source reason"),
        "advice": one.decision.way_out,
        **attributes(one, "warning remembered micros expected model_requests"),
    }
