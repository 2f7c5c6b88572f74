"""The port on which the daemon hears hooks over HTTP: what a tool call says there is forged."""

import re

from automode.agents.catalog import ADAPTERS
from automode.guards.guard import Sight, words

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
