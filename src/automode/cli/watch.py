"""`automode watch`: decisions as they are made, with counters and cost."""

import json
import os
import sys
import time
from contextlib import closing, suppress

import click

from automode.cli.printing import say
from automode.cli.surroundings import Surroundings, settings_options, wants_colour
from automode.cli.watch_feed import Event, Feed, Heard, Made
from automode.cli.watch_screen import Screen, Waker, screen
from automode.cli.watch_view import View, plain_line
from automode.daemon.client import Status
from automode.store.encoding import record_fields

_QUITS = "qQ"


@click.command(short_help="Show decisions as they are made.")
@click.option("--json", "as_json", is_flag=True, help="Print each decision as a line of JSON.")
@settings_options
@click.pass_obj
def watch(surroundings: Surroundings, *, as_json: bool) -> None:
    """Show decisions as they are made, with counters and cost, until `q` or ctrl-C.

    Where standard output is no terminal each decision is a line of text. It waits for a daemon
    that is not there yet, and goes on when another one takes over.
    """
    folder, store = surroundings.known_state(), surroundings.store()
    with closing(Waker()) as waker:
        feed = Feed(folder, store, waker)
        feed.start()
        try:
            if as_json or not _at_a_terminal():
                _print(feed, as_json=as_json)
            else:
                _draw(feed, waker)
        except KeyboardInterrupt:
            pass  # the way to end it where no keys are read
        finally:
            feed.stop()


def _at_a_terminal() -> bool:
    """One that a screen can be drawn on."""
    dumb = os.environ.get("TERM", "") in ("", "dumb")
    return sys.stdout is not None and sys.stdout.isatty() and not dumb


def _print(feed: Feed, *, as_json: bool) -> None:
    """Decisions from now on; whoever reads them wants each at once."""
    while True:
        match feed.wait():
            case Made(record, earlier=False):
                say(json.dumps(record_fields(record)) if as_json else plain_line(record))
                sys.stdout.flush()
            case Heard(daemon, why):
                click.echo(f"note: {said(daemon, why)}", err=True)
            case _:
                pass


def _draw(feed: Feed, waker: Waker) -> None:
    view = View(since=time.time())
    with suppress(KeyboardInterrupt), screen(waker) as terminal:
        while not _quit(terminal, view, feed):
            pass
    say(f"{view.tally}")


def _quit(terminal: Screen, view: View, feed: Feed) -> bool:
    for event in feed.events():
        _take(view, event)
    lines = view.lines(*terminal.size)
    terminal.show(lines if wants_colour() is None else [click.unstyle(line) for line in lines])
    return any(key in _QUITS for key in terminal.pressed())


def _take(view: View, event: Event) -> None:
    match event:
        case Made(record, earlier):
            view.take(record, counted=not earlier)
        case Heard(daemon, why):
            view.daemon = said(daemon, why)


def said(daemon: Status | None, why: str) -> str:
    return (
        f"{why}; waiting for one"
        if daemon is None
        else f"daemon {daemon.version}, pid {daemon.pid}"
    )
