"""`automode config`: the settings in force, and where each came from."""

import json
from collections.abc import Mapping

import click

from automode.cli.origins import Held, held
from automode.cli.printing import (
    columns,
    diagnostic_data,
    faint,
    heading,
    one_line,
    say,
    say_json,
    show_diagnostics,
)
from automode.cli.surroundings import Surroundings, settings_options, workspace_at
from automode.config.diagnostics import Source
from automode.config.keys import ROW_OF
from automode.config.load import Loaded
from automode.config.settings import Rule, Settings

LONGEST_VALUE = 30


@click.command()
@click.option(
    "--cwd",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="A folder of the project; default: the current one.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@settings_options
@click.pass_obj
def config(surroundings: Surroundings, cwd: str | None, *, as_json: bool) -> None:
    """Print the settings in force, and where each came from."""
    loaded = surroundings.load(workspace_at(cwd).root)
    if as_json:
        say_json(_data(loaded))
    else:
        _show(loaded)


def lists(settings: Settings) -> Mapping[str, tuple[Rule, ...]]:
    """Every list of rules by its key."""
    return {
        "permissions.deny": settings.permissions.deny,
        "permissions.ask": settings.permissions.ask,
        "permissions.allow": settings.permissions.allow,
        "autoMode.environment": settings.policy.environment,
        "autoMode.allow": settings.policy.allow,
        "autoMode.soft_deny": settings.policy.soft_deny,
        "autoMode.hard_deny": settings.policy.hard_deny,
        "autoMode.protectedPaths": settings.protected_paths,
    }


def _data(loaded: Loaded) -> dict[str, object]:
    return {
        "settings": {
            key: {
                "value": one.value,
                "source": one.source.value,
                "file": one.file,
                "line": one.line,
            }
            for key, one in held(loaded).items()
        },
        "lists": {
            key: [
                {
                    "text": rule.text,
                    "source": rule.source.value,
                    "file": rule.file,
                    "line": rule.line,
                }
                for rule in rules
            ]
            for key, rules in lists(loaded.settings).items()
        },
        "providers": [
            {
                "name": provider.name,
                "api": provider.api.value,
                "baseUrl": provider.base_url,
                "apiKeyEnv": provider.api_key_env,
            }
            for provider in loaded.settings.providers
        ],
        "diagnostics": [diagnostic_data(finding) for finding in loaded.diagnostics],
    }


def _show(loaded: Loaded) -> None:
    heading("Values")
    columns([(key, *_value(key, one)) for key, one in held(loaded).items()])
    for provider in loaded.settings.providers:
        say(f"  provider {provider.name}: {provider.api.value} at {one_line(provider.base_url)}")
    for key, rules in lists(loaded.settings).items():
        say()
        heading(key)
        _show_rules(rules)
    if loaded.diagnostics:
        say()
        heading("Findings")
        show_diagnostics(loaded.diagnostics)


def _value(key: str, one: Held) -> tuple[str, str]:
    if one.value is None:
        return "-", f"{one.place}: {ROW_OF[key].absent or 'not set'}"
    return one_line(json.dumps(one.value), LONGEST_VALUE), one.place


def _show_rules(rules: tuple[Rule, ...]) -> None:
    built_in = sum(rule.source is Source.BUILT_IN for rule in rules)
    own = [rule for rule in rules if rule.source is not Source.BUILT_IN]
    if built_in:
        say(faint(f"  {built_in} built-in entries"))
    for rule in own:
        place = Held(None, rule.source, rule.file, rule.line).place
        columns([("-", f"{rule.text}  [{place}]")])
    if not rules:
        say(faint("  (empty)"))
