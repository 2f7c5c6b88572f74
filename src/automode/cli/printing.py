"""How answers look: short labelled lines and times for people, JSON for programs."""

import io
import json
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable
from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import BinaryIO

import click

from automode.config.settings import Diagnostic, Level, printable
from automode.core.decision import Decision, Verdict, decision_fields
from automode.core.errors import BadCall

EXIT_DECLINED = 1
_AS_JSON = "automode.as_json"
NARROWEST, WIDEST = 40, 100
OFF = "none"
OFF_REASON = "auto mode is off: the host's own permission flow goes on"
LABEL_WIDTH = 11
NOT_APPLIED = "decided, but not applied"

VERDICT_COLOURS = {"allow": "green", "ask": "yellow", "deny": "red", "halt": "magenta", OFF: "cyan"}
_LEVELS = {Level.ERROR: "red", Level.WARNING: "yellow"}


def say(text: str = "") -> None:
    click.echo(text)


def say_json(data: object) -> None:
    """Escaped to ASCII: whatever a call holds, it can be printed anywhere."""
    click.echo(json.dumps(data, indent=2))


def note_json(context: click.Context, _option: click.Parameter, value: object) -> None:
    """The callback of `--json`."""
    context.meta[_AS_JSON] = bool(value)


def wants_json() -> bool:
    context = click.get_current_context(silent=True)
    return context is not None and context.meta.get(_AS_JSON) is True


def tell(data: object, text: str | Callable[[], None]) -> None:
    """The answer of a command: `data`, or what makes it, where `--json` asks for it; else `text`,
    or what prints it."""
    if wants_json():
        say_json(data() if callable(data) else data)
    elif isinstance(text, str):
        say(text)
    else:
        text()


def note(text: str) -> None:
    """A remark beside the answer, on standard error."""
    click.echo(f"note: {text}", err=True)


def warn(text: str, hint: str) -> None:
    click.echo(f"warning: {text}\nhint: {hint}", err=True)


def standard_input() -> BinaryIO:
    """What is piped in; nothing where the caller closed it."""
    return io.BytesIO() if sys.stdin is None else sys.stdin.buffer


def standard_output() -> BinaryIO:
    if sys.stdout is None:
        raise BadCall("standard output is closed: the answers would be lost", "leave it open")
    return sys.stdout.buffer


