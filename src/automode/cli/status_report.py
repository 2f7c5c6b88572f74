"""What `automode status` says: mode, settings, daemon, sessions, the classifier and its model."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version

from automode.assemble import embedded_judge
from automode.classifier.chosen import chosen_stages
from automode.classifier.stages import Stage
from automode.cli.calls.deciding import model_for
from automode.cli.config import SettingInForce, values_in_force
from automode.cli.daemon import DaemonState, daemon_data, daemon_rows, daemon_state
from automode.cli.model import FIRST_LOOK_KEY, KEY
from automode.cli.options import Surroundings, workspace_at
from automode.cli.printing import (
    attributes,
    columns,
    diagnostic_data,
    duration,
    faint,
    heading,
    one_line,
    say,
    say_json,
    say_row,
    show_diagnostics,
    wrap_lines,
)
from automode.cli.records.usage import bill_for, money, total_data, usage_data
from automode.cli.sessions import KnownSession, find_session, known_sessions
from automode.config.entries import rule_origin
from automode.config.load import Loaded
from automode.config.settings import Rule as Entry
from automode.core.errors import AutomodeError
from automode.core.session import Mode
from automode.daemon.placement import Placement
from automode.facts.reader import by_shfmt, by_tree_sitter
from automode.guards.floor.layer import GUARDS
from automode.judge.embedded import BadModel
from automode.llm.bill import Bill
from automode.llm.endpoints import Missing
from automode.policy.defaults import default_rules
from automode.programs.table import programs
from automode.rules.pattern import Rule
from automode.rules.set_aside import notice
from automode.shell.syntax import Unread
from automode.store.database import StoreError

_PROBE = b"true"
_PROBE_SECONDS = 2.0


def parsers() -> dict[str, bool]:
    return {"tree-sitter": _tree_sitter(), "shfmt": _shfmt()}


def _tree_sitter() -> bool:
    try:
        return not isinstance(by_tree_sitter(_PROBE), Unread)
    except ImportError:
        return False


def _shfmt() -> bool:
    return not isinstance(by_shfmt(_PROBE, time.monotonic() + _PROBE_SECONDS), Unread)


EMBEDDED = "the embedded judge"


@dataclass(frozen=True, slots=True)
class ClassifierState:
    """`problem` is why no call can be judged, empty when it can. No key is in here."""

    model: SettingInForce
    stages: tuple[Stage, ...]
    problem: str
    bill: Bill | None  # None where the store is left out, or cannot be read
    trouble: str = ""  # why the store cannot be read


def classifier_state(surroundings: Surroundings, loaded: Loaded) -> ClassifierState:
    """Asks no model: `automode model --test` does."""
    settings = loaded.settings
    found = model_for(surroundings, settings)
    stages = chosen_stages(settings, found)
    judge = embedded_judge(settings)
    problem = ""
    if isinstance(found, Missing) and stages != (Stage.LOCAL,):
        problem = found.reason
    elif isinstance(judge, BadModel) and stages == (Stage.LOCAL,):
        problem = str(judge)
    bill, trouble = None, ""
    if surroundings.state() is not None:
        try:
            bill = bill_for(surroundings)
        except StoreError as error:
            trouble = str(error)
    alone = settings.fast_model is not None and settings.classifier_model is None
    model = values_in_force(loaded)[FIRST_LOOK_KEY if alone else KEY]
    return ClassifierState(model, stages, problem, bill, trouble)


def state_data(state: ClassifierState) -> dict[str, object]:
    found = attributes(state.model, "source file line") | attributes(state, "problem? stages")
    used = None if state.bill is None else _total_used(state.bill)
    return found | {"model": state.model.value, "ready": not state.problem, "usage": used}


def state_rows(state: ClassifierState) -> list[tuple[str, str]]:
    rows = [
        ("classifier", _model_text(state)),
        ("stages", ", ".join(stage.value for stage in state.stages)),
    ]
    if state.trouble:
        rows.append(("used", f"not known: {state.trouble}"))
    return rows if state.bill is None else [*rows, ("used", _used_text(state.bill))]


def _model_text(state: ClassifierState) -> str:
    if state.model.value is None:
        return f"none: {state.problem}" if state.problem else f"{EMBEDDED}; no model is chosen"
    ready = f"cannot be asked: {state.problem}" if state.problem else "ready"
    return f"{state.model.value} ({state.model.place}); {ready}"


def _total_used(bill: Bill) -> object:
    """As `automode usage` adds it up."""
    return usage_data(bill, bill.sessions())["total"]


def _used_text(bill: Bill) -> str:
    total = bill.total(bill.sessions())
    if not total.requests:
        return "nothing yet"
    tokens = f"{total.usage.prompt:,} prompt tokens, {total.usage.output:,} output tokens"
    requests = "1 request" if total.requests == 1 else f"{total.requests:,} requests"
    return f"{requests}, {tokens}, cost {money(total)}; see `automode usage`"


@dataclass(frozen=True, slots=True)
class Running:
    """`daemon` None: `--isolated` leaves it out. `trouble` is why sessions cannot be listed."""

    daemon: DaemonState | None
    sessions: Sequence[KnownSession] = ()
    trouble: str = ""


def show_status(surroundings: Surroundings, cwd: str | None, *, as_json: bool) -> None:
    workspace = workspace_at(cwd)
    loaded = surroundings.load(workspace.root)
    state = classifier_state(surroundings, loaded)
    running = what_runs(surroundings)
    data = status_data(loaded, workspace.root, state) | running_data(running)
    if as_json:
        say_json(data)
    else:
        _show(loaded, data, state, running)


def show_one_session(surroundings: Surroundings, wanted: str, *, as_json: bool) -> None:
    known = {one.name: one for one in known_sessions(surroundings)}
    missing = f"no session `{wanted}` is known"
    found = known[find_session(known, wanted, missing, "`automode status` lists the sessions")]
    bill = bill_for(surroundings)
    used = total_data(bill.spent(found.name))
    if as_json:
        say_json({**found.fields, "usage": used})
    else:
        show_session(found, used)


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


def running_data(running: Running) -> dict[str, object]:
    return {
        "daemon": None if running.daemon is None else daemon_data(running.daemon),
        "sessions": [dict(one.fields) for one in running.sessions],
        "trouble": running.trouble or None,
    }


def status_data(loaded: Loaded, project: str, state: ClassifierState) -> dict[str, object]:
    settings = loaded.settings
    return {
        "version": version("automode"),
        "enabled": settings.enabled,
        "mode": (settings.mode if settings.enabled else Mode.OFF).value,
        "project": project,
        "sources": [attributes(text, "source file state") for text in loaded.sources],
        "closing": [str(fault) for fault in settings.closing],
        "diagnostics": [diagnostic_data(finding) for finding in loaded.diagnostics],
        "set_aside": set_aside(settings.permissions.allow),
        "counts": counts(),
        "parsers": parsers(),
        "classifier": state_data(state),
    }


def counts() -> dict[str, int]:
    return {
        "guards": len(GUARDS),
        "programs": len(programs()),
        "policy_rules": sum(len(rules) for rules in default_rules().values()),
    }


def set_aside(allow: tuple[Entry, ...]) -> list[str]:
    """One sentence for each allow rule that amounts to "run any code"."""
    notices = (notice(Rule(entry.text, rule_origin(entry))) for entry in allow)
    return [sentence for sentence in notices if sentence is not None]


def _show(
    loaded: Loaded, data: dict[str, object], state: ClassifierState, running: Running
) -> None:
    found = counts()
    working = ", ".join(
        name if there else f"{name} (missing: nothing can be proved safe)"
        for name, there in parsers().items()
    )
    heading(f"automode {data['version']}")
    columns(
        [
            ("mode", _mode(loaded)),
            ("project", str(data["project"])),
            ("layers", f"{found['guards']} guards, {found['programs']} known programs"),
            ("policy", f"{found['policy_rules']} built-in rules for the classifier"),
            ("parsers", working),
            *state_rows(state),
            *_running_rows(running),
        ]
    )
    if running.sessions:
        say()
        heading("Sessions")
        show_table(running.sessions)
    say()
    heading("Settings")
    columns([(text.state.value, text.source.value, text.file) for text in loaded.sources])
    if not loaded.sources:
        say("  every file and variable is ignored: built-in defaults only")
    _show_trouble(loaded)


def _running_rows(running: Running) -> list[tuple[str, str]]:
    rows = [] if running.daemon is None else daemon_rows(running.daemon)
    return [*rows, ("trouble", running.trouble)] if running.trouble else rows


def _mode(loaded: Loaded) -> str:
    settings = loaded.settings
    if not settings.enabled:
        return "off: only managed deny rules apply"
    if settings.closing:
        return f"{settings.mode.value}, closed: nothing is allowed without a person"
    if settings.mode is Mode.SHADOW:
        return "shadow: decides, but applies nothing"
    return settings.mode.value


def _show_trouble(loaded: Loaded) -> None:
    if loaded.diagnostics:
        say()
        heading("Findings")
        show_diagnostics(loaded.diagnostics)
    aside = set_aside(loaded.settings.permissions.allow)
    if aside:
        say()
        heading("Allow rules set aside")
        for sentence in aside:
            for at, line in enumerate(wrap_lines(sentence, 4)):
                say(("  " if at == 0 else "    ") + line)


MOST_SHOWN = 10
LONGEST_ACTION = 200
_LONGEST_NAME = 28


def show_table(known: Sequence[KnownSession]) -> None:
    now = time.time()
    columns(
        [
            (
                one_line(one.name, _LONGEST_NAME),
                session_mode(one),
                f"{one.number('checkedActions'):,} checked",
                f"{one.number('blockedActions'):,} denied",
                f"{duration(now - one.seconds('seen'), 2)} ago",
                one.text("root"),
            )
            for one in known[:MOST_SHOWN]
        ]
    )
    if len(known) > MOST_SHOWN:
        say(faint(f"  and {len(known) - MOST_SHOWN} more; --json lists all"))


def session_mode(one: KnownSession) -> str:
    """`on` and `off` where a person said so; an end or a halt comes first."""
    if one.halted:
        return "halted"
    if one.ended:
        return "ended"
    return one.text("enabledOverride") or one.text("mode")


def show_session(one: KnownSession, used: Mapping[str, object] | None) -> None:
    now = time.time()
    heading(one_line(one.name))
    rows = [
        ("mode", session_mode(one)),
        ("project", one.text("root")),
        ("attended", "yes" if one.fields.get("attended") else "no: every ask becomes a deny"),
        ("seen", f"{duration(now - one.seconds('seen'), 2)} ago"),
        ("checked", f"{one.number('checkedActions'):,}, of these denied {_blocked(one)}"),
        ("classifier", f"allowed {one.number('classifierAllowed'):,}, {_denied(one)}"),
        ("last", _last(one)),
    ]
    if one.text("parent"):
        rows.insert(1, ("parent", one.text("parent")))
    if used is not None:
        cost = f"{used['requests']} requests, cost {used['usd'] or 'unknown'}"
        rows.append(("used", cost if used["requests"] else "no request to a model"))
    for label, text in rows:
        say_row(label, text, indent=2)
    _show_denials(one, now)


def _blocked(one: KnownSession) -> str:
    return f"{one.number('blockedActions'):,} ({one.number('deniedInARow'):,} in a row)"


def _denied(one: KnownSession) -> str:
    return f"denied {one.number('classifierDenied'):,}"


def _last(one: KnownSession) -> str:
    if not one.text("lastDecision"):
        return "nothing decided yet"
    return f"{one.text('lastDecision')} by {one.text('lastSource')}: {one.text('lastReason')}"


def _show_denials(one: KnownSession, now: float) -> None:
    match one.fields.get("recentDenials"):
        case [_, *_] as found:
            denials = [KnownSession(each) for each in found if isinstance(each, Mapping)]
        case _:
            return
    say()
    heading("Recent denials")
    for denial in reversed(denials):
        when = duration(now - denial.seconds("timestamp"), 2)
        say(f"  {when} ago  {one_line(denial.text('tool'))}  {faint(denial.text('record'))}")
        say_row("action", one_line(denial.text("action"), LONGEST_ACTION), indent=4)
        say_row("reason", f"{denial.text('kind')}: {denial.text('reason')}", indent=4)
