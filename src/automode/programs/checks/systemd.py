"""Checks of systemd: the properties of a service hold its environment."""

import re

from automode.programs.touch import Given
from automode.programs.use import READS, Effect, Use

_ENVIRONMENT = Use(Effect.SECRETS, "prints the environment of a service")
_PLAIN = re.compile(r"[A-Za-z,]+")


def properties(given: Given) -> Use:
    """Without a property all are printed. The environment is one of them."""
    pairs = (*given.before.options, *given.options.options)
    asked = [one.value for one in pairs if one.name in ("-p", "-P", "--property")]
    if not asked:
        return _ENVIRONMENT
    for word in asked:
        text = word.value if word is not None else None
        if text is None or not _PLAIN.fullmatch(text) or "environment" in text.lower():
            return _ENVIRONMENT
    return READS
