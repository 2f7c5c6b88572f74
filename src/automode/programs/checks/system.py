"""Checks of programs that look at processes, networks and packages of the machine."""

import re

from automode.programs.row import Given
from automode.programs.use import READS, Effect, Use, network, runs, unknown, writes
from automode.shell.options import may_split
from automode.shell.script import HOLE, Word

_ENVIRONMENT = Use(Effect.SECRETS, "prints environment variables, which hold credentials")

_PS_VALUES = "oOuUpgGtCsqk"
_PS_BSD_VALUES = "oOUptkq"
_PS_LONG_VALUES = ("--sort", "--format", "--pid", "--user", "--ppid")
# ps reads a word once more, as BSD letters, when it names no user or group.
_PS_BSD_WORD = re.compile(r"([acefghjlmnrsSTuvVwxXZLHNM]*)([oOUptkq]?|[oOU].+)")
# What follows these is a number of a process: never letters or a format.
_PS_NUMBER = re.compile(r"--p?pid|-[aAdefFjlLHTwcyPMmNx]*[pq]")


# Letters that are options of UNIX. By any other, or two that do not go together, ps takes all
# letters for those of BSD, and there `e` is the environment.
_PS_UNIX = frozenset("AadefFlLHwyjMZ")
_PS_FLAGS = re.compile(r"-([^-oOuUpgGtCsqk]*)")


def _ps_value_follows(text: str) -> bool:
    if text.startswith("--"):
        return text in _PS_LONG_VALUES
    letters = _PS_VALUES if text.startswith("-") else _PS_BSD_VALUES
    return len(text) > text.startswith("-") and text[-1] in letters


def _ps_shows_environment(text: str) -> bool:
    """`e` without a dash and `-E` do, and so does `-auxe`: there is no user `xe`."""
    if text.startswith("--"):
        return "env" in text
    if text.startswith("-"):
        return "E" in text or ("e" in text and re.match("-[^oOptqk]*[uUgGsC].", text) is not None)
    return "e" in text


def no_environment(given: Given) -> Use:
    """`ps e` (BSD letters) and `-E` print the environment of processes; `-e` does not."""
    before, letters, doubtful = "", "", False
    options: list[str] = []
    for word in given.invocation.args:
        text = word.text
        if word.value is None and not _PS_NUMBER.fullmatch(before):
            return unknown("an argument is not known and may ask for the environment")
        if before:
            if "env" in text:
                return _ENVIRONMENT
            again = _PS_BSD_WORD.fullmatch(text)
            if again and text != "root" and before[-1] not in _PS_BSD_VALUES:
                letters, doubtful = letters + again[1], True
            before = ""
            continue
        if _ps_shows_environment(text):
            return _ENVIRONMENT
        options.append(text)
        letters += text if not text.startswith("--") else ""
        before = text if _ps_value_follows(text) else ""
    mixed = "e" in letters and (doubtful or not _ps_is_unix(options))
    return _ENVIRONMENT if mixed else READS


def _ps_is_unix(options: list[str]) -> bool:
    """Whether no option lets ps read `-e` as a letter of BSD."""
    short = [text for text in options if not text.startswith("--")]
    flags = [found[1] if (found := _PS_FLAGS.match(text)) else "x" for text in short]
    every = set("".join(flags))
    if "e" not in every:
        return True  # it stands in a format, or in a name
    forest = "H" in every or "--forest" in options
    return every <= _PS_UNIX and not (forest and "L" in every)


_NUMERIC = re.compile(r"@(\d+(\.\d+){0,3}|\[[0-9a-fA-F:.]+\])(:.*)?")


def numeric_hosts(given: Given) -> Use:
    """lsof resolves the name in `-i @name:80`, also where it was made from a secret. `+m` may
    write a file."""
    if any(word.text.startswith("+m") for word in given.operands):
        return writes("`+m` may write a file")
    address = given.options.has("-i")
    found = [option.value for option in given.options.options if option.name == "-i"]
    for word in (*found, *(given.operands if address else ())):
        if word is not None and (use := _host(word)) is not READS:
            return use
    return READS


def _host(word: Word) -> Use:
    """After the colon of an address come ports, and no name."""
    text = word.text
    if word.value is None and (":" not in text or HOLE in text.partition(":")[0]):
        return unknown("it can look up a name that is only known when it runs")
    at = text.find("@")
    if at >= 0 and not _NUMERIC.fullmatch(text[at:].replace(HOLE, "0")):
        return network("looks up the name of a machine")
    return READS


def no_card_command(given: Given) -> Use:
    """`nvidia-smi -l 5` has a number; any other word is a command that may set something."""
    if given.outer is None and not all((w.value or "").isdigit() for w in given.operands):
        return unknown("the command of nvidia-smi is not known to only read")
    return READS


_SYSTEM = Use(Effect.SYSTEM, "changes the network configuration")
_LOOKUP = network("looks up the name of a machine")

_IP_OBJECTS = (
    "address addrlabel link route rule neighbor neighbour ntable maddress mroute tunnel tuntap "
    "netconf netns nexthop token vrf macsec mptcp stats tcp_metrics fou l2tp sr xfrm monitor help"
).split()
_IP_SHOWS = ("show", "list", "lst", "ls", "sh", "sho", "li", "lis", "help", "get")

_ADDRESS = re.compile(r"[\d.*/]+|\[?[0-9a-fA-F]*:[0-9a-fA-F]*:[0-9a-fA-F:]*(%\w+)?\]?(/\d+)?")


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


def route(given: Given) -> Use:
    """`route get ADDRESS` of macOS asks for one route. Other verbs change them."""
    if not given.operands or given.operands[0].value == "monitor":
        return READS
    verb, *rest = given.operands
    if verb.value != "get":
        return _SYSTEM
    plain = all(w.value == "default" or _ADDRESS.fullmatch(w.value or "x") for w in rest)
    return READS if plain else _LOOKUP


_NO_QUERY = Use(Effect.WRITES | Effect.SYSTEM, "it is not a plain query")
# The first letter is the operation, the others bend it; `-Sy` refreshes, so it writes.
_LOCAL = {"Q": frozenset("qeldtmnikosugcpv"), "T": frozenset("qv")}
_SYNC = {"S": frozenset("silgqp"), "F": frozenset("lxqso")}


def pacman(given: Given) -> Use:
    if any(may_split(word) for word in given.invocation.args):
        return _NO_QUERY
    letters = [option.name[1:] for option in given.options.options if len(option.name) == 2]
    operation = letters[0] if letters else "Q" if given.options.has("--query") else ""
    rest = set(letters[1:])
    if operation in _LOCAL and rest <= _LOCAL[operation]:
        return READS
    if operation in _SYNC and rest and rest <= _SYNC[operation]:
        return Use(Effect.REMOTE_READ) if given.invocation.literal else _NO_QUERY
    return _NO_QUERY


def shell(given: Given) -> Use:
    """`bash -n FILE` and nothing else."""
    plain = all(word.text[:1] not in ("-", "+") for word in given.operands)
    known = given.invocation.literal and not given.options.unclear
    looks = given.options.has("-n") and given.operands and plain and known
    return READS if looks else runs("it runs code")
