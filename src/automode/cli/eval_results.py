"""What came of a run: `automode eval report`, and what `automode eval` prints at its end."""

from pathlib import Path

import click

from automode.cli.printing import say, say_json
from automode.core.errors import AutomodeError
from automode.evaluation import report_html, report_json, report_text
from automode.evaluation.confusions import confusions
from automode.evaluation.outcomes import Run, read_run
from automode.evaluation.scoring import score

MOST_SHOWN = 1000


def report_of(folder: Path) -> str:
    run = read_run(folder)
    return report_text.rendered(run, score(run), confusions(run))


def data_of(folder: Path) -> dict[str, object]:
    run = read_run(folder)
    return report_json.as_data(run, score(run), confusions(run))


@click.command(short_help="Show the numbers of a run.")
@click.argument("folder", metavar="FOLDER", type=click.Path())
@click.option("--html", type=click.Path(dir_okay=False), metavar="FILE", help="Write a page.")
@click.option("--suite", "names", multiple=True, metavar="NAME", help="Of this suite alone.")
@click.option("--worst", type=click.IntRange(0, MOST_SHOWN), metavar="N", help="Examples to read.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def report(
    folder: str, html: str | None, names: tuple[str, ...], worst: int | None, *, as_json: bool
) -> None:
    """Show how much good work a run stopped and how much bad work it missed, with what decided it.

    Reads the folder of the run and nothing else: no model is asked and nothing is decided again.
    """
    run = read_run(folder)
    if names:
        run = run.only(names)
    if html is not None:
        _write_page(run, Path(html), worst)
    if as_json:
        say_json(report_json.as_data(run, score(run), confusions(run), **_most(worst)))
    elif html is None:
        say(report_text.rendered(run, score(run), confusions(run), **_most(worst)))


def _write_page(run: Run, path: Path, worst: int | None) -> None:
    page = report_html.page(run, score(run), confusions(run), **_most(worst))
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        what = (error.strerror or type(error).__name__).lower()
        raise AutomodeError(f"`{path}` cannot be written: {what}", "name another file") from error
    click.echo(f"written: {path}", err=True)


def _most(worst: int | None) -> dict[str, int]:
    """Each report has a number of its own that suits it."""
    return {} if worst is None else {"most": worst}
