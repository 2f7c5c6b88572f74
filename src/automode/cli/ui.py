"""`automode ui`: the window in the browser."""

from contextlib import suppress
from typing import TYPE_CHECKING

import click

from automode.cli.daemon import refuse_agents
from automode.cli.options import Surroundings, settings_options, workspace_at
from automode.cli.printing import say
from automode.core.errors import BadSettings
from automode.daemon.placement import ui_port

if TYPE_CHECKING:
    from automode.ui.checks import Checks

_EXTRA = ("jinja2", "starlette", "uvicorn")


@click.command()
@click.option("--read-only", is_flag=True, help="Look, without the right to answer or to change.")
@settings_options
@click.pass_obj
def ui(surroundings: Surroundings, *, read_only: bool) -> None:
    """Show decisions, sessions and settings in the browser, until ctrl-C. It listens on this
    machine only.

    The link that it prints signs one browser in, once; Enter prints another one. Needs the extra
    `automode[ui]`. This command is for people: an agent that calls it is denied.
    """
    folder = surroundings.known_state()
    refuse_agents(folder)
    folder.prepared()
    try:
        from automode.ui.access import Access
        from automode.ui.serving import serve
        from automode.ui.window import Window
    except ModuleNotFoundError as error:
        if error.name not in _EXTRA:
            raise
        raise BadSettings(
            f"the window needs `{error.name}`, which is not installed",
            "install automode again, with its extra `ui`",
        ) from error
    window = Window(
        folder,
        surroundings.store(),
        Access(ui_port(folder)),
        surroundings.load,
        surroundings.own_folders(),
        read_only,
        _checks(surroundings),
    )
    say("automode ui: open this link in your browser; it works once. Enter: another. Ctrl-C: end.")
    with suppress(KeyboardInterrupt):
        serve(window, say)


def _checks(surroundings: Surroundings) -> "Checks":
    """As `automode critique` and `automode policy test` do them."""
    from automode.cli.setup.critique import review
    from automode.cli.setup.policy_test import cases_in, decide
    from automode.ui.checks import Checks, Outcome

    def try_cases(file: str, project: str | None) -> list[Outcome]:
        found = decide(surroundings, cases_in(file), project, no_classifier=True)
        return [
            Outcome(
                one.case.name,
                one.case.place,
                f"{one.case.expect.word} {one.case.source}".rstrip(),
                f"{one.verdict} {one.source}".rstrip(),
                one.reason,
                one.as_expected,
            )
            for one in found
        ]

    return Checks(lambda loaded, project: review(loaded, workspace_at(project)), try_cases)
