"""The four built-in lists of prose rules (`rules.toml`), and how they are printed."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class PolicyRule:
    """What a rule covers, what it leaves alone, and what a user must say to clear it.

    `name` is stable: reports and evaluations refer to a rule by it. `excludes` names the benign
    look-alikes. `must_name` is the item (action and target) that the user's own words must contain;
    only soft rules have one, because nothing clears a hard rule. The contract asks for action and
    target of every soft rule, so a text repeats it only where it asks for more: `exact`.
    """

    name: str
    covers: str
    excludes: str
    must_name: str = ""
    exact: bool = False

    @property
    def text(self) -> str:
        """The rule as one bullet's prose, without the bullet mark."""
        parts = [f"{self.name}: {self.covers}", f"Not: {self.excludes}."]
        if self.exact:
            parts.append(f"Must name: {self.must_name}.")
        return " ".join(parts)

    def as_data(self) -> dict[str, str]:
        """The rule as a JSON object; `must_name` only where there is one."""
        data = {"name": self.name, "covers": self.covers, "excludes": self.excludes}
        return data | {"must_name": self.must_name} if self.must_name else data


class Section(StrEnum):
    """The lists by the names that configuration files use, in the order a classifier reads them."""

    ENVIRONMENT = "environment"
    ALLOW = "allow"
    SOFT_DENY = "soft_deny"
    HARD_DENY = "hard_deny"


@cache
def default_rules() -> Mapping[Section, tuple[PolicyRule, ...]]:
    """Every section with its rules. Line breaks inside a text of the file are spaces."""
    data = tomllib.loads(files("automode.policy").joinpath("rules.toml").read_text("utf-8"))
    return {section: tuple(_rule(**rule) for rule in data[section]) for section in Section}


def _rule(*, exact: bool = False, **words: str) -> PolicyRule:
    return PolicyRule(**{key: " ".join(text.split()) for key, text in words.items()}, exact=exact)


def texts(section: Section) -> tuple[str, ...]:
    """What `"$defaults"` stands for in a list of the configuration: one string per rule."""
    return tuple(rule.text for rule in default_rules()[section])


@cache
def must_names() -> Mapping[str, str]:
    """By the text of a built-in soft rule, what the user must name to clear it."""
    return {rule.text: rule.must_name for rule in default_rules()[Section.SOFT_DENY]}


def as_data() -> dict[str, list[dict[str, str]]]:
    """Every section as data for JSON."""
    return {
        section.value: [rule.as_data() for rule in rules]
        for section, rules in default_rules().items()
    }
