"""`automode replay`: real calls of the past decided again, and what would have changed."""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import chain, islice

from automode.cli.eval_run import no_model, own_model, own_settings
from automode.cli.options import ReplayOptions, Surroundings
from automode.cli.printing import (
    attributes,
    faint,
    local,
    moment,
    note,
    one_line,
    say,
    say_more,
    say_rows,
    section,
    tell,
    width,
)
from automode.cli.tables import progress
from automode.config.places import Places
from automode.config.settings import Settings
from automode.core.errors import AutomodeError
from automode.evaluation.recorded_calls import AuditTrail, RecordedCall
from automode.evaluation.replaying import ChangedCall, ReplayPlan, ReplayResult, VerdictChange
from automode.evaluation.replaying import replay as replayed
from automode.evaluation.session_files import (
    FORMATS,
    SessionFile,
    SessionFiles,
    files_of,
    named_files,
)
from automode.facts.place import home_folder
from automode.llm.endpoints import Missing
from automode.llm.hosted import Wire
from automode.llm.model import Model
from automode.store.changes import RecordQuery
from automode.store.open import reading
from automode.store.tables import records

AUDIT = "audit"
USUAL_CAP = 1.0
TELL_SECONDS = 0.2
MOST_SHOWN = 20
_CALL = "at host session id tool cwd then shadow"
_CHANGED = "turn action now source reason"
_TITLES = {
    VerdictChange.STOPPED: "would be stopped",
    VerdictChange.ASKED: "would be asked about",
    VerdictChange.LET_THROUGH: "would be let through",
    VerdictChange.EASED: "would be asked about, and were stopped",
}


@dataclass(slots=True)
class Past:
    """The recorded calls, and what is to be said of where they came from."""

    calls: Iterator[RecordedCall]
    names: tuple[str, ...] = ()
    files: SessionFiles | None = None
    audit: AuditTrail | None = None


def replay_calls(surroundings: Surroundings, options: ReplayOptions) -> None:
    if options.model is not None and options.no_classifier:
        raise AutomodeError("--model is for the classifier", "leave out --no-classifier")
    since = None if options.since is None else moment(options.since, time.time())
    settings = own_settings(_places(surroundings.places(None), options), options.model)
    with ExitStack() as stack:
        past = _past(surroundings, options, since, settings, stack)
        found = _replay(surroundings, options, settings, past)
    tell(lambda: replay_data(found, past), lambda: show_replay(found, past))


def _places(usual: Places, options: ReplayOptions) -> Places:
    own = usual.user if options.config is None else (os.path.abspath(options.config),)
    more = () if options.policy is None else (os.path.abspath(options.policy),)
    return replace(usual, user=(*own, *more))


def _past(
    surroundings: Surroundings,
    options: ReplayOptions,
    since: float | None,
    settings: Settings,
    stack: ExitStack,
) -> Past:
    names = (*options.places, *options.files) or _usual(surroundings)
    found: list[SessionFile] = []
    for name in names:
        if name in FORMATS:
            found += files_of(FORMATS[name], home_folder(), os.environ)
        elif name != AUDIT:
            found += named_files(name)
    past = Past(iter(()), names)
    if found:
        past.files = SessionFiles(found)
        past.calls = past.files.calls(since, options.limit)
    if AUDIT in names:
        # What was said before matters to a model, and to a rule that allows.
        words = not options.no_classifier or bool(settings.permissions.allow)
        db = stack.enter_context(reading(surroundings.known_state(), surroundings.store()))
        past.audit = AuditTrail(db, words)
        past.calls = chain(past.calls, islice(past.audit.calls(since), options.limit))
    return past


def _usual(surroundings: Surroundings) -> tuple[str, ...]:
    state = surroundings.state()
    if state is not None:
        with reading(state, surroundings.store()) as db:
            if records(db, RecordQuery(limit=1)):
                return (AUDIT,)
    return tuple(FORMATS)


