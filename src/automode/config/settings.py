"""The settings in force, typed; each rule with its author and place; diagnostics of a file."""

from dataclasses import dataclass, field
from enum import StrEnum

from automode.core.decision import Verdict
from automode.core.session import Mode
from automode.llm.providers import OwnServer

MOST_PER_FILE = 100  # a hostile file must not flood a terminal or a log
LONGEST_EXCERPT = 60


class Source(StrEnum):
    """Where settings come from, weakest first."""

    BUILT_IN = "built-in"
    USER = "user"
    LOCAL = "project-local"
    ENVIRONMENT = "environment"
    MANAGED = "managed"
    SHARED = "shared project"


class Level(StrEnum):
    ERROR = "error"  # something that was written does not count
    WARNING = "warning"  # it counts, but perhaps not as meant


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. One that `closes` may hide a deny, ask or hard_deny rule: while it stands,
    nothing may be allowed without a person."""

    level: Level
    file: str
    key: str
    line: int | None
    message: str
    hint: str = ""
    closes: bool = False
    source: Source | None = None

    def __str__(self) -> str:
        place = self.file + (f":{self.line}" if self.line else "")
        parts = [part for part in (place, self.key, self.message) if part]
        return printable(": ".join(parts) + (f" ({self.hint})" if self.hint else ""))


def printable(text: str) -> str:
    """`text` with everything escaped that could steer a terminal or hide in a line."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(letter if visible(letter) else _escaped(letter) for letter in text)


# Letters and marks by their category, and blank all the same. Other kinds of blanks, and what
# changes the direction, are not printable anyhow.
_BLANK_LETTERS = frozenset(
    map(chr, (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, 0x16FE4, 0x1D159))
) | frozenset(map(chr, (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))


def visible(letter: str) -> bool:
    """Whether a person sees that this character is there; a space is."""
    return letter.isprintable() and letter not in _BLANK_LETTERS


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def excerpt(text: str) -> str:
    """The beginning of `text`, fit to be printed."""
    cut = text[:LONGEST_EXCERPT]
    return printable(cut) + ("…" if len(text) > len(cut) else "")


@dataclass(slots=True)
class Findings:
    """Collects what is wrong with one file. Past `MOST_PER_FILE` findings are only counted, but
    the first that closes is always kept."""

    source: Source
    file: str
    kept: list[Diagnostic] = field(default_factory=list)
    dropped: int = 0
    closes: bool = False

    @property
    def full(self) -> bool:
        return len(self.kept) >= MOST_PER_FILE

    def add(
        self,
        level: Level,
        key: str,
        line: int | None,
        message: str,
        hint: str = "",
        *,
        closes: bool = False,
    ) -> None:
        if self.full and (self.closes or not closes):
            self.dropped += 1
            return
        self.closes = self.closes or closes
        self.kept.append(
            Diagnostic(level, self.file, key, line, message, hint, closes, self.source)
        )

    def all(self) -> tuple[Diagnostic, ...]:
        if not self.dropped:
            return tuple(self.kept)
        rest = f"and {self.dropped} more findings in this file"
        return (
            *self.kept,
            Diagnostic(Level.WARNING, self.file, "", None, rest, source=self.source),
        )


@dataclass(frozen=True, slots=True)
class Rule:
    """One entry of a rule list, as it was written."""

    text: str
    source: Source
    file: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class SharedSettings:
    """All that a file checked in with a project can say: it may tighten and never loosen, so it
    has no other fields."""

    deny: tuple[Rule, ...] = ()
    ask: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True)
class Builtins:
    """The entries that `$defaults` stands for."""

    environment: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    soft_deny: tuple[str, ...] = ()
    hard_deny: tuple[str, ...] = ()
    protected_paths: tuple[str, ...] = ()


class Stages(StrEnum):
    AUTO = "auto"
    BOTH = "both"
    ALL = "all"
    FAST = "fast"
    DELIBERATE = "deliberate"
    LOCAL = "local"


class AssistantText(StrEnum):
    NONE = "none"
    REFERENT = "referent"
    VISIBLE = "visible"


class OnFailure(StrEnum):
    """What a failed classifier means."""

    ASK = "ask"
    DENY = "deny"
    LOCAL = "local"  # the embedded judge stands in