def create_private(file: str) -> int:
    """A descriptor of a new file that only its owner can read."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
    try:
        return os.open(file, flags, 0o600)
    except FileExistsError as error:
        raise BadCall(f"`{file}` is there already", "name a file that does not exist") from error


def confirm(question: str, hint: str, declined: str = "nothing was changed") -> None:
    """Asks a person at a terminal, and ends the command with 1 at a no. A yes counts only from
    somebody who could read what it is about. BadCall where nobody can."""
    if wants_json() or sys.stdin is None or not sys.stdin.isatty():
        raise BadCall("nobody is there to confirm", hint)
    if not click.confirm(question, default=False):
        click.echo(declined, err=True)
        sys.exit(EXIT_DECLINED)


def count_text(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def attributes(one: object, names: str) -> dict[str, object]:
    """The named attributes of an object for JSON. `name?` is null where the text is empty."""
    found: dict[str, object] = {}
    for name in names.split():
        value = _plain(getattr(one, name.rstrip("?")))
        found[name.rstrip("?")] = (value or None) if name.endswith("?") else value
    return found


def _plain(value: object) -> object:
    match value:
        case Verdict(word=word):
            return word
        case Enum(value=plain):
            return plain
        case tuple() | list():
            return [_plain(one) for one in value]
        case Decimal():
            return str(value)
        case _:
            return value


def heading(text: str) -> None:
    say(click.style(text, bold=True))


def section(text: str) -> None:
    """A heading with an empty line before it."""
    say()
    heading(text)


def faint(text: str) -> str:
    return click.style(text, dim=True)


def verdict_text(verdict: str, *, width: int = 0) -> str:
    return click.style(verdict.ljust(width), fg=VERDICT_COLOURS[verdict], bold=True)


def width() -> int:
    return max(NARROWEST, min(WIDEST, shutil.get_terminal_size((80, 24)).columns))


def one_line(text: str, most: int = 0) -> str:
    """`text` fit to be printed: nothing in it can steer a terminal or start a new line."""
    line = printable(text)
    return f"{line[: most - 1]}…" if most and len(line) > most else line


def say_row(label: str, text: str, *, indent: int = 0, wide: int = LABEL_WIDTH) -> None:
    """A label and a text beside it, wrapped under itself."""
    paragraph(text, faint(" " * indent + f"{label} ".ljust(wide)))


def say_rows(rows: Iterable[tuple[str, str]], *, indent: int = 0) -> None:
    """Those that have a text."""
    shown = [(label, text) for label, text in rows if text]
    wide = max([LABEL_WIDTH, *(len(label) + 1 for label, _ in shown)])
    for label, text in shown:
        say_row(label, text, indent=indent, wide=wide)


def say_more(total: int, shown: int) -> None:
    if total > shown:
        say(faint(f"  and {total - shown:,} more; --json lists all"))


def wrap_lines(text: str, indent: int = 0) -> list[str]:
    room = max(NARROWEST // 2, width() - indent)
    # A path is never broken: people copy it.
    line = one_line(text)
    return textwrap.wrap(line, room, break_on_hyphens=False, break_long_words=False) or [""]


def paragraph(text: str, start: str = "") -> None:
    """Wrapped; what follows the first line stands under the text, not under `start`."""
    under = len(click.unstyle(start))
    for at, line in enumerate(wrap_lines(text, under)):
        say(((" " * under if at else start) + line).rstrip())


def show_decision(decision: Decision | None) -> None:
    """The whole decision; None is auto mode being off."""
    if decision is None:
        say(f"{verdict_text(OFF, width=LABEL_WIDTH)}{OFF_REASON}")
        return
    say(f"{verdict_text(decision.verdict.word, width=LABEL_WIDTH)}{one_line(decision.source)}")
    clearable = (
        "yes: an explicit instruction of the user can change it"
        if decision.clearable
        else "no: no instruction of the user changes it"
    )
    error = decision.error and f"{decision.error.value}: this is an outage, not a policy"
    told = decision.verdict is not Verdict.ALLOW and not error  # words mend no outage
    rows = [
        ("reason", decision.reason),
        ("advice", decision.way_out),
        ("clearable", clearable if told else ""),
        ("error", error or ""),
        ("shadow", "" if decision.enforced else NOT_APPLIED),
    ]
    say_rows([*rows, *(("noted", f"{one.layer}: {one.text}") for one in decision.trail)])


def decision_data(decision: Decision | None) -> dict[str, object]:
    if decision is None:
        return {"verdict": OFF, "source": "", "reason": OFF_REASON}
    trail = [attributes(remark, "layer mark text") for remark in decision.trail]
    return decision_fields(decision) | {"trail": trail}


def show_diagnostics(diagnostics: Iterable[Diagnostic]) -> None:
    for finding in diagnostics:
        level = click.style(finding.level.value, fg=_LEVELS[finding.level])
        closes = " [closes the gate]" if finding.closes else ""
        paragraph(f"{finding}{closes}", f"  {level}: ")


def diagnostic_data(finding: Diagnostic) -> dict[str, object]:
    return attributes(finding, "level source file line key message hint closes")


_AGO = re.compile(r"(\d{1,6}) ?(s|m|min|h|d|w)")
_SECONDS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400, "w": 604_800}
_STEPS = ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))
_HINT = "write an age such as `2h` or `3d`, or a date such as `2026-11-15` or `2026-11-15T14:30`"


def local(at: float) -> str:
    """In the time zone of whoever reads it."""
    try:
        return f"{datetime.fromtimestamp(at).astimezone():%Y-%m-%d %H:%M:%S}"
    except (OverflowError, OSError, ValueError):
        return f"{at:.0f} s"


def duration(seconds: float, units: int = 1) -> str:
    """Roughly: `5 min`, `3 h`, `12 d`; with two units `3 h 12 min`."""
    left = max(int(seconds), 0)
    parts: list[str] = []
    for step, unit in _STEPS:
        count, left = divmod(left, step)
        if count or (unit == "s" and not parts):
            parts.append(f"{count} {unit}")
    return " ".join(parts[:units])


def moment(text: str, now: float) -> float:
    """Seconds since the epoch of an age or a date. Raises BadCall."""
    ago = _AGO.fullmatch(text.strip().casefold())
    if ago:
        return now - int(ago[1]) * _SECONDS[ago[2]]
    try:
        return datetime.fromisoformat(text.strip()).timestamp()
    except (ValueError, OverflowError, OSError) as error:
        raise BadCall(f"no time: `{text[:60]}`", _HINT) from error
