"""What a record says of itself."""

import pytest

from automode.core.record import SessionKey, denial_kind

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


@pytest.mark.parametrize("source", KINDS)
def test_a_source_says_who_denied(source: str) -> None:
    assert denial_kind(source) == KINDS[source]


def test_a_session_is_named_by_its_host_and_its_id() -> None:
    assert str(SessionKey("claude-code", "abc/1")) == "claude-code/abc/1"
