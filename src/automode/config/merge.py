"""What all sources say, merged into the settings in force."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from automode.config.diagnostics import Diagnostic, Source
from automode.config.json_tree import Scalar
from automode.config.keys import DEFAULT_VALUES, ROWS
from automode.config.kinds import DEFAULTS
from automode.config.part import Listed, Part
from automode.config.settings import (
    AssistantText,
    Audit,
    Builtins,
    Escalation,
    LocalJudge,
    Permissions,
    Policy,
    Probe,
    Provider,
    Rule,
    Settings,
    SharedSettings,
    Stages,
    TranscriptLimits,
)
from automode.core.decision import Verdict
from automode.core.errors import BadSettings
from automode.core.session import Mode

T = TypeVar("T", bool, int, float, str)


@dataclass(frozen=True, slots=True)
class Values:
    by_key: Mapping[str, Scalar]

    def flag(self, key: str) -> bool:
        return self._given(key, self._maybe(key, bool))

    def text(self, key: str) -> str:
        return self._given(key, self._maybe(key, str))

    def whole(self, key: str) -> int:
        return self._given(key, self._maybe(key, int))

    def maybe_text(self, key: str) -> str | None:
        return self._maybe(key, str)

    def maybe_whole(self, key: str) -> int | None:
        return self._maybe(key, int)

    def maybe_number(self, key: str) -> float | None:
        value = self.by_key[key]
        return float(value) if isinstance(value, int) else self._maybe(key, float)

    def _maybe(self, key: str, kind: type[T]) -> T | None:
        value = self.by_key[key]
        if value is None or isinstance(value, kind):
            return value
        raise BadSettings(f"`{key}` holds a value that its row does not allow")

    def _given(self, key: str, value: T | None) -> T:
        if value is None:
            raise BadSettings(f"`{key}` has neither a value nor a default")
        return value


def scalars(parts: Iterable[Part]) -> dict[str, Scalar]:
    """Every value in force: the later source wins."""
    values = dict(DEFAULT_VALUES)
    for part in parts:
        values.update((key, given.value) for key, given in part.scalars.items())
    return values


def rules(lists: Sequence[Listed], built_in: Sequence[str] = ()) -> tuple[Rule, ...]:
    """All lists one after the other, without duplicates. The strongest list that has a say in it
    decides whether the built-in entries stay; they stand where `$defaults` stands."""
    defaults = tuple(Rule(text, Source.BUILT_IN) for text in built_in)
    says = [listed.keeps for listed in lists if listed.keeps is not None]
    keeps = says[-1] if says else True
    entries: list[Rule] = []
    if keeps and True not in says:
        entries.extend(defaults)
    for listed in lists:
        for rule in listed.rules:
            if rule.text != DEFAULTS:
                entries.append(rule)
            elif keeps:
                entries.extend(defaults)
    return distinct(entries)


def distinct(entries: Iterable[Rule]) -> tuple[Rule, ...]:
    """The first of equal entries, in its place; but an entry that the administrator wrote too is
    the administrator's, because that one holds where others may not."""
    found: dict[str, Rule] = {}
    for rule in entries:
        if rule.text not in found or rule.source is Source.MANAGED:
            found[rule.text] = rule
    return tuple(found.values())


def providers(parts: Iterable[Part]) -> tuple[Provider, ...]:
    """The later source wins, name by name."""
    found = {provider.name: provider for part in parts for provider in part.providers}
    return tuple(found.values())


def unusable(parts: Sequence[Part]) -> str:
    """What is wrong with a choice whose strongest source is unreadable; a weaker source's stands in
    for it as little as anything else does."""
    for row in ROWS:
        said = [one for one in parts if row.key in one.scalars or row.key in one.unusable]
        if row.chooses and said and row.key in said[-1].unusable:
            return said[-1].unusable[row.key]
    return ""


