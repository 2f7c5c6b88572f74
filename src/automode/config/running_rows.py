"""Settings of the running gate: handing over to a person, the store, the audit, notices."""

from automode.config.diagnostics import Source
from automode.config.kinds import Choice, Flag, Text, Whole
from automode.config.row import Row
from automode.config.strictness import ONLY_FALSE, ONLY_LOWER, along

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
