"""The settings that are lists of rules."""

from automode.config.kinds import LONGEST_PATTERN, Rules
from automode.config.row import Row

_BUILT_IN = "the built-in entries"
_PATTERN = Rules("pattern", tightens=True, longest=LONGEST_PATTERN, built_in=False)

RULE_ROWS: tuple[Row, ...] = (
    Row(
        "autoMode.environment",
        Rules("sentence", tightens=False),
        None,
        "What the classifier may take as trusted: repositories, domains, services.",
        absent=_BUILT_IN,
    ),
    Row(
        "autoMode.allow",
        Rules("sentence", tightens=False),
        None,
        "What the classifier lets pass although a `soft_deny` entry covers it.",
        absent=_BUILT_IN,
    ),
    Row(
        "autoMode.soft_deny",
        Rules("sentence", tightens=True),
        None,
        "What the classifier blocks unless the user named the exact action and its target.",
        absent=_BUILT_IN,
    ),
    Row(
        "autoMode.hard_deny",
        Rules("sentence", tightens=True),
        None,
        "What the classifier blocks whatever anybody said.",
        absent=_BUILT_IN,
        closes=True,
    ),
    Row(
        "autoMode.protectedPaths",
        Rules("path", tightens=True, longest=LONGEST_PATTERN),
        None,
        "Paths that neither an allow rule nor `workspaceEdits` lets an agent write.",
        absent=_BUILT_IN,
    ),
    Row(
        "permissions.deny",
        _PATTERN,
        None,
        "Patterns of calls that are always denied.",
        absent="`[]`",
        closes=True,
    ),
    Row(
        "permissions.ask",
        _PATTERN,
        None,
        "Patterns of calls that need the person's yes.",
        absent="`[]`",
        closes=True,
    ),
    Row(
        "permissions.allow",
        Rules("pattern", tightens=False, longest=LONGEST_PATTERN, built_in=False),
        None,
        "Patterns of calls that are allowed when they cover the whole call.",
        absent="`[]`",
    ),
)
