"""Runs small harmless scripts in real bash: whatever ran must be among the commands we listed.

Programs are stubs that write their arguments and folder to a log; nothing else is on `PATH` but a
few wrappers. Where our reading is complete, each logged call must match a listed command.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.facts.reader import ShellReader
from automode.shell.script import HOLE, Command, Origin, Word

pytestmark = pytest.mark.real

STUBS = ("a", "b", "c", "d", "say")
REAL = ("env", "xargs", "bash", "sh", "timeout", "nice", "cat", "find")
LOGGING = """#!/bin/sh
[ "${0##*/}" = say ] && printf '%s\\n' "$*"
printf '%s\\0' "$#" "$PWD" "${0##*/}" "$@" >> "$LOG"
"""
SEPARATOR = "\x1f"


class Place:
    """A folder with stubs, a home, and a working folder with a few files."""

    def __init__(self, base: Path) -> None:
        self.log = base / "log"
        self.bin = base / "bin"
        self.home = base / "home"
        self.work = base / "deep" / "er" / "work"
        for folder in (self.bin, self.home, self.work / "sub/sub/sub/sub/sub/sub/sub"):
            folder.mkdir(parents=True)
        for name in ("f1", "f2", "-n"):
            (self.work / name).touch()
        for name in STUBS:
            (self.bin / name).write_text(LOGGING)
            (self.bin / name).chmod(0o755)
        for name in REAL:
            (self.bin / name).symlink_to(shutil.which(name) or f"/bin/{name}")

    def run(self, script: str) -> list[tuple[str, tuple[str, ...]]]:
        """Folder and words of every stub that ran."""
        self.log.write_bytes(b"")
        environment = {"PATH": str(self.bin), "HOME": str(self.home), "LOG": str(self.log)}
        try:
            subprocess.run(
                [os.path.realpath(self.bin / "bash"), "--norc", "--noprofile", "-c", script],
                cwd=self.work,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=5,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return []
        return list(self.logged())

    def logged(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        items = self.log.read_bytes().decode().split("\0")
        at = 0
        while at + 2 < len(items):
            count = int(items[at])
            yield items[at + 1], tuple(items[at + 2 : at + 3 + count])
            at += 3 + count


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return Place(tmp_path_factory.mktemp("behaviour").resolve())


def pattern(words: tuple[Word, ...]) -> str:
    """What the arguments may be, each behind a SEPARATOR."""
    return "".join(_one(word) for word in words)


def _one(word: Word) -> str:
    anything = f"[^{SEPARATOR}]*"
    if word.value is not None:
        return SEPARATOR + re.escape(word.text)
    if word.origin is Origin.GLOB or word.splits:
        return f"(?:{SEPARATOR}{anything})*"
    text = word.text
    if text.endswith("/" + HOLE) and word.plain:  # what `find` found: the start folder or below
        return f"{SEPARATOR}{re.escape(text[:-2])}(?:/{anything})?"
    return SEPARATOR + anything.join(re.escape(piece) for piece in text.split(HOLE))


def listed(folder: str, words: tuple[str, ...], commands: tuple[Command, ...]) -> bool:
    line = "".join(SEPARATOR + word for word in words)
    return any(
        re.fullmatch(pattern(command.words), line, re.DOTALL)
        for command in commands
        if command.words and command.cwd in (None, folder)
    )


def unlisted(place: Place, script: str) -> list[str]:
    """What ran although a complete reading does not list it."""
    workspace = Workspace(str(place.work), str(place.work), str(place.home), Names(str(place.work)))
    reading = ShellReader().full(script, workspace)
    if not reading.complete:
        return []
    return [
        f"{words} in {folder}"
        for folder, words in place.run(script)
        if not listed(folder, words, reading.commands)
    ]


PIECES = st.sampled_from(
    r"""p q-r -n * f? '' "" ~/k ~ {m,n} {1..3} pre{m,,n}suf {,u} "$x" $x ${x} '$x' \$x "q·r" 'q··r'
    $(say·p) "$(say·p·q)" $(say·-x·y) `say·p` $((1+2)) ${x:-w} "${x:-w·v}" ${x:=w} ${x:+v} ${#x}
    ${y%q} ${y/p/q} x=~/q x=~/q:~/r "$@" $1 $* "$*" ${@:1} \~ $'t\tb' $'q\x27r' "a'b" 'a"b' $y"$x"
    "$x"$y $x$y ~/$x a\·b $(echo·$x) "$(printf·'%s-%s'·p·q)" $(cat·<<<p) $z ${z[0]} "${z[@]}" $HOME
    $PWD $? [f]1 {a,b}{c,d} {$x,y} "{p,q}" x{1,"2,3"} $(pwd) ~+/q a:~/b --k=~/v ${x^^} "$x·$y"
    "-n·p" '·' "·p" $(say·"q··r") "$(echo·-n·p)" $(printf·'%b'·'p\nq') $(echo·-e·'p\tq')""".split()
).map(lambda text: text.replace("·", " "))  # the table itself is split at blanks


@st.composite
def scripts(draw: st.DrawFn, depth: int = 3) -> str:
    """A script of up to a few commands."""
    lines = draw(st.lists(statements(depth), min_size=1, max_size=4))
    joins = [draw(st.sampled_from(("\n", "\n", "; ", " && ", " || "))) for _ in lines]
    text = ""
    for line, join in zip(lines, joins, strict=True):
        text += line + ("\n" if "<<E" in line else join)
    return text.rstrip("&|; \n") + "\n"


@st.composite
def calls(draw: st.DrawFn) -> str:
    words = draw(st.lists(PIECES, max_size=4))
    before = draw(st.sampled_from(("", "", "", "x=o ", "command ", "env x=o ", "time ", "! ")))
    wrapped = draw(st.sampled_from(("", "", "", "nice ", "timeout 5 ", "env ")))
    program = draw(st.sampled_from((*STUBS, "fn", "gn")))
    after = draw(st.sampled_from(("", "", "", " > o1", " 2>&1", " < f1", " <<< $x", " | cat")))
    return before + wrapped + " ".join((program, *words)) + after


@st.composite
def assignments(draw: st.DrawFn) -> str:
    name, piece = draw(st.sampled_from("xxyz")), draw(PIECES)
    shape = draw(
        st.sampled_from(
            """{n}={p};{n}={p};{n}+={p};export {n}={p};declare {n}={p};readonly {n}={p};unset {n}
            read {n} <<< {p};printf -v {n} %s {p};printf -v{n} %s {p};{n}=({p} {p});{n}[1]={p}
            set -- {p} {p};shift;x={p} y=$x;local {n}={p};eval "{n}=v";eval '{n}=$y';cd sub;cd ..
            cd sub || a;cd nosuch || b;true && {n}={p};false && {n}={p};false || {n}={p}
            false && cd sub;! cd sub;(cd sub);{{ {n}={p}; }};({n}={p});{n}={p} | cat;(({n}=2))
            : ${{{n}:={p}}};: $((n=3));let {n}=4;[[ $x == p ]] && {n}={p};pushd sub;popd
            true & ;fn() {{ {n}={p}; a $1; }};gn() {{ cd sub; b "$@"; }};a() {{ b $x; }};unset -f a
            trap 'd $x' EXIT;alias a=b;shopt -s nullglob;set -f;IFS=p;exec 3>&1;exec < f1;set +B
            mapfile z <<< {p};declare -i {n}={p};declare -n {n}=y;PWD=q;_=q;readonly {n}""".replace(
                "\n            ", ";"
            ).split(";")
        )
    )
    return _filled(shape, name, piece)


def _filled(shape: str, name: str, piece: str) -> str:
    text = shape.replace("{{", "\1").replace("}}", "\2")
    text = text.replace("{n}", name).replace("{p}", piece)
    return text.replace("\1", "{").replace("\2", "}").strip() or "true"


def statements(depth: int) -> st.SearchStrategy[str]:
    simple = st.one_of(calls(), calls(), assignments())
    return simple if depth == 0 else st.one_of(simple, simple, simple, compounds(depth - 1))


@st.composite
def compounds(draw: st.DrawFn, depth: int) -> str:
    one = draw(scripts(depth)).strip()
    two = draw(scripts(depth)).strip()
    piece, other = draw(PIECES), draw(PIECES)
    heredoc = "E" in one or "'" in one
    kinds = {
        "if": f"if {one}\nthen {two}\nelse {one}\nfi",
        "for": f"for x in {piece} {other}; do {one}\ndone",
        "while": f"while read y; do {one}\ndone <<< {piece}",
        "count": f"for ((i=0; i<2; i++)); do {one}\na $i\ndone",
        "case": f"case {piece} in {other}) {one};;\n*) {two};; esac",
        "subshell": f"({one}\n)",
        "group": f"{{ {one}\n}}",
        "function": f"fn() {{ {one}\n}}\n{two}\nfn {piece}",
        "pipe": f"{{ {one}\n}} | {{ {two}\n}}",
        "background": f"{{ {one}\n}} & wait",
        "bash": f"{one}" if heredoc else f"bash -c '{one}' k {piece} {other}",
        "sh": f"{one}" if heredoc else f"sh -c '{one}'",
        "eval": f"{one}" if heredoc else f"eval '{one}'",
        "fed": f"bash <<'E'\n{one}\nE" if "\nE" not in one else one,
        "piped": f"cat <<'E' | bash\n{one}\nE" if "\nE" not in one else one,
        "printed": f"{one}" if heredoc else f"printf '%s\\n' '{one}' | bash",
        "echoed": f"{one}" if heredoc else f"echo '{one}' | bash",
        "body": f"cat <<E\n$(a {piece})\nE" if "\nE" not in piece else one,
        "xargs": f"echo {piece} | xargs a {other}",
        "filled": f"echo {piece} | xargs -I@ b @ x@",
        "find": f"find sub -exec c {piece} {{}} \\;",
        "process": f"a <(b {piece})",
        "substituted": f'c "$({one}\n)"',
    }
    return kinds[draw(st.sampled_from(sorted(kinds)))]


@given(script=scripts())
def test_whatever_bash_runs_is_listed(place: Place, script: str) -> None:
    assert unlisted(place, script) == [], script
