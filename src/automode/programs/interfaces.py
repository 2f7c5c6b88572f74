"""Network configuration of this machine: addresses, routes, sockets, firewalls, VPNs."""

from collections.abc import Mapping

from automode.programs.forms import Asked, perhaps_several, sole
from automode.programs.rows import Flat, Tree
from automode.programs.use import (
    READS,
    Effect,
    Invocation,
    Judge,
    Use,
    network,
    runs,
    unknown,
    writes,
)
from automode.shell.options import Spec, arguments

_SYSTEM = Use(Effect.SYSTEM, "changes the network configuration")

_IP_FLAGS = frozenset(
    "-4 -6 -0 -B -M -s -ss -d -h -o -br -c -j -p -t -ts -r -a -N -iec -stats -statistics -details "
    "-human -human-readable -oneline -brief -color -json -pretty -timestamp -resolve -all "
    "-Numeric -V -Version -c=auto -color=auto -color=never -color=always".split()
)
_IP_OBJECTS = (
    "address addrlabel link route rule neighbor neighbour ntable maddress mroute tunnel tuntap "
    "netconf netns nexthop token vrf macsec mptcp stats tcp_metrics fou l2tp sr xfrm monitor help"
).split()
_IP_SHOWS = ("show", "list", "lst", "ls", "sh", "sho", "li", "lis", "help", "get")


def _ip(invocation: Invocation) -> Use:
    """`ip OBJECT [show …]`; objects may be abbreviated, verbs that change are not listed."""
    words = [word.value for word in invocation.args]
    while words and words[0] is not None and words[0].startswith("-"):
        flag = words.pop(0)
        if flag in ("-f", "-family", "-l", "-loops") and words:
            words.pop(0)
        elif flag not in _IP_FLAGS:
            return unknown(f"option `{flag}` is not known to be harmless")
    if not words:
        return READS
    name = words[0] or "…"
    fitting = [known for known in _IP_OBJECTS if known.startswith(name)]
    if not fitting:
        return unknown(f"`ip {name}` is not known to only read")
    if "xfrm" in fitting:
        return Use(Effect.SECRETS, "prints the keys of tunnels")
    if fitting[0] in ("monitor", "help") or len(words) == 1:
        return READS
    if words[1] in _IP_SHOWS:
        return READS
    if words[1] in ("exec", "ex", "exe"):
        return runs("runs a program")
    return Use(Effect.SYSTEM, f"`ip {name} {words[1] or '…'}` is not known to only read")


def _ifconfig(invocation: Invocation) -> Use:
    given = arguments(invocation.args, Spec(flags="aslvmLud"))
    several = len(given.operands) > 1 or any(map(perhaps_several, given.operands))
    if given.unclear or several:
        return _SYSTEM
    return READS


def _route(invocation: Invocation) -> Use:
    given = arguments(invocation.args, Spec(flags="neFCv46", values="A"))
    verb = given.operands[0].value if given.operands else None
    if given.unclear or (given.operands and verb not in ("get", "monitor")):
        return _SYSTEM
    return READS


_ARP = Spec(flags="anevlx", values="iHAt", long_flags=("--numeric", "--verbose", "--help"))
_SS = Spec(
    flags="nraleompTtudwxiSHOZzbEsV460BpQ",
    values="fAN",
    long_flags=(
        "--numeric --resolve --all --listening --options --extended --memory --processes --threads "
        "--info --summary --events --context --contexts --ipv4 --ipv6 --packet --tcp --udp --dccp "
        "--raw --unix --sctp --vsock --tipc --xdp --no-header --oneline --bpf --cgroup --help "
        "--version --mptcp --tos --inet-sockopt --tipcinfo"
    ).split(),
    long_values=("--family", "--query", "--socket", "--net"),
)
_SS_EFFECTS = {
    "-K": Use(Effect.SYSTEM, "closes sockets"),
    "--kill": Use(Effect.SYSTEM, "closes sockets"),
    "-D": writes("dumps raw data to a file"),
    "--diag": writes("dumps raw data to a file"),
}
_IPTABLES = Spec(
    flags="LSnvx46",
    values="t",
    long_flags="--list --list-rules --numeric --verbose --exact --line-numbers".split(),
    long_values=("--table",),
)


