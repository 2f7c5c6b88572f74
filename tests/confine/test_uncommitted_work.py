"""A confined call cannot destroy work that git does not have: played with the real guards, git and
programs, by the profile that the gate makes."""

import os
import shlex
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from automode.confine.guard import command, write_order
from automode.confine.profile import BadOrder, Order, Profile, digest
from automode.facts.place import live_workspace
from automode.guards.protected import PROTECTED_PATHS, Protected
from automode.sessions.confinement import Confinement
from tests.confine.conftest import World

pytestmark = [pytest.mark.real]

WORK = {
    "src/changed.c": "int changed;\n",
    "src/deep/new.c": "int new;\n",
    "src/staged.c": "int staged;\n",
    "notes.txt": "mine\n",
    "data/kept.db": "rows\n",
    "ignored.conf": "mine\n",
    "src/not-looked-at.c": "int local;\n",
    "other/sub.c": "int sub;\n",
}
"""Tracked and changed, new, staged, new at the top, ignored twice, hidden from status, and of a
repository within."""


def git(folder: Path, *words: str) -> None:
    own = (
        "-c",
        "user.name=x",
        "-c",
        "user.email=x@example.org",
        "-c",
        "protocol.file.allow=always",
    )
    subprocess.run(["git", "-C", str(folder), *own, *words], check=True, capture_output=True)


