"""What `eval` does: runs of labelled cases, and their reports."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import click

from automode.assemble import chosen_model, embedded_judge, load_settings
from automode.cli.options import EvalOptions, Surroundings
from automode.cli.printing import (
    attributes,
    note,
    one_line,
    say,
    say_json,
    tell,
    wants_json,
)
from automode.cli.tables import drawn_table, progress
from automode.config.places import Places
from automode.config.settings import Settings, Stages
from automode.core.errors import AutomodeError, BadSettings
from automode.evaluation import comparing, reports
from automode.evaluation.cases import suites
from automode.evaluation.comparing import check_acceptable, read_baseline, write_baseline
from automode.evaluation.run_folder import read_run
from automode.evaluation.running import RunPlan, RunResult, run
from automode.judge.embedded import EmbeddedJudge
from automode.llm.endpoints import Missing
from automode.llm.hosted import Wire
from automode.llm.model import Model, Usage
from automode.llm.prices import cost_beside

EXIT_WORSE = 1


def show_report(folder: str, html: str | None, names: Sequence[str], worst: int | None) -> None:
    """`worst` None: each kind of report has a number of its own that suits it."""
    run = read_run(folder)
    if names:
        run = run.only(names)
    most = {} if worst is None else {"most": worst}
    if html is not None:
        page = reports.page(run, **most)
        with _explain_write_errors(html):
            Path(html).write_text(page, encoding="utf-8")
        click.echo(f"written: {html}", err=True)
    if wants_json():
        say_json(reports.as_data(run, **most))
    elif html is None:
        say(reports.report_text(run, **most, draw=_table))


def _table(heads: Sequence[str], *rows: Sequence[str]) -> str:
    """Fits a terminal where one is there."""
    return drawn_table(rows, heads, words=1, indent=0) or reports.table(heads, *rows)


@contextmanager
def _explain_write_errors(file: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        what = (error.strerror or type(error).__name__).lower()
        raise AutomodeError(f"`{file}` cannot be written: {what}", "name another file") from error


def show_comparison(before: str, after: str, most: int) -> None:
    found = comparing.compare(read_run(before), read_run(after))
    tell(comparing.as_data(found, most=most), comparing.comparison_text(found, most=most))


def hold_against(folder: str, file: str, *, accept: bool) -> int:
    """Prints how the run differs from the accepted one; returns the exit status."""
    run = check_acceptable(read_run(folder))
    if accept:
        with _explain_write_errors(file):
            write_baseline(run, file)
        say(f"accepted: {len(run.outcomes):,} cases, written to {file}")
        return 0
    found = comparing.compare(read_baseline(file), run)
    tell(comparing.as_data(found), lambda: _show_baseline(found, file))
    return EXIT_WORSE if found.regressions else 0


def _show_baseline(found: comparing.Comparison, file: str) -> None:
    say(comparing.comparison_text(found))
    if found.regressions:
        worse = f"{len(found.regressions):,} regressions against {file}"
        say(f"{worse}; accept them with --accept if they are meant")
    elif found.changed:
        say(f"no regression against {file}; accept the rest with --accept, so that it holds")
    else:
        say(f"the same as {file}")


EXIT_LEFT = 1
RUNS = "eval-runs"
USUAL_AT_ONCE = 4  # requests to a model; more, and most providers begin to refuse
_A_REQUEST = Usage(input=1000, output=10)


def run_cases(surroundings: Surroundings, options: EvalOptions) -> int:
    """Decides the cases and prints the report; returns the exit status."""
    folder, ran = _run(surroundings, options)
    run = read_run(folder) if ran.some else None
    if wants_json():
        names = "planned found decided left unpriced stopped?"
        report = None if run is None else reports.as_data(run)
        data: dict[str, object] = {"folder": str(folder), **attributes(ran, names)}
        say_json(data | {"usd": ran.spent, "report": report})
        return EXIT_LEFT if ran.left else 0
    if run is not None:
        say(reports.report_text(run, draw=_table))
        say()
    before = f", {ran.found:,} of them earlier" if ran.found else ""
    say(f"{ran.found + ran.decided:,} of {ran.planned:,} cases decided{before}: {folder}")
    if ran.left:
        say(f"{ran.left:,} are left: {ran.stopped}")
    return EXIT_LEFT if ran.left else 0


def _run(surroundings: Surroundings, options: EvalOptions) -> tuple[Path, RunResult]:
    chosen = suites(None if options.data is None else Path(options.data), options.names)
    if chosen.passed_over:
        names = one_line(", ".join(chosen.passed_over), 200)
        note(f"skipped, because they hold no cases: {names}")
    settings = own_settings(surroundings.places(None), options.model, options.stages)
    wire = Wire(trust_environment=settings.trust_environment, keep_alive=True)
    model = None if options.no_classifier else _model(surroundings, settings, options, wire)
    plan = RunPlan(
        chosen.corpora,
        sample=options.limit,
        seed=options.seed,
        stages=settings.stages.value,
        model=_name(model),
        jobs=options.jobs or (os.cpu_count() or 1 if options.no_classifier else USUAL_AT_ONCE),
        cost_cap=options.cost_cap,
    )
    folder = Path(options.out or _usual_folder(plan, settings, options))
    try:
        with progress("deciding") as show:
            return folder, run(
                plan, folder, settings, model=model, finish=wire.close, progress=show
            )
    except KeyboardInterrupt:
        raise AutomodeError(
            "interrupted", "what was decided is kept: run the same command again to go on"
        ) from None


def own_settings(places: Places, model: str | None, stages: str | None = None) -> Settings:
    """A person's own: no project's, since the calls belong to none or to many."""
    settings = load_settings(places).settings
    if settings.closing:
        raise BadSettings(
            f"with these settings every call is asked about: {settings.closing[0]}",
            "fix the file that it names, or leave your settings out with --isolated",
        )
    return replace(
        settings,
        classifier_model=model or settings.classifier_model,
        stages=settings.stages if stages is None else Stages(stages),
    )


def own_model(surroundings: Surroundings, settings: Settings, wire: Wire) -> Model | Missing:
    environment = {} if surroundings.isolated else dict(os.environ)
    return chosen_model(settings, environment, wire=wire, keyring=surroundings.keys())


def no_model(missing: Missing) -> AutomodeError:
    return AutomodeError(
        f"no model for the classifier: {missing.reason}",
        "name another one with --model, or use none: --no-classifier",
    )


def _name(model: Model | Missing | None) -> str | None:
    """Another version of the embedded judge is another run."""
    if isinstance(model, Missing):
        judge = embedded_judge()
        version = judge.model.version if isinstance(judge, EmbeddedJudge) else "missing"
        return f"embedded/{version}"
    return None if model is None else model.name


def _model(
    surroundings: Surroundings, settings: Settings, options: EvalOptions, wire: Wire
) -> Model | Missing:
    """Missing: nobody chose one, and the embedded judge is measured."""
    model = own_model(surroundings, settings, wire)
    if isinstance(model, Missing):
        if settings.chooses_model:
            raise no_model(model)
        return model
    price = cost_beside({server.name for server in settings.providers})
    if options.cost_cap is not None and price(model.name, _A_REQUEST, None) is None:
        raise AutomodeError(
            f"the price of `{model.name}` is unknown, so --cost-cap cannot hold",
            "leave out --cost-cap, and bound the run with --limit",
        )
    return model


def _usual_folder(plan: RunPlan, settings: Settings, options: EvalOptions) -> Path:
    """Named after what is run, so that the same command finds its run again."""
    name = "own" if options.data is None else Path(options.data).resolve().name
    kind = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip(".-") or "data"
    return Path(RUNS) / f"{kind}-{str(plan.facts(settings)['fingerprint'])[:12]}"
