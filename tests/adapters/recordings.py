"""Recorded payloads, and what decisions and payloads may look like: for the tests of adapters."""

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import get_args

from hypothesis import strategies as st

from automode.adapters.catalog import ADAPTERS
from automode.adapters.guests import speaking
from automode.adapters.seam import HostEvent, Remarks
from automode.core.decision import Decision, Failure, Verdict

decisions = st.builds(
    Decision,
    verdict=st.sampled_from(Verdict),
    source=st.text(max_size=20),
    reason=st.text(max_size=80),
    advice=st.text(max_size=80),
    clearable=st.booleans(),
    error=st.none() | st.sampled_from(Failure),
    enforced=st.booleans(),
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


def decision_of(row: Mapping[str, object] | None) -> Decision | None:
    if row is None:
        return None
    return Decision(
        Verdict[str(row["verdict"]).upper()],
        str(row["source"]),
        str(row["reason"]),
        str(row.get("advice", "")),
        clearable=row.get("clearable") is True,
        enforced=row.get("enforced") is not False,
    )


def written(event: HostEvent) -> object:
    """As the seam knows it: an adapter may carry more for itself. Through JSON, which knows no
    tuples."""
    kind = next(one for one in get_args(HostEvent) if isinstance(event, one))
    whole = asdict(event)
    shown = {"is": kind.__name__, **{one.name: whole[one.name] for one in fields(kind)}}
    found: object = json.loads(json.dumps(shown))
    return found


def replayed(path: Path) -> tuple[Mapping[str, object], Mapping[str, object]]:
    """What becomes of a recorded payload now, and what was written down of it."""
    row = json.loads(path.read_text())
    adapter = speaking(ADAPTERS[row["host"]], row["host"], row["payload"])
    event = adapter.parse(row["payload"])
    answer = adapter.render(event, decision_of(row["decision"]), Remarks(**row.get("remarks", {})))
    said = json.loads(answer.stdout) if answer.stdout else None
    now = {
        "event": written(event),
        "answer": {"stdout": said, "stderr": answer.stderr, "exit": answer.exit},
    }
    return now, {"event": row["event"], "answer": row["answer"]}
