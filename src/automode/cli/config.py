"""`automode config`, `defaults` and `schema`: settings and policy, printed."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

import click

from automode.cli.options import cwd_option, usual_options
from automode.cli.printing import (
    attributes,
    columns,
    diagnostic_data,
    faint,
    heading,
    one_line,
    say,
    say_json,
    show_diagnostics,
    wrap_lines,
)
from automode.cli.surroundings import Surroundings, workspace_at
from automode.config.diagnostics import Source
from automode.config.entries import pattern_fault
from automode.config.environment import restrain
from automode.config.json_tree import Scalar
from automode.config.keys import DEFAULT_VALUES, ROW_OF, ROWS, SHARED_ROWS
from automode.config.load import Loaded, State
from automode.config.part import Part
from automode.config.reading import read_part
from automode.config.schema import schema as settings_schema
from automode.config.settings import Rule, Settings
from automode.policy.defaults import Section, as_data, texts

HIDDEN = "(hidden)"


@dataclass(frozen=True, slots=True)
class SettingInForce:
    """The value in force and where it comes from."""

    value: Scalar
    source: Source = Source.BUILT_IN
    file: str = ""
    line: int | None = None

    @property
    def place(self) -> str:
        if not self.file:
            return self.source.value
        return f"{self.source.value}, {self.file}" + (f":{self.line}" if self.line else "")


def values_in_force(loaded: Loaded) -> dict[str, SettingInForce]:
    """Every single value. Walks the sources as loading does, weakest first."""
    found = {key: SettingInForce(value) for key, value in DEFAULT_VALUES.items()}
    for part in _parts(loaded):
        if part.source is Source.ENVIRONMENT and not loaded.settings.trust_environment:
            part = restrain(part, {key: one.value for key, one in found.items()})
        for key, given in part.scalars.items():
            found[key] = SettingInForce(given.value, part.source, part.file, given.line)
    return {key: _hide_secret(key, one) for key, one in found.items()}


def _parts(loaded: Loaded) -> list[Part]:
    return [
        read_part(text.source, text.file, text.data, pattern_fault)
        for text in loaded.sources
        if text.state is State.READ and text.source is not Source.SHARED
    ]


def _hide_secret(key: str, one: SettingInForce) -> SettingInForce:
    """A value that may hold a password is not shown, unless it is the built-in one."""
    if not ROW_OF[key].secret or one.value == DEFAULT_VALUES[key]:
        return one
    return SettingInForce(HIDDEN, one.source, one.file, one.line)


LONGEST_VALUE = 30


@click.command()
@cwd_option
@usual_options
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
            key: attributes(one, "value source file line")
            for key, one in values_in_force(loaded).items()
        },
        "lists": {
            key: [attributes(rule, "text source file line") for rule in rules]
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
    columns([(key, *_value(key, one)) for key, one in values_in_force(loaded).items()])
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


def _value(key: str, one: SettingInForce) -> tuple[str, str]:
    if one.value is None:
        return "-", f"{one.place}: {ROW_OF[key].absent or 'not set'}"
    return one_line(json.dumps(one.value), LONGEST_VALUE), one.place


def _show_rules(rules: tuple[Rule, ...]) -> None:
    built_in = sum(rule.source is Source.BUILT_IN for rule in rules)
    own = [rule for rule in rules if rule.source is not Source.BUILT_IN]
    if built_in:
        say(faint(f"  {built_in} built-in entries"))
    for rule in own:
        place = SettingInForce(None, rule.source, rule.file, rule.line).place
        columns([("-", f"{rule.text}  [{place}]")])
    if not rules:
        say(faint("  (empty)"))


@click.command()
@click.argument(
    "section", type=click.Choice([section.value for section in Section]), required=False
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def defaults(section: str | None, *, as_json: bool) -> None:
    """Print the built-in prose policy: all of it, or one SECTION."""
    chosen = list(Section) if section is None else [Section(section)]
    if as_json:
        data = as_data()
        say_json({one.value: data[one.value] for one in chosen})
        return
    for at, one in enumerate(chosen):
        if at:
            say()
        heading(f"## {one.value}")
        say()
        _show_bullets(texts(one))


def _show_bullets(bullets: tuple[str, ...]) -> None:
    for text in bullets:
        first, *rest = wrap_lines(text, 2)
        say(f"- {first}")
        for line in rest:
            say(f"  {line}")


@click.command()
@click.option("--shared", is_flag=True, help="The schema of the file that is checked in.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; it always is.")
def schema(*, shared: bool, as_json: bool) -> None:
    """Print the JSON Schema of settings files, for editors and validators."""
    say_json(settings_schema(SHARED_ROWS if shared else ROWS))
