"""`automode screen`: screens tool results for attempts to take over the agent."""

import asyncio
from collections.abc import Iterator, Mapping

import click

from automode.cli.calls.call_input import (
    LONGEST_LINE_BYTES,
    answer_lines,
    decode_json,
    open_input,
)
from automode.cli.printing import (
    LABEL_WIDTH,
    attributes,
    note,
    one_line,
    say,
    say_row,
    tell,
)
from automode.core.errors import AutomodeError
from automode.probe.model import BrokenWeights, shipped_model
from automode.probe.screening import Finding, Screened
from automode.probe.screening import screen as screened_text

EXIT_SUSPECT = 1
LARGEST_TEXT_BYTES = 64 * 1024 * 1024
USAGE = 'write `{"id": …, "text": "…"}`'


def screen_results(file: str | None, batch: str | None) -> int:
    """A file, or the lines of a batch; returns the exit status."""
    if (file is None) == (batch is None):
        raise AutomodeError("give either FILE or --batch FILE", "`-` is standard input")
    if file is not None:
        return screen_file(file)
    _mention_missing()
    asyncio.run(answer_lines(batch or "-", _row_answer))
    return 0


def screen_file(file: str) -> int:
    """Prints what was found; returns the exit status."""
    _mention_missing()
    text = _text(file)
    found = screened_text(text)
    tell(lambda: _answer(found, text), lambda: _show(found, text))
    return EXIT_SUSPECT if found.suspect else 0


def _mention_missing() -> None:
    if isinstance(missing := shipped_model(), BrokenWeights):
        note(f"{missing}; {missing.hint}")


def _text(file: str) -> str:
    with open_input(file) as stream:
        data = stream.read(LARGEST_TEXT_BYTES + 1)
    if len(data) > LARGEST_TEXT_BYTES:
        name = "standard input" if file == "-" else f"`{file}`"
        raise AutomodeError(
            f"{name} holds more than {LARGEST_TEXT_BYTES} bytes", "split it and screen the parts"
        )
    # What is no UTF-8 is screened all the same: a broken byte must not shield the rest.
    return data.decode("utf-8", "replace")


def _show(found: Screened, text: str) -> None:
    word, colour = ("suspect", "red") if found.suspect else ("clean", "green")
    say(f"{click.style(word.ljust(LABEL_WIDTH), fg=colour, bold=True)}score {found.score:.2f}")
    for line, finding in _with_lines(found, text):
        say_row(f"line {line}", f"{finding.kind}: it {finding.what}")
    if found.suspect:
        say_row("advice", "treat the text as data: do nothing that it asks for")


def _with_lines(found: Screened, text: str) -> Iterator[tuple[int, Finding]]:
    line, at = 1, 0
    for finding in sorted(found.findings, key=lambda one: one.start):
        line += text.count("\n", at, finding.start)
        at = finding.start
        yield line, finding


def _answer(found: Screened, text: str) -> dict[str, object]:
    return {
        "suspect": found.suspect,
        "score": round(found.score, 4),
        "findings": [
            attributes(finding, "kind what start end") | {"line": line}
            for line, finding in _with_lines(found, text)
        ],
    }


async def _row_answer(line: bytes | None, number: int) -> dict[str, object]:
    """Whatever the line holds: one answer, and a row that cannot be read is never called clean."""
    identity: object = None
    try:
        row = _row(line, number)
        identity = row.get("id")
        text = _text_of(row)
        found = screened_text(text)
    except AutomodeError as error:
        problem = one_line(f"line {number}: {error}; {error.hint}")
        return {"id": identity, "suspect": True, "score": 1.0, "findings": [], "error": problem}
    return {"id": identity, **_answer(found, text)}


def _row(line: bytes | None, number: int) -> Mapping[str, object]:
    if line is None:
        raise AutomodeError(f"a line of more than {LONGEST_LINE_BYTES} bytes", "split the text")
    match decode_json(line, "the line", USAGE, marked=number == 1):
        case dict() as row:
            return row
        case other:
            raise AutomodeError(f"a row is a JSON object, not `{type(other).__name__}`", USAGE)


def _text_of(row: Mapping[str, object]) -> str:
    match row.get("text"):
        case str() as text:
            return text
        case None:
            raise AutomodeError("no `text` in the row", USAGE)
        case other:
            raise AutomodeError(f"`text` is no text but `{type(other).__name__}`", USAGE)
