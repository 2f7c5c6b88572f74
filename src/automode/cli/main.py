"""The command `automode`: puts the commands together and turns errors into two plain lines."""

import io
import json
import logging
import os
import re
import sys
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module

import click
from click.shell_completion import CompletionItem

from automode.cli.options import settings_options, wants_colour
from automode.cli.printing import one_line
from automode.core.errors import AutomodeError

EXIT_USAGE = 2
EXIT_NO_READER = 141  # what a shell says of a program that its closed pipe ended
LONGEST_MESSAGE = 500
_JSON = "automode.json"


@dataclass(frozen=True, slots=True)
class Entry:
    """A command before its code is loaded."""

    module: str
    help: str
    function: str = ""
    """Where it is not called like the command."""


GROUPS = {
    "Start": {
        "init": Entry("setup.commands", "Set automode up, step by step."),
        "import": Entry(
            "setup.importing", "Take over the permission rules of an agent.", "import_rules"
        ),
        "install": Entry("setup.install", "Put automode in front of an agent's tools."),
        "uninstall": Entry("setup.install", "Remove automode from an agent."),
        "run": Entry("setup.install", "Start an agent with the gate in front of it."),
        "doctor": Entry("status", "Check that agents ask automode before every tool call."),
        "model": Entry("model", "List, pick, test and save the classifier's model."),
        "key": Entry("keys", "Store the keys of model providers where the daemon finds them."),
        "demo": Entry("calls.check", "Show an offline tour."),
        "completion": Entry("setup.completion", "Print the completion script of a shell."),
    },
    "Every day": {
        "status": Entry("status", "Show mode, daemon, sessions and settings files."),
        "watch": Entry("records.watch", "Show decisions as they are made."),
        "ui": Entry("ui", "Show decisions, sessions and settings in the browser."),
        "inbox": Entry("records.inbox", "Answer the asks that wait for you."),
        "denials": Entry("records.denials", "List recent denials, and what would clear them."),
        "approve": Entry("records.denials", "Let a call through that was stopped."),
        "notify": Entry("notify", "Show or test who is told of asks that wait."),
        "on": Entry("sessions", "Switch auto mode on for a session."),
        "off": Entry("sessions", "Switch auto mode off for a session."),
        "reset": Entry("sessions", "Clear a session's counters, denials and approvals."),
        "reload": Entry("sessions", "Make the daemon read the settings again."),
        "trust": Entry("config", "Trust the project-local settings, as they are now."),
        "usage": Entry("records.usage", "Show what the classifier used and cost."),
    },
    "Look into it": {
        "check": Entry("calls.check", "Decide one call, or a batch."),
        "explain": Entry("calls.check", "Show how CMD was read and what every layer says."),
        "screen": Entry("calls.check", "Screen a tool result for attempts to take over the agent."),
        "config": Entry("config", "Print the settings in force, and where each came from."),
        "defaults": Entry("config", "Print the built-in prose policy: all of it, or one SECTION."),
        "critique": Entry("setup.commands", "Say which rules do not do what they look like."),
        "schema": Entry("config", "Print the JSON Schema of settings files."),
        "audit": Entry("records.audit", "List, export and verify recorded decisions."),
        "purge": Entry("records.audit", "Delete records; a signed note of it stays."),
        "daemon": Entry("daemon", "Start, stop and inspect the daemon."),
    },
    "Measure and connect": {
        "policy": Entry("setup.commands", "Try the settings in force on calls of your own."),
        "eval": Entry("eval", "Measure the gate and the probe on labelled cases."),
        "replay": Entry("eval", "Decide recorded calls again, and show what would have changed."),
        "status-line": Entry("status", "Print one line for a status bar."),
        "mcp-proxy": Entry(
            "mcp_proxy", "Gate an MCP server: decide its calls, screen its results."
        ),
    },
    "": {  # what hooks and extensions call, and what is only to try
        "hook-alone": Entry("without_daemon", "Decide one call for a hook that found no daemon."),
        "confine": Entry("confine", "Run a command within the limits of a confined call."),
        "extension": Entry("setup.install", "Write the extension that an agent's package loads."),
    },
}
COMMANDS = {name: entry for group in GROUPS.values() for name, entry in group.items()}
"""Every command: the module here that holds it under its own name, and its line of help. So that
`automode --help` and a shell that completes a name load no command at all."""
_PAGE_OF_HELP: type[click.UsageError] | tuple[()] = getattr(
    click.exceptions, "NoArgsIsHelpError", ()
)
"""What click raises for a group without a command; before its release 8.2 it only prints."""
_TAKE_A_CALL = ("check", "explain")
"""Whose words may be a command with options of its own."""
_QUOTED = re.compile(r"(?<!\w)'([^']*)'")


