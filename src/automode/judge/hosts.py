"""Which machine an address names, and whether it is this one."""

import re
import unicodedata
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import unquote

from automode.shell.script import HOLE

UNKNOWN = ""
SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_SCP = re.compile(r"^(?:[\w.-]+@)?([\w.-]+):(?!\d+(?:/|$))(?!.*@)")
_PORT = re.compile(rf":(?:\d*|{HOLE})$")
_NUMBER = re.compile(r"0x[0-9a-f]+|\d+")
_HERE = frozenset({"localhost", "host.docker.internal", "0.0.0.0", "::"})  # noqa: S104 - a name
_NAME = re.compile(r"[\w.:-]+")


def host_of(address: str) -> str:
    """As the machine is reached: without user, port, case, escapes and a dot at the end; numbers as
    an IP address. UNKNOWN where a part of it only comes out when it runs."""
    text = unicodedata.normalize("NFKC", address.strip())
    scp = None if SCHEME.match(text) else _SCP.match(text)
    if scp:
        return _plain(scp[1])
    bare = SCHEME.sub("", text)
    authority = re.split(r"[/?#]", bare, maxsplit=1)[0].rpartition("@")[2]
    if "\\" in bare[: bare.find(authority) + len(authority)]:
        return UNKNOWN  # clients disagree about what it means
    return _plain(unquote(_PORT.sub("", authority)))


def _plain(name: str) -> str:
    name = name.casefold().rstrip(".")
    if HOLE in name or not name:
        return UNKNOWN
    if name.startswith("[") and name.endswith("]"):
        name = name[1:-1].partition("%")[0]
    number = _as_number(name)
    if number is not None:
        return str(number)
    if not name.isascii():
        try:
            name = name.encode("idna").decode()
        except UnicodeError:
            return UNKNOWN
    return name if _NAME.fullmatch(name) else UNKNOWN


def _as_number(name: str) -> IPv4Address | IPv6Address | None:
    """`127.1`, `0x7f000001`, `017700000001` and `2130706433` are one machine."""
    try:
        return ip_address(name)
    except ValueError:
        pass
    parts = name.split(".")
    if len(parts) > 4 or not all(_NUMBER.fullmatch(part) for part in parts):
        return None
    try:
        values = [int(part, 8 if re.fullmatch(r"0\d+", part) else 0) for part in parts]
    except ValueError:
        return None
    whole = 0
    for value in values[:-1]:
        whole = whole * 256 + value
    whole = whole * 256 ** (5 - len(parts)) + values[-1]
    return IPv4Address(whole) if whole < 2**32 else None


def is_here(host: str) -> bool:
    """Whether it is this machine."""
    if host in _HERE or host.endswith(".localhost"):
        return True
    number = _as_number(host)
    return number is not None and number.is_loopback
