"""How the tour looks: the user's words, each call with its answer and why, and what it came to."""

import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import click

from automode.cli.demo_calls import DemoCall, Scene
from automode.cli.printing import (
    LABEL_WIDTH,
    coloured,
    columns,
    faint,
    heading,
    labelled,
    one_line,
    say,
    wrapped,
)
from automode.core.decision import Decision, Verdict
from automode.core.transcript import Fact
from automode.sessions.suspect import Suspicion

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
class Shown:
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
class ShownScene:
    scene: Scene
    calls: Sequence[Shown]


@dataclass(slots=True)
class TourView:
    """Prints the tour; `folder` is left out of the sentences, because it is a new one each time."""

    folder: str
    _number: int = 0
    _advised: set[str] = field(default_factory=set)

    def show(self, scenes: Sequence[ShownScene]) -> None:
        heading("automode: a tour")
        _paragraph(_INTRO)
        for one in scenes:
            say()
            self._scene(one)
        say()
        _summary([call for one in scenes for call in one.calls])
        say()
        heading("Try next")
        for command in _NEXT:
            say(f"  {command}")

    def _scene(self, shown: ShownScene) -> None:
        heading(shown.scene.title)
        _paragraph(shown.scene.told)
        if shown.scene.said:
            labelled("user says", f'"{shown.scene.said}"')
        for one in shown.calls:
            say()
            self._call(one)

    def _call(self, one: Shown) -> None:
        self._number += 1
        say(f"{self._number:2}. {click.style(one.call.tool, bold=True)}  {one_line(one.call.text)}")
        verdict = coloured(one.decision.verdict.word, width=LABEL_WIDTH)
        say(f"{' ' * INDENT}{verdict}{one.decision.source}")
        for label, text in self._lines(one):
            labelled(label, text.replace(self.folder, ""), indent=INDENT)
        if one.suspicion is not None:
            _show_result(one.call.result, one.suspicion)
        if one.noted is not None:
            labelled("remembered", one.noted.text, indent=INDENT)

    def _lines(self, one: Shown) -> Iterator[tuple[str, str]]:
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
    labelled("warning", suspicion.warning, indent=INDENT)
    label = "result"
    for line in result.splitlines():
        say(f"{' ' * INDENT}{faint(label.ljust(LABEL_WIDTH))}{one_line(line)}")
        label = ""


def _summary(shown: Sequence[Shown]) -> None:
    heading("Summary")
    counted = Counter(one.decision.verdict.word for one in shown)
    for word, what in _WORDS.items():
        say(f"  {coloured(word, width=LABEL_WIDTH)}{counted[word]:3}  {what}")
    say()
    columns([("decided by", " ", ""), *_deciders(shown)])
    say()
    results = [one for one in shown if one.call.result and one.decision.verdict is Verdict.ALLOW]
    suspect = sum(one.suspicion is not None for one in results)
    labelled("probe", f"{len(results)} results looked at, {suspect} suspect", indent=2)
    median = statistics.median(one.micros for one in shown) / 1000
    labelled("median", f"{median:.1f} milliseconds per decision", indent=2)
    labelled("models", f"{sum(one.requests for one in shown)} requests", indent=2)
    wrong = sum(not one.expected for one in shown)
    if wrong:
        labelled("WRONG", f"{wrong} of {len(shown)} are not as expected", indent=2)


def _deciders(shown: Sequence[Shown]) -> Iterator[tuple[str, str, str]]:
    counted = Counter(_decider(one.decision.source) for one in shown)
    for name, count in counted.most_common():
        yield name, f"{count:2}", _WHO.get(name, "")


def _decider(source: str) -> str:
    room = source.partition(".")[0]
    return f"{room}.*" if room in _COUNTED_TOGETHER else source


def _paragraph(text: str) -> None:
    for line in wrapped(text):
        say(line)
