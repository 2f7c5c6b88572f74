"""Checks of programs that print the network configuration: words that set it, or name a machine."""

import re

from automode.programs.touch import Given
from automode.programs.use import READS, Effect, Use, network, runs, unknown

_SYSTEM = Use(Effect.SYSTEM, "changes the network configuration")
_LOOKUP = network("looks up the name of a machine")

_IP_OBJECTS = (
    "address addrlabel link route rule neighbor neighbour ntable maddress mroute tunnel tuntap "
    "netconf netns nexthop token vrf macsec mptcp stats tcp_metrics fou l2tp sr xfrm monitor help"
).split()
_IP_SHOWS = ("show", "list", "lst", "ls", "sh", "sho", "li", "lis", "help", "get")

_ADDRESS = re.compile(r"[\d.*/]+|\[?[0-9a-fA-F]*:[0-9a-fA-F]*:[0-9a-fA-F:]*(%\w+)?\]?(/\d+)?")
_FILTER = re.compile(
    r"state|exclude|all|connected|synchronized|bucket|big|established|syn-sent|syn-recv"
    r"|fin-wait-[12]|time-wait|closed?|close-wait|last-ack|listening|listen|closing"
    r"|[sd]port|src|dst|dev|autobound|and|or|not|eq|ne|neq|[gl][et]|[()!&|=<>]+"
    rf"|({_ADDRESS.pattern})?(:[\w*-]+)?"
)


def ip(given: Given) -> Use:
    """`ip OBJECT [show …]`; objects may be abbreviated, verbs that change are not listed."""
    words = [word.value for word in given.operands]
    if not words:
        return READS
    name = words[0] or "…"
    fitting = [known for known in _IP_OBJECTS if known.startswith(name)]
    if not fitting:
        return unknown(f"`ip {name}` is not known to only read")
    if "xfrm" in fitting:
        return Use(Effect.SECRETS, "prints the keys of tunnels")
    if fitting[0] in ("monitor", "help") or len(words) == 1 or words[1] in _IP_SHOWS:
        return READS
    if words[1] in ("exec", "ex", "exe"):
        return runs("runs a program")
    return Use(Effect.SYSTEM, f"`ip {name} {words[1] or '…'}` is not known to only read")


def sets_by_second_word(given: Given) -> Use:
    """`ifconfig eth0` prints, one word more changes it."""
    return _SYSTEM if len(given.operands) > 1 or given.options.unclear else READS


def numeric_words(given: Given) -> Use:
    """A name would be looked up."""
    plain = all(_ADDRESS.fullmatch(word.value or "x") for word in given.operands)
    return READS if plain else _LOOKUP


def route(given: Given) -> Use:
    """`route get ADDRESS` of macOS asks for one route. Other verbs change them."""
    if not given.operands or given.operands[0].value == "monitor":
        return READS
    verb, *rest = given.operands
    if verb.value != "get":
        return _SYSTEM
    plain = all(w.value == "default" or _ADDRESS.fullmatch(w.value or "x") for w in rest)
    return READS if plain else _LOOKUP


def numeric_filter(given: Given) -> Use:
    """ss looks up the name in `dst name`."""
    for word in given.operands:
        if not all(_FILTER.fullmatch(part) for part in (word.value or "x").split()):
            return _LOOKUP
    return READS


def one_statement(given: Given) -> Use:
    """nft joins its words: after a semicolon comes a statement of its own."""
    if any(not re.fullmatch(r"[\w@.:/-]+", word.value or "") for word in given.operands):
        return unknown("the words may hold more than one statement")
    return READS
