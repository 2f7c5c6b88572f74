"""The file of recorded requests: one JSON object per line, appended, never rewritten."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from math import isfinite

from automode.llm.model import Usage

_APPEND = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
_NO_WAITING = getattr(os, "O_NONBLOCK", 0)  # a pipe in the file's place must not hold a decision


@dataclass(frozen=True, slots=True)
class Request:
    """One request to a model: whose, what for, what it used. `money` None: price not known."""

    at: float  # seconds since the epoch
    session: str
    parent: str | None
    stage: str
    model: str
    usage: Usage
    millis: int
    money: Decimal | None = None


def append(path: str, request: Request) -> None:
    """One write to the end of the file, so that processes which append at once do not mix."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    descriptor = os.open(path, _APPEND | _NO_WAITING, 0o600)
    try:
        # A line that a full disk cut off must not swallow this one.
        start = b"" if _ends_with_newline(descriptor) else b"\n"
        os.write(descriptor, start + _line(request))
    finally:
        os.close(descriptor)


def read(path: str, take: Callable[[Request], None]) -> list[str]:
    """Hands every readable request to `take`; returns a sentence on what was skipped, if any."""
    skipped = 0
    try:
        with open(path, "rb") as lines:
            for line in lines:
                request = _request(line)
                if request is not None:
                    take(request)
                elif line.strip():
                    skipped += 1
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        return [f"`{path}` could not be read: {error}"]
    return [f"skipped {skipped} unreadable lines of `{path}`"] if skipped else []


def _ends_with_newline(descriptor: int) -> bool:
    size = os.fstat(descriptor).st_size
    return size == 0 or os.pread(descriptor, 1, size - 1) == b"\n"


def _line(request: Request) -> bytes:
    usage = request.usage
    fields = {
        "at": round(request.at, 3),
        "session": request.session,
        "parent": request.parent,
        "stage": request.stage,
        "model": request.model,
        "input": usage.input,
        "output": usage.output,
        "cache_read": usage.cache_read,
        "cache_write": usage.cache_write,
        "millis": request.millis,
        "usd": None if request.money is None else str(request.money),
    }
    return json.dumps(fields, separators=(",", ":")).encode() + b"\n"


def _request(line: bytes) -> Request | None:
    try:
        return _taken_apart(json.loads(line))
    except (ValueError, RecursionError, OverflowError, InvalidOperation):
        return None


def _taken_apart(value: object) -> Request | None:
    match value:
        case {
            "at": float() | int() as at,
            "session": str(session),
            "parent": str() | None as parent,
            "stage": str(stage),
            "model": str(model),
            "millis": int(millis),
            "usd": str() | None as money,
            "input": int(given),
            "output": int(answered),
            "cache_read": int(reused),
            "cache_write": int(kept),
        } if min(given, answered, reused, kept) >= 0 and isfinite(at):
            usage = Usage(given, answered, reused, kept)
            return Request(float(at), session, parent, stage, model, usage, millis, _money(money))
    return None


def _money(text: str | None) -> Decimal | None:
    money = None if text is None else Decimal(text)
    if money is not None and not (money.is_finite() and money >= 0):
        raise ValueError("not an amount of money")
    return money
