"""A fault of our own is a sentence and a closed exit status."""

import click
from click.testing import CliRunner

from automode.cli.main import Commands


def test_a_fault_inside_is_an_error_without_a_traceback() -> None:
    group = Commands("automode")

    @group.command()
    def broken() -> None:
        raise ZeroDivisionError("secret")

    result = CliRunner().invoke(group, ["broken"])

    assert result.exit_code == 2
    assert "automode failed inside: ZeroDivisionError" in result.output
    assert "secret" not in result.output
    assert "Traceback" not in result.output


def test_a_commands_own_exit_status_passes_through() -> None:
    group = Commands("automode")

    @group.command()
    @click.pass_context
    def leaves(context: click.Context) -> None:
        context.exit(20)

    assert CliRunner().invoke(group, ["leaves"]).exit_code == 20
