"""What `automode status` says: mode, settings, daemon, sessions, the classifier and its model."""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version

from automode.agents.catalog import INSTALLED
from automode.assemble import chosen_model
from automode.classifier.chosen import chosen_stages
from automode.classifier.stages import Stage
from automode.cli.calls.deciding import model_for
from automode.cli.daemon import daemon_data, daemon_rows
from automode.cli.doctor import case_for
from automode.cli.model import FIRST_LOOK_KEY
from automode.cli.options import Surroundings, workspace_at
from automode.cli.printing import (
    attributes,
    count_text,
    diagnostic_data,
    duration,
    faint,
    heading,
    one_line,
    paragraph,
    say,
    say_more,
    say_row,
    say_rows,
    section,
    show_diagnostics,
    tell,
)
from automode.cli.records.usage import bill_for, money, total_data, usage_data
from automode.cli.sessions import KnownSession, known_sessions
from automode.cli.tables import show_table
from automode.config.load import Loaded, set_aside
from automode.config.merge import Given
from automode.config.model_choice import KEY
from automode.config.places import VARIABLES
from automode.core.errors import AutomodeError
from automode.core.record import session_meant
from automode.core.session import Mode
from automode.daemon.client import daemon_problem
from automode.daemon.placement import Placement
from automode.doctor.daemon_state import DaemonState, daemon_state
from automode.doctor.examine import Gated, gated_agents
from automode.doctor.machine import judge_problem, parsers
from automode.llm.endpoints import Missing
from automode.llm.ledger import Bill, Total
from automode.store.database import StoreError
from automode.store.open import reading
from automode.store.tables import counts_since

EMBEDDED = "the embedded judge"
MOST_COUNTED = 20_000  # decisions of a day


@dataclass(frozen=True, slots=True)
class ClassifierState:
    """`problem` is why no call can be judged, empty when it can. No key is in here."""

    model: Given
    stages: tuple[Stage, ...]
    problem: str
    bill: Bill | None  # None where the store is left out, or cannot be read
    trouble: str = ""  # why the store cannot be read
    lent: bool = False  # no daemon runs, and the key is this terminal's


def classifier_state(surroundings: Surroundings, loaded: Loaded, root: str) -> ClassifierState:
    """Asks no model: `automode model --test` does."""
    settings, state = loaded.settings, surroundings.state()
    found = model_for(surroundings, settings)
    stages = chosen_stages(settings, found)
    told = None if state is None else daemon_problem(state, root)
    problem = judge_problem(settings, found, told)
    stored = chosen_model(settings, {}, keyring=surroundings.keys())
    lent = told is None and isinstance(stored, Missing) and not isinstance(found, Missing)
    bill, trouble = None, ""
    if surroundings.state() is not None:
        try:
            bill = bill_for(surroundings)
        except StoreError as error:
            trouble = str(error)
    alone = settings.fast_model is not None and settings.classifier_model is None
    model = loaded.values[FIRST_LOOK_KEY if alone else KEY]
    return ClassifierState(model, stages, problem, bill, trouble, lent=lent)


def _classifier_data(state: ClassifierState) -> dict[str, object]:
    found = attributes(state.model, "source file line") | attributes(state, "problem? stages")
    bill = state.bill
    used = None if bill is None else usage_data(bill, bill.sessions())["total"]
    return found | {"model": state.model.value, "ready": not state.problem, "usage": used}


def _classifier_rows(state: ClassifierState) -> list[tuple[str, str]]:
    problem = state.problem
    if state.model.value is None:
        text = f"none: {problem}" if problem else f"{EMBEDDED}; no model is chosen"
    else:
        here = " with this terminal's key; agents that you start elsewhere have none"
        ready = f"cannot be asked: {problem}" if problem else f"ready{here if state.lent else ''}"
        text = f"{state.model.value} ({state.model.place}); {ready}"
    rows = [("classifier", text), ("stages", ", ".join(stage.value for stage in state.stages))]
    if state.trouble:
        rows.append(("used", f"not known: {state.trouble}"))
    if state.bill is not None:
        rows.append(("used", _used_text(state.bill.total(state.bill.sessions()))))
    return rows


def _used_text(total: Total) -> str:
    if not total.requests:
        return "nothing yet"
    tokens = f"{total.usage.prompt:,} prompt tokens, {total.usage.output:,} output tokens"
    requests = count_text(total.requests, "request")
    return f"{requests}, {tokens}, cost {money(total)}; see `automode usage`"


@dataclass(frozen=True, slots=True)
class Running:
    """`daemon` None: `--isolated` leaves it out. `trouble` is why sessions cannot be listed."""

    daemon: DaemonState | None
    sessions: Sequence[KnownSession] = ()
    trouble: str = ""


