"""What a look at one thing found: how it is, and the command that mends it."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    OK = "ok"
    WARNING = "warning"  # it works, or it could not be looked at
    PROBLEM = "problem"  # calls may run undecided, or nothing works


@dataclass(frozen=True, slots=True)
class Finding:
    """`check` names what was looked at; `fix` is what to type, empty where all is well."""

    check: str
    level: Level
    says: str
    fix: str = ""


def fine(check: str, says: str) -> Finding:
    return Finding(check, Level.OK, says)


def warning(check: str, says: str, fix: str = "") -> Finding:
    return Finding(check, Level.WARNING, says, fix)


def problem(check: str, says: str, fix: str) -> Finding:
    return Finding(check, Level.PROBLEM, says, fix)


def sound(findings: Iterable[Finding]) -> bool:
    return all(one.level is not Level.PROBLEM for one in findings)
