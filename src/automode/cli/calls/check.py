"""The commands `check`, `explain` and `screen`. What decides is loaded when one of them runs."""

import sys

import click

from automode.cli.calls.call_input import complete_tool
from automode.cli.options import CallOptions, Surroundings, options_as, usual_options
from automode.core.errors import AutomodeError, BadCall

call_folder = click.option(
    "--cwd",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="The folder the call would run in; default: the current one.",
)
user_words = click.option(
    "--user", metavar="TEXT", help="What the user asked for, in their own words."
)
unattended_option = click.option(
    "--unattended", is_flag=True, help="Nobody is there to answer: ask becomes deny."
)
no_classifier_option = click.option(
    "--no-classifier", is_flag=True, help="Leave the classifier out."
)


@click.command()
@click.argument("tool", required=False, shell_complete=complete_tool)
@click.argument("argument", nargs=-1)
@click.option("--batch", "file", metavar="FILE", help="Decide one JSON line each; `-` is stdin.")
@user_words
@call_folder
@unattended_option
@no_classifier_option
@click.option("--no-record", is_flag=True, help="Record neither the decision nor its cost.")
@click.option("--record", is_flag=True, help="Record the decisions of a batch, too.")
@usual_options
@options_as(CallOptions)
def check(surroundings: Surroundings, options: CallOptions) -> None:
    """Decide one call, or a batch. Nothing is run.

    \b
      automode check bash 'git push -f'
      automode check write src/a.py
      automode check --json < call.json
      automode check --batch calls.jsonl

    Without TOOL the call is read from standard input, as a JSON object with `tool` and `input`.
    The exit status says the verdict: 0 allow, 10 ask, 20 deny, 30 halt.
    """
    if options.record and (options.no_record or options.file is None):
        raise BadCall("--record is for batches, and excludes --no-record", "leave it out")
    if options.file is None:
        from automode.cli.calls.deciding import decide_one

        sys.exit(decide_one(surroundings, options))
    if options.tool is not None or options.user is not None:
        raise BadCall("a batch brings its own calls", "leave out TOOL, ARGUMENT and --user")
    from automode.cli.calls.deciding import decide_batch

    decide_batch(surroundings, options, options.file)


@click.command()
@click.argument("argument", metavar="CMD")
@click.option(
    "--tool",
    default="bash",
    show_default=True,
    metavar="TOOL",
    shell_complete=complete_tool,
    help="The tool that CMD is for.",
)
@user_words
@call_folder
@unattended_option
@no_classifier_option
@usual_options
@options_as(CallOptions)
def explain(surroundings: Surroundings, options: CallOptions) -> None:
    """Show how CMD was read, what every layer says about it, and who decided. Nothing is run.

    \b
      automode explain 'cd build && rm -rf "$OUT"/*'
      automode explain --tool write .github/workflows/ci.yml
    """
    from automode.cli.calls.explaining import explain_call

    explain_call(surroundings, options)


@click.command()
@click.argument("file", required=False, metavar="FILE")
@click.option("--batch", metavar="FILE", help="Screen one JSON line each; `-` is stdin.")
@click.option("--kind", default="", metavar="KIND", help="What brought it: file, web, shell, mcp.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def screen(file: str | None, batch: str | None, kind: str, *, as_json: bool) -> None:
    """Look through a tool result for attempts to take over the agent that reads it.

    \b
      automode screen page.html
      curl -s https://example.com | automode screen -
      automode screen --batch results.jsonl

    A batch holds one JSON object per line, with `text`, and if wanted `id` and `kind`. Nothing is
    changed and nothing in the text is run. The exit status is 0 for clean, 1 for suspect; a batch
    that was read to its end is 0.
    """
    if file is not None and batch is None:
        from automode.cli.calls.screening import screen_file

        sys.exit(screen_file(file, kind, as_json=as_json))
    if file is not None or batch is None:
        raise AutomodeError("give either FILE or --batch FILE", "`-` is standard input")
    from automode.cli.calls.screening import screen_batch

    screen_batch(batch, kind)
