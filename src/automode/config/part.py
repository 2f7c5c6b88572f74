"""What one source says, checked but not yet merged with what others say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from automode.config.diagnostics import Diagnostic, Source
from automode.config.json_tree import Scalar
from automode.config.kinds import DEFAULTS
from automode.config.settings import Provider, Rule


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
