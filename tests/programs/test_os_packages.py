"""Package managers of operating systems: which command lines only read, and what the others do."""

import shlex

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.os_packages import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

ROOT = "/home/ada/project"


def line(text: str) -> Use:
    command = Command(tuple(Word(word) for word in shlex.split(text)), cwd=ROOT)
    workspace = Workspace(ROOT, ROOT, "/home/ada", Names(ROOT))
    return PROGRAMS[command.program](Invocation(command.program, command.args, command, workspace))


READING = r"""
apt list --installed
apt list --upgradable
apt show curl
apt search curl
apt policy curl
apt-cache policy curl
apt-cache search curl
apt-cache depends curl
apt-get --version
apt-get -s install curl
apt-get install --dry-run curl
apt-mark showhold
dpkg -l
dpkg -L curl
dpkg -s curl
dpkg -S /bin/ls
dpkg --get-selections
dpkg --print-architecture
dpkg-query -W -f='${Package}\n'
dpkg-query -l
dpkg-deb -c x.deb
dpkg-deb -I x.deb
rpm -qa
rpm -qi curl
rpm -ql curl
rpm -qf /bin/ls
rpm -q --changelog curl
rpm -qa --queryformat '%{NAME}\n'
dnf list installed
dnf info curl
dnf search curl
dnf repolist
dnf history
dnf provides /bin/ls
yum list installed
yum check-update
zypper search curl
zypper lr
pacman -Q
pacman -Qi curl
pacman -Qe
pacman -Ss curl
pacman -Si curl
apk info
apk list --installed
apk search curl
snap list
snap info core
snap find x
flatpak list
flatpak remotes
port installed
choco list
winget list
winget search x
""".strip().splitlines()
NOT_READING = (
    ("apt install x", Effect.SYSTEM),
    ("apt list -o Dir=x", Effect.UNKNOWN),
    ("apt-get -o x=y list", Effect.UNKNOWN),
    ("apt-get -s -o APT::Update::Pre-Invoke::=x update", Effect.UNKNOWN),
    ("apt-get install -s -o x=y z", Effect.SYSTEM),
    ("apt-get download x", Effect.NETWORK),
    ("dpkg -i x", Effect.UNKNOWN),
    ("dpkg -l --pre-invoke=x", Effect.UNKNOWN),
    ("dpkg -x a b", Effect.UNKNOWN),
    ("dpkg --unpack x", Effect.UNKNOWN),
    ("dpkg-deb -x a b", Effect.UNKNOWN),
    ("dpkg-deb -b a", Effect.UNKNOWN),
    ("rpm -i x", Effect.SYSTEM),
    ("rpm -q --pipe sh x", Effect.SYSTEM),
    ("rpm -qp http://x", Effect.NETWORK),
    ("rpm -E '%(id)'", Effect.SYSTEM),
    ("rpm --eval '%(id)'", Effect.SYSTEM),
    ("rpm -qa --define 'x %(id)'", Effect.SYSTEM),
    ("rpm -e x", Effect.SYSTEM),
    ("dnf install x", Effect.SYSTEM),
    ("dnf list --installroot=/x", Effect.UNKNOWN),
    ("dnf history undo 3", Effect.UNKNOWN),
    ("dnf -c /x list", Effect.UNKNOWN),
    ("yum update", Effect.SYSTEM),
    ("pacman -S x", Effect.SYSTEM),
    ("pacman -Sy", Effect.SYSTEM),
    ("pacman -Ss --config /x", Effect.SYSTEM),
    ("pacman -Syu", Effect.SYSTEM),
    ("pacman -R x", Effect.SYSTEM),
    ("pacman -Qs --root /x", Effect.SYSTEM),
    ("pacman -D x", Effect.SYSTEM),
    ("apk add x", Effect.SYSTEM),
    ("apk list -X http://x", Effect.UNKNOWN),
    ("snap install x", Effect.SYSTEM),
    ("flatpak run x", Effect.RUNS),
)


@pytest.mark.parametrize("text", READING)
def test_a_command_that_only_looks_is_a_read(text: str) -> None:
    assert not line(text).effect & ~Effect.REMOTE_READ


@pytest.mark.parametrize(("text", "effect"), NOT_READING)
def test_whatever_does_more_than_look_says_what(text: str, effect: Effect) -> None:
    use = line(text)
    assert use.effect & effect
    assert use.why