def _firewall(invocation: Invocation) -> Use:
    """firewall-cmd: only questions."""
    asks = ("--list-", "--get-", "--query-", "--info-", "--path-")
    also = ("--state", "--version", "--help", "--permanent", "--check-config")
    placing = ("--zone=", "--policy=", "--service=", "--ipset=")
    texts = [word.value or "" for word in invocation.args]
    if texts and all(text.startswith((*asks, *placing)) or text in also for text in texts):
        return READS
    return _SYSTEM


def _ufw(invocation: Invocation) -> Use:
    words = [word.value for word in invocation.args]
    if words[:1] in (["status"], ["version"], ["show"], ["--version"], ["--help"]):
        return READS
    return READS if words[:2] in (["app", "list"], ["app", "info"]) else _SYSTEM


def _wireguard(invocation: Invocation) -> Use:
    if sole(invocation, ("--help", "--version", "help")):
        return READS
    return Use(Effect.SECRETS, "prints keys of the tunnel")


_TAILSCALE = Tree(
    reads=(
        "status",
        "ip",
        "version",
        "whois",
        "licenses",
        "exit-node list",
        "exit-node suggest",
        "dns status",
        "lock status",
        "lock log",
        "serve status",
        "funnel status",
        "drive list",
        "metrics print",
        "switch --list",
        "help",
    ),
    uses={
        "ping": network("sends packets"),
        "netcheck": network("asks servers"),
        "update": _SYSTEM,
        "up": _SYSTEM,
        "down": _SYSTEM,
    },
    spec=Spec(
        flags="4619",
        long_flags="--json --active --self --peers --help --version --4 --6 --1 --daemon".split(),
        long_values=("--format",),
        long_maybe=("--peers", "--self"),
    ),
    strict=True,
    depth=2,
)

_NFT = Tree(reads=("list", "describe"), spec=Spec(flags="anjsySN"), depth=1, strict=True)

PROGRAMS: Mapping[str, Judge] = {
    "ip": _ip,
    "ifconfig": _ifconfig,
    "iwconfig": _ifconfig,
    "route": _route,
    "arp": Flat(
        _ARP, effects=dict.fromkeys(("-d", "-s", "-f", "--delete", "--set", "--file"), _SYSTEM)
    ),
    "ss": Flat(_SS, effects=_SS_EFFECTS),
    **dict.fromkeys(
        ("iptables", "ip6tables", "iptables-nft", "iptables-legacy", "ebtables", "arptables"),
        Asked(("-L", "-S", "--list", "--list-rules"), _SYSTEM, _IPTABLES, operands=2),
    ),
    **dict.fromkeys(
        ("iptables-save", "ip6tables-save"),
        Flat(Spec(flags="c", values="t"), effects={"-f": writes("`-f` writes a file")}),
    ),
    "nft": _NFT,
    "ipset": Tree(
        reads=("list", "version"), spec=Spec(flags="nto", values=""), depth=1, strict=True
    ),
    "firewall-cmd": _firewall,
    "ufw": _ufw,
    **dict.fromkeys(("wg", "wg-quick"), _wireguard),
    **dict.fromkeys(("tailscale", "Tailscale"), _TAILSCALE),
    "bridge": Tree(
        reads=("link", "link show", "fdb show", "vlan show", "mdb show"),
        uses=dict.fromkeys(("link set", "link add", "link delete"), _SYSTEM),
        spec=Spec(flags="sdjpcno"),
        depth=2,
        strict=True,
    ),
    "ethtool": Asked(
        ("-i", "-S", "-k", "-g", "-a", "-c", "-T", "-P"),
        _SYSTEM,
        Spec(flags="iSkgacTP"),
        operands=1,
    ),
    "nmcli": Tree(
        reads=(
            "general",
            "general status",
            "device",
            "device status",
            "device show",
            "connection show",
            "radio",
            "dev",
            "dev status",
            "dev show",
            "con show",
            "c show",
            "d",
            "d show",
        ),
        uses={"monitor": READS},
        spec=Spec(
            flags="tpah",
            values="fmc",
            long_flags=("--terse", "--pretty", "--help", "--version"),
            long_values=("--fields", "--mode", "--colors"),
        ),
        depth=2,
        strict=True,
    ),
}
