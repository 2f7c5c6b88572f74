"""`automode demo`: an offline tour. Real calls, decided by the real gate; a wrong verdict fails."""

import asyncio
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click

from automode.assemble import build_classifier, build_gate, chosen_model, load_settings
from automode.cli.calls.demo_calls import PROJECT_FILES, SCENES, USER_SETTINGS, DemoCall, Scene
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

INDENT = 4
_INTRO = (
    "An agent works in a small web shop. Each call below is decided by the gate as you would "
    "install it, on this machine, without a key and without the network. No call is run: what "
    "comes back is scripted, and the user says no to whatever is asked."
)
_COUNTED_TOGETHER = ("rules", "floor")  # which one it was stands beside the call
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
class PlayedCall:
    """One call of the tour with its answer, what the probe said of its result, and what the
    session remembers of that."""

    call: DemoCall
    decision: Decision
    micros: int
    requests: int  # to models
    suspicion: Suspicion | None = None
    noted: Fact | None = None

    @property
    def expected(self) -> bool:
        decided = (self.decision.verdict.word, self.decision.source)
        warned = self.suspicion is not None
        return (*decided, warned) == (self.call.verdict, self.call.source, self.call.suspect)


@dataclass(frozen=True, slots=True)
class PlayedScene:
    scene: Scene
    calls: Sequence[PlayedCall]


@dataclass(slots=True)
class TourView:
    """Prints the tour; `folder` is left out of the sentences, because it is a new one each time."""

    folder: str
    _number: int = 0
    _advised: set[str] = field(default_factory=set)

    def show(self, scenes: Sequence[PlayedScene]) -> None:
        heading("automode: a tour")
        paragraph(_INTRO)
        for one in scenes:
            say()
            self._scene(one)
        say()
        _summary([call for one in scenes for call in one.calls])
        say()
        heading("Try next")
        for command in _NEXT:
            say(f"  {command}")

    def _scene(self, shown: PlayedScene) -> None:
        heading(shown.scene.title)
        paragraph(shown.scene.told)
        if shown.scene.said:
            say_row("user says", f'"{shown.scene.said}"')
        for one in shown.calls:
            say()
            self._call(one)

    def _call(self, one: PlayedCall) -> None:
        self._number += 1
        say(f"{self._number:2}. {click.style(one.call.tool, bold=True)}  {one_line(one.call.text)}")
        verdict = verdict_text(one.decision.verdict.word, width=LABEL_WIDTH)
        say(f"{' ' * INDENT}{verdict}{one.decision.source}")
        for label, text in self._lines(one):
            say_row(label, text.replace(self.folder, ""), indent=INDENT)
        if one.suspicion is not None:
            _show_result(one.call.result, one.suspicion)
        if one.noted is not None:
            say_row("remembered", one.noted.text, indent=INDENT)

    def _lines(self, one: PlayedCall) -> Iterator[tuple[str, str]]:
        yield "reason", one.decision.reason
        advice = one.decision.advice
        if advice and advice not in self._advised:  # read once, it is only in the way
            self._advised.add(advice)
            yield "advice", advice
        if one.call.note:
            yield "note", one.call.note
        if not one.expected:
            warned = ", with a warning" if one.call.suspect else ""
            yield "WRONG", f"expected {one.call.verdict} by {one.call.source}{warned}"


def _show_result(result: str, suspicion: Suspicion) -> None:
    """As the agent gets it: the warning stands in front."""
    say_row("warning", suspicion.warning, indent=INDENT)
    label = "result"
    for line in result.splitlines():
        say(f"{' ' * INDENT}{faint(label.ljust(LABEL_WIDTH))}{one_line(line)}")
        label = ""


def _summary(shown: Sequence[PlayedCall]) -> None:
    heading("Summary")
    counted = Counter(one.decision.verdict.word for one in shown)
    for word, what in _WORDS.items():
        say(f"  {verdict_text(word, width=LABEL_WIDTH)}{counted[word]:3}  {what}")
    say()
    columns([("decided by", " ", ""), *_deciders(shown)])
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


def _deciders(shown: Sequence[PlayedCall]) -> Iterator[tuple[str, str, str]]:
    counted = Counter(_decider(one.decision.source) for one in shown)
    for name, count in counted.most_common():
        yield name, f"{count:2}", _WHO.get(name, "")


