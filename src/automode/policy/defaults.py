"""The four built-in lists of prose rules, and how they are printed."""

from collections.abc import Mapping
from enum import StrEnum

from automode.policy.allow import ALLOW
from automode.policy.environment import ENVIRONMENT
from automode.policy.hard_deny import HARD_DENY
from automode.policy.rule import PolicyRule
from automode.policy.soft_agents import AGENTS
from automode.policy.soft_destruction import DESTRUCTION
from automode.policy.soft_disclosure import DISCLOSURE
from automode.policy.soft_exposure import EXPOSURE
from automode.policy.soft_foreign_code import FOREIGN_CODE
from automode.policy.soft_live_systems import LIVE_SYSTEMS
from automode.policy.soft_outside_world import OUTSIDE_WORLD
from automode.policy.soft_protections import PROTECTIONS
from automode.policy.soft_secrets import SECRETS
from automode.policy.soft_source_control import SOURCE_CONTROL

SOFT_DENY = (
    *SOURCE_CONTROL,
    *FOREIGN_CODE,
    *LIVE_SYSTEMS,
    *DESTRUCTION,
    *PROTECTIONS,
    *EXPOSURE,
    *SECRETS,
    *DISCLOSURE,
    *AGENTS,
    *OUTSIDE_WORLD,
)


class Section(StrEnum):
    """The lists by the names that configuration files use."""

    ENVIRONMENT = "environment"
    ALLOW = "allow"
    SOFT_DENY = "soft_deny"
    HARD_DENY = "hard_deny"


DEFAULTS: Mapping[Section, tuple[PolicyRule, ...]] = {
    Section.ENVIRONMENT: ENVIRONMENT,
    Section.ALLOW: ALLOW,
    Section.SOFT_DENY: SOFT_DENY,
    Section.HARD_DENY: HARD_DENY,
}


def texts(section: Section) -> tuple[str, ...]:
    """What `"$defaults"` stands for in a list of the configuration: one string per rule."""
    return tuple(rule.text for rule in DEFAULTS[section])


def render(section: Section) -> str:
    """A section as Markdown bullets, one rule each."""
    return "\n".join(f"- {text}" for text in texts(section))


def as_data() -> dict[str, list[dict[str, str]]]:
    """Every section as data for JSON, in the order a classifier reads them."""
    return {
        section.value: [rule.as_data() for rule in rules] for section, rules in DEFAULTS.items()
    }
