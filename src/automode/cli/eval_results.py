"""What came of a run: its numbers, beside another run, and against the accepted one."""

from collections.abc import Sequence
from pathlib import Path

import click

from automode.cli.printing import one_line, say, say_json
from automode.core.errors import AutomodeError
from automode.evaluation import comparing, report_html, reports
from automode.evaluation.baseline import (
    Difference,
    baseline_of,
    differences,
    own_corpora,
    read,
    write,
)
from automode.evaluation.confusions import confusions
from automode.evaluation.outcomes import Run, read_run
from automode.evaluation.scoring import score

EXIT_WORSE = 1


def report_of(folder: Path) -> str:
    run = read_run(folder)
    return reports.report_text(run, score(run), confusions(run))


def data_of(folder: Path) -> dict[str, object]:
    run = read_run(folder)
    return reports.as_data(run, score(run), confusions(run))


def show_report(
    folder: str, html: str | None, names: Sequence[str], worst: int | None, *, as_json: bool
) -> None:
    run = read_run(folder)
    if names:
        run = run.only(names)
    if html is not None:
        _write_page(run, Path(html), worst)
    if as_json:
        say_json(reports.as_data(run, score(run), confusions(run), **_most(worst)))
    elif html is None:
        say(reports.report_text(run, score(run), confusions(run), **_most(worst)))


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


def show_comparison(before: str, after: str, most: int, *, as_json: bool) -> None:
    found = comparing.compare(read_run(before), read_run(after))
    if as_json:
        say_json(comparing.as_data(found, most=most))
    else:
        say(comparing.comparison_text(found, most=most))


def hold_against(folder: str, file: str, *, accept: bool, as_json: bool) -> int:
    """Prints how the run differs from the accepted one; returns the exit status."""
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
        return 0
    found = differences(read(file), run, own_corpora())
    if as_json:
        say_json(_data(found))
    else:
        _show(found, Path(file))
    return EXIT_WORSE if any(one.refused for one in found) else 0


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
