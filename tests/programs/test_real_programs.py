"""The rows against the real programs: what a row calls reading writes, starts and connects nothing,
and the program's own help agrees with the row about options and their values.

Only programs that are installed are asked; `ROWS=all` asks about every example, not two a program.
"""

import os
import re
import shlex
import shutil
import signal
import subprocess
from collections import defaultdict
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

from automode.programs.program import Program
from automode.programs.table import families, programs, written_under

pytestmark = pytest.mark.real

EVERY = os.environ.get("ROWS") == "all"
MOST_A_PROGRAM = 10_000 if EVERY else 2
BUILTINS = frozenset("cd echo printf test [ [[ : true false pwd type read".split())
_TRACED = "trace=%file,%network,%process,ftruncate,fchmod,fchown"
_WRITING = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND")
_CHANGING = re.compile(
    r"\b(?:unlink|unlinkat|rename|renameat2?|mkdir|mkdirat|rmdir|link|linkat|symlink|symlinkat|chmod|"
    r"fchmod|fchmodat|chown|fchown|fchownat|truncate|ftruncate|mknod|mknodat)\(.*\) = 0"
)
# The JVM writes its process id below /tmp/hsperfdata_USER, where it has gone before.
_HARMLESS_PLACES = re.compile(
    r'"(?:/dev/(?:null|tty|stdout|stderr|pts/\d+)|/proc/self/[^"]*)"'
    r'|"\d+", O_RDWR\|O_CREAT\|O_NOFOLLOW'
)
_ADDRESS = re.compile(r"\b(?:connect|sendto|sendmsg|sendmmsg)\(.*sa_family=AF_INET")
_LONG = re.compile(r"(?<![\w-])(--[a-z][a-z0-9-]+)(\[=\w|\[=<|=|)")


@cache
def _installed(name: str) -> bool:
    """A shim of a version manager is another program, which then starts this one."""
    place = shutil.which(name)
    return place is not None and "/shims/" not in place


def _examples() -> list[str]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for rows in families().values():
        for row in rows.values():
            examples = row.get("examples", {})
            for line in examples.get("reads", []) if isinstance(examples, dict) else ():
                name = line.split()[0]
                if name not in BUILTINS and _installed(name):
                    found[name].append(line)
    return [line for lines in found.values() for line in lines[:MOST_A_PROGRAM]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("real")
    for name in "a.txt b.txt a b src/a.py src/b.py a.csv README.md log.txt".split():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text("one 1\ntwo 2\n")
    return place


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize("line", _examples())
def test_what_reads_writes_starts_and_connects_nothing(
    line: str, folder: Path, tmp_path: Path
) -> None:
    logs = tmp_path / "trace"  # one for each process, so that no line is torn in two
    command = ["strace", "-ff", "-qq", "-e", _TRACED, "-o", str(logs), *shlex.split(line)]
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C", "TERM": "dumb"}
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    for _ in range(20):  # a busy machine takes its time to begin
        with suppress(subprocess.TimeoutExpired):  # `tail -f` and `sleep` end when they are stopped
            process.wait(timeout=3)
        if process.returncode is not None or any(one.stat().st_size for one in tmp_path.iterdir()):
            break
    for number in (signal.SIGTERM, signal.SIGKILL):  # the traced program too: `yes` never ends
        with suppress(ProcessLookupError, subprocess.TimeoutExpired):
            os.killpg(process.pid, number)
            process.wait(timeout=3)
    starts, keeps = _starts(line), _keeps(line, folder)
    traced = [
        one
        for log in tmp_path.glob("trace.*")
        for one in log.read_text(errors="replace").splitlines()
    ]
    assert traced != []

    connects = programs()[line.split()[0]].row.connects
    acts = [one for one in traced if _acts(one, starts, connects=connects)]

    assert [one for one in acts if not keeps.search(one)] == []


def _starts(line: str) -> frozenset[str]:
    """The program itself, what interprets it, and the helpers that its row names."""
    name = line.split()[0]
    place = Path(shutil.which(name) or name).resolve()
    with place.open("rb") as file:
        first = file.readline(200)
    interpreters = first[2:].decode(errors="replace").split() if first[:2] == b"#!" else []
    names = (name, place.name, *(Path(one).name for one in interpreters))
    return frozenset((*names, *written_under("starts").get(name, ())))


def _keeps(line: str, home: Path) -> re.Pattern[str]:
    """The places of its own where the program keeps logs and caches."""
    places = [
        re.escape(one).replace("~", str(home))
        for one in written_under("keeps").get(line.split()[0], ())
    ]
    return re.compile("|".join(f'"{one}' for one in places) or "(?!)")


def _acts(traced: str, starts: frozenset[str], *, connects: bool) -> bool:
    if _ADDRESS.search(traced):  # trying is enough: here nobody answers
        return not connects
    if " = -1 " in traced or _HARMLESS_PLACES.search(traced):
        return False
    if "execve(" in traced:
        started = re.search(r'execve\("([^"]*)"', traced)
        return started is not None and Path(started[1]).name not in starts
    if "open" in traced and _WRITING.search(traced):
        return True
    return _CHANGING.search(traced) is not None


@cache
def _asked_for_help() -> list[str]:
    """Programs whose row says that `--help` only prints, each once."""
    found: dict[int, str] = {}
    for name, program in programs().items():
        spec = program.row.spec
        helps = "--help" in program.row.help or "--help" in (*spec.long_flags, *spec.long_maybe)
        if helps and name not in BUILTINS and _installed(name):
            found.setdefault(id(program), name)
    return sorted(found.values())


@cache
def _help(name: str) -> str:
    given = subprocess.run(
        [name, "--help"], capture_output=True, stdin=subprocess.DEVNULL, timeout=60, check=False,
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C", "COLUMNS": "200"},
    )  # fmt: skip
    return (given.stdout + given.stderr).decode(errors="replace")


@pytest.mark.parametrize("name", _asked_for_help())
def test_the_programs_own_help_agrees_about_values(name: str) -> None:
    """A value that the row takes for an operand, or the other way round, hides what follows it."""
    program = programs()[name]
    said: defaultdict[str, set[str]] = defaultdict(set)
    for option, value in _LONG.findall(_help(name)):
        said[option].add("value" if value == "=" else "maybe" if value else "flag")
    wrong = {option: kinds for option, kinds in said.items() if _disagrees(program, option, kinds)}

    assert wrong == {}


def _disagrees(program: Program, option: str, kinds: set[str]) -> bool:
    """Only where the help is plain: one spelling, and a sign of equality that shows the value."""
    known = program.row.spec.long(option)
    if known is None or len(kinds) > 1:
        return False
    return (known[1], *kinds) in {("flag", "value"), ("flag", "maybe"), ("value", "maybe")}


@pytest.mark.parametrize(
    "name", [name for name in _asked_for_help() if programs()[name].row.complete]
)
def test_a_complete_row_names_every_option_of_the_help(name: str) -> None:
    spec = programs()[name].row.spec
    options = {option for option, _ in _LONG.findall(_help(name))}

    assert {one for one in options if spec.long(one) is None} == set()
