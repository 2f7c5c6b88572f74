"""Where the daemon's socket and tokens lie, for telling quickly which paths may lead there."""

import re
from dataclasses import dataclass
from functools import lru_cache

from automode.agents.catalog import ADAPTERS
from automode.core.paths import parents, within
from automode.core.wildcards import written_out
from automode.guards.guard import Sight, words
from automode.guards.own_files import channel_of

SOCKETS = ("/run/user/", "/tmp/automode")  # noqa: S108 - names, not uses


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Without regard to case. Whatever a closer look at a path could find is among these."""

    holders: frozenset[str]  # the folders that hold them, from their own upwards
    exact: frozenset[str]
    below: tuple[str, ...]
    lines: str  # all that a pattern may stand for, each behind a line break

    def near(self, path: str) -> bool:
        """Whether a path that is no pattern is worth a closer look."""
        low = path.casefold()
        return low in self.exact or low.startswith(self.below)

    def may_mean(self, path: str) -> bool:
        """The same for a path that may be a pattern."""
        return self.near(path) or f"\n{written_out(path.casefold())}" in self.lines


@lru_cache(maxsize=256)
def whereabouts(
    secrets: tuple[str, ...],
    states: tuple[str, ...],
    needed: tuple[str, ...],
    widely: bool,  # noqa: FBT001 - part of what is remembered
) -> Whereabouts:
    """Folders that hold one of the `needed` count with `widely` alone."""
    folders = (folder for state in states for folder in (f"{state}/tokens", state, *parents(state)))
    holders = frozenset(
        folder.casefold()
        for folder in folders
        if widely or not any(within(one, folder) for one in needed)
    )
    folded = [path.casefold() for path in secrets]
    channel = (path.casefold() for path in channel_of(states))
    return Whereabouts(
        holders,
        exact=holders.union(folded),
        below=(*(f"{one}/" for one in folded), *SOCKETS),
        lines="".join(f"\n{one}" for one in (*holders, *channel)),
    )


_HOSTS = "|".join(sorted({re.escape(adapter.name) for adapter in ADAPTERS.values()}))
_HOOK = re.compile(
    rf"/hook/(?:{_HOSTS})(?:(?:\+|%2b)unattended)?/(?:proposed|finished|prompt|session)\b",
    re.IGNORECASE,
)
_LOOPBACK = re.compile(
    r"\b127(?:\.\d{1,3}){1,3}\b|\blocalhost\b|\bip6-loopback\b|::1\b|\b0\.0\.0\.0\b|::ffff:7f"
    r"|\b0x7f[0-9a-f]{6}\b|\b2130706433\b|\bloopback\b|/dev/tcp/",
    re.IGNORECASE,
)
_MARKS = (
    *("127", "localhost", "loopback", "::1", "0.0.0", "::ffff:7f", "0x7f", "2130706433"),
    "/dev/tcp/",
)
"""One of them is in whatever `_LOOPBACK` finds; looking for them is quicker."""

_NUMBER = re.compile(r"(?<![\w.])\d{3,5}(?![\w.]*\w)")
_PORT = re.compile(r"(?:(?<=:)|(?<!\S))\d{3,5}(?=[/?#\s]|$)")
_CONNECTS = words(
    "curl wget wget2 nc ncat netcat nc.openbsd nc.traditional socat telnet http https xh"
)
_PORT_BYTES = 16


def talks_to_hooks(sight: Sight) -> str | None:
    """By the path that only hooks use, or by the port that this installation has."""
    redirected = (one.target.text for one in sight.command.redirects)
    text = " ".join((sight.name, *sight.texts, *redirected))
    low = text.casefold()
    here = _marked(low) and _LOOPBACK.search(text) is not None
    if here and _HOOK.search(text):
        return "it calls the address at which automode hears hooks"
    if here or sight.name in _CONNECTS:
        # This machine has more names than loopback's, but elsewhere not every number is a port.
        numbers = frozenset((_NUMBER if here else _PORT).findall(text))
        if numbers and not numbers.isdisjoint(_ports(sight)):
            return "it connects to the port at which automode hears hooks"
    return None


def _marked(low: str) -> bool:
    for mark in _MARKS:  # noqa: SIM110 - asked for every command, and a generator takes twice as long
        if mark in low:
            return True
    return False


def _ports(sight: Sight) -> frozenset[str]:
    """Read anew each time: the port is chosen once, but perhaps only after this process began."""
    read = sight.workspace.files.text
    found = (read(f"{state}/http.port", _PORT_BYTES) for state in sight.own.states)
    return frozenset(text.strip() for text in found if text)
