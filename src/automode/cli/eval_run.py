"""`automode eval`: a run of labelled cases, its report, and how it differs from another run."""

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from automode.assemble import chosen_model, embedded_judge
from automode.cli.options import EvalOptions
from automode.cli.printing import attributes, note, one_line, say, say_json
from automode.cli.surroundings import Surroundings
from automode.config.settings import Settings, Stages
from automode.core.errors import AutomodeError, BadSettings
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
from automode.evaluation.running import RunPlan, RunResult, run
from automode.evaluation.scoring import score
from automode.evaluation.suites import Suites, suites
from automode.judge.embedded import EmbeddedJudge
from automode.llm.endpoints import Missing
from automode.llm.model import Model, Usage
from automode.llm.prices import cost_beside
from automode.llm.wire import Wire

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


EXIT_LEFT = 1
RUNS = "eval-runs"
USUAL_AT_ONCE = 4  # requests to a model; more, and most providers begin to refuse
_A_REQUEST = Usage(input=1000, output=10)


def run_cases(surroundings: Surroundings, options: EvalOptions) -> int:
    """Decides the cases and prints the report; returns the exit status."""
    folder, ran = _run(surroundings, options)
    if options.as_json:
        say_json(_ran_data(folder, ran) | {"report": data_of(folder) if ran.some else None})
    else:
        _show_run(folder, ran)
    return EXIT_LEFT if ran.left else 0


def _run(surroundings: Surroundings, options: EvalOptions) -> tuple[Path, RunResult]:
    chosen = suites(None if options.data is None else Path(options.data), options.names)
    _tell_passed_over(chosen)
    settings = _settings(surroundings, options)
    wire = Wire(trust_environment=settings.trust_environment, keep_alive=True)
    model = _model(surroundings, settings, options, wire) if not options.no_classifier else None
    plan = RunPlan(
        chosen.corpora,
        sample=options.limit,
        seed=options.seed,
        classifier=not options.no_classifier,
        stages=settings.stages.value,
        model=_name(model),
        jobs=options.jobs or (os.cpu_count() or 1 if options.no_classifier else USUAL_AT_ONCE),
        cost_cap=options.cost_cap,
    )
    folder = (
        Path(options.out) if options.out is not None else _usual_folder(plan, settings, options)
    )
    try:
        return folder, run(plan, folder, settings, model=model, finish=wire.close)
    except KeyboardInterrupt:
        raise AutomodeError(
            "interrupted", "what was decided is kept: run the same command again to go on"
        ) from None


def _settings(surroundings: Surroundings, options: EvalOptions) -> Settings:
    """A person's own: no project's, since cases belong to none."""
    settings = surroundings.load(None).settings
    if settings.closing:
        raise BadSettings(
            f"with these settings every call is asked about: {settings.closing[0]}",
            "see `automode config`, or leave your settings out with --isolated",
        )
    stages = settings.stages if options.stages is None else Stages(options.stages)
    return replace(
        settings, classifier_model=options.model or settings.classifier_model, stages=stages
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
    environment = {} if surroundings.isolated else dict(os.environ)
    model = chosen_model(settings, environment, wire=wire)
    if isinstance(model, Missing) and not settings.chooses_model:
        return model
    if isinstance(model, Missing):
        raise AutomodeError(
            f"no model for the classifier: {model.reason}",
            "name one with --model, or measure without one: --no-classifier",
        )
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


def _tell_passed_over(chosen: Suites) -> None:
    if chosen.passed_over:
        names = one_line(", ".join(chosen.passed_over), 200)
        note(f"skipped, because they hold no cases: {names}")


def _ran_data(folder: Path, ran: RunResult) -> dict[str, object]:
    names = "planned found decided left unpriced stopped?"
    return {"folder": str(folder), **attributes(ran, names), "usd": ran.spent}


def _show_run(folder: Path, ran: RunResult) -> None:
    if ran.some:
        say(report_of(folder))
        say()
    before = f", {ran.found:,} of them earlier" if ran.found else ""
    say(f"{ran.found + ran.decided:,} of {ran.planned:,} cases decided{before}: {folder}")
    if ran.left:
        say(f"{ran.left:,} are left: {ran.stopped}")
