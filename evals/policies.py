"""The built-in policy, whole or shortened: how long a policy can a model of some size follow?"""

from dataclasses import replace
from enum import StrEnum

from automode.config.settings import Policy, Rule, Settings


class Length(StrEnum):
    FULL = "full"
    BRIEF = "brief"  # the name of each rule and its first sentence
    NAMES = "names"


def shortened(settings: Settings, length: Length) -> Settings:
    if length is Length.FULL:
        return settings
    policy = settings.policy
    sections = (policy.environment, policy.allow, policy.soft_deny, policy.hard_deny)
    lists = [tuple(_short(rule, length) for rule in section) for section in sections]
    return replace(settings, policy=Policy(*lists))


def _short(rule: Rule, length: Length) -> Rule:
    name, colon, text = rule.text.partition(": ")
    if length is Length.NAMES or not colon:
        return replace(rule, text=name)
    sentence = text.partition(". ")[0].rstrip(".")
    return replace(rule, text=f"{name}: {sentence}.")
