"""`automode demo`: an offline tour. Real calls, decided by the real gate; a wrong verdict fails."""

import asyncio
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from automode.assemble import build_gate, load_settings
from automode.cli.demo_calls import CALLS, PROJECT_FILES, USER_SETTINGS, DemoCall
from automode.cli.printing import (
    LABEL_WIDTH,
    coloured,
    heading,
    labelled,
    one_line,
    say,
    say_json,
    wrapped,
)
from automode.cli.status import set_aside
from automode.cli.surroundings import session_for, workspace_at
from automode.config.places import Places
from automode.core.decision import Decision, Verdict
from automode.core.tools import tool_call

EXIT_DIFFERENT = 1
_INTRO = (
    "An agent works in a small project. Each call below is decided by the gate as it is built "
    "here, with no model and no network, and none of them is run."
)

_WORDS = {"allow": "run at once", "ask": "wait for a person", "deny": "stopped"}
_NEXT = (
    "automode explain 'sudo bash -c \"cd / && rm -rf etc\"'",
    "automode check bash 'git push --force'",
    "automode status",
)


@dataclass(frozen=True, slots=True)
class Shown:
    """One call of the tour with its answer."""

    call: DemoCall
    decision: Decision
    micros: int

    @property
    def expected(self) -> bool:
        decided = (self.decision.verdict.word, self.decision.source)
        return decided == (self.call.verdict, self.call.source)


@click.command(hidden=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def demo(*, as_json: bool) -> None:
    """An offline tour of what is allowed, asked about and denied. Ends with 1 if it is not so."""
    status = run_tour(CALLS, as_json=as_json)
    if status:
        sys.exit(status)


def run_tour(calls: Sequence[DemoCall], *, as_json: bool) -> int:
    """Decides and prints every call; returns the exit status."""
    with tempfile.TemporaryDirectory(prefix="automode-demo-") as temporary:
        folder = Path(temporary).resolve()
        shown, aside = asyncio.run(_tour(folder, calls))
    if as_json:
        say_json([_data(one) for one in shown])
    else:
        _Tour(f"{folder}/").show(shown, aside)
    return 0 if all(one.expected for one in shown) else EXIT_DIFFERENT


async def _tour(folder: Path, calls: Sequence[DemoCall]) -> tuple[list[Shown], list[str]]:
    project = _laid_out(folder)
    places = Places.of(
        home=folder / "home", environment={}, project=project, managed=folder / "no-such-file"
    )
    settings = load_settings(places).settings
    gate = build_gate(settings)
    session = session_for(settings, workspace_at(str(project)), attended=True)
    shown: list[Shown] = []
    for call in calls:
        started = time.perf_counter_ns()
        decision = await gate.decide(tool_call(call.tool, call.input), session)
        micros = (time.perf_counter_ns() - started) // 1000
        if decision is None:
            raise AssertionError("the settings of the tour leave auto mode on")
        shown.append(Shown(call, decision, micros))
    return shown, set_aside(settings.permissions.allow)


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
    """Prints the tour; `folder` is left out of the sentences, because it is a new one each time."""

    folder: str

    def show(self, shown: list[Shown], aside: list[str]) -> None:
        heading("automode: a tour")
        for line in wrapped(_INTRO):
            say(line)
        for number, one in enumerate(shown, start=1):
            say()
            self.call(number, one)
        say()
        self.summary(shown, aside)

    def call(self, number: int, one: Shown) -> None:
        first, *rest = one.call.text.split("\n")
        say(f"{number:2}. {click.style(one.call.tool, bold=True)}  {one_line(first)}")
        for line in rest:
            say(f"    {' ' * len(one.call.tool)}  {one_line(line)}")
        verdict = coloured(one.decision.verdict.word, width=LABEL_WIDTH)
        say(f"    {verdict}{one.decision.source}")
        for label, text in _lines(one):
            labelled(label, text.replace(self.folder, ""), indent=4)

    def summary(self, shown: list[Shown], aside: list[str]) -> None:
        counted = Counter(one.decision.verdict.word for one in shown)
        median = statistics.median(one.micros for one in shown)
        heading("Summary")
        for word, what in _WORDS.items():
            say(f"  {coloured(word, width=LABEL_WIDTH)}{counted[word]:3}  {what}")
        labelled("median", f"{median:.0f} microseconds per decision", indent=2)
        for sentence in aside:
            labelled("notice", sentence.replace(self.folder, ""), indent=2)
        wrong = sum(not one.expected for one in shown)
        if wrong:
            labelled("WRONG", f"{wrong} of {len(shown)} are not as expected", indent=2)
        say()
        heading("Try next")
        for command in _NEXT:
            say(f"  {command}")


def _lines(one: Shown) -> Iterator[tuple[str, str]]:
    yield "reason", one.decision.reason
    for remark in one.decision.trail:
        if one.decision.verdict is Verdict.ASK and remark.layer != "gate":
            yield "noted", remark.text
    if one.decision.advice:
        yield "advice", one.decision.advice
    if not one.expected:
        yield "WRONG", f"expected {one.call.verdict} by {one.call.source}"


def _data(one: Shown) -> dict[str, object]:
    return {
        "tool": one.call.tool,
        "input": dict(one.call.input),
        "verdict": one.decision.verdict.word,
        "source": one.decision.source,
        "reason": one.decision.reason,
        "advice": one.decision.advice,
        "expected": one.expected,
        "micros": one.micros,
    }
