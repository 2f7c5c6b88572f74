"""The options that commands share, and those of one command as one object."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import TypeVar

import click

from automode.cli.surroundings import Surroundings

Function = TypeVar("Function", bound=Callable[..., object])
Options = TypeVar("Options")


def settings_options(command: Function) -> Function:
    """The options that say where settings come from; they may stand before or after a command."""
    folder = click.Path(file_okay=False)
    for name, type_, text in (
        ("--isolated", None, "Ignore every settings file and variable, and keep no records."),
        ("--state-folder", folder, "Keep and read records, sessions and the daemon in DIR."),
        ("--config-folder", folder, "Read your own settings from DIR instead of the usual folder."),
    ):
        option = click.option(
            name,
            type=type_,
            is_flag=type_ is None,
            metavar=None if type_ is None else "DIR",
            expose_value=False,
            callback=_remember,
            help=text,
        )
        command = option(command)
    return command


def usual_options(command: Function) -> Function:
    """`--json`, and where settings come from; the command gets its Surroundings first."""
    as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    return as_json(settings_options(click.pass_obj(command)))  # type: ignore[return-value]


def options_as(
    kind: Callable[..., Options],
) -> Callable[[Callable[[Surroundings, Options], None]], Callable[..., None]]:
    """Hands all options of a command over as one object: `kind` has a field for each."""

    def decorate(function: Callable[[Surroundings, Options], None]) -> Callable[..., None]:
        @wraps(function)
        def command(surroundings: Surroundings, **options: object) -> None:
            function(surroundings, kind(**options))

        return command

    return decorate


cwd_option = click.option(
    "--cwd",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="A folder of the project; default: the current one.",
)


def _remember(context: click.Context, option: click.Parameter, value: object) -> None:
    known: Surroundings = context.ensure_object(Surroundings)
    if isinstance(value, str) and option.name == "state_folder":
        context.obj = replace(known, state_folder=value)
    elif isinstance(value, str):
        context.obj = replace(known, config_folder=value)
    elif value is True:
        context.obj = replace(known, isolated=True)


@dataclass(frozen=True, slots=True)
class CallOptions:
    """What the options of `check` and `explain` ask for."""

    tool: str | None
    argument: str | tuple[str, ...]
    user: str | None
    cwd: str | None
    unattended: bool
    no_classifier: bool
    as_json: bool
    file: str | None = None
    no_record: bool = False
    record: bool = False


@dataclass(frozen=True, slots=True)
class EvalOptions:
    data: str | None
    names: tuple[str, ...]
    model: str | None
    stages: str | None
    no_classifier: bool
    limit: int | None
    seed: int
    jobs: int | None
    out: str | None
    cost_cap: float | None
    as_json: bool


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    files: tuple[str, ...]
    places: tuple[str, ...]
    config: str | None
    policy: str | None
    model: str | None
    no_classifier: bool
    since: str | None
    limit: int | None
    jobs: int | None
    cost_cap: float | None
    as_json: bool


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    file: str
    days: int | None
    ran: bool
    run: str | None
    data: str | None
    yes: bool
    as_json: bool
