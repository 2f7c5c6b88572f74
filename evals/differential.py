"""Runs in real bash what the read-only door allows: nothing may start that was not listed.

Every program is a stub that logs how it was started and prints hostile text; standard input, a file
and a variable of the environment are hostile, too. The folder that scripts run in is watched, and
so is their home. Nothing else is on `PATH`, and a payload needs no more than a redirect.
"""

import argparse
import itertools
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from differential_scripts import Scripts
from differential_words import BUILTINS

from automode.core.call import Shell, ToolCall
from automode.core.decision import Decision
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.facts.reader import ShellReader
from automode.guards.reads.read_only import ReadOnly
from automode.programs.call_facts import CallFacts
from automode.programs.table import programs
from automode.shell.script import HOLE, Command, Origin, Script, Word

BATCH = 100
BATCH_SECONDS = 120
SCRIPT_SECONDS = 10
SEPARATOR = "\x1f"
EVIL = "a[$(touch pwned)]"
SAYINGS = (EVIL, "-x touch pwned", "($(>pwned))", "5", "-v a[`touch pwned`]", "RANDOM", "")
PLAIN = frozenset("wc git date nproc whoami arch tty logname".split())
"""Programs whose output is known to be a number, a hash or the like: their stubs print one."""

COUNTS = frozenset("grep egrep fgrep stat seq".split())
"""Programs that print a number where they are told to: their stub looks at what it is told."""

KEYWORDS = frozenset(
    "if then else elif fi case esac for select while until do done in function time coproc [[ {"
    "".split()
)
STUB = """#!/bin/sh
printf '%s\\0' "${{DIFFERENTIAL_RUN-lost}}" "$#" "${{0##*/}}" "$@" >> '{log}'{first}
printf '%s\\n' {says}
"""
COUNT = """
case "${{0##*/}} $*" in
  *[Gg]rep\\ -c*) [ $# -le 3 ] && echo 5 && exit ;;
  stat\\ -c*%[sYi]\\ *) [ $# -le 3 ] && echo 5 && exit ;;
  seq\\ [0-9]*) echo 5; exit ;;
esac
"""
DRIVER = """
ulimit -t 3 -f 2000 -c 0
while IFS= read -r -d '' run && IFS= read -r -d '' says && IFS= read -r -d '' script; do
  cd "$WORK" || exit
  DIFFERENTIAL_RUN=$run DIFFERENTIAL_SAYS=$says "$REAL_BASH" --norc --noprofile -c "$script" \
    < "$HOSTILE_FILE" > /dev/null 2>&1
done
"""

Door = Callable[[str], Script | None]
"""The reading of a script that it allows; None for any other."""


@dataclass(frozen=True, slots=True)
class Found:
    """A script that was allowed, and what it did beyond its reading."""

    script: str
    what: str


@dataclass(frozen=True, slots=True)
class Outcome:
    made: int
    allowed: int
    started: int  # programs that were started in real bash
    found: tuple[Found, ...]


def real_door(work: str, home: str) -> Door:
    reader = ShellReader(60.0)  # patient: this machine may be busy
    layer = ReadOnly()
    workspace = Workspace(work, work, home, Names(work))

    def door(script: str) -> Script | None:
        facts = CallFacts(ToolCall("bash", Shell(script)), workspace, reader)
        return facts.script if isinstance(layer.script(facts), Decision) else None

    return door


def allowed_lines(door: Door, names: Iterable[str]) -> list[str]:
    """Command lines of programs that the door allows, one or two for each program that has any."""
    found: list[str] = []
    for name in names:
        lines = (f"{name} f", name, f"{name} -l f", f"{name} --version", f"{name} status")
        found += itertools.islice((line for line in lines if door(line) is not None), 2)
    return found


