"""A run held against another one: `automode eval compare` and `automode eval baseline`."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from automode.cli.printing import one_line, say, say_json
from automode.core.errors import AutomodeError
from automode.evaluation import comparing
from automode.evaluation.baseline import (
    FILE,
    Difference,
    baseline_of,
    differences,
    own_corpora,
    read,
    write,
)
from automode.evaluation.outcomes import Run, read_run

EXIT_WORSE = 1
MOST_SHOWN = 1000


@click.command(short_help="Show which verdicts two runs decide differently.")
@click.argument("before", metavar="A", type=click.Path())
@click.argument("after", metavar="B", type=click.Path())
@click.option("--most", type=click.IntRange(0, MOST_SHOWN), default=comparing.SHOWN, metavar="N")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def compare(before: str, after: str, most: int, *, as_json: bool) -> None:
    """Show which cases run B decides differently from run A, for better or worse, and whether that
    could be chance (an exact sign test).

    Only cases that both runs decided are compared.
    """
    found = comparing.compare(read_run(before), read_run(after))
    if as_json:
        say_json(comparing.as_data(found, most=most))
    else:
        say(comparing.rendered(found, most=most))


@click.command(short_help="Hold a run against the accepted one.")
@click.argument("folder", metavar="FOLDER", type=click.Path())
@click.option("--accept", is_flag=True, help="Take this run as the accepted one.")
@click.option(
    "--file", default=FILE, show_default=True, metavar="FILE", help="Where the accepted one is."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def baseline(folder: str, file: str, *, accept: bool, as_json: bool) -> None:
    """Hold a run of our own cases, made without a model, against the accepted one.

    The exit status is 1 when a case got worse, is gone or has another label. With --accept the run
    becomes the accepted one, and the difference is yours to explain.
    """
    run = read_run(folder)
    _check_whole(run)
    if accept:
        accepted = baseline_of(run, own_corpora())
        try:
            write(accepted, file)
        except OSError as error:
            what = (error.strerror or type(error).__name__).lower()
            raise AutomodeError(
                f"`{file}` cannot be written: {what}", "name another one"
            ) from error
        say(f"accepted: {len(accepted.cases):,} cases, written to {file}")
        return
    found = differences(read(file), run, own_corpora())
    if as_json:
        say_json(_data(found))
    else:
        _show(found, Path(file))
    sys.exit(EXIT_WORSE if any(one.refused for one in found) else 0)


def _check_whole(run: Run) -> None:
    match run.facts:
        case {"plan": {"sample": None}}:
            return
        case _:
            raise AutomodeError(
                f"`{run.name}` is a sample, which proves nothing about the other cases",
                "run `automode eval --no-classifier --isolated` without --limit",
            )


def _data(found: Sequence[Difference]) -> dict[str, object]:
    return {
        "regressions": sum(one.refused for one in found),
        "differences": [
            {
                "case": one.key,
                "kind": one.kind.value,
                "before": None if one.before is None else str(one.before),
                "after": None if one.after is None else str(one.after),
            }
            for one in found
        ],
    }


def _show(found: Sequence[Difference], file: Path) -> None:
    for one in found:
        say(one_line(str(one)))
    worse = sum(one.refused for one in found)
    if worse:
        say(f"{worse:,} regressions against {file}; accept them with --accept if they are meant")
    elif found:
        say(f"no regression against {file}; accept the rest with --accept, so that it holds")
    else:
        say(f"the same as {file}")
