"""archives: which command lines of archives only read, and what the others do."""

from collections.abc import Callable, Mapping

import pytest

from automode.programs.archives import PROGRAMS
from automode.programs.use import Effect, Judge, Use
from automode.shell.script import HOLE, Origin, Word

UseOf = Callable[[Mapping[str, Judge], str | tuple[Word, ...]], Use]

READING = r"""
unzip -l a.zip -x b
unzip -p a.zip -d
xz -dc a.xz
zstd -dc a.zst
bzip2 -dc a.bz2
lz4cat a.lz4
xz --version
tar -tf a.tar
tar tzf a.tgz
tar -tvzf a.tgz
tar --list --file=a.tar
tar tf a.tar src/x
tar -xOf a.tgz package/package.json
tar --force-local -tf a:b.tar
tar --version
unzip -l a.zip
unzip -t a.zip
unzip -Z1 a.zip
unzip -p a.zip x.txt
unzip -v
zipinfo a.zip
zip -sf a.zip
7z l a.7z
7z -slt l a.7z
7zz h -scrcSHA256 a
unrar lb a.rar
gzip -l a.gz
gzip -t a.gz
gzip -dc a.gz
gunzip -c a.gz
gzip
zcat a.gz
xz -l a.xz
zstd -l a.zst
zstdcat a.zst
bzip2 -t a.bz2
ar t a.a
cpio -it
""".strip().splitlines()
OTHERWISE = {
    Effect.WRITES: r"""
unzip e.zip x -l
unzip a.zip -t
unzip -x a.zip -l b
xz -l -d a.xz
xz -ld a.xz
xz -t -z a
zstd -l -d a.zst
zstd -l -M -d a.zst
zstd -c -T -o b a
gzip -t -d a.gz
bzip2 -t --decompress a.bz2
gzip -l --uncompress a.gz
zstd --rm a
zstd -c --rm a
lz4 -t --rm a.lz4
lz4cat --rm a.lz4
zstdcat --rm a.zst
zcat --rm a.gz
bzip2 -V a
bzip2 -L a
pbzip2 -l a
lzma -t -d a.lzma
tar -xf a.tar
tar xvf a.tar
tar cf a.tar x
tar -txf a.tar
tar -tf a.tar -T list
tar -tf a.tar --index-file=out
tar --delete -f a.tar x
unzip a.zip
unzip a.zip -d /tmp
unzip -o a.zip
zip a.zip x
7z x a.7z
7z a a.7z x
unrar x a.rar
gzip a
gzip -d a.gz
gzip -c -r dir
gunzip a.gz
xz a
zstd a -o b
zstd -c a -o b
lz4 a b
ar rcs a.a b.o
cpio -o
""".strip().splitlines(),
    Effect.RUNS: r"""
tar -tf a.tar -I sh
tar tf a.tar --use-compress-program=sh
tar tf a.tar --to-command=sh
tar tf a.tar --checkpoint-action=exec=sh
tar -tf a.tar -F sh
zip -T a.zip
zip a.zip -T -TT sh
""".strip().splitlines(),
    Effect.NETWORK: r"""
tar tf x.test:/a.tar
cpio -it -F x.test:/a
""".strip().splitlines(),
    Effect.UNKNOWN: r"""
zstdcat a.zst -o b
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


def test_an_unknown_archive_may_be_on_another_machine(use_of: UseOf) -> None:
    words = (Word("tar"), Word("-tf"), Word(f"{HOLE}.tar", Origin.UNKNOWN))
    assert use_of(PROGRAMS, words).effect is Effect.NETWORK
