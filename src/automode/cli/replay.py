"""`automode replay`: real calls of the past decided again, and what would have changed."""

import os
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import chain, islice

import click

from automode.assemble import chosen_model, load_settings
from automode.cli.moments import moment
from automode.cli.printing import one_line, say_json
from automode.cli.replay_report import Past, replay_data, show_replay
from automode.cli.surroundings import Surroundings, settings_options
from automode.config.places import Places
from automode.config.settings import Settings
from automode.core.errors import AutomodeError, BadSettings
from automode.evaluation.replaying import Replayed, ReplayPlan
from automode.evaluation.replaying import replay as replayed
from automode.evaluation.transcripts.audit import AuditTrail
from automode.evaluation.transcripts.finding import (
    FORMATS,
    SessionFile,
    SessionFiles,
    files_of,
    named_files,
)
from automode.facts.place import home_folder
from automode.llm.endpoints import Missing
from automode.llm.model import Model
from automode.llm.wire import Wire
from automode.store.changes import RecordQuery
from automode.store.open import reading
from automode.store.tables import records

AUDIT = "audit"
USUAL_CAP = 1.0
MOST_JOBS = 64
TELL_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the options ask for."""

    places: tuple[str, ...]
    config: str | None
    policy: str | None
    model: str | None
    classifier: bool
    since: float | None
    limit: int | None
    jobs: int
    cost_cap: float | None


@click.command()
@click.argument("files", nargs=-1, type=click.Path(), metavar="[FILE]...")
@click.option(
    "--from",
    "places",
    multiple=True,
    metavar="WHERE",
    help="claude-code, pi, codex, audit, a file or a folder. Default: the audit store, or all"
    " agents' own files when it is empty.",
)
@click.option(
    "--config",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="Decide under this settings file instead of your own.",
)
@click.option(
    "--policy",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="Decide under your own settings and this file on top.",
)
@click.option("--model", metavar="ID", help="The classifier's model, as `provider/model`.")
@click.option("--no-classifier", is_flag=True, help="Only what needs no model. Costs nothing.")
@click.option("--since", metavar="TIME", help="Not older than `2h`, `3d` or a date.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="The newest N calls.")
@click.option("--jobs", type=click.IntRange(1, MOST_JOBS), metavar="N", help="N processes.")
@click.option(
    "--cost-cap",
    type=click.FloatRange(0, min_open=True),
    metavar="USD",
    help=f"Ask the model no more when so much is spent; default: {USUAL_CAP:.2f}.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@settings_options
@click.pass_obj
def replay(
    surroundings: Surroundings,
    files: tuple[str, ...],
    places: tuple[str, ...],
    config: str | None,
    policy: str | None,
    model: str | None,
    since: str | None,
    limit: int | None,
    jobs: int | None,
    cost_cap: float | None,
    *,
    no_classifier: bool,
    as_json: bool,
) -> None:
    """Decide calls of the past again, under these settings, and show what would have changed.

    \b
      automode replay --no-classifier --limit 3000
      automode replay --from claude-code --policy stricter.json --since 30d
      automode replay session.jsonl --model anthropic/claude-haiku-4-5

    Nothing is run, and nothing is recorded. Session files are read from where the agents keep them.
    """
    if model is not None and no_classifier:
        raise AutomodeError("--model is for the classifier", "leave out --no-classifier")
    start = None if since is None else moment(since, time.time())
    wishes = Wishes(
        (*places, *files),
        config,
        policy,
        model,
        not no_classifier,
        start,
        limit,
        jobs or os.cpu_count() or 1,
        cost_cap,
    )
    settings = _settings(surroundings, wishes)
    with ExitStack() as stack:
        past = _past(surroundings, wishes, settings, stack)
        found = _replay(surroundings, wishes, settings, past)
    if as_json:
        say_json(replay_data(found, past))
    else:
        show_replay(found, past)


def _settings(surroundings: Surroundings, wishes: Wishes) -> Settings:
    """A person's own: no project's, since calls come from many."""
    settings = load_settings(_places(surroundings.places(None), wishes)).settings
    if settings.closing:
        raise BadSettings(
            f"with these settings every call is asked about: {settings.closing[0]}",
            "mend the file that it names, or leave your settings out with --isolated",
        )
    return replace(settings, classifier_model=wishes.model or settings.classifier_model)


def _places(usual: Places, wishes: Wishes) -> Places:
    own = usual.user if wishes.config is None else (os.path.abspath(wishes.config),)
    more = () if wishes.policy is None else (os.path.abspath(wishes.policy),)
    return replace(usual, user=(*own, *more))


def _past(surroundings: Surroundings, wishes: Wishes, settings: Settings, stack: ExitStack) -> Past:
    names = wishes.places or _usual(surroundings)
    found: list[SessionFile] = []
    for name in names:
        if name in FORMATS:
            found += files_of(FORMATS[name], home_folder(), os.environ)
        elif name != AUDIT:
            found += named_files(name)
    past = Past(iter(()), names)
    if found:
        past.files = SessionFiles(found)
        past.calls = past.files.calls(wishes.since, wishes.limit)
    if AUDIT in names:
        # What was said before matters to a model, and to a rule that allows.
        words = wishes.classifier or bool(settings.permissions.allow)
        db = stack.enter_context(reading(surroundings.known_state(), surroundings.store()))
        past.audit = AuditTrail(db, words)
        past.calls = chain(past.calls, islice(past.audit.calls(wishes.since), wishes.limit))
    return past


def _usual(surroundings: Surroundings) -> tuple[str, ...]:
    state = surroundings.state()
    if state is not None:
        with reading(state, surroundings.store()) as db:
            if records(db, RecordQuery(limit=1)):
                return (AUDIT,)
    return tuple(FORMATS)


def _replay(surroundings: Surroundings, wishes: Wishes, settings: Settings, past: Past) -> Replayed:
    wire = Wire(trust_environment=settings.trust_environment, keep_alive=True)
    model = _model(surroundings, wishes, settings, wire) if wishes.classifier else None
    telling = _Telling()
    plan = ReplayPlan(
        settings,
        surroundings.own_folders(),
        wishes.jobs,
        model,
        wishes.cost_cap or USUAL_CAP,
        wire.close,
        tell=telling.tell,
    )
    try:
        return replayed(past.calls, plan)
    finally:
        telling.end()


def _model(
    surroundings: Surroundings, wishes: Wishes, settings: Settings, wire: Wire
) -> Model | None:
    environment = {} if surroundings.isolated else dict(os.environ)
    model = chosen_model(settings, environment, wire=wire)
    if not isinstance(model, Missing):
        return model
    if wishes.model is not None:
        raise AutomodeError(
            f"no model for the classifier: {model.reason}",
            "name another with --model, or replay without one: --no-classifier",
        )
    note = f"{model.reason}: what only the classifier can decide stays open"
    click.echo(f"note: {one_line(note, 300)}", err=True)
    return None


@dataclass(slots=True)
class _Telling:
    """How far it is, for a person who waits."""

    shown: float = field(default_factory=time.monotonic)
    written: bool = False

    def tell(self, calls: int, distinct: int) -> None:
        now = time.monotonic()
        if now - self.shown >= TELL_SECONDS and sys.stderr.isatty():
            self.shown, self.written = now, True
            click.echo(f"\r\x1b[K{calls:,} calls, {distinct:,} distinct", err=True, nl=False)

    def end(self) -> None:
        if self.written:
            click.echo("\r\x1b[K", err=True, nl=False)
