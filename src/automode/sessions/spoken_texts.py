"""What a person is told of their session inside the agent, in a few lines."""

from collections.abc import Sequence

from automode.core.history import Denial, History
from automode.core.session import Mode

LONGEST_REASON = 160  # characters

_MODES = {
    Mode.ENFORCE: "auto mode is on for this session",
    Mode.SHADOW: "auto mode is in shadow: it decides and records, and enforces nothing",
    Mode.OFF: "auto mode is off for this session",
}


def status_text(history: History, mode: Mode, usd: str) -> str:
    lines = [
        _MODES[mode],
        f"checked {history.checked}, denied {history.blocked}; the classifier allowed"
        f" {history.classifier_allowed} and denied {history.classifier_denied}, for {usd} USD",
    ]
    if history.last_verdict is not None:
        reason = _short(history.last_reason)
        lines.append(f"last: {history.last_verdict.word} ({history.last_source}): {reason}")
    if history.denials:
        lines.append("`/automode denials` lists what was denied")
    return "\n".join(lines)


def denials_text(denials: Sequence[Denial]) -> str:
    if not denials:
        return "nothing was denied in this session"
    lines = [f"{one.record}  {one.tool}: {_short(one.reason)}" for one in reversed(denials)]
    last = "`/automode approve ID` lets one through that a person may permit"
    return "\n".join(("denied in this session, the newest first", *lines, last))


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= LONGEST_REASON else f"{plain[: LONGEST_REASON - 1]}…"
