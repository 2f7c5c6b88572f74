"""What `automode replay` found, as people read it and as JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from automode.cli.moments import local
from automode.cli.printing import faint, heading, labelled, one_line, say, width
from automode.evaluation.replaying import Changed, Replayed, Turn
from automode.evaluation.transcripts.audit import AuditTrail
from automode.evaluation.transcripts.finding import SessionFiles
from automode.evaluation.transcripts.recorded import RecordedCall

MOST_SHOWN = 20
_TITLES = {
    Turn.STOPPED: "would be stopped",
    Turn.ASKED: "would be asked about",
    Turn.LET_THROUGH: "would be let through",
    Turn.EASED: "would be asked about, and were stopped",
}


@dataclass(slots=True)
class Past:
    """The recorded calls, and what is to be said of where they came from."""

    calls: Iterator[RecordedCall]
    names: tuple[str, ...] = ()
    files: SessionFiles | None = None
    audit: AuditTrail | None = None


def replay_data(found: Replayed, past: Past) -> dict[str, object]:
    return {
        "from": list(past.names),
        "files": 0 if past.files is None else len(past.files.files),
        "unread_files": [] if past.files is None else past.files.unread,
        "lost_records": 0 if past.audit is None else past.audit.lost,
        "calls": found.calls,
        "distinct": found.distinct,
        "ran": found.ran,
        "shadow": found.shadow,
        "then": dict(sorted(found.then.items())),
        "now": dict(sorted(found.now.items())),
        "stopped_of_those_that_ran": found.stopped_of_those_that_ran,
        "turns": {turn.value: found.turns[turn] for turn in Turn},
        "sources": dict(sorted(found.sources.items())),
        "model": {
            "asked": found.asked_model,
            "usd": None if found.usd is None else str(found.usd),
            "stopped": found.model_stopped or None,
        },
        "changed": [_changed_data(one) for one in found.changed],
    }


def _changed_data(one: Changed) -> dict[str, object]:
    return {
        "turn": one.turn.value,
        "at": one.at,
        "host": one.host,
        "session": one.session,
        "id": one.id,
        "tool": one.tool,
        "action": one.action,
        "cwd": one.cwd,
        "then": one.then.value,
        "then_source": one.then_source or None,
        "shadow": one.shadow,
        "now": one.now.word,
        "source": one.source,
        "reason": one.reason,
    }


def show_replay(found: Replayed, past: Past) -> None:
    if not found.calls:
        say(f"no call was found in {', '.join(map(one_line, past.names))}")
        return
    say(
        f"would have stopped {found.denied:,} of {found.calls:,} calls"
        f" ({found.stopped_of_those_that_ran:,} of them ran), asked about {found.now['ask']:,}"
    )
    _show_rest(found, past)
    for turn in Turn:
        shown = [one for one in found.changed if one.turn is turn][:MOST_SHOWN]
        if shown:
            _show_turn(turn, shown, found.turns[turn])


def _show_rest(found: Replayed, past: Past) -> None:
    labelled("calls", f"{found.distinct:,} distinct, {found.ran:,} ran{_shadow(found)}")
    labelled("from", ", ".join(past.names))
    if found.open:
        labelled("open", f"{found.open:,} that only the classifier can decide")
    if found.asked_model:
        money = "price unknown" if found.usd is None else f"${found.usd:.4f}"
        labelled("model", f"asked about {found.asked_model:,} calls, {money}")
    if found.model_stopped:
        labelled("stopped", found.model_stopped)
    if past.audit is not None and past.audit.lost:
        labelled("lost", f"{past.audit.lost:,} records were purged or cut")
    if past.files is not None and past.files.unread:
        labelled("unread", f"{len(past.files.unread):,} files that no agent wrote")


def _shadow(found: Replayed) -> str:
    return f", {found.shadow:,} of them in shadow mode" if found.shadow else ""


def _show_turn(turn: Turn, shown: Sequence[Changed], total: int) -> None:
    say()
    heading(f"{total:,} {_TITLES[turn]}")
    for one in shown:
        when = f"{local(one.at)}  " if one.at else ""
        say(one_line(f"{when}{one.tool}  {one.action}", width()))
        said = f"    {_then(one)} → {one.now.word} by {one.source}: {one.reason}"
        say(faint(one_line(said, width())))
    if total > len(shown):
        say(faint(f"and {total - len(shown):,} more; --json lists them"))


def _then(one: Changed) -> str:
    by = f" by {one.then_source}" if one.then_source else ""
    return f"{one.then.value}{by}{' in shadow mode' if one.shadow else ''}"
