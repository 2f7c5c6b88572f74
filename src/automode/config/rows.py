"""The settings that are lists of rules, and those of the running gate."""

from automode.config.row import (
    LONGEST_PATTERN,
    ONLY_FALSE,
    ONLY_LOWER,
    Choice,
    Flag,
    Row,
    Rules,
    Text,
    Whole,
    along,
)
from automode.config.settings import Source

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


RUNNING_ROWS: tuple[Row, ...] = (
    Row(
        "autoMode.escalation.consecutive",
        Whole(1, 1000),
        3,
        "How many denials in a row hand over to the person.",
        ONLY_LOWER,
    ),
    Row(
        "autoMode.escalation.total",
        Whole(1, 10_000),
        20,
        "How many denials in all hand over to the person.",
        ONLY_LOWER,
    ),
    Row(
        "autoMode.escalation.unavailable",
        Whole(1, 1000),
        2,
        "How many failures of the classifier in a row hand over to the person.",
        ONLY_LOWER,
    ),
    Row(
        "autoMode.escalation.unattended",
        Choice(("halt", "deny")),
        "halt",
        "What handing over means when nobody is there: `halt` stops the agent, `deny` goes on "
        "denying.",
        along("halt", "deny"),
    ),
    Row(
        "store",
        Text(r"sqlite|postgres(?:ql)?://\S+", "`sqlite` or a PostgreSQL URL"),
        "sqlite",
        "Where sessions and audit records are kept: `sqlite` under the state folder, or a "
        "PostgreSQL URL.",
        sources=frozenset({Source.USER, Source.MANAGED}),
        secret=True,
    ),
    Row(
        "autoMode.audit.keepDays",
        Whole(1, 36_500),
        90,
        "How many days audit records are kept; a signed checkpoint stands for what went before.",
        sources=frozenset({Source.USER, Source.MANAGED}),
    ),
    Row(
        "autoMode.audit.powerLossSafe",
        Flag(),
        False,
        "Whether a decision must survive even a power cut before it is answered; costs time.",
        sources=frozenset({Source.USER, Source.MANAGED}),
    ),
    Row(
        "autoMode.notifications",
        Flag(),
        True,
        "Whether a desktop notice says that a person is asked or a run was stopped, where the "
        "desktop has a notifier.",
        ONLY_FALSE,
    ),
)
