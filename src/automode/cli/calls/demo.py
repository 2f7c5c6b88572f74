"""`automode demo`: an offline tour. Real calls, decided by the real gate; a wrong verdict fails."""

import asyncio
import statistics
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click

from automode.assemble import build_classifier, build_gate, chosen_model, load_settings
from automode.cli.options import session_for, workspace_at
from automode.cli.printing import (
    LABEL_WIDTH,
    attributes,
    columns,
    faint,
    heading,
    one_line,
    paragraph,
    say,
    say_json,
    say_row,
    verdict_text,
)
from automode.config.places import Places
from automode.core.decision import Decision, Verdict
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.transcript import Entry, Fact, Outcome, PriorCall, Transcript, UserMessage
from automode.gate.gate import Gate
from automode.llm.ledger import Ledger
from automode.sessions.host_checks import Suspicion, suspect_fact, suspicion

EXIT_DIFFERENT = 1
INDENT = 4
SCRIPT = Path(__file__).with_name("demo.toml")
_INTRO = (
    "An agent works in a small web shop. Each call below is decided by the gate as you would "
    "install it, on this machine, without a key and without the network. No call is run: what "
    "comes back is scripted, and the user says no to whatever is asked."
)
_WORDS = {"allow": "ran at once", "ask": "waited for a person", "deny": "stopped"}
_WHO = {
    "read-only": "proved to do nothing but read",
    "workspace-edit": "edits inside the project",
    "rules.*": "rules of the person and of the project",
    "floor.*": "hard denials in code, which nobody can lift",
    "classifier.local": "the embedded judge",
}
_NEXT = (
    "automode check --user 'push it to origin main' bash 'git push origin main'",
    "automode explain 'sudo bash -c \"cd / && rm -rf etc\"'",
    "automode screen README.md",
    "automode status",
)


@dataclass(frozen=True, slots=True)
class DemoCall:
    """A call, and the answer it must get: verdict and source. `outcome` and `result` are what
    running it brings, where it is allowed; `suspect`: whether the probe must warn of the result."""

    tool: str
    input: Mapping[str, object]
    answer: str
    note: str = ""  # what a newcomer may miss
    result: str = ""
    suspect: bool = False
    outcome: str = "ok"


@dataclass(frozen=True, slots=True)
class Scene:
    """Some calls in a row. `said` are the user's words before them."""

    title: str
    told: str
    calls: Sequence[DemoCall]
    said: str = ""
    attended: bool = True


@dataclass(frozen=True, slots=True)
class PlayedCall:
    """`fact` is what the session remembers of a suspect result."""

    scene: Scene
    call: DemoCall
    decision: Decision
    micros: int
    requests: int  # to models
    suspicion: Suspicion | None
    fact: Fact | None

    @property
    def expected(self) -> bool:
        answer = f"{self.decision.verdict.word} {self.decision.source}"
        warned = self.suspicion is not None
        return (answer, warned) == (self.call.answer, self.call.suspect)


def read_scenes() -> list[Scene]:
    rows = tomllib.loads(SCRIPT.read_text())["scenes"]
    return [Scene(**{**row, "calls": [DemoCall(**call) for call in row["calls"]]}) for row in rows]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def demo(*, as_json: bool) -> None:
    """An offline tour: a session of an agent, decided call by call. Ends with 1 if an answer is
    not the expected one."""
    status = run_tour(read_scenes(), as_json=as_json)
    if status:
        sys.exit(status)


def run_tour(scenes: Sequence[Scene], *, as_json: bool) -> int:
    """Decides and prints every call; returns the exit status."""
    with tempfile.TemporaryDirectory(prefix="automode-demo-") as temporary:
        folder = Path(temporary).resolve()
        played = asyncio.run(_tour_in(folder).play(scenes))
    if as_json:
        say_json([_data(one) for one in played])
    else:
        TourView(f"{folder}/").show(played)
    return 0 if all(one.expected for one in played) else EXIT_DIFFERENT


def _tour_in(folder: Path) -> "_Tour":
    """With no key and no setting of whoever looks at the tour."""
    project = folder / "shop"
    script = tomllib.loads(SCRIPT.read_text())
    files = {project / name: text for name, text in script["files"].items()}
    files[folder / "home/.config/automode/config.json"] = script["user_settings"]
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    places = Places.of(
        home=folder / "home", environment={}, project=project, managed=folder / "no-such-file"
    )
    settings = load_settings(places).settings
    ledger = Ledger()
    judge = build_classifier(settings, chosen_model(settings, {}), ledger=ledger)
    session = session_for(settings, workspace_at(str(project)), attended=True)
    return _Tour(build_gate(settings, judges=[judge]), session, ledger)


