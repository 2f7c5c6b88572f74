"""The classifier as a command needs it: its model, its budget, and the layer itself."""

import os
from dataclasses import dataclass

from automode.assemble import build_classifier, chosen_model
from automode.cli.surroundings import Surroundings, own_session
from automode.config.settings import Settings
from automode.gate.layer import Layer
from automode.llm.endpoints import Missing
from automode.llm.ledger import Ledger, Request
from automode.llm.model import Model
from automode.llm.prices import cost_beside
from automode.sessions.usage import bill_of
from automode.store.open import reading
from automode.store.tables import usage_rows


@dataclass(frozen=True, slots=True)
class Judging:
    """The classifier, or no layer at all. `ledger` None: what is used counts for no budget."""

    layers: tuple[Layer, ...] = ()
    ledger: Ledger | None = None

    def requests(self) -> tuple[Request, ...]:
        """Those to the model since this was last asked."""
        return () if self.ledger is None else self.ledger.taken(str(own_session()))


def judging(
    surroundings: Surroundings, settings: Settings, *, wanted: bool, recorded: bool = True
) -> Judging:
    """Raises Trouble when a budget is set and the store cannot say what was spent."""
    if not wanted:
        return Judging()
    model = model_for(surroundings, settings)
    # Without a model nothing is ever used: the store need not be read.
    used = recorded and not isinstance(model, Missing)
    ledger = ledger_for(surroundings, settings) if used else None
    return Judging((build_classifier(settings, model, ledger=ledger),), ledger)


def model_for(surroundings: Surroundings, settings: Settings) -> Model | Missing:
    """The classifier's model, with the key of this account."""
    return chosen_model(settings, {} if surroundings.isolated else dict(os.environ))


def ledger_for(surroundings: Surroundings, settings: Settings) -> Ledger | None:
    """Begins with what the day's session has spent: without it no budget could ever be spent. The
    user's own servers have no price, whatever they are called."""
    folder = surroundings.state()
    if surroundings.isolated or folder is None:
        return None
    ledger = Ledger(price=cost_beside({server.name for server in settings.providers}))
    if settings.budget_usd is not None:
        day = own_session()
        with reading(folder, surroundings.store()) as db:
            bill = bill_of(usage_rows(db, sessions=[day]))
        ledger.seed(str(day), bill.spent(str(day)))
    return ledger
