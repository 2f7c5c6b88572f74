"""Programs that look at the machine: no word that is known only when it runs may do more."""

from collections.abc import Callable, Mapping

import pytest

from automode.programs.table import programs
from automode.programs.use import Effect, Judge, Use
from automode.shell.script import HOLE, Origin, Word

UseOf = Callable[[Mapping[str, Judge], str | tuple[Word, ...]], Use]


def _words(line: str) -> tuple[Word, ...]:
    """`$` is a quoted part that is not known."""
    return tuple(
        Word(text.replace("$", HOLE), Origin.DERIVED) if "$" in text else Word(text)
        for text in line.split()
    )


@pytest.mark.parametrize(
    "line",
    [
        "ps -p $",
        "ps -o pid= --ppid $",
        "ps -fp $",
        "lsof -p $",
        "lsof -i :$",
        "lsof -i TCP@127.0.0.1:$",
        "lsof ./$",
        "journalctl -u $",
        "systemctl status x$",
        "lsblk $",
        "pwdx $",
    ],
)
def test_a_word_that_only_selects_need_not_be_known(line: str, use_of: UseOf) -> None:
    assert use_of(programs(), _words(line)).effect is Effect.NONE


@pytest.mark.parametrize(
    "line",
    [
        "ps $",
        "ps -o $",
        "ps -u $",
        "ps o $",
        "lsof $",
        "lsof -i $",
        "lsof -i @$.x.test",
        "lsof -i @$:80",
        "lsof -n -P -i TCP@$",
        "ss dst $",
        "ss -tn dst 10.0.0.1 and src $",
        "ip -r route get $",
        "arp $",
        "route get $",
        "getent passwd $",
        "id x$",
        "sysctl kernel.$",
        "who $",
        "nft list $",
        "systemctl show -p $ x",
        "service $ status",
        "brew info $",
        "brew deps x$",
        "rpm -qp x$",
        "rpm -qf x$",
        "smartctl -l $ /dev/sda",
        "apt-get -s install x$",
        "dscl . -read x$",
        "printenv x$",
        "rsync -n x$ y",
        "hdiutil imageinfo x$",
        "nix path-info /nix/store/x$",
    ],
)
def test_a_word_that_may_do_more_must_be_known(line: str, use_of: UseOf) -> None:
    assert use_of(programs(), _words(line)).effect & ~Effect.REMOTE_READ
