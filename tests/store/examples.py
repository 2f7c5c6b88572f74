"""Changes to keep, as the tests of the store use them."""

from dataclasses import replace

from automode.core.decision import Failure, Remark, Verdict
from automode.core.record import Record, SessionKey, StageSpent
from automode.store.changes import (
    ApprovalsForgotten,
    Approved,
    Change,
    Decided,
    Heard,
    ModeSet,
    SessionKept,
    SessionRow,
    Used,
)

KEY = SessionKey("claude-code", "5f0c-1")
OTHER_KEY = SessionKey("codex", "5f0c-1")  # the same id, said by another host
NOON = 1_700_000_000.0

RECORD = Record(
    id="r0000",
    at=NOON,
    session=KEY,
    parent=None,
    account="someone",
    root="/srv/project",
    cwd="/srv/project/src",
    tool="Bash",
    action="make test",
    input='{"command": "make test"}',
    digest="d" * 64,
    verdict=Verdict.ALLOW,
    source="classifier.fast",
    reason="tests are ordinary work",
    advice="",
    clearable=False,
    error=None,
    enforced=True,
    attended=True,
    micros=1200,
    trail=(Remark("read-only", "not-proved", "runs a program"),),
    stages=(StageSpent("fast", "provider/model", 900, 3, 800, 0, 410, "0.0012"),),
)


def record(number: int, verdict: Verdict = Verdict.ALLOW, **changed: object) -> Record:
    """The record `r<number>`, made `number` seconds after noon."""
    source = "classifier.fast" if verdict is Verdict.ALLOW else "floor.delete-root"
    made = replace(RECORD, id=f"r{number:04}", at=NOON + number, verdict=verdict, source=source)
    # Names and kinds of the fields are checked by whoever reads the record back.
    return replace(made, **changed)  # type: ignore[arg-type]


def decided(*numbers: int) -> list[Change]:
    return [Decided(record(number)) for number in numbers]


ROW = SessionRow(
    key=KEY,
    parent="5f0c-0",
    root="/srv/project",
    cwd="/srv/project/src",
    attended=True,
    mode="",
    created=NOON,
    seen=NOON + 5,
    ended=None,
    standing='{"silent": "x"}',
)
USED = Used("u1", NOON, KEY, "5f0c-0", "fast", "provider/model", 900, 3, 800, 0, 410, "0.0012")
APPROVED = Approved("a1", NOON, KEY, "r0007", "d" * 64, once=True, expires=NOON + 600)
HEARD = Heard(KEY, '{"said": "run the tests"}')
FORGOTTEN = ApprovalsForgotten(KEY)
OFF = ModeSet(KEY, "off")
FAILED = record(9, Verdict.ASK, error=Failure.UNAVAILABLE, source="gate.undecided")

ONE_OF_EACH: tuple[Change, ...] = (
    Decided(RECORD),
    Decided(FAILED),
    SessionKept(ROW),
    SessionKept(replace(ROW, parent=None, ended=NOON + 9)),
    OFF,
    HEARD,
    USED,
    replace(USED, id="u2", parent=None, usd=None),
    APPROVED,
    replace(APPROVED, id="a2", once=False, expires=None),
    FORGOTTEN,
)
