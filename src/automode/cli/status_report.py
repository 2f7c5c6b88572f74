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
    count_text,
    diagnostic_data,
    duration,
    faint,
    heading,
    one_line,
    say,
    say_json,
    say_more,
    say_row,
    say_rows,
    section,
    show_diagnostics,
)
from automode.cli.records.usage import bill_for, money, total_data, usage_data
from automode.cli.sessions import KnownSession, find_session, known_sessions
from automode.config.load import Loaded, rule_origin
from automode.config.settings import Rule as Entry
from automode.core.errors import AutomodeError
from automode.core.session import Mode
from automode.daemon.client import daemon_problem
from automode.daemon.placement import Placement
from automode.facts.reader import by_shfmt, by_tree_sitter
from automode.guards.floor.layer import GUARDS
from automode.judge.embedded import BadModel
from automode.llm.bill import Bill
from automode.llm.endpoints import Missing
from automode.llm.ledger import Total
from automode.policy.defaults import default_rules
from automode.programs.table import programs
from automode.rules.pattern import Rule
from automode.rules.set_aside import notice
from automode.shell.syntax import Unread
from automode.store.database import StoreError

_PROBE = b"true"
_PROBE_SECONDS = 2.0
EMBEDDED = "the embedded judge"


def parsers() -> dict[str, bool]:
    """Whether each can be used."""
    try:
        tree_sitter = not isinstance(by_tree_sitter(_PROBE), Unread)
    except ImportError:
        tree_sitter = False
    shfmt = by_shfmt(_PROBE, time.monotonic() + _PROBE_SECONDS)
    return {"tree-sitter": tree_sitter, "shfmt": not isinstance(shfmt, Unread)}


@dataclass(frozen=True, slots=True)
class ClassifierState:
    """`problem` is why no call can be judged, empty when it can. No key is in here."""

    model: SettingInForce
    stages: tuple[Stage, ...]
    problem: str
    bill: Bill | None  # None where the store is left out, or cannot be read
    trouble: str = ""  # why the store cannot be read


def classifier_state(surroundings: Surroundings, loaded: Loaded, root: str) -> ClassifierState:
    """Asks no model: `automode model --test` does."""
    settings = loaded.settings
    found = model_for(surroundings, settings)
    stages = chosen_stages(settings, found)
    judge = embedded_judge(settings)
    state = surroundings.state()
    told = None if state is None else daemon_problem(state, root)
    problem = told or ""
    if told is None and isinstance(found, Missing) and stages != (Stage.LOCAL,):
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
        ready = f"cannot be asked: {problem}" if problem else "ready"
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


def show_status(surroundings: Surroundings, cwd: str | None, *, as_json: bool) -> None:
    workspace = workspace_at(cwd)
    loaded = surroundings.load(workspace.root)
    state = classifier_state(surroundings, loaded, workspace.root)
    running = what_runs(surroundings)
    if as_json:
        say_json(_status_data(loaded, workspace.root, state, running))
    else:
        _show(loaded, workspace.root, state, running)


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
    loaded: Loaded, project: str, state: ClassifierState, running: Running
) -> dict[str, object]:
    settings = loaded.settings
    return {
        "version": version("automode"),
        "enabled": settings.enabled,
        "mode": (settings.mode if settings.enabled else Mode.OFF).value,
        "project": project,
        "sources": [attributes(text, "source file state") for text in loaded.sources],
        "closing": [str(fault) for fault in settings.closing],
        "diagnostics": [diagnostic_data(finding) for finding in loaded.diagnostics],
        "set_aside": _set_aside(settings.permissions.allow),
        "counts": _counts(),
        "parsers": parsers(),
        "classifier": _classifier_data(state),
        "daemon": None if running.daemon is None else daemon_data(running.daemon),
        "sessions": [dict(one.fields) for one in running.sessions],
        "trouble": running.trouble or None,
    }


def _counts() -> dict[str, int]:
    return {
        "guards": len(GUARDS),
        "programs": len(programs()),
        "policy_rules": sum(len(rules) for rules in default_rules().values()),
    }


def _set_aside(allow: tuple[Entry, ...]) -> list[str]:
    """One sentence for each allow rule that amounts to "run any code"."""
    notices = (notice(Rule(entry.text, rule_origin(entry))) for entry in allow)
    return [sentence for sentence in notices if sentence is not None]


def _show(loaded: Loaded, project: str, state: ClassifierState, running: Running) -> None:
    found = _counts()
    working = ", ".join(
        name if there else f"{name} (missing: nothing can be proved safe)"
        for name, there in parsers().items()
    )
    heading(f"automode {version('automode')}")
    rows = [
        ("mode", _mode(loaded)),
        ("project", project),
        ("layers", f"{found['guards']} guards, {found['programs']} known programs"),
        ("policy", f"{found['policy_rules']} built-in rules for the classifier"),
        ("parsers", working),
        *_classifier_rows(state),
        *([] if running.daemon is None else daemon_rows(running.daemon)),
    ]
    columns([*rows, ("trouble", running.trouble)] if running.trouble else rows)
    if running.sessions:
        section("Sessions")
        show_table(running.sessions)
    section("Settings")
    columns([(text.state.value, text.source.value, text.file) for text in loaded.sources])
    if not loaded.sources:
        say("  every file and variable is ignored: built-in defaults only")
    if loaded.diagnostics:
        section("Findings")
        show_diagnostics(loaded.diagnostics)
    aside = _set_aside(loaded.settings.permissions.allow)
    if aside:
        section("Allow rules set aside")
        columns([("", sentence) for sentence in aside], indent=0)


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


def show_table(known: Sequence[KnownSession]) -> None:
    columns(
        [
            (
                one_line(one.name, _LONGEST_NAME),
                _session_mode(one),
                f"{one.number('checkedActions'):,} checked",
                f"{one.number('blockedActions'):,} denied",
                _ago(one.seconds("seen")),
                one.text("root"),
            )
            for one in known[:MOST_SHOWN]
        ]
    )
    say_more(len(known), MOST_SHOWN)


def _ago(at: float) -> str:
    return f"{duration(time.time() - at, 2)} ago"


def _session_mode(one: KnownSession) -> str:
    """`on` and `off` where a person said so; an end or a halt comes first."""
    if one.halted:
        return "halted"
    return "ended" if one.ended else one.text("enabledOverride") or one.text("mode")


def show_one_session(surroundings: Surroundings, wanted: str, *, as_json: bool) -> None:
    known = {one.name: one for one in known_sessions(surroundings)}
    missing = f"no session `{wanted}` is known"
    found = known[find_session(known, wanted, missing, "`automode status` lists the sessions")]
    used = total_data(bill_for(surroundings).spent(found.name))
    if as_json:
        say_json({**found.fields, "usage": used})
    else:
        _show_session(found, used)


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
        ("classifier", f"allowed {judged[0]}, denied {judged[1]}"),
        ("last", last if one.text("lastDecision") else "nothing decided yet"),
        ("used", cost if used["requests"] else "no request to a model"),
    ]
    say_rows(rows, indent=2)
    denials = KnownSession.each_in(one.fields.get("recentDenials"))
    if denials:
        section("Recent denials")
    for denial in reversed(denials):
        tool, record = one_line(denial.text("tool")), faint(denial.text("record"))
        say(f"  {_ago(denial.seconds('timestamp'))}  {tool}  {record}")
        say_row("action", one_line(denial.text("action"), LONGEST_ACTION), indent=4)
        say_row("reason", f"{denial.text('kind')}: {denial.text('reason')}", indent=4)
