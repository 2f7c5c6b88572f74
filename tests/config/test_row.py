"""Which changes loosen."""

from automode.config.jsonc import Scalar
from automode.config.keys import ROW_OF
from tests.rows import each_row

CHANGES = [
    # key, now, new, loosens
    ("autoMode.enabled", True, False, True),
    ("autoMode.enabled", False, True, False),
    ("autoMode.mode", "enforce", "shadow", True),
    ("autoMode.mode", "shadow", "enforce", False),
    ("autoMode.classifierModel", "a/b", "c/d", False),
    ("autoMode.classifierModel", None, "c/d", False),
    ("autoMode.stages", "both", "fast", False),
    ("autoMode.stages", "both", "deliberate", False),
    ("autoMode.stages", "both", "all", True),
    ("autoMode.stages", "both", "local", True),
    ("autoMode.stages", "local", "both", True),
    ("autoMode.stages", "fast", "both", True),
    ("autoMode.local.unaskedCommits", "ask", "clear", True),
    ("autoMode.local.unaskedCommits", "clear", "ask", False),
    ("autoMode.local.clearBelow", None, 0.1, True),
    ("autoMode.local.clearBelow", 0.2, 0.1, False),
    ("autoMode.local.clearBelow", 0.1, 0.2, True),
    ("autoMode.redact", True, False, True),
    ("autoMode.onClassifierFailure", "ask", "deny", False),
    ("autoMode.onClassifierFailure", "deny", "ask", True),
    ("autoMode.workspaceEdits", False, True, True),
    ("autoMode.workspaceEdits", True, True, False),
    ("autoMode.remoteReads", False, True, True),
    ("autoMode.classifyReadOnlyTools", True, False, True),
    ("autoMode.classifyAllShell", True, False, True),
    ("autoMode.deadlineMs", None, 5000, True),
    ("autoMode.classifierTimeoutMs", 20000, 30000, True),
    ("autoMode.classifierTimeoutMs", 20000, 20000, False),
    ("autoMode.transcript.assistantText", "referent", "visible", True),
    ("autoMode.transcript.assistantText", "referent", "none", False),
    ("autoMode.transcript.maxUserTokens", 4000, 32, True),
    ("autoMode.transcript.maxUserTokens", 4000, 8000, False),
    ("autoMode.escalation.consecutive", 3, 4, True),
    ("autoMode.escalation.consecutive", 3, 1, False),
    ("autoMode.escalation.unattended", "halt", "deny", True),
    ("autoMode.probe", "warn", "off", True),
    ("autoMode.probe", "warn", "ask", False),
    ("autoMode.budget.usdPerSession", None, 5, False),
    ("autoMode.budget.usdPerSession", 5, 6, True),
    ("store", "sqlite", "postgresql://h/d", True),
    ("store", "sqlite", "sqlite", False),
]


@each_row("key, now, new, loosens", CHANGES)
def test_a_change_loosens_or_not(key: str, now: Scalar, new: Scalar, loosens: object) -> None:
    assert ROW_OF[key].order.loosens(now, new) is loosens
