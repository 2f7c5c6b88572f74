"""`automode watch`: decisions as they are made, with counters and cost."""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from importlib.util import find_spec

import click

from automode.cli.daemon import person_request
from automode.cli.options import Surroundings, json_option, settings_options
from automode.cli.printing import faint, one_line, say, verdict_text, wants_json, width
from automode.cli.records.answering import answer_waiting, narrowest_rule, waiting_records
from automode.cli.records.denials import approval_lines, give_approval
from automode.cli.records.tally import LOOK_SECONDS, Tally
from automode.cli.tables import drawable
from automode.core.decision import Verdict
from automode.core.errors import BadCall
from automode.core.record import Record
from automode.store.changes import record_fields
from automode.store.newcomers import Newcomers

_CLEAR_LINE = "\r\x1b[K"


@click.command()
@click.option("--plain", is_flag=True, help="Print lines, also where a list could be drawn.")
@json_option
@settings_options
@click.pass_obj
def watch(surroundings: Surroundings, *, plain: bool) -> None:
    """Show decisions as they are made, with counters and cost, until ctrl-C.

    With the extra `automode[watch]` a terminal shows a list: scroll, filter with `/`, open a
    decision with enter, and answer it there: an ask that waits, or a call that was stopped. Else
    the last decisions come first, and the counters stand in the last line.
    """
    live = drawable(sys.stdout) and not wants_json()
    newcomers = Newcomers(surroundings.known_state(), surroundings.store())
    if live and not plain and find_spec("textual") is not None and drawable(sys.stdin):
        from automode.cli.records.watch_app import WatchApp

        WatchApp(newcomers, Desk(surroundings)).run()
        return
    if live and not plain:
        say(faint("with the extra `watch` you can scroll, filter, open and approve decisions here"))
    _print_lines(newcomers, live=live)


@dataclass(frozen=True, slots=True)
class Desk:
    """A person's answers, each with the check that a person asks. All raise AutomodeError."""

    surroundings: Surroundings

    def waiting(self) -> list[str]:
        """The records of the asks that wait."""
        return waiting_records(self.surroundings)

    def answer(self, record: Record, kind: str, words: str = "") -> str:
        """`words`: the reason of a no, the rule of an always. Says what came of it."""
        if record.id in self.waiting():
            said = {"reason": words} if kind == "deny" else {"rule": words}
            return answer_waiting(self.surroundings, record.id, kind, **said)
        if kind == "deny":
            raise BadCall("this call does not wait for an answer", "nothing has to be declined")
        if kind == "always":
            asked = {"record": record.id, "rule": words}
            return f"saved in {person_request(self.surroundings, 'approve', asked).get('saved')}"
        given = give_approval(self.surroundings, record, session=kind == "session")
        return " ".join(approval_lines(record, given))

    def rule(self, record: Record) -> str:
        """The narrowest that covers the call."""
        return narrowest_rule(self.surroundings, record.id)


def _print_lines(newcomers: Newcomers, *, live: bool) -> None:
    tally = Tally()
    with suppress(KeyboardInterrupt):
        earlier = newcomers.look()
        _show(earlier if live else [], tally, live=live)
        while True:
            time.sleep(LOOK_SECONDS)
            found = newcomers.look()
            for one in found:
                tally.add(one)
            if found:
                _show(found, tally, live=live)
    if live:
        say(f"{_CLEAR_LINE}{tally}")


def _show(found: list[Record], tally: Tally, *, live: bool) -> None:
    if live:
        click.echo(_CLEAR_LINE, nl=False)
    for record in found:
        text = json.dumps(record_fields(record)) if wants_json() else plain_line(record)
        say("\n".join(terminal_lines(record)) if live else text)
    if live:
        click.echo(faint(one_line(str(tally), width() - 1)), nl=False)
    sys.stdout.flush()  # whoever reads them wants each at once


def terminal_lines(record: Record) -> Iterator[str]:
    """One line; a second one with the reason for whatever was not simply allowed."""
    start = f"{datetime.fromtimestamp(record.at).astimezone():%H:%M:%S}  "
    verdict = verdict_text(record.verdict.word, width=5)
    name = f"{record.session.host}/{record.session.id[:8]}"
    action = f"  {name}  {record.tool}  {record.action}"
    yield start + verdict + one_line(action, width() - len(start) - 5)
    if record.verdict is not Verdict.ALLOW:
        why = one_line(f"{record.id}  {record.source}: {record.reason}", width() - len(start))
        yield faint(" " * len(start) + why)


def plain_line(record: Record) -> str:
    """For a file or a pipe: everything on one line, nothing cut but the action."""
    when = datetime.fromtimestamp(record.at).astimezone().isoformat(timespec="seconds")
    what = f"{record.session} {record.tool}: {one_line(record.action, 200)}"
    why = f"({record.source}: {record.reason}) {record.id}"
    return one_line(f"{when} {record.verdict.word:5} {what} {why}")
