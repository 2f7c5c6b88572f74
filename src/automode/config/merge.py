"""What all sources say, merged; an environment that the user does not trust can only tighten."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from automode.config.jsonc import Scalar
from automode.config.keys import (
    DEFAULT_VALUES,
    DEFAULTS,
    PLAIN,
    PROVIDERS,
    ROW_OF,
    ROWS,
    SHARED_ROWS,
    Rules,
)
from automode.config.settings import (
    Builtins,
    Diagnostic,
    Findings,
    Level,
    Rule,
    Settings,
    SharedSettings,
    Source,
)
from automode.llm.providers import PROVIDERS as PROVIDER_TABLE
from automode.llm.providers import OwnServer


@dataclass(frozen=True, slots=True)
class Given:
    """A value, its source and its place."""

    value: Scalar
    source: Source = Source.BUILT_IN
    file: str = ""
    line: int | None = None

    @property
    def place(self) -> str:
        if not self.file:
            return self.source.value
        return f"{self.source.value}, {self.file}" + (f":{self.line}" if self.line else "")


@dataclass(frozen=True, slots=True)
class Listed:
    """A rule list as one source writes it; one of `rules` may be the word `$defaults`.

    `keeps` is whether the built-in entries stay: None leaves that to weaker sources, because an
    untrusted or malformed list has no say in it.
    """

    rules: tuple[Rule, ...]
    keeps: bool | None
    line: int | None = None


def join_lists(lists: Sequence[Listed]) -> Listed:
    """What any of `lists` names; the built-in entries stay if any keeps them."""
    says = [listed.keeps for listed in lists]
    keeps = True if True in says else None if None in says else False
    return Listed(tuple(rule for listed in lists for rule in listed.rules), keeps, lists[0].line)


def common_entries(lists: Sequence[Listed]) -> Listed:
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
    providers: tuple[OwnServer, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    unusable: Mapping[str, str] = field(default_factory=dict)  # choices nobody can read: why not


_MODEL = "autoMode.classifierModel"
_HELPER = "autoMode.apiKeyHelper"
_HINT = 'only `"trustEnvironment": true` in your own settings file lets the environment loosen'


def restrain(part: Part, now: Mapping[str, Given]) -> Part:
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
    scalars: Mapping[str, Given], now: Mapping[str, Given], findings: Findings
) -> Mapping[str, Given]:
    kept: dict[str, Given] = {}
    for key, given in scalars.items():
        if key == _MODEL and _keyless(given.value):
            message = "ignored: a server without a key may be anybody's"
            findings.add(Level.WARNING, key, given.line, message, _HINT)
        elif ROW_OF[key].order.loosens(now[key].value, given.value):
            findings.add(Level.WARNING, key, given.line, "ignored: this would loosen", _HINT)
        else:
            kept[key] = given
    return kept


def _keyless(model: Scalar) -> bool:
    """Whether the model's provider is known only by its address on this machine: any program that
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


def scalars(parts: Iterable[Part]) -> dict[str, Given]:
    """Every value in force: the later source wins."""
    values = {key: Given(value) for key, value in DEFAULT_VALUES.items()}
    for part in parts:
        values.update(part.scalars)
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


def providers(parts: Iterable[Part]) -> tuple[OwnServer, ...]:
    """The later source wins, name by name."""
    found = {provider.name: provider for part in parts for provider in part.providers}
    return tuple(found.values())


def unusable(parts: Sequence[Part]) -> str:
    """What is wrong with a choice whose strongest source is unreadable. No weaker source replaces
    it."""
    for row in ROWS:
        said = [one for one in parts if row.key in one.scalars or row.key in one.unusable]
        if row.chooses and said and row.key in said[-1].unusable:
            return said[-1].unusable[row.key]
    return ""


def merge_parts(
    parts: Sequence[Part],
    shared: Sequence[SharedSettings],
    builtins: Builtins,
    closing: tuple[Diagnostic, ...],
) -> Settings:
    """The settings in force. `parts` stand in order, weakest first."""
    given = scalars(parts)
    values = {key: one.value for key, one in given.items()}
    unreadable = unusable(parts)
    if unreadable:
        values[_MODEL] = None
    if not _keeps_helper(parts):
        values[_HELPER] = None
    fields: dict[str, object] = {}
    groups: defaultdict[str, dict[str, object]] = defaultdict(dict)
    for row in ROWS:
        group, _, name = row.field.rpartition(".")
        into = groups[group] if group else fields
        if isinstance(row.kind, Rules):
            lists = [part.lists[row.key] for part in parts if row.key in part.lists]
            entries = rules(lists, getattr(builtins, name) if row.kind.built_in else ())
            if row in SHARED_ROWS:
                entries = distinct(
                    (*entries, *(one for file in shared for one in getattr(file, name)))
                )
            into[name] = entries
        elif row.key in values:
            into[name] = row.as_field(values[row.key])
    fields |= {name: replace(getattr(PLAIN, name), **inside) for name, inside in groups.items()}
    make: Callable[..., Settings] = Settings
    return make(**fields, providers=providers(parts), unusable_model=unreadable, closing=closing)


def _keeps_helper(parts: Sequence[Part]) -> bool:
    """Its key is for the provider that the same file names, or the administrator's where that
    file names none. A provider that another source names gets no key of it."""
    naming = [part for part in parts if _MODEL in part.scalars]
    if not naming or naming[-1].source not in (Source.USER, Source.MANAGED):
        return False
    givers = [part for part in parts if _HELPER in part.scalars]
    beside = [part for part in givers[-1:] if _MODEL in part.scalars]
    providers = {str(one.scalars[_MODEL].value).partition("/")[0] for one in (naming[-1], *beside)}
    return len(providers) == 1