_UNHEARD = logging.NullHandler()
"""What goes wrong on the way is part of an answer, or a note; a log is for the daemon."""


class Complaint(click.ClickException):
    """An error as a person sees it: what is wrong, and the way out."""

    exit_code = EXIT_USAGE

    def __init__(self, message: str, hint: str = "", *, as_json: bool = False) -> None:
        super().__init__(one_line(message, LONGEST_MESSAGE))
        self.hint = one_line(hint, LONGEST_MESSAGE)
        self.as_json = as_json

    def show(self, file: object = None) -> None:
        click.echo(f"{click.style('error', fg='red')}: {self.message}", err=True)
        if self.hint:
            click.echo(f"{click.style('hint', fg='cyan')}: {self.hint}", err=True)
        if self.as_json:
            with suppress(OSError):  # standard output may be what the error is about
                # One line, so that it can end a batch.
                click.echo(json.dumps({"error": self.message, "hint": self.hint or None}))


class Commands(click.Group):
    """A group whose every error is a Complaint."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.color = wants_colour()
        # Noted before anything is parsed: what cannot be parsed is an error in JSON too.
        ctx.meta[_JSON] = _wants_json(args)
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            raise _complaint(error, as_json=ctx.meta[_JSON]) from error

    def invoke(self, ctx: click.Context) -> object:
        as_json: bool = ctx.meta[_JSON]
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            if isinstance(error, _PAGE_OF_HELP):
                raise
            raise _complaint(error, as_json=as_json) from error
        except AutomodeError as error:
            raise Complaint(str(error), error.hint, as_json=as_json) from error
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except BrokenPipeError:
            _forget_unwritable()
            sys.exit(EXIT_NO_READER)
        except OSError as error:
            _forget_unwritable()
            what = error.strerror or type(error).__name__
            place = f": `{error.filename}`" if error.filename is not None else ""
            raise Complaint(f"{what.lower()}{place}", as_json=as_json) from error
        except Exception as error:  # a person gets a sentence, never a traceback
            fault, hint = f"automode failed inside: {type(error).__name__}", "please report it"
            raise Complaint(fault, f"nothing was decided; {hint}", as_json=as_json) from error


class Automode(Commands):
    """Loads the module of a command when it is called, and none for a list of commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        module = import_module(f"automode.cli.{entry.module}")
        found = getattr(module, entry.function or cmd_name.replace("-", "_"))
        return found if isinstance(found, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, group in GROUPS.items():
            if title:
                with formatter.section(title):
                    formatter.write_dl([(name, entry.help) for name, entry in group.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        near = [] if args[0] in COMMANDS else get_close_matches(args[0], COMMANDS, n=1)
        if near:
            raise click.UsageError(f"no such command `{args[0]}`; did you mean `{near[0]}`?", ctx)
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        items = [
            CompletionItem(name, help=entry.help)
            for name, entry in COMMANDS.items()
            if name.startswith(incomplete) and name not in GROUPS[""]
        ]
        return items + click.Command.shell_complete(self, ctx, incomplete)


def _wants_json(words: list[str]) -> bool:
    """What stands behind `--` is part of a call."""
    return "--json" in (words[: words.index("--")] if "--" in words else words)


def _forget_unwritable() -> None:
    """What cannot be written goes nowhere: else the interpreter tries it again when it ends."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except OSError:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())


def _complaint(error: click.UsageError, *, as_json: bool) -> Complaint:
    message = _QUOTED.sub(r"`\1`", error.format_message().rstrip("."))
    path = error.ctx.command_path if error.ctx is not None else "automode"
    hint = f"see `{path} --help`"
    if isinstance(error, click.NoSuchOption) and path.rpartition(" ")[2] in _TAKE_A_CALL:
        hint = f"put quotes around a command and `--` before it; {hint}"
    return Complaint(message[:1].lower() + message[1:], hint, as_json=as_json)


@click.group(
    cls=Automode,
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
    logging.getLogger("automode").addHandler(_UNHEARD)
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main() -> None:
    cli(prog_name="automode")