def _replay(
    surroundings: Surroundings, options: ReplayOptions, settings: Settings, past: Past
) -> ReplayResult:
    wire = Wire(trust_environment=settings.trust_environment, keep_alive=True)
    model = _model(surroundings, options, settings, wire) if not options.no_classifier else None
    with progress("deciding") as show:
        plan = ReplayPlan(
            settings,
            surroundings.own_folders(),
            options.jobs or os.cpu_count() or 1,
            model,
            options.cost_cap or USUAL_CAP,
            wire.close,
            tell=lambda calls, distinct: show(
                calls, None, f"{calls:,} calls, {distinct:,} distinct"
            ),
        )
        return replayed(past.calls, plan)


def _model(
    surroundings: Surroundings, options: ReplayOptions, settings: Settings, wire: Wire
) -> Model | Missing:
    """Missing: the embedded judge, unless a model is chosen and cannot be had."""
    model = own_model(surroundings, settings, wire)
    if isinstance(model, Missing) and options.model is not None:
        raise no_model(model)
    if isinstance(model, Missing) and settings.chooses_model:
        note(one_line(f"{model.reason}: what only the model can decide stays open", 300))
    return model


def replay_data(found: ReplayResult, past: Past) -> dict[str, object]:
    return {
        "from": list(past.names),
        "files": 0 if past.files is None else len(past.files.files),
        "unread_files": [] if past.files is None else past.files.unread,
        "lost_records": 0 if past.audit is None else past.audit.lost,
        "lost_lines": 0 if past.files is None else past.files.lost.total(),
        "judge": found.judge or None,
        **attributes(found, "calls distinct ran shadow"),
        "then": dict(sorted(found.then.items())),
        "now": dict(sorted(found.now.items())),
        "stopped_of_those_that_ran": found.stopped_of_those_that_ran,
        "turns": {turn.value: found.turns[turn] for turn in VerdictChange},
        "sources": dict(sorted(found.sources.items())),
        "model": {
            "asked": found.asked_model,
            "usd": None if found.usd is None else str(found.usd),
            "stopped": found.model_stopped or None,
        },
        "changed": [
            attributes(one.call, _CALL)
            | {"then_source": one.call.source or None}
            | attributes(one, _CHANGED)
            for one in found.changed
        ],
    }


def show_replay(found: ReplayResult, past: Past) -> None:
    if not found.calls:
        say(f"no call was found in {', '.join(map(one_line, past.names))}")
        return
    say(
        f"would have stopped {found.denied:,} of {found.calls:,} calls"
        f" ({found.stopped_of_those_that_ran:,} of them ran), asked about {found.now['ask']:,}"
    )
    say_rows(_rest(found, past))
    for turn in VerdictChange:
        shown = [one for one in found.changed if one.turn is turn][:MOST_SHOWN]
        if shown:
            _show_turn(turn, shown, found.turns[turn])


def _rest(found: ReplayResult, past: Past) -> Iterator[tuple[str, str]]:
    shadow = f", {found.shadow:,} of them in shadow mode" if found.shadow else ""
    yield "calls", f"{found.distinct:,} distinct, {found.ran:,} ran{shadow}"
    yield "from", ", ".join(past.names)
    yield "judge", found.judge or "none: the classifier was left out"
    if found.open:
        yield "open", f"{found.open:,} that only the classifier can decide"
    if found.asked_model:
        money = "price unknown" if found.usd is None else f"${found.usd:.4f}"
        yield "model", f"asked about {found.asked_model:,} calls, {money}"
    yield "stopped", found.model_stopped
    if past.audit is not None and past.audit.lost:
        yield "lost", f"{past.audit.lost:,} records were purged or cut"
    if past.files is not None and past.files.lost:
        count, files = past.files.lost.total(), len(past.files.lost)
        yield "lost", f"{count:,} lines in {files:,} files could not be read"
    if past.files is not None and past.files.unread:
        yield "unread", f"{len(past.files.unread):,} files in no known session format"


def _show_turn(turn: VerdictChange, shown: Sequence[ChangedCall], total: int) -> None:
    section(f"{total:,} {_TITLES[turn]}")
    for one in shown:
        call = one.call
        when = f"{local(call.at)}  " if call.at else ""
        say(one_line(f"{when}{call.tool}  {one.action}", width()))
        by = f" by {call.source}" if call.source else ""
        then = f"{call.then.value}{by}{' in shadow mode' if call.shadow else ''}"
        told = f"    {then} → {one.now.word} by {one.source}: {one.reason}"
        say(faint(one_line(told, width())))
    say_more(total, len(shown))
