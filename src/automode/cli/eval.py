"""The commands `eval` with its reports, and `replay`."""

import click

from automode.cli.options import (
    EvalOptions,
    ReplayOptions,
    json_option,
    no_classifier_option,
    runs,
    usual_options,
)
from automode.config.settings import Stages

MOST_AT_ONCE = 64
MOST_SHOWN = 1000
USUALLY_SHOWN = 20
BASELINE = "evaluation-baseline.json"

run_folder = click.argument("folder", metavar="FOLDER", type=click.Path())
model_option = click.option(
    "--model", metavar="ID", help="The classifier's model, as `provider/model`."
)


@click.group("eval", invoke_without_command=True)
@click.option("--data", type=click.Path(), metavar="DIR", help="Cases of this folder, not our own.")
@click.option("--suite", "names", multiple=True, metavar="NAME", help="This file of cases alone.")
@model_option
@click.option("--stages", type=click.Choice([one.value for one in Stages]), help="Its stages.")
@no_classifier_option
@click.option("--limit", type=click.IntRange(1), metavar="N", help="At most N cases of a suite.")
@click.option("--seed", type=int, default=0, show_default=True, help="Which N cases.")
@click.option("--jobs", type=click.IntRange(1, MOST_AT_ONCE), metavar="N", help="N at once.")
@click.option("--out", type=click.Path(), metavar="FOLDER", help="The folder of this run.")
@click.option(
    "--cost-cap",
    type=click.FloatRange(0, min_open=True),
    metavar="USD",
    help="Stop when so much is spent.",
)
@usual_options
@runs("eval_run.run_cases", EvalOptions)
def eval() -> None:  # noqa: A001 - its own name
    """Decide labelled calls with the real gate, screen labelled results with the real probe, and
    count: how much good work is stopped, how much bad work is missed.

    \b
      automode eval --no-classifier
      automode eval --data DIR --limit 200 --model anthropic/claude-haiku-4-5 --cost-cap 5

    Nothing is run. Every decision is written to a folder; the same command again goes on where it
    stopped, and pays nothing twice. The exit status is 1 when cases are left.
    """


@eval.command(short_help="Show the numbers of a run.")
@run_folder
@click.option("--html", type=click.Path(dir_okay=False), metavar="FILE", help="Write a page.")
@click.option("--suite", "names", multiple=True, metavar="NAME", help="Of this suite alone.")
@click.option("--worst", type=click.IntRange(0, MOST_SHOWN), metavar="N", help="Examples to read.")
@json_option
@runs("eval_run.show_report")
def report() -> None:
    """Show how much good work a run stopped and how much bad work it missed, with what decided it.

    Reads the folder of the run and nothing else: no model is asked and nothing is decided again.
    """


@eval.command(short_help="Show which verdicts two runs decide differently.")
@click.argument("before", metavar="A", type=click.Path())
@click.argument("after", metavar="B", type=click.Path())
@click.option("--most", type=click.IntRange(0, MOST_SHOWN), default=USUALLY_SHOWN, metavar="N")
@json_option
@runs("eval_run.show_comparison")
def compare() -> None:
    """Show which cases run B decides differently from run A, for better or worse, and whether that
    could be chance (an exact sign test).

    Only cases that both runs decided are compared.
    """


@eval.command(short_help="Hold a run against the accepted one.")
@run_folder
@click.option("--accept", is_flag=True, help="Take this run as the accepted one.")
@click.option(
    "--file", default=BASELINE, show_default=True, metavar="FILE", help="Where the accepted one is."
)
@json_option
@runs("eval_run.hold_against")
def baseline() -> None:
    """Hold a run that was made without a model against the accepted one.

    The exit status is 1 when a case got worse, is gone or has another label. With --accept the run
    becomes the accepted one, and the difference is yours to explain.
    """


@click.command()
@click.argument("files", nargs=-1, type=click.Path(), metavar="[FILE]...")
@click.option(
    "--from",
    "places",
    multiple=True,
    metavar="WHERE",
    help="claude-code, pi, codex, audit, a file or a folder. Default: the audit store, or all"
    " agents' own files when it is empty.",
)
@click.option(
    "--config",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="Decide under this settings file instead of your own.",
)
@click.option(
    "--policy",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="Decide under your own settings and this file on top.",
)
@model_option
@no_classifier_option
@click.option("--since", metavar="TIME", help="Not older than `2h`, `3d` or a date.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="The newest N calls.")
@click.option("--jobs", type=click.IntRange(1, MOST_AT_ONCE), metavar="N", help="N processes.")
@click.option(
    "--cost-cap",
    type=click.FloatRange(0, min_open=True),
    metavar="USD",
    help="Ask the model no more when so much is spent; default: 1.00.",
)
@usual_options
@runs("replaying.replay_calls", ReplayOptions)
def replay() -> None:
    """Decide calls of the past again, under these settings, and show what would have changed.

    \b
      automode replay --no-classifier --limit 3000
      automode replay --from claude-code --policy stricter.json --since 30d
      automode replay session.jsonl --model anthropic/claude-haiku-4-5

    Nothing is run, and nothing is recorded. Session files are read from where the agents keep them.
    """
