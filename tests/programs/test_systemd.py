"""systemd: which command lines of service managers only read, and what the others do."""

from collections.abc import Callable, Mapping

import pytest

from automode.programs.systemd import PROGRAMS
from automode.programs.use import Effect, Judge, Use
from automode.shell.script import Word

UseOf = Callable[[Mapping[str, Judge], str | tuple[Word, ...]], Use]

READING = r"""
systemctl
systemctl status nginx
systemctl --user list-units --type=service --no-pager
systemctl is-active nginx
systemctl show -p MainPID nginx
systemctl cat nginx
systemctl get-default
journalctl -u nginx -n 50 --no-pager
journalctl -b -1 -p err
journalctl --since '1 hour ago' -f
journalctl --disk-usage
timedatectl
timedatectl status
hostnamectl
loginctl list-sessions
localectl list-locales
resolvectl status
systemd-analyze blame
launchctl list
launchctl print system
launchctl version
rc-status
""".strip().splitlines()
OTHERWISE = {
    Effect.UNKNOWN: r"""
systemctl restart nginx
systemctl enable x
systemctl daemon-reload
systemctl edit x
timedatectl set-time 12:00
hostnamectl set-hostname x
hostnamectl hostname x
loginctl terminate-user x
journalctl --frob
launchctl
""".strip().splitlines(),
    Effect.WRITES: r"""
journalctl --rotate
journalctl --vacuum-size=1G
journalctl --vacuum-time=1d
journalctl --flush
journalctl --sync
journalctl --cursor-file=out
""".strip().splitlines(),
    Effect.NETWORK: r"""
systemctl -H root@x.test status
systemctl --host=x.test status
resolvectl query x.test
""".strip().splitlines(),
    Effect.SECRETS: r"""
systemctl show-environment
launchctl getenv TOKEN
""".strip().splitlines(),
    Effect.SYSTEM: r"""
launchctl load x.plist
launchctl stop x
systemd-run id
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