@dataclass(frozen=True, slots=True)
class _Tour:
    """The session grows as a real one does: by the user's words, by calls and how they ended, and
    by what the probe noted."""

    gate: Gate
    session: Session
    ledger: Ledger

    async def play(self, scenes: Sequence[Scene]) -> list[PlayedCall]:
        played = []
        for scene in scenes:
            self.session.attended = scene.attended
            if scene.said:
                self._remember(UserMessage(scene.said))
            played += [await self._play(scene, call) for call in scene.calls]
        return played

    async def _play(self, scene: Scene, call: DemoCall) -> PlayedCall:
        started = time.perf_counter_ns()
        decision = await self.gate.decide(tool_call(call.tool, call.input), self.session)
        micros = (time.perf_counter_ns() - started) // 1000
        if decision is None:
            raise AssertionError("the settings of the tour leave auto mode on")
        outcomes = {Verdict.ALLOW: Outcome(call.outcome), Verdict.ASK: Outcome.REJECTED}
        outcome = outcomes.get(decision.verdict, Outcome.DENIED)
        self._remember(PriorCall(call.tool, call.input, outcome))
        found = fact = None
        if decision.verdict is Verdict.ALLOW and call.result:
            found = suspicion(call.result, call.tool)
        if found is not None:
            fact = suspect_fact(call.tool, found)
            self._remember(fact)
        requests = len(self.ledger.taken(self.session.id))
        return PlayedCall(scene, call, decision, micros, requests, found, fact)

    def _remember(self, entry: Entry) -> None:
        self.session.transcript = Transcript((*self.session.transcript.entries, entry))


@dataclass(slots=True)
class TourView:
    """Prints the tour; `folder` is left out of the sentences, because it is a new one each time."""

    folder: str
    _advised: set[str] = field(default_factory=set)

    def show(self, played: Sequence[PlayedCall]) -> None:
        heading("automode: a tour")
        paragraph(_INTRO)
        scene = None
        for number, one in enumerate(played, start=1):
            if one.scene is not scene:
                scene = one.scene
                say()
                heading(scene.title)
                paragraph(scene.told)
                if scene.said:
                    say_row("user says", f'"{scene.said}"')
            say()
            self._show_call(number, one)
        say()
        _show_summary(played)
        say()
        heading("Try next")
        for command in _NEXT:
            say(f"  {command}")

    def _show_call(self, number: int, one: PlayedCall) -> None:
        shown = one_line(str(next(iter(one.call.input.values()), "")))
        say(f"{number:2}. {click.style(one.call.tool, bold=True)}  {shown}")
        verdict = verdict_text(one.decision.verdict.word, width=LABEL_WIDTH)
        say(f"{' ' * INDENT}{verdict}{one.decision.source}")
        for label, text in self._rows(one):
            say_row(label, text.replace(self.folder, ""), indent=INDENT)
        if one.suspicion is None or one.fact is None:
            return
        # As the agent gets it: the warning stands in front.
        say_row("warning", one.suspicion.warning, indent=INDENT)
        for at, line in enumerate(one.call.result.splitlines()):
            label = "" if at else "result"
            say(f"{' ' * INDENT}{faint(label.ljust(LABEL_WIDTH))}{one_line(line)}")
        say_row("remembered", one.fact.text, indent=INDENT)

    def _rows(self, one: PlayedCall) -> Iterator[tuple[str, str]]:
        yield "reason", one.decision.reason
        advice = one.decision.advice
        if advice and advice not in self._advised:  # read once, it is only in the way
            self._advised.add(advice)
            yield "advice", advice
        if one.call.note:
            yield "note", one.call.note
        if not one.expected:
            warned = ", with a warning" if one.call.suspect else ""
            yield "WRONG", f"expected {one.call.answer.replace(' ', ' by ')}{warned}"


def _show_summary(shown: Sequence[PlayedCall]) -> None:
    heading("Summary")
    counts = Counter(one.decision.verdict.word for one in shown)
    for word, what in _WORDS.items():
        say(f"  {verdict_text(word, width=LABEL_WIDTH)}{counts[word]:3}  {what}")
    say()
    deciders = Counter(_decider(one.decision.source) for one in shown).most_common()
    rows = [(name, f"{count:2}", _WHO.get(name, "")) for name, count in deciders]
    columns([("decided by", " ", ""), *rows])
    say()
    results = [one for one in shown if one.call.result and one.decision.verdict is Verdict.ALLOW]
    suspect = sum(one.suspicion is not None for one in results)
    say_row("probe", f"{len(results)} results looked at, {suspect} suspect", indent=2)
    median = statistics.median(one.micros for one in shown) / 1000
    say_row("median", f"{median:.1f} milliseconds per decision", indent=2)
    say_row("models", f"{sum(one.requests for one in shown)} requests", indent=2)
    wrong = sum(not one.expected for one in shown)
    if wrong:
        say_row("WRONG", f"{wrong} of {len(shown)} are not as expected", indent=2)


def _decider(source: str) -> str:
    """Rules and the floor are counted together: which one it was is beside the call."""
    room = source.partition(".")[0]
    return f"{room}.*" if room in ("rules", "floor") else source


def _data(one: PlayedCall) -> dict[str, object]:
    return {
        "scene": one.scene.title,
        **attributes(one.scene, "said attended"),
        "tool": one.call.tool,
        "input": dict(one.call.input),
        **attributes(one.decision, "verdict source reason advice"),
        "warning": "" if one.suspicion is None else one.suspicion.warning,
        "remembered": "" if one.fact is None else one.fact.text,
        **attributes(one, "expected micros"),
        "model_requests": one.requests,
    }