def furnish(root: Path) -> None:
    """A repository with committed files, and WORK on top."""
    subprocess.run(["rm", "-rf", str(root / ".git")], check=True)
    git(root.parent, "init", "-q", str(root))
    (root / "src/deep").mkdir(parents=True)
    (root / "other").mkdir()
    for name in ("src/changed.c", "src/clean.c", "src/not-looked-at.c"):
        (root / name).write_text("int committed;\n")
    (root / ".gitignore").write_text("data/\n*.conf\nbuild/\n*.o\n")
    (root / "Makefile").write_text("all:\n\t$(CC) -c src/clean.c -o src/clean.o\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "x")
    (root / "data").mkdir()
    (root / "build").mkdir()
    (root / "build/old").write_text("output\n")
    git(root / "other", "init", "-q")
    for name, text in WORK.items():
        (root / name).write_text(text)
    git(root, "update-index", "--skip-worktree", "src/not-looked-at.c")
    git(root, "add", "src/staged.c")


def confinement_in(world: World) -> Confinement:
    (world.workspace / "src").rmdir()
    furnish(world.workspace)
    for name in ("state/confined", "config"):
        (world.home / name).mkdir(parents=True, mode=0o700)
    found = Confinement(str(world.home / "state"), str(world.home / "config"), str(world.home))
    shutil.copy(world.orders / "guard.json", found.folder)
    return found


def profile_of(confinement: Confinement, world: World) -> Profile:
    place = live_workspace(str(world.workspace))
    return confinement.profile(place, Protected.of(PROTECTED_PATHS))


DESTROYS = [
    "make CC='rm -rf src #'",
    "make CC='sh -c \"find . -delete\" #'",
    "python3 -m venv --clear --without-pip src",
    "rm -rf ./* .gitignore; true",
    "mv src gone && mkdir src",
    "git clean -fdx; git checkout -f .; git reset --hard",
    "find . -type f -exec sh -c 'echo x > \"$1\"' x {} \\;",
    "find . -type f -exec truncate -s 0 {} +",
    "find . -type f -exec cp Makefile {} \\;",
    "find . -type f -exec mv Makefile {} \\;",
    "python3 -c 'import shutil; shutil.rmtree(\".\", ignore_errors=True)'",
    "gcc -c src/clean.c -o src/changed.c; cp Makefile notes.txt",
    "ln -f Makefile notes.txt; ln -sf Makefile src/changed.c",
    "mkdir o && mv other o/ ; mv data build/ ; rm -rf build data",
    "chmod 777 notes.txt src/changed.c; setfattr -n user.x -v y notes.txt",
]


@pytest.mark.parametrize("text", DESTROYS)
def test_uncommitted_work_survives(text: str, world: World) -> None:
    confinement = confinement_in(world)
    before = {name: os.lstat(world.workspace / name) for name in WORK}

    world.with_profile(**_fields(profile_of(confinement, world))).run(text)

    left = {name: (world.workspace / name).read_text() for name in WORK}
    assert left == WORK
    for name, state in before.items():
        assert os.lstat(world.workspace / name).st_ino == state.st_ino
        if world.guard.name == "bubblewrap":  # Landlock holds no permission bits
            assert os.lstat(world.workspace / name).st_mode == state.st_mode
    git(world.workspace, "fsck")


def _fields(profile: Profile) -> dict[str, object]:
    names = ("workspace", "writable", "read_only", "hidden", "readable", "environment")
    return {name: getattr(profile, name) for name in names}


def test_outputs_committed_files_and_new_ones_can_be_written(wrapped: World) -> None:
    profile = profile_of(confinement_in(wrapped), wrapped)
    text = "rm build/old && touch build/new src/new.c && echo 'int y;' > src/clean.c && make"

    done = wrapped.with_profile(**_fields(profile)).run(text, CC="gcc")

    assert done.returncode == 0, done
    assert (wrapped.workspace / "src/clean.o").exists()


def play(confinement: Confinement, world: World, text: str) -> int:
    """As the gate has it run, and hears of its end."""
    path = f"{confinement.folder}/{time.time_ns()}.json"
    place = str(world.workspace)
    write_order(path, Order(profile_of(confinement, world), place, "/bin/bash", digest(text)))
    words = command(path, text)
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert confinement.ended(shlex.join(words)).status == done.returncode
    return done.returncode


@pytest.mark.parametrize(
    "first",
    [
        "echo /out/ >> .gitignore",
        "echo '*' > out/.gitignore",
        "echo out >> src/.gitignore; touch notes.txt src/out/mine; chmod 777 notes.txt",
        "touch out/mine notes.txt src/changed.c; ln notes.txt n; mv notes.txt n",
    ],
)
def test_no_call_makes_work_look_like_output_for_the_next_one(first: str, world: World) -> None:
    confinement, root = confinement_in(world), world.workspace
    for folder in ("out", "src/out"):
        (root / folder).mkdir()
        (root / folder / "mine").write_text("mine\n")

    play(confinement, world, first)
    play(confinement, world, "find . -type f -exec sh -c 'echo x > \"$1\"' x {} \\;")
    play(confinement, world, "rm -rf out src/out notes.txt src")

    assert (root / "out/mine").read_text() == (root / "src/out/mine").read_text() == "mine\n"
    assert {name: (root / name).read_text() for name in WORK} == WORK


def test_what_a_confined_call_made_can_be_made_again_until_somebody_else_changes_it(
    wrapped: World,
) -> None:
    confinement, root = confinement_in(wrapped), wrapped.workspace
    (root / "beside").write_text("mine")

    def run(text: str) -> int:
        return play(confinement, wrapped, text)

    makes = "echo x > made && echo x > src/clean.c && mkdir -p new && echo x > new/file"
    assert [run(makes), run(makes), run("echo x > beside")] == [0, 0, 1]
    (root / "made").write_text("mine now")
    assert run(makes) == 1
    assert run("echo x > new/file; echo x > src/clean.c") == 0
    assert (root / "made").read_text() == "mine now"


@pytest.fixture
def plain(tmp_path: Path) -> tuple[Confinement, Path]:
    for name in ("state/confined", "project"):
        (tmp_path / name).mkdir(parents=True)
    return Confinement(str(tmp_path / "state"), "/nowhere", str(tmp_path)), tmp_path / "project"


def test_where_git_does_not_tell_nothing_is_confined(plain: tuple[Confinement, Path]) -> None:
    confinement, project = plain
    protected = Protected.of(PROTECTED_PATHS)
    with pytest.raises(BadOrder, match="in no git repository"):
        confinement.profile(live_workspace(str(project)), protected)
    git(project, "init", "-q")
    git(project, "config", "filter.x.clean", "touch ran")
    with pytest.raises(BadOrder, match=r"filter\.x\.clean"):
        confinement.profile(live_workspace(str(project)), protected)


def test_more_work_than_can_be_held_is_not_confined(plain: tuple[Confinement, Path]) -> None:
    confinement, project = plain
    git(project, "init", "-q")
    for number in range(201):
        (project / str(number)).touch()

    with pytest.raises(BadOrder, match="more than 200 files"):
        confinement.profile(live_workspace(str(project)), Protected.of(PROTECTED_PATHS))
