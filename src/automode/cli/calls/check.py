"""The commands about calls and results. What decides is loaded when one of them runs."""

import click

from automode.cli.calls.call_input import complete_tool, is_program
from automode.cli.options import (
    CallOptions,
    cwd_option,
    json_option,
    no_classifier_option,
    runs,
    usual_options,
)

user_words = click.option(
    "--user", metavar="TEXT", help="What the user asked for, in their own words."
)
unattended_option = click.option(
    "--unattended", is_flag=True, help="Nobody is there to answer: ask becomes deny."
)


class TakesCommand(click.Command):
    """A program's name ends automode's own options: in `check git push -f` the `-f` is git's."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        valued = {
            name
            for one in self.params
            if isinstance(one, click.Option) and not one.is_flag
            for name in one.opts
        }
        first = 0
        while first < len(args) and args[first].startswith("-"):
            if args[first] == "--":
                return super().parse_args(ctx, args)
            first += 2 if args[first] in valued else 1
        if args[first:] and is_program(args[first:]):
            args = [*args[:first], "--", *args[first:]]
        return super().parse_args(ctx, args)


@click.command(cls=TakesCommand)
@click.argument("tool", required=False, shell_complete=complete_tool)
@click.argument("argument", nargs=-1)
@click.option("--batch", "file", metavar="FILE", help="Decide one JSON line each; `-` is stdin.")
@user_words
@cwd_option
@unattended_option
@no_classifier_option
@click.option("--no-record", is_flag=True, help="Record neither the decision nor its cost.")
@click.option("--record", is_flag=True, help="Record the decisions of a batch, too.")
@click.option(
    "--fail-on",
    type=click.Choice(["ask", "deny"]),
    help="End a batch with the status of its strictest verdict, from this one on.",
)
@usual_options
@runs("calls.deciding.decide_calls", CallOptions)
def check() -> None:
    """Decide one call, or a batch. Nothing is run.

    \b
      automode check git push -f
      automode check 'cd build && make'
      automode check write src/a.py
      automode check --json < call.json
      automode check --batch calls.jsonl

    TOOL is a tool such as bash, read, write, edit or web_fetch, or the first word of a shell
    command; options of automode stand before that word. Without TOOL the call is read from
    standard input, as a JSON object with `tool` and `input`.
    The exit status says the verdict: 0 allow, 10 ask, 20 deny, 30 halt. A batch ends with 0 when
    every line was answered; see --fail-on.
    """


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
@cwd_option
@unattended_option
@no_classifier_option
@usual_options
@runs("calls.explaining.explain_call", CallOptions)
def explain() -> None:
    """Show how CMD was read, what every layer says about it, and who decided. Nothing is run.

    \b
      automode explain 'cd build && rm -rf "$OUT"/*'
      automode explain --tool write .github/workflows/ci.yml
    """


@click.command()
@click.argument("file", required=False, metavar="FILE")
@click.option("--batch", metavar="FILE", help="Screen one JSON line each; `-` is stdin.")
@click.option("--kind", expose_value=False, hidden=True)  # of 0.1: it never decided anything
@json_option
@runs("calls.screening.screen_results")
def screen() -> None:
    """Look through a tool result for attempts to take over the agent that reads it.

    \b
      automode screen page.html
      curl -s https://example.com | automode screen -
      automode screen --batch results.jsonl

    A batch holds one JSON object per line, with `text`, and if wanted `id`. Nothing is
    changed and nothing in the text is run. The exit status is 0 for clean, 1 for suspect; a batch
    that was read to its end is 0.
    """


@click.command()
@json_option
@runs("calls.demo.show_tour")
def demo() -> None:
    """An offline tour: a session of an agent, decided call by call. Ends with 1 if an answer is
    not the expected one."""
