"""How answers look: short labelled lines for people, JSON for programs."""

import json
import shutil
import textwrap
from collections.abc import Iterable, Sequence

import click

from automode.config.diagnostics import Diagnostic, Level, printable
from automode.core.decision import Decision, Verdict

NARROWEST, WIDEST = 40, 100
OFF = "none"
OFF_REASON = "auto mode is off: the host's own permission flow goes on"
LABEL_WIDTH = 11

_COLOURS = {"allow": "green", "ask": "yellow", "deny": "red", "halt": "magenta", OFF: "cyan"}
_LEVELS = {Level.ERROR: "red", Level.WARNING: "yellow", Level.NOTE: "cyan"}


def say(text: str = "") -> None:
    click.echo(text)


def say_json(data: object) -> None:
    """Escaped to ASCII: whatever a call holds, it can be printed anywhere."""
    click.echo(json.dumps(data, indent=2))


def heading(text: str) -> None:
    say(click.style(text, bold=True))


def faint(text: str) -> str:
    return click.style(text, dim=True)


def coloured(verdict: str, *, width: int = 0) -> str:
    return click.style(verdict.ljust(width), fg=_COLOURS[verdict], bold=True)


def width() -> int:
    return max(NARROWEST, min(WIDEST, shutil.get_terminal_size((80, 24)).columns))


def one_line(text: str, most: int = 0) -> str:
    """`text` fit to be printed: nothing in it can steer a terminal or start a new line."""
    line = printable(text)
    return f"{line[: most - 1]}…" if most and len(line) > most else line


def labelled(label: str, text: str, *, indent: int = 0) -> None:
    """A label and a text beside it, wrapped under itself."""
    start = " " * indent + label.ljust(LABEL_WIDTH)
    lines = wrapped(text, indent + LABEL_WIDTH)
    say(faint(start) + lines[0])
    for line in lines[1:]:
        say(" " * (indent + LABEL_WIDTH) + line)


def wrapped(text: str, indent: int = 0) -> list[str]:
    room = max(NARROWEST // 2, width() - indent)
    # A path is never broken: people copy it.
    line = one_line(text)
    return textwrap.wrap(line, room, break_on_hyphens=False, break_long_words=False) or [""]


def columns(rows: Sequence[Sequence[str]], *, indent: int = 2) -> None:
    """Rows under each other; the last cell of each is wrapped."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]) - 1)] if rows else []
    for row in rows:
        cells = [cell.ljust(wide) for cell, wide in zip(row, widths, strict=False)]
        start = " " * indent + "".join(f"{cell}  " for cell in cells)
        lines = wrapped(row[-1], len(start))
        say((start + lines[0]).rstrip())
        for line in lines[1:]:
            say(" " * len(start) + line)


def show_decision(decision: Decision | None) -> None:
    """The whole decision; None is auto mode being off."""
    if decision is None:
        say(f"{coloured(OFF, width=LABEL_WIDTH)}{OFF_REASON}")
        return
    say(f"{coloured(decision.verdict.word, width=LABEL_WIDTH)}{one_line(decision.source)}")
    labelled("reason", decision.reason)
    if decision.advice:
        labelled("advice", decision.advice)
    if decision.verdict is not Verdict.ALLOW:
        labelled("clearable", _clearable(decision))
    if decision.error is not None:
        labelled("error", f"{decision.error.value}: this is an outage, not a policy")
    if not decision.enforced:
        labelled("shadow", "decided, but not applied")
    for remark in decision.trail:
        labelled("noted", f"{remark.layer}: {remark.text}")


def _clearable(decision: Decision) -> str:
    if decision.clearable:
        return "yes: an explicit instruction of the user can change it"
    return "no: no instruction of the user changes it"


def decision_data(decision: Decision | None) -> dict[str, object]:
    if decision is None:
        return {"verdict": OFF, "source": "", "reason": OFF_REASON}
    return {
        "verdict": decision.verdict.word,
        "source": decision.source,
        "reason": decision.reason,
        "advice": decision.advice,
        "clearable": decision.clearable,
        "error": None if decision.error is None else decision.error.value,
        "enforced": decision.enforced,
        "trail": [
            {"layer": remark.layer, "mark": remark.mark, "text": remark.text}
            for remark in decision.trail
        ],
    }


def show_diagnostics(diagnostics: Iterable[Diagnostic]) -> None:
    for finding in diagnostics:
        level = click.style(finding.level.value, fg=_LEVELS[finding.level])
        closes = " [closes the gate]" if finding.closes else ""
        lines = wrapped(f"{finding}{closes}", 4 + len(finding.level.value))
        say(f"  {level}: {lines[0]}")
        for line in lines[1:]:
            say(f"    {line}")


def diagnostic_data(finding: Diagnostic) -> dict[str, object]:
    return {
        "level": finding.level.value,
        "source": None if finding.source is None else finding.source.value,
        "file": finding.file,
        "line": finding.line,
        "key": finding.key,
        "message": finding.message,
        "hint": finding.hint,
        "closes": finding.closes,
    }
