"""interfaces: which command lines of network configuration only read, and what the others do."""

from collections.abc import Callable, Mapping

import pytest

from automode.programs.interfaces import PROGRAMS
from automode.programs.use import Effect, Judge, Use
from automode.shell.script import Word

UseOf = Callable[[Mapping[str, Judge], str | tuple[Word, ...]], Use]

READING = r"""
ip a
ip addr show eth0
ip -br link
ip -s -s link
ip -4 netconf
ip route get 1.1.1.1
ip n
ip neigh show
ip rule
ip monitor link
ip netns list
ifconfig
ifconfig -a
ifconfig eth0
route -n
route -n get default
arp -an
ss -tulpn
ss -s
iptables -L -n -v
iptables -t nat -S
ufw status verbose
firewall-cmd --list-all --zone=public
nft list ruleset
tailscale
tailscale status --json
tailscale ip -4
nmcli device status
wg --help
""".strip().splitlines()
OTHERWISE = {
    Effect.SYSTEM: r"""
ip link set eth0 down
ip a add 10.0.0.1/24 dev eth0
ip ru add from all lookup 100
ip link s eth0 up
ip route flush cache
ifconfig eth0 10.0.0.1
ifconfig eth0 -promisc
route add default gw 10.0.0.1
arp -d 10.0.0.1
ss -K dst 10.0.0.1
iptables -F
iptables -A INPUT -j DROP
iptables -L -Z
ufw disable
firewall-cmd --reload
firewall-cmd --add-port=80/tcp
tailscale down
tailscale up
""".strip().splitlines(),
    Effect.RUNS: r"""
ip netns exec x sh
""".strip().splitlines(),
    Effect.SECRETS: r"""
ip xfrm state
wg show
wg showconf wg0
""".strip().splitlines(),
    Effect.WRITES: r"""
ss -D out
iptables-save -f out
""".strip().splitlines(),
    Effect.NETWORK: r"""
tailscale ping x
tailscale netcheck
""".strip().splitlines(),
    Effect.UNKNOWN: r"""
ip -b batch
ip -force link
tailscale up --reset
nft flush ruleset
nmcli con up x
tailscale cert x
""".strip().splitlines(),
}


@pytest.mark.parametrize("line", READING)
def test_a_form_that_only_prints_reads(line: str, use_of: UseOf) -> None:
    assert use_of(PROGRAMS, line).effect is Effect.NONE


@pytest.mark.parametrize(
    ("effect", "line"), [(effect, line) for effect, lines in OTHERWISE.items() for line in lines]
)
def test_a_form_that_does_more_says_what(effect: Effect, line: str, use_of: UseOf) -> None:
    use = use_of(PROGRAMS, line)
    assert effect in use.effect
    assert use.why
