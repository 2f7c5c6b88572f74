"""`automode watch` in a terminal that Textual draws: scroll, filter, open a decision, approve it.

Needs the extra `automode[watch]`. No text of a call is read as markup, and all of it is escaped.
"""

import asyncio
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from typing import ClassVar, Protocol

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import DataTable, Footer, Input, Static

from automode.cli.printing import LABEL_WIDTH, VERDICT_COLOURS, local, one_line
from automode.cli.records.denials import clearance_here
from automode.cli.records.tally import LOOK_SECONDS, Tally
from automode.core.errors import AutomodeError
from automode.core.record import PART_REPLACED, Record, beside
from automode.store.newcomers import Newcomers

MOST_KEPT = 2000
LONGEST_CELL = 300
_COLUMNS = ("time", "verdict", "session", "tool", "action")


def _cells(record: Record) -> list[Text]:
    when = f"{datetime.fromtimestamp(record.at).astimezone():%H:%M:%S}"
    name = f"{record.session.host}/{record.session.id[:8]}"
    verdict = Text(record.verdict.word, style=VERDICT_COLOURS[record.verdict.word])
    texts = (one_line(one, LONGEST_CELL) for one in (name, record.tool, record.action))
    return [Text(when), verdict, *map(Text, texts)]


def fits(record: Record, words: str) -> bool:
    """Whether every word stands somewhere in what is known of the decision."""
    known = (record.verdict.word, str(record.session), record.tool, record.action)
    text = " ".join((*known, record.source, record.reason, record.id)).casefold()
    return all(word in text for word in words.casefold().split())


def details(record: Record) -> str:
    """Everything that a person needs to say yes or no, with every line of the call."""
    cleared = clearance_here(record)
    may = "press a: once; s: for the session; r: always; d: no, where it waits"
    rows = [
        ("record", record.id),
        ("when", local(record.at)),
        ("verdict", f"{record.verdict.word} by {record.source}"),
        ("reason", record.reason),
        ("session", str(record.session)),
        ("folder", record.cwd),
        ("tool", record.tool),
        ("with", beside(record.action, record.input)),
        ("hidden", PART_REPLACED if record.replaced else ""),
        ("approve", may if cleared.possible else f"no: {cleared.refusal}"),
        ("instead", cleared.instead),
    ]
    lines = [f"{label.ljust(LABEL_WIDTH)}{one_line(text)}" for label, text in rows if text]
    return "\n".join([*lines, "", *map(one_line, record.action.split("\n"))])


class Answers(Protocol):
    """See `watch.Desk`. Each raises AutomodeError."""

    def waiting(self) -> list[str]: ...
    def answer(self, record: Record, kind: str, words: str = "") -> str: ...
    def rule(self, record: Record) -> str: ...


class Question(ModalScreen[bool]):
    """A yes counts only as the letter y."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("y", "answer(True)", "yes"),
        ("n", "answer(False)", "no"),
        Binding("escape", "answer(False)", show=False),
    ]
    CSS = "Question { align: center middle; } Question Static { border: round white; width: auto; }"

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text

    def compose(self) -> ComposeResult:
        yield Static(f"{self.text} y/n", markup=False)

    def action_answer(self, answer: bool) -> None:  # noqa: FBT001 - Textual's own shape
        self.dismiss(answer)


class Words(ModalScreen[str | None]):
    """A line that a person types or changes; None: they think again."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", show=False)]
    CSS = "Words { align: center middle; } Words Input { width: 90%; }"

    def __init__(self, title: str, text: str = "") -> None:
        super().__init__()
        self.heading, self.text = title, text

    def compose(self) -> ComposeResult:
        yield Static(self.heading, markup=False)
        yield Input(self.text)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value)


_ASKS = {
    "once": "Let exactly this call through once?",
    "session": "Let exactly this call through, as often as it comes in this session?",
}


