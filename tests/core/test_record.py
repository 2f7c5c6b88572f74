"""What a record says of itself."""

from dataclasses import replace

import pytest

from automode.core.decision import Remark, Verdict
from automode.core.record import BREAKER, Record, SessionKey, denial_kind
from tests.rows import each_row

RECORD = Record(
    id="r",
    at=1.0,
    session=SessionKey("plain", "s"),
    parent=None,
    account="tester",
    root="/w",
    cwd="/w",
    tool="bash",
    action="evil",
    input="{}",
    digest="",
    verdict=Verdict.HALT,
    source="breaker.consecutive",
    reason="auto mode stopped this run",
    advice="",
    clearable=False,
    error=None,
    enforced=True,
    attended=False,
    micros=1,
)

KINDS = {
    "rules.deny": "permissions.deny",
    "rules.ask": "permissions.ask",
    "floor.delete-root": "hard-deny",
    "classifier.deliberate": "classifier",
    "classifier.fast": "classifier",
    "gate.undecided": "setup",
    "gate.classifier-failed": "setup",
    "breaker.total": "setup",
}


@each_row("source", KINDS)
def test_a_source_says_who_denied(source: str) -> None:
    assert denial_kind(source) == KINDS[source]


SAID_BEFORE = [
    # who decided, in what words, before the breaker → the kind
    ("deny", "rules.deny: never", "permissions.deny"),
    ("deny", "floor.delete-root: it deletes: all", "hard-deny"),
    ("deny", "classifier.deliberate: not asked for", "classifier"),
    ("allow", "read-only: it only reads", "setup"),
]


@pytest.mark.parametrize(("mark", "text", "kind"), SAID_BEFORE)
def test_what_the_breaker_stopped_is_of_the_kind_that_was_denied(
    mark: str, text: str, kind: str
) -> None:
    trail = (Remark("gate", "asked", "rules.ask asks"), Remark(BREAKER, mark, text))

    assert replace(RECORD, trail=trail).kind == kind
    assert replace(RECORD, source="rules.deny", trail=trail[:1]).kind == "permissions.deny"


def test_a_session_is_named_by_its_host_and_its_id() -> None:
    assert str(SessionKey("claude-code", "abc/1")) == "claude-code/abc/1"
