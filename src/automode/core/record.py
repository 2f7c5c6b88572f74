"""What is written down of one decision, and whether a person's yes may let the call through."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from automode.core.decision import Failure, Remark, Verdict
from automode.core.errors import BadCall

OWN_HOST = "cli"  # the host of what commands decide: it belongs to no agent
LONGEST_ACTION = 6000  # characters of the summary that people read
LONGEST_INPUT = 65_536  # characters of the input that replay reads
BREAKER = "breaker."
"""How the sources of the breaker begin. There the trail ends with what was decided before it:
source, verdict and reason."""

PLACEHOLDER = re.compile(r"\[secret:[a-z0-9-]+#")
PART_REPLACED = (
    "a part of this call was replaced by `[secret:…]` and cannot be seen here: a yes allows it too"
)
_RENAMED = {"gate.desk-failed": "gate.service-failed"}
_MOST_NAMED = 5
_DENYING = {verdict.word for verdict in Verdict if verdict >= Verdict.DENY}


def source_names(source: str) -> tuple[str, ...]:
    """The source, and what it was called before or is called now: records and people's filters may
    have either."""
    others = (pair for pair in _RENAMED.items() if source in pair)
    return tuple(dict.fromkeys((source, *(name for pair in others for name in pair))))


@dataclass(frozen=True, slots=True)
class SessionKey:
    """A session id means something only to the host that gave it."""

    host: str
    id: str

    def __str__(self) -> str:
        return f"{self.host}/{self.id}"


def session_meant(names: Iterable[str], wanted: str, where: str) -> str:
    """The one of these names `host/id` that a person means by all of it, by its id, or by how
    either begins. Raises BadCall, with `where` the sessions are listed."""
    known = [(name, name.partition("/")[2]) for name in sorted(set(names)) if wanted]
    exact = [name for name, own in known if wanted in (name, own)]
    begun = [name for name, own in known if name.startswith(wanted) or own.startswith(wanted)]
    match exact or begun:
        case [one]:
            return one
        case []:
            raise BadCall(f"no session is called `{wanted}`", f"`{where}` names them")
        case several:
            some = ", ".join(several[:_MOST_NAMED])
            more = f" and {len(several) - _MOST_NAMED} more" if several[_MOST_NAMED:] else ""
            raise BadCall(f"`{wanted}` may mean several sessions: {some}{more}", "say which")


@dataclass(frozen=True, slots=True)
class StageSpent:
    """One request to a model: what it used, took and cost. `usd` None: the price is not known."""

    stage: str
    model: str
    input: int
    output: int
    cache_read: int
    cache_write: int
    millis: int
    usd: str | None


@dataclass(frozen=True, slots=True)
class Record:
    """Every text in it is redacted before it is made; nothing here may hold a secret."""

    id: str  # unique, sorts by time, short enough to be typed
    at: float  # seconds since the epoch
    session: SessionKey
    parent: str | None
    account: str
    root: str
    cwd: str
    tool: str
    action: str  # what the call does, for people; at most LONGEST_ACTION
    input: str  # its input as JSON, for replay; cut where longer than LONGEST_INPUT
    digest: str  # what makes a retry exact: see `sessions.layers`
    verdict: Verdict
    source: str
    reason: str
    advice: str
    clearable: bool
    error: Failure | None
    enforced: bool
    attended: bool
    micros: int
    trail: tuple[Remark, ...] = ()
    stages: tuple[StageSpent, ...] = ()

    @property
    def denied(self) -> bool:
        return self.verdict >= Verdict.DENY

    @property
    def replaced(self) -> bool:
        """A placeholder stands for a part of the call: nobody can see here what it is."""
        return any(PLACEHOLDER.search(text) is not None for text in (self.action, self.input))

    @property
    def kind(self) -> str:
        """The word for who denied; where the breaker stopped a denied call, for who denied that."""
        if self.source.startswith(BREAKER) and self.trail and self.trail[-1].mark in _DENYING:
            return denial_kind(self.trail[-1].layer)
        return denial_kind(self.source)


def beside(action: str, given: str) -> str:
    """What the input of a call says beside its action; empty where the action says all of it."""
    try:
        fields = json.loads(given)
    except (ValueError, RecursionError):
        return given
    named = [name for name, value in fields.items() if value == action] if _object(fields) else []
    if len(named) != 1:
        return "" if given == action else given
    others = {name: value for name, value in fields.items() if name != named[0]}
    return json.dumps(others, ensure_ascii=False, separators=(",", ":")) if others else ""


def _object(value: object) -> bool:
    return isinstance(value, dict)


def denial_kind(source: str) -> str:
    """The word for who denied, as hosts and state keep it."""
    head, _, rest = source.partition(".")
    if head == "rules":
        return f"permissions.{rest}"
    known = {"floor": "hard-deny", "classifier": "classifier", "person": "permissions.ask"}
    return known.get(head, "setup")


_OWN_WAY = "it is for a person to do by hand, if at all"


@dataclass(frozen=True, slots=True)
class Clearance:
    """`refusal` is empty where the call may be approved; `instead` says what else helps."""

    refusal: str = ""
    instead: str = ""

    @property
    def possible(self) -> bool:
        return not self.refusal


def clearance(record: Record) -> Clearance:
    """An approval never lifts a deny rule, the floor or `hard_deny`."""
    source = record.source
    if record.verdict is Verdict.ALLOW:
        return Clearance("it was allowed", "nothing needs an approval")
    if not record.enforced:
        return Clearance("it was decided in shadow mode, so nothing kept it from running")
    if record.error is Failure.CANCELLED:
        return Clearance("the agent's turn was cancelled: nothing was decided about the call")
    if source == "rules.deny":
        return Clearance("a deny rule is about it, and nothing lifts one", "change the rule")
    if source.startswith("floor."):
        return Clearance(f"the floor denied it (`{source}`), and nobody may permit that", _OWN_WAY)
    if source.startswith("classifier.") and record.error is None and not record.clearable:
        return Clearance(
            "a `hard_deny` rule of the policy denied it, and no instruction lifts one",
            f"change `autoMode.hard_deny` if it says too much; else {_OWN_WAY}",
        )
    if not record.clearable:
        return Clearance(f"what `{source}` says cannot be approved", record.advice or _OWN_WAY)
    if not record.digest:
        return Clearance(
            "what it names is not known beforehand (a variable, a pattern, a part that cannot be"
            " read), or is too many or too large files, so no retry can be told to be exact",
            "have it written with plain names, or split into parts; or run it yourself",
        )
    return Clearance()