def _decider(source: str) -> str:
    room = source.partition(".")[0]
    return f"{room}.*" if room in _COUNTED_TOGETHER else source


EXIT_DIFFERENT = 1
NO_ENVIRONMENT: dict[str, str] = {}  # no key and no setting of whoever looks at the tour


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def demo(*, as_json: bool) -> None:
    """An offline tour: a session of an agent, decided call by call. Ends with 1 if an answer is
    not the expected one."""
    status = run_tour(SCENES, as_json=as_json)
    if status:
        sys.exit(status)


def run_tour(scenes: Sequence[Scene], *, as_json: bool) -> int:
    """Decides and prints every call; returns the exit status."""
    with tempfile.TemporaryDirectory(prefix="automode-demo-") as temporary:
        folder = Path(temporary).resolve()
        tour = _tour_in(folder)
        shown = asyncio.run(tour.played(scenes))
    if as_json:
        say_json([_data(scene.scene, one) for scene in shown for one in scene.calls])
    else:
        TourView(f"{folder}/").show(shown)
    return 0 if all(one.expected for scene in shown for one in scene.calls) else EXIT_DIFFERENT


def _tour_in(folder: Path) -> "_Tour":
    project = _make_project(folder)
    places = Places.of(
        home=folder / "home",
        environment=NO_ENVIRONMENT,
        project=project,
        managed=folder / "no-such-file",
    )
    settings = load_settings(places).settings
    ledger = Ledger()
    judge = build_classifier(settings, chosen_model(settings, NO_ENVIRONMENT), ledger=ledger)
    session = session_for(settings, workspace_at(str(project)), attended=True)
    return _Tour(build_gate(settings, judges=[judge]), session, ledger)


def _make_project(folder: Path) -> Path:
    """The project of the tour, and settings as its user might have them."""
    project = folder / "shop"
    files = {project / name: text for name, text in PROJECT_FILES.items()}
    files[folder / "home/.config/automode/config.json"] = USER_SETTINGS
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return project


@dataclass(frozen=True, slots=True)
class _Tour:
    """The session grows as a real one does: by the user's words, by calls and how they ended, and
    by what the probe noted."""

    gate: Gate
    session: Session
    ledger: Ledger

    async def played(self, scenes: Sequence[Scene]) -> list[PlayedScene]:
        return [await self._scene(scene) for scene in scenes]

    async def _scene(self, scene: Scene) -> PlayedScene:
        self.session.attended = scene.attended
        if scene.said:
            self._remember(UserMessage(scene.said))
        return PlayedScene(scene, [await self._call(call) for call in scene.calls])

    async def _call(self, call: DemoCall) -> PlayedCall:
        started = time.perf_counter_ns()
        decision = await self.gate.decide(tool_call(call.tool, call.input), self.session)
        micros = (time.perf_counter_ns() - started) // 1000
        if decision is None:
            raise AssertionError("the settings of the tour leave auto mode on")
        self._remember(PriorCall(call.tool, call.input, _outcome(call, decision)))
        ran = decision.verdict is Verdict.ALLOW
        requests = len(self.ledger.taken(self.session.id))
        found = suspicion(call.result, call.tool) if ran and call.result else None
        return PlayedCall(call, decision, micros, requests, found, self._noted(call, found))

    def _noted(self, call: DemoCall, found: Suspicion | None) -> Fact | None:
        if found is None:
            return None
        noted = suspect_fact(call.tool, found)
        self._remember(noted)
        return noted

    def _remember(self, entry: Entry) -> None:
        self.session.transcript = Transcript((*self.session.transcript.entries, entry))


def _outcome(call: DemoCall, decision: Decision) -> Outcome:
    """The user of the tour says no to whatever is asked."""
    if decision.verdict is Verdict.ALLOW:
        return call.outcome
    return Outcome.REJECTED if decision.verdict is Verdict.ASK else Outcome.DENIED


def _data(scene: Scene, one: PlayedCall) -> dict[str, object]:
    return {
        "scene": scene.title,
        **attributes(scene, "said attended"),
        "tool": one.call.tool,
        "input": dict(one.call.input),
        **attributes(one.decision, "verdict source reason advice"),
        "warning": "" if one.suspicion is None else one.suspicion.warning,
        "remembered": "" if one.noted is None else one.noted.text,
        **attributes(one, "expected micros"),
        "model_requests": one.requests,
    }
