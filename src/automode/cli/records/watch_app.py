"""`automode watch` in a terminal that Textual draws: scroll, filter, open a decision, approve it.

Needs the extra `automode[watch]`. No text of a call is read as markup, and all of it is escaped.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import DataTable, Footer, Input, Static

from automode.cli.printing import LABEL_WIDTH, VERDICT_COLOURS, local, one_line
from automode.cli.records.denials import clearance_here
from automode.cli.records.newcomers import LOOK_SECONDS, Newcomers, Tally
from automode.core.errors import AutomodeError
from automode.core.record import Record

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
    may = "press a: one exact retry within 10 minutes"
    rows = [
        ("record", record.id),
        ("when", local(record.at)),
        ("verdict", f"{record.verdict.word} by {record.source}"),
        ("reason", record.reason),
        ("session", str(record.session)),
        ("folder", record.cwd),
        ("tool", record.tool),
        ("approve", may if cleared.possible else f"no: {cleared.refusal}"),
        ("instead", cleared.instead),
    ]
    lines = [f"{label.ljust(LABEL_WIDTH)}{one_line(text)}" for label, text in rows if text]
    return "\n".join([*lines, "", *map(one_line, record.action.split("\n"))])


class Question(ModalScreen[bool]):
    """A yes counts only as the letter y."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("y", "answer(True)", "yes"),
        ("n", "answer(False)", "no"),
        Binding("escape", "answer(False)", show=False),
    ]
    CSS = "Question { align: center middle; } Question Static { border: round white; width: auto; }"

    def compose(self) -> ComposeResult:
        yield Static("Let exactly this call through once, when the agent tries it again? y/n")

    def action_answer(self, answer: bool) -> None:  # noqa: FBT001 - Textual's own shape
        self.dismiss(answer)


class Details(ModalScreen[None]):
    """One decision."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("a", "approve", "approve"),
        ("escape", "dismiss", "back"),
        ("q", "dismiss", "back"),
    ]

    def __init__(self, record: Record, approve: Callable[[Record], str]) -> None:
        super().__init__()
        self.record, self.approve = record, approve

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(details(self.record), markup=False, id="details")
            yield Static("", markup=False, id="answer")
        yield Footer()

    def action_approve(self) -> None:
        cleared = clearance_here(self.record)
        if cleared.possible:
            self.app.push_screen(Question(), self._take_answer)
        else:
            self._say(f"cannot be approved: {cleared.refusal}")

    def _take_answer(self, yes: bool | None) -> None:  # noqa: FBT001 - Textual's own shape
        if yes:
            self.run_worker(self._give())

    async def _give(self) -> None:
        """As `automode approve` does, with its check that a person asks."""
        try:
            self._say(await asyncio.to_thread(self.approve, self.record))
        except AutomodeError as error:
            self._say(f"not approved: {error}")

    def _say(self, text: str) -> None:
        self.query_one("#answer", Static).update(one_line(text))


class WatchApp(App[None]):
    """`approve` gives the approval and says so, or raises AutomodeError."""

    ENABLE_COMMAND_PALETTE = False
    CSS = "Input { border: none; height: 1; } #counts { height: 1; color: $text-muted; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        ("slash", "filter", "filter"),
        ("q", "quit", "quit"),
        Binding("escape", "list", show=False),
        Binding("ctrl+c", "quit", show=False, priority=True),
    ]

    def __init__(self, newcomers: Newcomers, approve: Callable[[Record], str]) -> None:
        super().__init__()
        self.newcomers, self.approve = newcomers, approve
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
            self.counts.update(str(self.tally))
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

    def action_list(self) -> None:
        self.table.focus()

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        for one in self.records:
            if one.id == event.row_key.value:
                self.push_screen(Details(one, self.approve))
                return
