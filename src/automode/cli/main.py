"""The command `automode`: puts the commands together and turns errors into two plain lines."""

import io
import re
import sys

import click

from automode.cli.check import check
from automode.cli.config import config
from automode.cli.defaults import defaults
from automode.cli.demo import demo
from automode.cli.explain import explain
from automode.cli.model import model
from automode.cli.printing import one_line
from automode.cli.schema import schema
from automode.cli.status import status
from automode.cli.surroundings import settings_options, wants_colour
from automode.cli.trust import trust
from automode.cli.usage import usage
from automode.core.errors import AutomodeError

EXIT_USAGE = 2
_QUOTED = re.compile(r"(?<!\w)'([^']*)'")


class Complaint(click.ClickException):
    """An error as a person sees it: what is wrong, and the way out."""

    exit_code = EXIT_USAGE

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint

    def show(self, file: object = None) -> None:
        click.echo(f"{click.style('error', fg='red')}: {one_line(self.message)}", err=True)
        if self.hint:
            click.echo(f"{click.style('hint', fg='cyan')}: {one_line(self.hint)}", err=True)


class Commands(click.Group):
    """A group whose every error is a Complaint."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.color = wants_colour()
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            raise _complaint(error) from error

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            raise _complaint(error) from error
        except AutomodeError as error:
            raise Complaint(str(error), error.hint) from error
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except OSError as error:
            what = error.strerror or type(error).__name__
            place = f": `{error.filename}`" if error.filename is not None else ""
            raise Complaint(f"{what.lower()}{place}") from error
        except Exception as error:  # a person gets a sentence, never a traceback
            fault = f"automode failed inside: {type(error).__name__}"
            raise Complaint(fault, "nothing was decided; please report it") from error


def _complaint(error: click.UsageError) -> Complaint:
    message = _QUOTED.sub(r"`\1`", error.format_message().rstrip("."))
    path = error.ctx.command_path if error.ctx is not None else "automode"
    hint = f"see `{path} --help`"
    if isinstance(error, click.NoSuchOption):
        hint = f"put quotes around a command and `--` before it; {hint}"
    return Complaint(message[:1].lower() + message[1:], hint)


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="automode", prog_name="automode")
@settings_options
@click.pass_context
def cli(context: click.Context) -> None:
    """Decide the tool calls of AI coding agents before they run: allow, ask or deny.

    automode is not a sandbox: it judges what a call says it will do. No command here runs the call
    it is asked about.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a letter must not cost the answer.
            stream.reconfigure(errors="backslashreplace")
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for command in (check, explain, status, config, defaults, schema, trust, model, usage, demo):
    cli.add_command(command)


def main() -> None:
    cli(prog_name="automode")
