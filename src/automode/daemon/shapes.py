"""What the daemon knows, as JSON objects with the names that people and hosts read."""

from automode.core.decision import Decision
from automode.core.history import Denial, History
from automode.core.record import SessionKey
from automode.sessions.decision_service import Ruling, ServiceStatus, SessionState


def ruling_shape(ruling: Ruling) -> dict[str, object]:
    """`verdict` null: auto mode is off, and the host's own flow goes on."""
    shape: dict[str, object] = {"verdict": None, "record": ruling.record}
    return shape if ruling.decision is None else shape | _decision(ruling.decision)


def _decision(decision: Decision) -> dict[str, object]:
    return {
        "verdict": decision.verdict.word,
        "source": decision.source,
        "reason": decision.reason,
        "advice": decision.advice,
        "clearable": decision.clearable,
        "error": None if decision.error is None else decision.error.value,
        "enforced": decision.enforced,
    }


def status_shape(status: ServiceStatus) -> dict[str, object]:
    return {
        "decided": status.decided,
        "projects": list(status.projects),
        "notices": list(status.notices),
        "sessions": [session_shape(one) for one in status.sessions],
    }


def session_shape(state: SessionState) -> dict[str, object]:
    return {
        "host": state.key.host,
        "session": state.key.id,
        "parent": state.parent,
        "root": state.root,
        "cwd": state.cwd,
        "attended": state.attended,
        "mode": state.mode,
        "enabledOverride": state.override.value or None,
        "halted": state.halted,
        "created": state.created,
        "seen": state.seen,
        "ended": state.ended,
        "usd": state.usd,
        **_history(state.history),
    }


def _history(history: History) -> dict[str, object]:
    last = history.last_verdict
    return {
        "checkedActions": history.checked,
        "blockedActions": history.blocked,
        "classifierAllowed": history.classifier_allowed,
        "classifierDenied": history.classifier_denied,
        "lastDecision": None if last is None else last.word,
        "lastReason": history.last_reason,
        "lastSource": history.last_source,
        "deniedInARow": history.row,
        "deniedInAll": history.total,
        "recentDenials": [denial_shape(one) for one in history.denials],
    }


def denial_shape(denial: Denial) -> dict[str, object]:
    return {
        "timestamp": denial.at,
        "tool": denial.tool,
        "reason": denial.reason,
        "action": denial.action,
        "kind": denial.kind,
        "record": denial.record,
    }


_CLEARED_BY = {
    "permissions.deny": "nothing here: a rule of the person's settings forbids it",
    "permissions.ask": "the person's yes when they are asked",
    "hard-deny": "nothing: nobody may permit it",
    "classifier": "the person's own words that name this very action and its target,"
    " or their `/automode approve {record}`",
    "setup": "automode working again: the reason says what is amiss",
}


def inspected_shape(state: SessionState) -> dict[str, object]:
    """What an agent may know of its own session, and what would clear each denial."""
    return {
        "session": str(state.key),
        "attended": state.attended,
        "enabledOverride": state.override.value or None,
        "halted": state.halted,
        "usd": state.usd,
        **_history(state.history),
        "recentDenials": [
            denial_shape(one) | {"cleared_by": _cleared_by(one)}
            for one in reversed(state.history.denials)
        ],
    }


def _cleared_by(denial: Denial) -> str:
    return _CLEARED_BY.get(denial.kind, _CLEARED_BY["setup"]).format(record=denial.record)


def keys_shape(keys: tuple[SessionKey, ...]) -> dict[str, object]:
    return {"sessions": [str(key) for key in keys]}