def show_status(surroundings: Surroundings, session: str | None, cwd: str | None) -> None:
    if session is not None:
        show_one_session(surroundings, session)
        return
    workspace = workspace_at(cwd)
    loaded = surroundings.load(workspace.root, daemon=True)
    state = classifier_state(surroundings, loaded, workspace.root)
    running = what_runs(surroundings)
    gated = None if surroundings.isolated else gated_agents(case_for(surroundings, cwd))
    sentence = summary(loaded, state, gated, _today(surroundings))
    shown = (loaded, workspace.root, state, running, gated, sentence)
    tell(lambda: _status_data(*shown), lambda: _show(*shown))


def _today(surroundings: Surroundings) -> Mapping[str, int] | None:
    """The decisions since midnight by verdict; None where the store is left out, or cannot be
    read."""
    folder = surroundings.state()
    midnight = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    try:
        if folder is not None:
            with reading(folder, surroundings.store()) as db:
                return counts_since(db, midnight.timestamp(), newest=MOST_COUNTED)
    except StoreError:
        pass  # told with the rows below
    return None


def summary(
    loaded: Loaded,
    state: ClassifierState,
    gated: Mapping[str, Gated] | None,
    today: Mapping[str, int] | None,
) -> str:
    """What a person wants to know first, in one sentence."""
    parts = [_who_is_gated(gated), _who_decides(loaded, state)]
    if today is not None:
        made, denied = sum(today.values()), today.get("deny", 0) + today.get("halt", 0)
        least = "at least " if made >= MOST_COUNTED else ""
        parts.append(f"{least}{count_text(made, 'decision')} today, {denied:,} denied")
    return f"{'; '.join(parts)}."


def _who_is_gated(gated: Mapping[str, Gated] | None) -> str:
    if gated is None:
        return "Settings and agents are left out"
    sound = [name for name, one in gated.items() if one.sound]
    broken = [name for name, one in gated.items() if not one.sound]
    told = f"{_titles(sound)} gated" if sound else "No agent is gated"
    return f"{told}, {_titles(broken)} not (see `automode doctor`)" if broken else told


def _titles(agents: Sequence[str]) -> str:
    *most, last = [INSTALLED[name].title for name in agents]
    return f"{', '.join(most)} and {last} are" if most else f"{last} is"


def _who_decides(loaded: Loaded, state: ClassifierState) -> str:
    settings = loaded.settings
    if not settings.enabled:
        return "auto mode is off"
    if settings.closing:
        return "a fault in the settings keeps every call from being allowed"
    model = state.model.value
    if state.problem:
        said = "no judge can be asked" if model is None else f"{model} cannot be asked"
    else:
        said = f"{EMBEDDED if model is None else model} decides"
    return f"{said} in shadow mode" if settings.mode is Mode.SHADOW else said


def what_runs(surroundings: Surroundings) -> Running:
    """Whatever is wrong with the store or the daemon is part of the answer, not the end of it."""
    folder = surroundings.state()
    if folder is None:
        return Running(None)
    daemon = DaemonState(folder)
    try:
        placement = Placement(folder, surroundings.config_folder)
        daemon = daemon_state(placement, compared=not surroundings.isolated)
        return Running(daemon, known_sessions(surroundings))
    except AutomodeError as error:
        return Running(daemon, trouble=str(error))


def _status_data(
    loaded: Loaded,
    project: str,
    state: ClassifierState,
    running: Running,
    gated: Mapping[str, Gated] | None,
    sentence: str,
) -> dict[str, object]:
    settings = loaded.settings
    return {
        "summary": sentence,
        "version": version("automode"),
        "enabled": settings.enabled,
        "mode": (settings.mode if settings.enabled else Mode.OFF).value,
        "project": project,
        "agents": gated and {name: one.where for name, one in gated.items()},
        "sources": [attributes(text, "source file state") for text in loaded.sources],
        "closing": [str(fault) for fault in settings.closing],
        "diagnostics": [diagnostic_data(finding) for finding in loaded.diagnostics],
        "set_aside": set_aside(settings.permissions.allow),
        "parsers": parsers(),
        "classifier": _classifier_data(state),
        "daemon": None if running.daemon is None else daemon_data(running.daemon),
        "sessions": [dict(one.fields) for one in running.sessions],
        "trouble": running.trouble or None,
    }


