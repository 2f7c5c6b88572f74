"""The store: whether it opens, and whether the files beside it speak against it."""

from automode.core.errors import AutomodeError
from automode.doctor.case import Case
from automode.doctor.finding import Finding, fine, problem
from automode.store.chain import read_head_file
from automode.store.changes import RecordQuery
from automode.store.open import reading
from automode.store.tables import records

CHECK = "records"
VERIFY = "automode audit verify"


def check_store(case: Case) -> list[Finding]:
    folder, store = case.placement.state, case.loaded.settings.store
    try:
        with reading(folder, store) as db:
            newest = next(iter(records(db, RecordQuery(limit=1))), None)
    except AutomodeError as error:
        return [problem(CHECK, f"the store cannot be read: {error}", error.hint or VERIFY)]
    doubt = read_head_file(folder).doubt
    if doubt:
        return [problem(CHECK, doubt, VERIFY)]
    if newest is None:
        return [fine(CHECK, f"the store in {folder.path} opens, and is empty so far")]
    says = (
        "the store opens, and its head file is in order; `automode audit verify` checks each record"
    )
    return [fine(CHECK, says)]
