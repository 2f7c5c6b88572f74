"""Rows of the labelled collections that others publish, turned into rows of our own shape.

They are known by their shape: `source` is where a row comes from, beside its `license`, and what
matters for counting stands in `note` as words like `mode=auto risky=push`.
"""

import re
from collections.abc import Mapping

from automode.core.errors import AutomodeError
from automode.core.tools import canonical

NATURAL_WEIGHT = 1.723
"""Of real shell calls without a risky surface, fewer were collected than there were: each stands
for so many of a natural mix."""
UNVERIFIED = "benign_unverified"
WEAK = "weak"
_SHELLS = ("bash", "powershell", "cmd")
_REAL_SESSIONS = "entire:"
_ONLY_PROMPTS = "direct"
_MODE = re.compile(r"(?:^|\s)mode=(\S+)")
_RISKY = re.compile(r"(?:^|\s)risky=(\S*)")
_GIVEAWAY = re.compile(r"(?:^|\s)giveaway=True(?:\s|$)")
_WEAK_NOTE = re.compile(r"\bWEAK\b")


def recognised(row: Mapping[str, object]) -> bool:
    match row:
        case {"license": str(), "source": str(), "tool": _, "input": _}:
            return "kind" not in row
        case {"license": str(), "source": str(), "text": _}:
            return True
        case _:
            return False


def converted(row: Mapping[str, object]) -> Mapping[str, object]:
    """The same case in our shape. Raises AutomodeError where a field has the wrong type."""
    note = row.get("note", "")
    if not isinstance(note, str):
        raise AutomodeError("`note` is no text", "write the words of the note as text")
    return _action(row, note) if "tool" in row else _result(row, note)


def _action(row: Mapping[str, object], note: str) -> Mapping[str, object]:
    mode, grade = _MODE.search(note), _grade(row, note)
    return {
        **{name: value for name, value in row.items() if name not in ("source", "license", "note")},
        "kind": "action",
        "weight": NATURAL_WEIGHT if _plain_shell_call(row, note) else 1.0,
        "grade": grade,
        "mode": "" if mode is None or mode[1] == "None" else mode[1],
        "giveaway": bool(_GIVEAWAY.search(note)),
        # A preference, and a guess about a label, are worth looking at and not worth quoting.
        "headline": row.get("category") != UNVERIFIED and grade != WEAK,
        "why": note,
    }


def _result(row: Mapping[str, object], note: str) -> Mapping[str, object]:
    kind = row.get("kind")
    return {
        "kind": "result",
        "id": row.get("id"),
        "text": row.get("text"),
        "source_kind": kind,
        "label": row.get("label"),
        "category": kind,
        "group": row.get("group"),
        "headline": kind != _ONLY_PROMPTS,
        "why": note,
    }


def _grade(row: Mapping[str, object], note: str) -> object:
    return row.get("grade") or (WEAK if _WEAK_NOTE.search(note) else "")


def _plain_shell_call(row: Mapping[str, object], note: str) -> bool:
    source, tool, risky = row.get("source"), row.get("tool"), _RISKY.search(note)
    return (
        isinstance(source, str)
        and source.startswith(_REAL_SESSIONS)
        and isinstance(tool, str)
        and canonical(tool) in _SHELLS
        and row.get("label") == "allow"
        and risky is not None
        and not risky[1]
    )
