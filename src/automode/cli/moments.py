"""Times as people read and type them."""

import re
from datetime import datetime

from automode.core.errors import BadCall

_AGO = re.compile(r"(\d{1,6}) ?(s|m|min|h|d|w)")
_SECONDS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400, "w": 604_800}
_STEPS = ((86_400, "d"), (3600, "h"), (60, "min"))
_HINT = "write an age such as `2h` or `3d`, or a date such as `2026-11-15` or `2026-11-15T14:30`"


def local(at: float) -> str:
    """In the time zone of whoever reads it."""
    try:
        return f"{datetime.fromtimestamp(at).astimezone():%Y-%m-%d %H:%M:%S}"
    except (OverflowError, OSError, ValueError):
        return f"{at:.0f} s"


def age(seconds: float) -> str:
    """Roughly: `5 min`, `3 h`, `12 d`."""
    for step, unit in _STEPS:
        if seconds >= step:
            return f"{int(seconds // step)} {unit}"
    return f"{max(int(seconds), 0)} s"


def moment(text: str, now: float) -> float:
    """Seconds since the epoch of an age or a date. Raises BadCall."""
    ago = _AGO.fullmatch(text.strip().casefold())
    if ago:
        return now - int(ago[1]) * _SECONDS[ago[2]]
    try:
        return datetime.fromisoformat(text.strip()).timestamp()
    except (ValueError, OverflowError, OSError) as error:
        raise BadCall(f"no time: `{text[:60]}`", _HINT) from error
