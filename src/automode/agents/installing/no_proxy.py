"""Keeps proxies out of the way between Claude Code and the daemon.

Hooks over HTTP go where the agent's variables for proxies lead, and a project can set those: its
proxy would then answer in the daemon's place. What `NO_PROXY` names is asked directly.
"""

import re
from collections.abc import Mapping

NAMES = ("NO_PROXY", "no_proxy")
"""Both: programs differ in which of them they prefer."""
OURS = "127.0.0.1,localhost,automode.invalid"
"""The last one exists nowhere: it tells that automode wrote the list."""
EXTENSION = f",{OURS}"
_LOOPBACK = frozenset({"127.0.0.1", "*"})


def spares_loopback(value: object) -> bool:
    return isinstance(value, str) and not _LOOPBACK.isdisjoint(_hosts(value))


def usual_hosts(environment: Mapping[str, str]) -> str:
    """What the person's own environment keeps from proxies. Settings outrank it, so they have to
    say it as well."""
    return environment.get("no_proxy") or environment.get("NO_PROXY") or ""


def whole_value(hosts: str) -> str:
    """The list where there was none in the settings."""
    known = OURS.split(",")
    return ",".join((*known, *(host for host in _hosts(hosts) if host not in known)))


def extended(value: str) -> str:
    if spares_loopback(value):
        return value
    return f"{value}{EXTENSION}" if value else OURS


def is_our_value(value: object) -> bool:
    """Whether all of it was written by us."""
    return isinstance(value, str) and (value == OURS or value.startswith(f"{OURS},"))


def _hosts(value: str) -> list[str]:
    return [host for host in re.split(r"[,\s]+", value) if host]
