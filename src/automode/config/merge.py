"""What all sources say, merged; an environment that the user does not trust can only tighten."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from automode.config.jsonc import Scalar
from automode.config.keys import DEFAULT_VALUES, DEFAULTS, PROVIDERS, ROW_OF, ROWS, Rules
from automode.config.settings import (
    AssistantText,
    Audit,
    Builtins,
    Diagnostic,
    Escalation,
    Findings,
    Level,
    LocalJudge,
    Permissions,
    Policy,
    Probe,
    Provider,
    Rule,
    Settings,
    SharedSettings,
    Source,
    Stages,
    TranscriptLimits,
)
from automode.core.decision import Verdict
from automode.core.errors import BadSettings
from automode.core.session import Mode
from automode.llm.providers import PROVIDERS as PROVIDER_TABLE


@dataclass(frozen=True, slots=True)
class Given:
    value: Scalar
    line: int | None


@dataclass(frozen=True, slots=True)
class Listed:
    """A rule list as one source writes it; one of `rules` may be the word `$defaults`.

    `keeps` is whether the built-in entries stay: None leaves that to weaker sources, because an
    untrusted or malformed list has no say in it.
    """

    rules: tuple[Rule, ...]
    keeps: bool | None
    line: int | None = None


def everything(lists: Sequence[Listed]) -> Listed:
    """What any of `lists` names; the built-in entries stay if any keeps them."""
    says = [listed.keeps for listed in lists]
    keeps = True if True in says else None if None in says else False
    return Listed(tuple(rule for listed in lists for rule in listed.rules), keeps, lists[0].line)


def in_common(lists: Sequence[Listed]) -> Listed:
    """What each of `lists` names."""
    shared = set.intersection(*({rule.text for rule in listed.rules} for listed in lists))
    rules = tuple(rule for rule in lists[0].rules if rule.text in shared)
    return Listed(rules, DEFAULTS in shared, lists[0].line)


@dataclass(frozen=True, slots=True)
class Part:
    source: Source
    file: str
    scalars: Mapping[str, Given] = field(default_factory=dict)
    lists: Mapping[str, Listed] = field(default_factory=dict)
    providers: tuple[Provider, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    unusable: Mapping[str, str] = field(default_factory=dict)  # choices nobody can read: why not


_MODEL = "autoMode.classifierModel"
_HINT = 'only `"trustEnvironment": true` in your own settings file lets the environment loosen'


def restrain(part: Part, now: Mapping[str, Scalar]) -> Part:
    """`part` without what would loosen the values in force `now`; what was left out is reported."""
    findings = Findings(part.source, part.file)
    if part.providers:
        findings.add(Level.WARNING, PROVIDERS, None, "ignored: an endpoint loosens", _HINT)
    return replace(
        part,
        scalars=_scalars(part.scalars, now, findings),
        lists=_lists(part.lists, findings),
        providers=(),
        diagnostics=(*part.diagnostics, *findings.all()),
    )


def _scalars(
    scalars: Mapping[str, Given], now: Mapping[str, Scalar], findings: Findings
) -> Mapping[str, Given]:
    kept: dict[str, Given] = {}
    for key, given in scalars.items():
        if key == _MODEL and _keyless(given.value):
            message = "ignored: a server without a key may be anybody's"
            findings.add(Level.WARNING, key, given.line, message, _HINT)
        elif ROW_OF[key].order.loosens(now[key], given.value):
            findings.add(Level.WARNING, key, given.line, "ignored: this would loosen", _HINT)
        else:
            kept[key] = given
    return kept


def _keyless(model: Scalar) -> bool:
    """Whether the model's provider is known by nothing but its address on this machine: whoever
    listens there would be the judge."""
    provider = PROVIDER_TABLE.get(str(model).partition("/")[0].casefold())
    return provider is not None and not provider.key_variables


def _lists(lists: Mapping[str, Listed], findings: Findings) -> Mapping[str, Listed]:
    kept: dict[str, Listed] = {}
    for key, listed in lists.items():
        kind = ROW_OF[key].kind
        if not isinstance(kind, Rules) or not kind.tightens:
            findings.add(Level.WARNING, key, listed.line, "ignored: this list can loosen", _HINT)
            continue
        if kind.built_in and listed.keeps is False:
            message = f"ignored: leaving out `{DEFAULTS}` would loosen; the entries count"
            findings.add(Level.WARNING, key, listed.line, message, _HINT)
            listed = replace(listed, keeps=None)
        kept[key] = listed
    return kept


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
    on_failure = values.text("autoMode.onClassifierFailure")
    return Settings(
        enabled=values.flag("autoMode.enabled"),
        mode=Mode(values.text("autoMode.mode")),
        classifier_model=None if unreadable else values.maybe_text("autoMode.classifierModel"),
        api_key_helper=_helper(parts, values),
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
        on_classifier_failure=Verdict.DENY if on_failure == "deny" else Verdict.ASK,
        local_on_failure=on_failure == "local",
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


def _helper(parts: Sequence[Part], values: Values) -> str:
    """Its key is for the provider that the person named; who else names one gets no key of it."""
    named = [part.source for part in parts if _MODEL in part.scalars]
    persons = bool(named) and named[-1] in (Source.USER, Source.MANAGED)
    return values.maybe_text("autoMode.apiKeyHelper") or "" if persons else ""


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
