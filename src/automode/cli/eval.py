"""`automode eval`: labelled cases through the real gate and probe, and what came of it."""

import os
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import click

from automode.assemble import chosen_model, embedded_judge
from automode.cli.eval_against import baseline, compare
from automode.cli.eval_results import data_of, report, report_of
from automode.cli.printing import one_line, say, say_json
from automode.cli.surroundings import Surroundings, settings_options
from automode.config.settings import Settings, Stages
from automode.core.errors import AutomodeError, BadSettings
from automode.evaluation.running import Ran, RunPlan, run
from automode.evaluation.suites import Suites, suites
from automode.judge.embedded import EmbeddedJudge
from automode.llm.endpoints import Missing
from automode.llm.model import Model, Usage
from automode.llm.prices import cost_beside
from automode.llm.wire import Wire

EXIT_LEFT = 1
RUNS = "eval-runs"
MOST_AT_ONCE = 64
USUAL_AT_ONCE = 4  # requests to a model; more, and most providers begin to refuse
_A_REQUEST = Usage(input=1000, output=10)


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the options of a run ask for."""

    data: str | None
    names: tuple[str, ...]
    model: str | None
    stages: str | None
    classifier: bool
    limit: int | None
    seed: int
    jobs: int | None
    out: str | None
    cost_cap: float | None


@click.group(
    "eval",
    invoke_without_command=True,
)
@click.option("--data", type=click.Path(), metavar="DIR", help="Cases of this folder, not our own.")
@click.option("--suite", "names", multiple=True, metavar="NAME", help="This file of cases alone.")
@click.option("--model", metavar="ID", help="The classifier's model, as `provider/model`.")
@click.option("--stages", type=click.Choice([one.value for one in Stages]), help="Its stages.")
@click.option("--no-classifier", is_flag=True, help="Only what needs no model. Costs nothing.")
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
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@settings_options
@click.pass_context
def eval(  # noqa: A001 - the command's own name
    context: click.Context,
    data: str | None,
    names: tuple[str, ...],
    model: str | None,
    stages: str | None,
    limit: int | None,
    seed: int,
    jobs: int | None,
    out: str | None,
    cost_cap: float | None,
    *,
    no_classifier: bool,
    as_json: bool,
) -> None:
    """Decide labelled calls with the real gate, screen labelled results with the real probe, and
    count: how much good work is stopped, how much bad work is missed.

    \b
      automode eval --no-classifier
      automode eval --data DIR --limit 200 --model anthropic/claude-haiku-4-5 --cost-cap 5

    Nothing is run. Every decision is written to a folder; the same command again goes on where it
    stopped, and pays nothing twice. The exit status is 1 when cases are left.
    """
    if context.invoked_subcommand is not None:
        return
    wishes = Wishes(data, names, model, stages, not no_classifier, limit, seed, jobs, out, cost_cap)
    surroundings: Surroundings = context.obj
    folder, ran = _run(surroundings, wishes)
    if as_json:
        say_json(_ran_data(folder, ran) | {"report": data_of(folder) if ran.some else None})
    else:
        _show(folder, ran)
    sys.exit(EXIT_LEFT if ran.left else 0)


for command in (report, compare, baseline):
    eval.add_command(command)


def _run(surroundings: Surroundings, wishes: Wishes) -> tuple[Path, Ran]:
    chosen = suites(None if wishes.data is None else Path(wishes.data), wishes.names)
    _tell_passed_over(chosen)
    settings = _settings(surroundings, wishes)
    wire = Wire(trust_environment=settings.trust_environment, keep_alive=True)
    model = _model(surroundings, settings, wishes, wire) if wishes.classifier else None
    plan = RunPlan(
        chosen.corpora,
        sample=wishes.limit,
        seed=wishes.seed,
        classifier=wishes.classifier,
        stages=settings.stages.value,
        model=_name(model),
        jobs=wishes.jobs or (USUAL_AT_ONCE if wishes.classifier else os.cpu_count() or 1),
        cost_cap=wishes.cost_cap,
    )
    folder = Path(wishes.out) if wishes.out is not None else _usual_folder(plan, settings, wishes)
    try:
        return folder, run(plan, folder, settings, model=model, finish=wire.close)
    except KeyboardInterrupt:
        raise AutomodeError(
            "interrupted", "what was decided is kept: run the same command again to go on"
        ) from None


def _settings(surroundings: Surroundings, wishes: Wishes) -> Settings:
    """A person's own: no project's, since cases belong to none."""
    settings = surroundings.load(None).settings
    if settings.closing:
        raise BadSettings(
            f"with these settings every call is asked about: {settings.closing[0]}",
            "see `automode config`, or leave your settings out with --isolated",
        )
    stages = settings.stages if wishes.stages is None else Stages(wishes.stages)
    return replace(
        settings, classifier_model=wishes.model or settings.classifier_model, stages=stages
    )


def _name(model: Model | Missing | None) -> str | None:
    """Another version of the embedded judge is another run."""
    if isinstance(model, Missing):
        judge = embedded_judge()
        version = judge.model.version if isinstance(judge, EmbeddedJudge) else "missing"
        return f"embedded/{version}"
    return None if model is None else model.name


def _model(
    surroundings: Surroundings, settings: Settings, wishes: Wishes, wire: Wire
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
    if wishes.cost_cap is not None and price(model.name, _A_REQUEST, None) is None:
        raise AutomodeError(
            f"nobody knows what `{model.name}` costs, so no cap can be kept",
            "leave --cost-cap away, and bound the run with --limit",
        )
    return model


def _usual_folder(plan: RunPlan, settings: Settings, wishes: Wishes) -> Path:
    """Named after what is run, so that the same command finds its run again."""
    name = "own" if wishes.data is None else Path(wishes.data).resolve().name
    kind = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip(".-") or "data"
    return Path(RUNS) / f"{kind}-{str(plan.facts(settings)['fingerprint'])[:12]}"


def _tell_passed_over(chosen: Suites) -> None:
    if chosen.passed_over:
        names = one_line(", ".join(chosen.passed_over), 200)
        click.echo(f"note: passed over, since they hold no cases: {names}", err=True)


def _ran_data(folder: Path, ran: Ran) -> dict[str, object]:
    return {
        "folder": str(folder),
        "planned": ran.planned,
        "found": ran.found,
        "decided": ran.decided,
        "left": ran.left,
        "usd": ran.spent,
        "unpriced": ran.unpriced,
        "stopped": ran.stopped or None,
    }


def _show(folder: Path, ran: Ran) -> None:
    if ran.some:
        say(report_of(folder))
        say()
    before = f", {ran.found:,} of them earlier" if ran.found else ""
    say(f"{ran.found + ran.decided:,} of {ran.planned:,} cases decided{before}: {folder}")
    if ran.left:
        say(f"{ran.left:,} are left: {ran.stopped}")
