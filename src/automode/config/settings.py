"""The settings in force, typed. Each rule knows who wrote it and where."""

from dataclasses import dataclass
from enum import StrEnum

from automode.config.diagnostics import Diagnostic, Source
from automode.core.decision import Verdict
from automode.core.session import Mode


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
    BOTH = "both"
    ALL = "all"
    FAST = "fast"
    DELIBERATE = "deliberate"
    LOCAL = "local"


class AssistantText(StrEnum):
    NONE = "none"
    REFERENT = "referent"
    VISIBLE = "visible"


class Probe(StrEnum):
    OFF = "off"
    WARN = "warn"
    ASK = "ask"


class Api(StrEnum):
    OPENAI = "openai"
    ANTHROPIC = "anthropic"


@dataclass(frozen=True, slots=True)
class Provider:
    """A model server of the user's own."""

    name: str
    api: Api
    base_url: str
    api_key_env: str | None = None


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
    unasked_commits: bool = True


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
class Settings:
    """Everything the rest of the program needs to know of what people configured.

    While `closing` is not empty a prohibition may be missing: calls are then asked about, or denied
    when nobody is there.
    """

    enabled: bool = True
    mode: Mode = Mode.ENFORCE
    classifier_model: str | None = None  # None: the session's model, else the embedded judge
    fast_model: str | None = None  # a model file for the fast stage; None: the same model
    unusable_model: str = ""  # why a choice of a model cannot be read; then nobody stands in
    stages: Stages = Stages.BOTH
    local: LocalJudge = LocalJudge()
    providers: tuple[Provider, ...] = ()
    fast_max_tokens: int | None = None  # None: 16, for reasoning models 512
    redact: bool = True
    on_classifier_failure: Verdict = Verdict.ASK  # or DENY
    workspace_edits: bool = True
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