class Probe(StrEnum):
    OFF = "off"
    WARN = "warn"
    ASK = "ask"


class Confine(StrEnum):
    """Which shell calls run under the kernel's guard."""

    OFF = "off"
    ASKED = "asked"
    UNPROVED = "unproved"
    ALL_SHELL = "all-shell"


class FromPhone(StrEnum):
    """What an answer to a message may be."""

    ONCE = "once"
    DENY = "deny"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Permissions:
    """Patterns, unparsed."""

    deny: tuple[Rule, ...] = ()
    ask: tuple[Rule, ...] = ()
    allow: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True)
class Policy:
    """Prose for the classifier."""

    environment: tuple[Rule, ...] = ()
    allow: tuple[Rule, ...] = ()
    soft_deny: tuple[Rule, ...] = ()
    hard_deny: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True)
class LocalJudge:
    """What the embedded judge clears; None means the calibrated threshold."""

    clear_below: float | None = None
    clear_below_alone: float | None = None
    unasked_commits: str = "clear"  # or "ask"
    learn: str = "off"  # or "session" or "project": where a person's yes covers later calls


@dataclass(frozen=True, slots=True)
class TranscriptLimits:
    assistant_text: AssistantText = AssistantText.REFERENT
    max_user_tokens: int = 4000
    max_call_tokens: int = 4000
    max_transcript_lines: int = 80


@dataclass(frozen=True, slots=True)
class Escalation:
    consecutive: int = 3
    total: int = 20
    unavailable: int = 2
    unattended: Verdict = Verdict.HALT  # or DENY


@dataclass(frozen=True, slots=True)
class Audit:
    keep_days: int = 90
    power_loss_safe: bool = False


@dataclass(frozen=True, slots=True)
class Asks:
    """How a person is asked who is elsewhere."""

    hold: int = 0  # seconds
    notify: tuple[Rule, ...] = ()  # Apprise addresses: they hold secrets
    quiet_hours: str | None = None
    notify_per_hour: int = 30
    from_phone: FromPhone = FromPhone.ONCE
    webhook: bool = False


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything the rest of the program needs to know of what people configured.

    While `closing` is not empty a prohibition may be missing: calls are then asked about, or denied
    when nobody is there.
    """

    enabled: bool = True
    mode: Mode = Mode.ENFORCE
    classifier_model: str | None = None  # None: the session's model, else the embedded judge
    api_key_helper: str | None = (
        None  # a command that prints the key of the classifier model's provider
    )
    fast_model: str | None = None  # a model file for the fast stage; None: the same model
    unusable_model: str = ""  # why a choice of a model cannot be read; then no other model is used
    stages: Stages = Stages.AUTO
    local: LocalJudge = LocalJudge()
    providers: tuple[OwnServer, ...] = ()
    fast_max_tokens: int | None = None  # None: 16, for reasoning models 512
    redact: bool = True
    on_classifier_failure: OnFailure = OnFailure.ASK
    asks: Asks = Asks()
    workspace_edits: bool = True
    confine: Confine = Confine.OFF
    classify_read_only_tools: bool = False
    remote_reads: bool = True
    classify_all_shell: bool = False
    classifier_timeout_ms: int = 20_000
    deadline_ms: int | None = None  # None: per host, below its hook timeout
    transcript: TranscriptLimits = TranscriptLimits()
    policy: Policy = Policy()
    protected_paths: tuple[Rule, ...] = ()
    escalation: Escalation = Escalation()
    probe: Probe = Probe.WARN
    probe_looks: int = 0  # results of a session that a model may look at
    budget_usd: float | None = None  # per session
    permissions: Permissions = Permissions()
    store: str = "sqlite"
    audit: Audit = Audit()
    notifications: bool = True
    trust_environment: bool = False
    closing: tuple[Diagnostic, ...] = ()

    @property
    def chooses_model(self) -> bool:
        """Whether somebody named a model, well or badly."""
        return bool(self.classifier_model or self.fast_model or self.unusable_model)

    @property
    def managed_deny(self) -> tuple[Rule, ...]:
        """The administrator's deny rules: they hold also while auto mode is off or in shadow."""
        return tuple(rule for rule in self.permissions.deny if rule.source is Source.MANAGED)
