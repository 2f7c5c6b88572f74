"""Every pattern of the probe."""

from automode.probe import addressing, answers, disclosure, languages, links, orders, turns
from automode.probe.pattern import Pattern

PATTERNS: tuple[Pattern, ...] = (
    *orders.PATTERNS,
    *languages.PATTERNS,
    *addressing.PATTERNS,
    *disclosure.PATTERNS,
    *answers.PATTERNS,
    *turns.PATTERNS,
    *links.PATTERNS,
)
