"""`automode status`: whether automode is on, which files count, and what is wrong with them."""

from importlib.metadata import version

import click

from automode.assemble import rule_origin
from automode.cli.classifier_state import ClassifierState, classifier_state, state_data, state_rows
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
from automode.cli.surroundings import Surroundings, settings_options, workspace_at
from automode.config.load import Loaded
from automode.config.settings import Rule as Entry
from automode.core.session import Mode
from automode.guards.catalog import GUARDS
from automode.policy.defaults import DEFAULTS
from automode.programs.catalog import PROGRAMS
from automode.rules.pattern import Rule
from automode.rules.set_aside import notice


@click.command(short_help="Show whether automode is on and which files count.")
@click.option(
    "--cwd",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="A folder of the project; default: the current one.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@settings_options
@click.pass_obj
def status(surroundings: Surroundings, cwd: str | None, *, as_json: bool) -> None:
    """Show whether automode is on, which files count, and what is wrong with them."""
    workspace = workspace_at(cwd)
    loaded = surroundings.load(workspace.root)
    state = classifier_state(surroundings, loaded)
    data = status_data(loaded, workspace.root, state)
    if as_json:
        say_json(data)
    else:
        _show(loaded, data, state)


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
        "programs": len(PROGRAMS),
        "policy_rules": sum(len(rules) for rules in DEFAULTS.values()),
    }


def set_aside(allow: tuple[Entry, ...]) -> list[str]:
    """One sentence for each allow rule that amounts to "run any code"."""
    notices = (notice(Rule(entry.text, rule_origin(entry))) for entry in allow)
    return [sentence for sentence in notices if sentence is not None]


def _show(loaded: Loaded, data: dict[str, object], state: ClassifierState) -> None:
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
        ]
    )
    say()
    heading("Settings")
    columns([(text.state.value, text.source.value, text.file) for text in loaded.sources])
    if not loaded.sources:
        say("  every file and variable is ignored: built-in defaults only")
    _show_trouble(loaded)


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