class Details(ModalScreen[None]):
    """One decision."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("a", "permit('once')", "approve"),
        ("s", "permit('session')", "for the session"),
        ("r", "save_rule", "always"),
        ("d", "decline", "no"),
        ("escape", "dismiss", "back"),
        ("q", "dismiss", "back"),
    ]

    def __init__(self, record: Record, desk: Answers) -> None:
        super().__init__()
        self.record, self.desk = record, desk

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(details(self.record), markup=False, id="details")
            yield Static("", markup=False, id="answer")
        yield Footer()

    def action_permit(self, kind: str) -> None:
        cleared = clearance_here(self.record)
        if not cleared.possible:
            self._say(f"cannot be approved: {cleared.refusal}")
            return
        self.app.push_screen(Question(_ASKS[kind]), lambda yes: self._give(kind) if yes else None)

    def action_save_rule(self) -> None:
        self.run_worker(self._offer_rule())

    async def _offer_rule(self) -> None:
        try:
            rule = await asyncio.to_thread(self.desk.rule, self.record)
        except AutomodeError as error:
            self._say(f"no rule: {error}" + (f" ({error.hint})" if error.hint else ""))
            return
        title = "The rule to save; it counts in every session"
        self.app.push_screen(
            Words(title, rule), lambda text: self._give("always", text) if text else None
        )

    def action_decline(self) -> None:
        title = "Why not? The agent reads it"
        self.app.push_screen(
            Words(title), lambda text: None if text is None else self._give("deny", text)
        )

    def _give(self, kind: str, words: str = "") -> None:
        self.run_worker(self._answer(kind, words))

    async def _answer(self, kind: str, words: str) -> None:
        """As `automode inbox` and `approve` do, with their check that a person asks."""
        try:
            self._say(await asyncio.to_thread(self.desk.answer, self.record, kind, words))
        except AutomodeError as error:
            self._say(f"not done: {error}")

    def _say(self, text: str) -> None:
        self.query_one("#answer", Static).update(one_line(text))


class WatchApp(App[None]):
    """`desk` takes a person's answers."""

    ENABLE_COMMAND_PALETTE = False
    CSS = "Input { border: none; height: 1; } #counts { height: 1; color: $text-muted; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        ("slash", "filter", "filter"),
        ("w", "waiting", "what waits"),
        ("q", "quit", "quit"),
        Binding("escape", "list", show=False),
        Binding("ctrl+c", "quit", show=False, priority=True),
    ]

    def __init__(self, newcomers: Newcomers, desk: Answers) -> None:
        super().__init__()
        self.newcomers, self.desk = newcomers, desk
        self.waiting: list[str] = []
        self.tally = Tally()
        self.records: deque[Record] = deque(maxlen=MOST_KEPT)
        self.table = DataTable[Text](cursor_type="row")
        self.filter = Input(placeholder="/ filters: deny git    enter opens    q ends")
        self.counts = Static(str(self.tally), markup=False, id="counts")

    def compose(self) -> ComposeResult:
        yield self.table
        yield self.filter
        yield self.counts
        yield Footer()

    def on_mount(self) -> None:
        self.table.add_columns(*_COLUMNS)
        self.table.focus()
        self.run_worker(self._follow())

    async def _follow(self) -> None:
        earlier = True
        while True:
            found = await asyncio.to_thread(self.newcomers.look)
            for one in [] if earlier else found:
                self.tally.add(one)
            earlier = False
            with suppress(AutomodeError):  # `automode status` says what ails the daemon
                self.waiting = await asyncio.to_thread(self.desk.waiting)
            wait = f"  |  {len(self.waiting)} wait: press w" if self.waiting else ""
            self.counts.update(f"{self.tally}{wait}")
            self.records.extend(found)
            self._show(found)
            await asyncio.sleep(LOOK_SECONDS)

    def _show(self, found: Iterable[Record]) -> None:
        """The newest stands at the end, and who looks at it stays there."""
        at_end = self.table.cursor_row >= self.table.row_count - 1
        for one in found:
            if fits(one, self.filter.value):
                self.table.add_row(*_cells(one), key=one.id)
        while self.table.row_count > MOST_KEPT:
            self.table.remove_row(self.table.ordered_rows[0].key)
        if at_end:
            self.table.move_cursor(row=self.table.row_count - 1)

    def on_input_changed(self) -> None:
        self.table.clear()
        self._show(self.records)

    def on_input_submitted(self) -> None:
        self.action_list()

    def action_filter(self) -> None:
        self.filter.focus()

    def action_waiting(self) -> None:
        """Opens the ask that has waited longest."""
        known = {one.id: one for one in self.records}
        for name in self.waiting:
            if name in known:
                self.push_screen(Details(known[name], self.desk))
                return

    def action_list(self) -> None:
        self.table.focus()

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        for one in self.records:
            if one.id == event.row_key.value:
                self.push_screen(Details(one, self.desk))
                return
