"""files: which command lines of programs that change files only read, and what the others do."""

from collections.abc import Callable, Mapping

import pytest

from automode.programs.files import PROGRAMS
from automode.programs.use import Effect, Judge, Use
from automode.shell.script import Word

UseOf = Callable[[Mapping[str, Judge], str | tuple[Word, ...]], Use]

READING = r"""
rm --help
cp --version
""".strip().splitlines()
OTHERWISE = {
    Effect.WRITES: r"""
rm a
rm -rf --help /
mkdir -p a
cp a b
mv a b
touch a
chmod 600 a
ln -s a b
dd of=out
truncate -s0 a
patch -p1
""".strip().splitlines(),
    Effect.SYSTEM: r"""
mkfs.ext4 /dev/sda1
fdisk /dev/sda
sfdisk -l /dev/sda
umount /mnt
tune2fs -m 1 /dev/sda1
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
