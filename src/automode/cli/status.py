"""`automode status`: whether automode is on, what runs, which files count, what is wrong."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version

import click

from automode.cli.classifier_state import ClassifierState, classifier_state, state_data, state_rows
from automode.cli.daemon_state import DaemonState, daemon_data, daemon_rows, daemon_state
from automode.cli.known_sessions import KnownSession, known_sessions
from automode.cli.parsers import parsers
from automode.cli.printing import (
    columns,
    diagnostic_data,
    heading,
    say,
    say_json,
    show_diagnostics,
    wrapped,
)
from automode.cli.session_state import named, show_session, show_table
from automode.cli.surroundings import Surroundings, settings_options, workspace_at
from automode.cli.usage import bill_for, total_data
from automode.config.entries import rule_origin
from automode.config.load import Loaded
from automode.config.settings import Rule as Entry
from automode.core.errors import AutomodeError
from automode.core.session import Mode
from automode.daemon.placement import Placement
from automode.guards.floor import GUARDS
from automode.policy.defaults import DEFAULTS
from automode.programs.table import programs
from automode.rules.pattern import Rule
from automode.rules.set_aside import notice


@dataclass(frozen=True, slots=True)
class Running:
    """`daemon` None: `--isolated` leaves it out. `trouble` is why sessions cannot be listed."""

    daemon: DaemonState | None
    sessions: Sequence[KnownSession] = ()
    trouble: str = ""


@click.command()
@click.option("--session", metavar="ID", help="One session alone, by its id or how it begins.")
@click.option(
    "--cwd",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="A folder of the project; default: the current one.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@settings_options
@click.pass_obj
def status(
    surroundings: Surroundings, session: str | None, cwd: str | None, *, as_json: bool
) -> None:
    """Show whether automode is on, the daemon and its sessions, which files count, and what is
    wrong with them."""
    if session is not None:
        _one_session(surroundings, session, as_json=as_json)
        return
    workspace = workspace_at(cwd)
    loaded = surroundings.load(workspace.root)
    state = classifier_state(surroundings, loaded)
    running = what_runs(surroundings)
    data = status_data(loaded, workspace.root, state) | running_data(running)
    if as_json:
        say_json(data)
    else:
        _show(loaded, data, state, running)


def _one_session(surroundings: Surroundings, wanted: str, *, as_json: bool) -> None:
    found = named(known_sessions(surroundings), wanted)
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
        "sources": [
            {"source": text.source.value, "file": text.file, "state": text.state.value}
            for text in loaded.sources
        ],
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
        "policy_rules": sum(len(rules) for rules in DEFAULTS.values()),
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
        return "off: only deny rules of the managed file hold"
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
            for at, line in enumerate(wrapped(sentence, 4)):
                say(("  " if at == 0 else "    ") + line)