def _show(
    loaded: Loaded,
    project: str,
    state: ClassifierState,
    running: Running,
    gated: Mapping[str, Gated] | None,
    sentence: str,
) -> None:
    working = ", ".join(
        name if there else f"{name} (missing: nothing can be proved safe)"
        for name, there in parsers().items()
    )
    paragraph(sentence)
    section(f"automode {version('automode')}")
    rows = [
        *([] if gated is None else [("agents", _gated_text(gated))]),
        ("mode", _mode(loaded)),
        ("project", project),
        ("parsers", working),
        *_classifier_rows(state),
        *([] if running.daemon is None else daemon_rows(running.daemon)),
    ]
    here = [name for name in VARIABLES if os.environ.get(name)] if loaded.sources else []
    rows += [("here", f"{name} counts for agents that you start here alone") for name in here]
    say_rows([*rows, ("trouble", running.trouble)], indent=2)
    if running.sessions:
        section("Sessions")
        show_sessions(running.sessions)
    section("Settings, as the daemon reads them" if loaded.sources else "Settings")
    files = [(text.state.value, text.source.value, text.file) for text in loaded.sources]
    if files:
        show_table(files, ("state", "source", "file"))
    else:
        say("  every file and variable is ignored: built-in defaults only")
    if loaded.diagnostics:
        section("Findings")
        show_diagnostics(loaded.diagnostics)
    aside = set_aside(loaded.settings.permissions.allow)
    if aside:
        section("Allow rules set aside")
        for sentence in aside:
            paragraph(sentence, "  ")


def _gated_text(gated: Mapping[str, Gated]) -> str:
    none = "none asks automode; `automode install AGENT` puts it in front of one"
    return ", ".join(f"{agent} ({one.where})" for agent, one in gated.items()) or none


def _mode(loaded: Loaded) -> str:
    settings = loaded.settings
    if not settings.enabled:
        return "off: only managed deny rules apply"
    if settings.closing:
        return f"{settings.mode.value}, closed: nothing is allowed without a person"
    if settings.mode is Mode.SHADOW:
        return "shadow: decides, but applies nothing"
    return settings.mode.value


MOST_SHOWN = 10
LONGEST_ACTION = 200
_LONGEST_NAME = 28


def show_sessions(known: Sequence[KnownSession]) -> None:
    rows = [
        (
            one_line(one.name, _LONGEST_NAME),
            _session_mode(one),
            f"{one.number('checkedActions'):,}",
            f"{one.number('blockedActions'):,}",
            _ago(one.seconds("seen")),
            one.text("root"),
        )
        for one in known[:MOST_SHOWN]
    ]
    show_table(rows, ("session", "mode", "checked", "denied", "seen", "project"))
    say_more(len(known), MOST_SHOWN)


def _ago(at: float) -> str:
    return f"{duration(time.time() - at, 2)} ago"


def _session_mode(one: KnownSession) -> str:
    """`on` and `off` where a person said so; an end or a halt comes first."""
    if one.halted:
        return "halted"
    return "ended" if one.ended else one.text("enabledOverride") or one.text("mode")


def show_one_session(surroundings: Surroundings, wanted: str) -> None:
    known = {one.name: one for one in known_sessions(surroundings)}
    found = known[session_meant(known, wanted, "automode status")]
    used = total_data(bill_for(surroundings).spent(found.name))
    tell({**found.fields, "usage": used}, lambda: _show_session(found, used))


def _stand_ins(one: KnownSession) -> str:
    calls = one.number("standIns")
    if not calls:
        return ""
    still = "which still fails" if one.fields.get("standsIn") else "which answers again"
    return f"; the embedded judge stood in for the model {calls:,} times, {still}"


def _show_session(one: KnownSession, used: Mapping[str, object]) -> None:
    heading(one_line(one.name))
    last = f"{one.text('lastDecision')} by {one.text('lastSource')}: {one.text('lastReason')}"
    cost = f"{used['requests']} requests, cost {used['usd'] or 'unknown'}"
    blocked = f"{one.number('blockedActions'):,} ({one.number('deniedInARow'):,} in a row)"
    judged = [f"{one.number(f'classifier{word}'):,}" for word in ("Allowed", "Denied")]
    rows = [
        ("mode", _session_mode(one)),
        ("parent", one.text("parent")),
        ("project", one.text("root")),
        ("attended", "yes" if one.fields.get("attended") else "no: every ask becomes a deny"),
        ("seen", _ago(one.seconds("seen"))),
        ("checked", f"{one.number('checkedActions'):,}, of these denied {blocked}"),
        ("classifier", f"allowed {judged[0]}, denied {judged[1]}{_stand_ins(one)}"),
        ("last", last if one.text("lastDecision") else "nothing decided yet"),
        ("used", cost if used["requests"] else "no request to a model"),
    ]
    given = one.fields.get("environment")
    if isinstance(given, list) and given:
        rows.append(("variables", "; ".join(one_line(str(text)) for text in given)))
    say_rows(rows, indent=2)
    denials = KnownSession.each_in(one.fields.get("recentDenials"))
    if denials:
        section("Recent denials")
    for denial in reversed(denials):
        tool, record = one_line(denial.text("tool")), faint(denial.text("record"))
        say(f"  {_ago(denial.seconds('timestamp'))}  {tool}  {record}")
        say_row("action", one_line(denial.text("action"), LONGEST_ACTION), indent=4)
        say_row("reason", f"{denial.text('kind')}: {denial.text('reason')}", indent=4)
