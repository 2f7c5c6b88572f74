"""What `status` says about the classifier: its model, whether it can be asked, what it has used."""

from dataclasses import dataclass

from automode.assemble import embedded_judge
from automode.classifier.chosen import chosen_stages
from automode.classifier.stages import Stage
from automode.cli.judging import model_for
from automode.cli.model import FIRST_LOOK_KEY, KEY
from automode.cli.origins import Held, held
from automode.cli.surroundings import Surroundings
from automode.cli.usage import bill_for, money, usage_data
from automode.config.load import Loaded
from automode.judge.model import BadModel
from automode.llm.bill import Bill
from automode.llm.endpoints import Missing
from automode.store.database import StoreError

EMBEDDED = "the embedded judge"


@dataclass(frozen=True, slots=True)
class ClassifierState:
    """`problem` is why no call can be judged, empty when it can. No key is in here."""

    model: Held
    stages: tuple[Stage, ...]
    problem: str
    bill: Bill | None  # None where the store is left out, or cannot be read
    trouble: str = ""  # why the store cannot be read


def classifier_state(surroundings: Surroundings, loaded: Loaded) -> ClassifierState:
    """Asks no model: `automode model --test` does."""
    settings = loaded.settings
    found = model_for(surroundings, settings)
    stages = chosen_stages(settings, found)
    judge = embedded_judge(settings)
    problem = ""
    if isinstance(found, Missing) and stages != (Stage.LOCAL,):
        problem = found.reason
    elif isinstance(judge, BadModel) and stages == (Stage.LOCAL,):
        problem = str(judge)
    bill, trouble = None, ""
    if surroundings.state() is not None:
        try:
            bill = bill_for(surroundings)
        except StoreError as error:
            trouble = str(error)
    alone = settings.fast_model is not None and settings.classifier_model is None
    model = held(loaded)[FIRST_LOOK_KEY if alone else KEY]
    return ClassifierState(model, stages, problem, bill, trouble)


def state_data(state: ClassifierState) -> dict[str, object]:
    return {
        "model": state.model.value,
        "source": state.model.source.value,
        "file": state.model.file,
        "line": state.model.line,
        "ready": not state.problem,
        "problem": state.problem or None,
        "stages": [stage.value for stage in state.stages],
        "usage": None if state.bill is None else _used(state.bill),
    }


def state_rows(state: ClassifierState) -> list[tuple[str, str]]:
    rows = [
        ("classifier", _model(state)),
        ("stages", ", ".join(stage.value for stage in state.stages)),
    ]
    if state.trouble:
        rows.append(("used", f"not known: {state.trouble}"))
    return rows if state.bill is None else [*rows, ("used", _summary(state.bill))]


def _model(state: ClassifierState) -> str:
    if state.model.value is None:
        return f"none: {state.problem}" if state.problem else f"{EMBEDDED}; no model is chosen"
    ready = f"cannot be asked: {state.problem}" if state.problem else "ready"
    return f"{state.model.value} ({state.model.place}); {ready}"


def _used(bill: Bill) -> object:
    """As `automode usage` adds it up."""
    return usage_data(bill, bill.sessions())["total"]


def _summary(bill: Bill) -> str:
    total = bill.total(bill.sessions())
    if not total.requests:
        return "nothing yet"
    tokens = f"{total.usage.prompt:,} prompt tokens, {total.usage.output:,} output tokens"
    requests = "1 request" if total.requests == 1 else f"{total.requests:,} requests"
    return f"{requests}, {tokens}, cost {money(total)}; see `automode usage`"