class Place:
    """A folder with stubs, a home, and a working folder with a few files."""

    def __init__(self, base: Path) -> None:
        self.base, self.log = base, base / "log"
        self.bin, self.home, self.work = base / "bin", base / "home", base / "work"
        for folder in (self.bin, self.home, self.work / "src"):
            folder.mkdir(parents=True)
        self.hostile = base / "hostile"
        self.hostile.write_text(f"{EVIL}\n" * 3)
        for name in ("f", "file.txt", "README.md", "src/a.py", "a", "b", "-v", "-p", EVIL):
            (self.work / name).write_text(f"{EVIL}\n")
        says = '"$DIFFERENTIAL_SAYS"'
        plain, hostile = self.stub("plain", "5"), self.stub("hostile", says)
        counts = self.stub("counts", says, COUNT)
        for name in {*programs(), "touch", "rm", "curl", "pwned"} - KEYWORDS - set(BUILTINS):
            if "/" not in name:
                stub = plain if name in PLAIN else counts if name in COUNTS else hostile
                (self.bin / name).symlink_to(stub)
        self.environment = {
            "PATH": str(self.bin),
            "HOME": str(self.home),
            "WORK": str(self.work),
            "HOSTILE_FILE": str(self.hostile),
            "REAL_BASH": os.path.realpath(shutil.which("bash") or "/bin/bash"),
            "evil": EVIL,
        }

    def stub(self, name: str, says: str, first: str = "") -> Path:
        path = self.base / f"stub-{name}"
        path.write_text(STUB.format(log=self.log, first=first.format(), says=says))
        path.chmod(0o755)
        return path

    def run(self, scripts: Sequence[tuple[int, str]], seconds: float) -> bool:
        """Runs them one after the other; whether all of them came to an end."""
        fields = ((str(run), SAYINGS[run % len(SAYINGS)], script) for run, script in scripts)
        given = "".join(f"{field}\0" for line in fields for field in line)
        process = subprocess.Popen(
            [self.environment["REAL_BASH"], "--norc", "--noprofile", "-c", DRIVER],
            cwd=self.work,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            process.communicate(given.encode(), timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.communicate()
            return False
        time.sleep(0.02)  # what was left in the background
        return True

    def snapshot(self) -> dict[str, tuple[int, int, int]]:
        return {
            str(path): (stat.st_size, stat.st_mtime_ns if path.is_file() else 0, stat.st_mode)
            for top in (self.work, self.home)
            for path in top.rglob("*")
            for stat in (path.lstat(),)
        }

    def logged(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Which run started what, and empties the log."""
        text = self.log.read_bytes().decode("utf-8", "replace") if self.log.exists() else ""
        self.log.unlink(missing_ok=True)
        items, at = text.split("\0"), 0
        while at + 2 < len(items):
            count = int(items[at + 1])
            yield items[at], tuple(items[at + 2 : at + 3 + count])
            at += 3 + count


def _pattern(word: Word) -> str:
    anything = f"[^{SEPARATOR}]*"
    if word.value is not None:
        return SEPARATOR + re.escape(word.text)
    if word.origin is Origin.GLOB or word.splits:
        return f"(?:{SEPARATOR}{anything})*"
    return SEPARATOR + anything.join(re.escape(piece) for piece in word.text.split(HOLE))


def is_listed(words: tuple[str, ...], commands: tuple[Command, ...]) -> bool:
    line = "".join(SEPARATOR + word for word in words)
    return any(
        re.fullmatch("".join(map(_pattern, command.words)), line, re.DOTALL)
        for command in commands
        if command.words
    )


class Trial:
    """Makes scripts, asks the door, and runs what it allows."""

    def __init__(self, place: Place, door: Door) -> None:
        self.place, self.door = place, door
        self.started = 0
        self.found: list[Found] = []

    def run(self, scripts: Iterable[str]) -> Outcome:
        made = allowed = 0
        waiting: list[tuple[int, str, Script]] = []
        for script in scripts:
            made += 1
            reading = self.door(script)
            if reading is None:
                continue
            allowed += 1
            waiting.append((allowed, script, reading))
            if len(waiting) == BATCH:
                self.check(waiting)
                waiting = []
        self.check(waiting)
        return Outcome(made, allowed, self.started, tuple(self.found))

    def check(self, batch: list[tuple[int, str, Script]]) -> None:
        """All of them in one go; one by one where anything is wrong."""
        seconds = BATCH_SECONDS if len(batch) > 1 else SCRIPT_SECONDS
        before = self.place.snapshot()
        ended = self.place.run([(run, script) for run, script, _ in batch], seconds)
        logged = list(self.place.logged())
        changed = sorted(set(self.place.snapshot().items()) ^ set(before.items()))
        readings = {str(run): reading for run, _, reading in batch}
        wrong = [
            words
            for run, words in logged
            if run not in readings or not is_listed(words, readings[run].commands)
        ]
        if len(batch) > 1 and (wrong or changed or not ended):
            for one in batch:
                self.check([one])
            return
        self.started += len(logged)
        for _, script, _ in batch:
            if wrong:
                self.found.append(Found(script, f"started {wrong[0]}"))
            if changed:
                self.found.append(Found(script, f"changed {changed[0][0]}"))


def trial(seed: int, count: int) -> Outcome:
    """Random scripts behind the real door."""
    with tempfile.TemporaryDirectory(prefix="differential-") as folder:
        place = Place(Path(folder).resolve())
        door = real_door(str(place.work), str(place.home))
        scripts = Scripts(seed, allowed_lines(door, sorted(programs())))
        return Trial(place, door).run(scripts.script() for _ in range(count))


def trial_of(scripts: Iterable[str], door: Door | None = None) -> Outcome:
    """These scripts behind the real door, or behind another one."""
    with tempfile.TemporaryDirectory(prefix="differential-") as folder:
        place = Place(Path(folder).resolve())
        return Trial(place, door or real_door(str(place.work), str(place.home))).run(scripts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    begun = time.monotonic()
    share = max(1, min(1_000, given.count // given.jobs))
    parts = [(given.seed * 1_000_003 + at, share) for at in range(-(-given.count // share))]
    made = allowed = started = wrong = 0
    with multiprocessing.Pool(given.jobs) as pool:
        for outcome in pool.imap_unordered(_part, parts):
            made, allowed = made + outcome.made, allowed + outcome.allowed
            started, wrong = started + outcome.started, wrong + len(outcome.found)
            for one in outcome.found:
                print(f"*** {one.what}\n{one.script}\n")
            if made % 10_000 < share:
                print(f"{made} scripts so far, {allowed} allowed", flush=True)
    seconds = time.monotonic() - begun
    print(f"{made} scripts in {seconds:.0f} s ({made / seconds:.0f} a second), seed {given.seed}")
    print(f"{allowed} allowed ({100 * allowed / made:.1f} %), all of them run in real bash")
    print(f"{started} programs started; {wrong} scripts did more than their reading says")
    return 1 if wrong else 0


def _part(given: tuple[int, int]) -> Outcome:
    return trial(*given)


if __name__ == "__main__":
    sys.exit(main())