def merged(
    parts: Sequence[Part],
    shared: Sequence[SharedSettings],
    builtins: Builtins,
    closing: tuple[Diagnostic, ...],
) -> Settings:
    """The settings in force. `parts` stand in order, weakest first."""
    values = Values(scalars(parts))
    unreadable = unusable(parts)
    return Settings(
        enabled=values.flag("autoMode.enabled"),
        mode=Mode(values.text("autoMode.mode")),
        classifier_model=None if unreadable else values.maybe_text("autoMode.classifierModel"),
        fast_model=values.maybe_text("autoMode.fastModel"),
        unusable_model=unreadable,
        stages=Stages(values.text("autoMode.stages")),
        local=LocalJudge(
            values.maybe_number("autoMode.local.clearBelow"),
            values.maybe_number("autoMode.local.clearBelowAlone"),
            values.text("autoMode.local.unaskedCommits") == "clear",
        ),
        providers=providers(parts),
        fast_max_tokens=values.maybe_whole("autoMode.fastMaxTokens"),
        redact=values.flag("autoMode.redact"),
        on_classifier_failure=Verdict[values.text("autoMode.onClassifierFailure").upper()],
        workspace_edits=values.flag("autoMode.workspaceEdits"),
        classify_read_only_tools=values.flag("autoMode.classifyReadOnlyTools"),
        remote_reads=values.flag("autoMode.remoteReads"),
        classify_all_shell=values.flag("autoMode.classifyAllShell"),
        classifier_timeout_ms=values.whole("autoMode.classifierTimeoutMs"),
        deadline_ms=values.maybe_whole("autoMode.deadlineMs"),
        transcript=_transcript(values),
        policy=_policy(parts, builtins),
        protected_paths=rules(_of(parts, "autoMode.protectedPaths"), builtins.protected_paths),
        escalation=_escalation(values),
        probe=Probe(values.text("autoMode.probe")),
        budget_usd=values.maybe_number("autoMode.budget.usdPerSession"),
        permissions=_permissions(parts, shared),
        store=values.text("store"),
        audit=Audit(
            values.whole("autoMode.audit.keepDays"), values.flag("autoMode.audit.powerLossSafe")
        ),
        notifications=values.flag("autoMode.notifications"),
        trust_environment=values.flag("trustEnvironment"),
        closing=closing,
    )


def _of(parts: Iterable[Part], key: str) -> list[Listed]:
    return [part.lists[key] for part in parts if key in part.lists]


def _transcript(values: Values) -> TranscriptLimits:
    return TranscriptLimits(
        AssistantText(values.text("autoMode.transcript.assistantText")),
        values.whole("autoMode.transcript.maxUserTokens"),
        values.whole("autoMode.transcript.maxCallTokens"),
        values.whole("autoMode.transcript.maxTranscriptLines"),
    )


def _escalation(values: Values) -> Escalation:
    return Escalation(
        values.whole("autoMode.escalation.consecutive"),
        values.whole("autoMode.escalation.total"),
        values.whole("autoMode.escalation.unavailable"),
        Verdict[values.text("autoMode.escalation.unattended").upper()],
    )


def _policy(parts: Sequence[Part], builtins: Builtins) -> Policy:
    return Policy(
        rules(_of(parts, "autoMode.environment"), builtins.environment),
        rules(_of(parts, "autoMode.allow"), builtins.allow),
        rules(_of(parts, "autoMode.soft_deny"), builtins.soft_deny),
        rules(_of(parts, "autoMode.hard_deny"), builtins.hard_deny),
    )


def _permissions(parts: Sequence[Part], shared: Sequence[SharedSettings]) -> Permissions:
    deny = rules(_of(parts, "permissions.deny"))
    ask = rules(_of(parts, "permissions.ask"))
    return Permissions(
        deny=distinct((*deny, *(rule for file in shared for rule in file.deny))),
        ask=distinct((*ask, *(rule for file in shared for rule in file.ask))),
        allow=rules(_of(parts, "permissions.allow")),
    )
