"""`automode demo`: an offline tour. Real calls, decided by the real gate; a wrong verdict fails."""

import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from automode.assemble import build_classifier, build_gate, chosen_model, load_settings
from automode.cli.demo_calls import PROJECT_FILES, SCENES, USER_SETTINGS, DemoCall, Scene
from automode.cli.demo_view import Shown, ShownScene, TourView
from automode.cli.printing import say_json
from automode.cli.surroundings import session_for, workspace_at
from automode.config.places import Places
from automode.core.decision import Decision, Verdict
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.transcript import Entry, Fact, Outcome, PriorCall, Transcript, UserMessage
from automode.gate.gate import Gate
from automode.llm.ledger import Ledger
from automode.sessions.probing import suspicion
from automode.sessions.suspect import Suspicion, fact

EXIT_DIFFERENT = 1
NO_ENVIRONMENT: dict[str, str] = {}  # no key and no setting of whoever looks at the tour


@click.command(hidden=True)
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
    project = _laid_out(folder)
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


def _laid_out(folder: Path) -> Path:
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

    async def played(self, scenes: Sequence[Scene]) -> list[ShownScene]:
        return [await self._scene(scene) for scene in scenes]

    async def _scene(self, scene: Scene) -> ShownScene:
        self.session.attended = scene.attended
        if scene.said:
            self._remember(UserMessage(scene.said))
        return ShownScene(scene, [await self._call(call) for call in scene.calls])

    async def _call(self, call: DemoCall) -> Shown:
        started = time.perf_counter_ns()
        decision = await self.gate.decide(tool_call(call.tool, call.input), self.session)
        micros = (time.perf_counter_ns() - started) // 1000
        if decision is None:
            raise AssertionError("the settings of the tour leave auto mode on")
        self._remember(PriorCall(call.tool, call.input, _outcome(call, decision)))
        ran = decision.verdict is Verdict.ALLOW
        requests = len(self.ledger.taken(self.session.id))
        found = suspicion(call.result, call.tool) if ran and call.result else None
        return Shown(call, decision, micros, requests, found, self._noted(call, found))

    def _noted(self, call: DemoCall, found: Suspicion | None) -> Fact | None:
        if found is None:
            return None
        noted = fact(call.tool, found)
        self._remember(noted)
        return noted

    def _remember(self, entry: Entry) -> None:
        self.session.transcript = Transcript((*self.session.transcript.entries, entry))


def _outcome(call: DemoCall, decision: Decision) -> Outcome:
    """The user of the tour says no to whatever is asked."""
    if decision.verdict is Verdict.ALLOW:
        return call.outcome
    return Outcome.REJECTED if decision.verdict is Verdict.ASK else Outcome.DENIED


def _data(scene: Scene, one: Shown) -> dict[str, object]:
    return {
        "scene": scene.title,
        "said": scene.said,
        "attended": scene.attended,
        "tool": one.call.tool,
        "input": dict(one.call.input),
        "verdict": one.decision.verdict.word,
        "source": one.decision.source,
        "reason": one.decision.reason,
        "advice": one.decision.advice,
        "warning": "" if one.suspicion is None else one.suspicion.warning,
        "remembered": "" if one.noted is None else one.noted.text,
        "expected": one.expected,
        "micros": one.micros,
        "model_requests": one.requests,
    }
