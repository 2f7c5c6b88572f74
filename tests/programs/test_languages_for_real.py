"""Small languages in their real interpreters: what is proved to only print leaves no trace.

Programs are put together from harmless and hostile pieces, so that most of them are refused and
some are read in an unusual way. Those that are proved run in an empty folder in which anything
that is written or started leaves a file behind. `LANGUAGE_PROGRAMS=100000` runs longer.
"""

import os
import random
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from automode.programs import sql
from automode.programs.awk_sed import awk_use, sed_use
from automode.programs.python_code import harmless
from tests.programs.conftest import ROWS

pytestmark = pytest.mark.real

PROGRAMS = int(os.environ.get("LANGUAGE_PROGRAMS", "400"))
BATCH = 40  # programs whose traces are looked for at once


def pieces(text: str) -> list[str]:
    return [piece.replace("~", " ") for piece in text.split()]


def texts(name: str, words: Sequence[str], joints: Sequence[str]) -> list[str]:
    """Half from pieces alone, half from a seed with pieces put in and characters left out."""
    chance = random.Random(16)
    seeds = ROWS["trace-seeds"][name].strip().splitlines()
    found = []
    for _ in range(PROGRAMS // 2):
        parts = [chance.choice(words) + chance.choice(joints) for _ in range(chance.randint(1, 9))]
        found.append("".join(parts).strip())
        text = chance.choice(seeds)
        for _ in range(chance.randint(1, 3)):
            at = chance.randint(0, len(text))
            piece = chance.choice(("", chance.choice(words), chance.choice("/\"'#\\;\n[]{}()")))
            text = text[:at] + piece + text[at + chance.choice((0, 0, 1, 4)) :]
        found.append(text)
    return found


def leaves_a_trace(commands: Sequence[Sequence[str]], folder: Path) -> bool:
    """Runs all commands, each with a line or two to work on; whether a file came into being."""
    before = sorted(path.name for path in folder.iterdir())
    for command in commands:
        try:
            subprocess.run(
                command,
                input=b"x\nsecond x/y\n",
                cwd=folder,
                env={"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C.UTF-8"},
                capture_output=True,
                timeout=1,
                check=False,
            )
        except subprocess.TimeoutExpired:
            continue  # an endless loop prints for ever and does nothing else
    return sorted(path.name for path in folder.iterdir()) != before


def assert_no_trace(commands: Sequence[Sequence[str]], folder: Path) -> None:
    for start in range(0, len(commands), BATCH):
        batch = commands[start : start + BATCH]
        if leaves_a_trace(batch, folder):
            for path in folder.iterdir():
                if path.name == "p":
                    path.unlink()
            assert not [one for one in batch if leaves_a_trace([one], folder)]
            pytest.fail(f"a file came into being: {batch}")


def installed(*names: str) -> list[str]:
    return [name for name in names if shutil.which(name)]


LANGUAGES: tuple[tuple[str, str, tuple[str, ...], Callable[[str], bool]], ...] = (
    ("awk", ROWS["awk-pieces"], ("", " ", " ", "\n"), lambda text: not awk_use(text).effect),
    ("sed", ROWS["sed-pieces"], ("", "", ";", "\n"), lambda text: not sed_use(text).effect),
    ("python", ROWS["python-pieces"], ("", "", " ", "\n"), lambda text: harmless(text) is not None),
    (
        "sql",
        ROWS["sql-pieces"],
        ("", " ", " ", "\n"),
        lambda text: not sql.judge(text, "sqlite").effect,
    ),
)
INTERPRETERS: dict[str, tuple[tuple[str, ...], ...]] = {
    "awk": (("gawk",), ("mawk",), ("original-awk",), ("busybox", "awk")),
    "sed": (("sed",), ("sed", "-n"), ("sed", "--posix"), ("busybox", "sed")),
    "python": (("python3", "-c"),),
    "sql": (("sqlite3", "-safe", "base.db"),),
}


@pytest.mark.parametrize(("name", "words", "joints", "proved"), LANGUAGES)
def test_a_program_that_is_proved_writes_and_starts_nothing(
    name: str, words: str, joints: tuple[str, ...], proved: Callable[[str], bool], tmp_path: Path
) -> None:
    here = [command for command in INTERPRETERS[name] if installed(command[0])]
    if not here:
        pytest.skip(f"no interpreter of {name} is installed")
    (tmp_path / "f").write_text("1")
    if name == "sql":
        create = "create table t(a); create view v as select edit('x','touch p') e"
        subprocess.run(["sqlite3", "base.db", create], cwd=tmp_path, check=True)
    made = dict.fromkeys(texts(name, pieces(words), joints))
    sampled = [text for text in made if "\0" not in text and proved(text)]
    assert sampled
    assert_no_trace([(*command, text) for text in sampled for command in here], tmp_path)
