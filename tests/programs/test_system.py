"""system: which command lines of system information only read, and what the others do."""

from collections.abc import Callable, Mapping

import pytest

from automode.programs.system import PROGRAMS
from automode.programs.use import Effect, Judge, Use
from automode.shell.script import Word

UseOf = Callable[[Mapping[str, Judge], str | tuple[Word, ...]], Use]

READING = r"""
lshw
lshw -short
lshw -class disk
lshw -C network -json
uname -a
uptime
free -m
id -un
lscpu
lsblk -f
hostname
hostname -f
sysctl -a
sysctl -n hw.memsize
getent passwd root
mount
mount -l
mount -t nfs
findmnt /
swapon --show
crontab -l
atq
at -l
dmesg --decode
dmesg -T -l err
lspci -v
blkid -o list
service nginx status
sar -u 1 3
arch
netstat -an
losetup -a
lvs
smartctl -a /dev/sda
""".strip().splitlines()
OTHERWISE = {
    Effect.SYSTEM: r"""
hostname evil
sysctl -w kern.x=1
sysctl kern.x=1
sysctl -p
mount /dev/sda1 /mnt
mount -a
mount -l /mnt
swapon /swap
dmesg -c
dmesg -C
dmesg -n 1
dmesg --console-off
service nginx restart
reboot
shutdown -h now
useradd x
losetup -d /dev/loop0
chage -M 1 root
smartctl -t long /dev/sda
""".strip().splitlines(),
    Effect.WRITES: r"""
lshw -dump out
lshw -short -dump out
crontab jobs.txt
crontab -r
crontab -l -r
at now
sar -o out 1
""".strip().splitlines(),
    Effect.SECRETS: r"""
getent shadow
getent gshadow root
""".strip().splitlines(),
    Effect.NETWORK: r"""
getent hosts x.test
""".strip().splitlines(),
    Effect.RUNS: r"""
arch -x86_64 ls
""".strip().splitlines(),
    Effect.UNKNOWN: r"""
sensors -s
lastlog -C -u x
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
