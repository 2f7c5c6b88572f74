"""The list of harmless settings, shown on the real git: what is proved starts nothing.

Every setting gets a payload that leaves a mark, in a repository that has whatever a payload needs:
drivers for every file, a signed commit, a changed file, another repository inside, a terminal for
pagers. `AUTOMODE_GIT_SWEEP=1` draws the settings from the installed git (`make sweep-git`).
"""

import os
import pty
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Disk
from automode.programs.table import programs
from automode.programs.use import Effect, Invocation
from automode.shell.script import Command, Word
from tests.programs.conftest import ROWS

pytestmark = [pytest.mark.real, pytest.mark.skipif(shutil.which("git") is None, reason="NO GIT")]


VERBS, HOSTILE = ROWS["git-verbs"], ROWS["git-hostile"]
LOADED = ROWS["git-loaded"]  # all that a payload could need, in keys that do nothing by themselves


def git(folder: Path, *words: str, home: Path, stdin: str = "") -> str:
    done = subprocess.run(
        ["git", *words],
        cwd=folder,
        env=environment(home),
        input=stdin,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def environment(home: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(home), "TERM": "xterm", "LC_ALL": "C"}


@dataclass(frozen=True)
class Real:
    """A repository with a loaded configuration. `mark` exists once a payload has run."""

    top: Path
    home: Path
    payload: Path
    mark: Path
    loaded: str

    def configure(self, key: str, value: str) -> None:
        section, _, rest = key.partition(".")
        middle, _, name = rest.rpartition(".")
        header = f'[{section} "{middle}"]' if middle else f"[{section}]"
        # What the index remembers of a file would spare git the filters.
        os.utime(self.top / "f")
        text = f'{self.loaded}{header}\n\t{name} = "{value}"\n' if key else self.loaded
        (self.top / ".git" / "config").write_text(text)

    def proves(self, verb: str) -> bool:
        words = tuple(map(Word, ("git", *verb.split())))
        command = Command(words, cwd=str(self.top))
        workspace = Workspace(str(self.top), str(self.top), str(self.home), Disk())
        use = programs()["git"](Invocation("git", command.args, command, workspace))
        return use.effect is Effect.NONE

    def fires(self, verb: str, *, terminal: bool = True) -> bool:
        """Whether the payload runs, in a terminal or without one."""
        self.mark.unlink(missing_ok=True)
        ours, theirs = pty.openpty()
        try:
            for out in (theirs, subprocess.DEVNULL) if terminal else (subprocess.DEVNULL,):
                subprocess.run(
                    ["git", *verb.split()],
                    cwd=self.top,
                    env=environment(self.home),
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=subprocess.DEVNULL,
                    timeout=60,
                    check=False,
                )
        finally:
            os.close(theirs)
            os.close(ours)
        return self.mark.exists()


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Real:
    base = tmp_path_factory.mktemp("real")
    top, home, mark, payload = base / "top", base / "home", base / "mark", base / "payload"
    home.mkdir()
    payload.write_text(f"#!/bin/sh\ntouch {mark}\nexit 1\n")
    payload.chmod(0o755)
    loaded = LOADED.format(payload=payload)
    git(base, "init", "-q", "-b", "main", "top", home=home)
    (top / ".git" / "config").write_text(loaded)
    (top / ".gitattributes").write_text("* diff=evil merge=evil filter=evil\n")
    for number, text in enumerate(("a\n", "b\n", "c\n")):
        for name in ("f", "g"):
            (top / name).write_text(name + text)
        (top / "gone").write_text(f"{number}\n")
        git(top, "add", "-A", home=home)
        git(top, "commit", "-qm", f"c{number}", home=home)
    (top / "inner").mkdir()
    git(top / "inner", "init", "-q", home=home)
    (top / "inner" / ".git" / "config").write_text(loaded)
    git(top / "inner", "commit", "-qm", "x", "--allow-empty", home=home)
    (top / "f").write_text("fd\n")
    git(top, "add", "-A", home=home)
    git(top, "commit", "-qm", "inner", home=home)
    (top / "f").write_text("changed\n")
    git(top, "stash", home=home)
    sign(top, home)
    patch = git(top, "diff", "HEAD~1", "HEAD", "--", "f", home=home)
    (top / "f.patch").write_text(patch)
    (top / "f").write_text("fz\n")
    blob = git(top, "rev-parse", "HEAD:gone", home=home)
    tree = git(top, "mktree", home=home, stdin=f"100644 blob {blob}\tlost\n")
    commit = git(top, "commit-tree", tree, "-m", "x", home=home)
    git(top, "update-ref", "refs/heads/lost", commit, home=home)
    for gone in (blob, tree):
        (top / ".git" / "objects" / gone[:2] / gone[2:]).unlink()
    mark.unlink(missing_ok=True)
    return Real(top, home, payload, mark, loaded)


def sign(top: Path, home: Path) -> None:
    """Gives the newest commit a signature that gpg would be asked about."""
    text = git(top, "cat-file", "commit", "HEAD", home=home)
    head, _, message = text.partition("\n\n")
    armour = "-----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----"
    signed = f"{head}\ngpgsig {armour}\n\n{message}\n"
    name = git(top, "hash-object", "-t", "commit", "-w", "--stdin", home=home, stdin=signed)
    git(top, "update-ref", "refs/heads/main", name, home=home)


def fired(real: Real, key: str) -> list[str]:
    """The commands that are proved with a payload for this key, and run it."""
    found = []
    values = ("{payload}", "true", *(("!{payload}", "origin", "%+G?") if key in HOSTILE else ()))
    for value in values:
        real.configure(key, value.format(payload=real.payload))
        for verb in filter(real.proves, VERBS):
            if real.fires(verb, terminal=key in HOSTILE):
                found.append(f"{key}={value}: git {verb}")
    return found


def test_a_loaded_configuration_is_proved_and_starts_nothing(real: Real) -> None:
    real.configure("", "")
    proved = [verb for verb in VERBS if real.proves(verb)]
    assert [verb for verb in VERBS if verb not in proved] == []
    assert [verb for verb in proved if real.fires(verb)] == []


@pytest.mark.parametrize(("key", "value", "verb"), ROWS["git-firing"])
def test_the_payloads_do_fire_where_nothing_is_proved(
    real: Real, key: str, value: str, verb: str
) -> None:
    real.configure(key, value.format(payload=real.payload))
    assert real.fires(verb)
    assert not real.proves(verb)


@pytest.mark.parametrize("name", ["fsmonitor", "hook"])
def test_a_repository_inside_fires_only_where_nothing_is_proved(real: Real, name: str) -> None:
    config, hook = real.top / "inner/.git/config", real.top / "inner/.git/hooks/post-index-change"
    real.configure("", "")
    if name == "hook":
        hook.parent.mkdir(exist_ok=True)
        shutil.copy(real.payload, hook)
        config.write_text("")
    else:
        config.write_text(f"[core]\n\tfsmonitor = {real.payload}\n")
    try:
        firing = [verb for verb in VERBS if real.fires(verb)]
        assert [verb for verb in firing if real.proves(verb)] == []
        assert firing or name == "hook"
    finally:
        config.write_text(real.loaded)
        hook.unlink(missing_ok=True)


@pytest.mark.parametrize("folder", [".git/hooks", ".husky"])
def test_the_hook_of_the_index_fires_only_where_nothing_is_proved(real: Real, folder: str) -> None:
    real.configure("", "")
    hook = real.top / folder / "post-index-change"
    hook.parent.mkdir(exist_ok=True)
    shutil.copy(real.payload, hook)
    try:
        for verb in VERBS:
            os.utime(real.top / "f")
            assert not real.proves(verb) or not real.fires(verb), verb
    finally:
        hook.unlink()


def installed_keys() -> list[str]:
    done = subprocess.run(["git", "help", "--config"], capture_output=True, text=True, check=True)
    keys = [line for line in done.stdout.split() if re.fullmatch(r"\w+\.\S+", line)]
    named = [re.sub(r"<name>", "origin", key) for key in keys]
    named = [re.sub(r"<[^>]+>|\*", "evil", key) for key in named]
    return [*dict.fromkeys(named), *dict.fromkeys(f"pager.{verb.split()[0]}" for verb in VERBS)]


SWEPT = [*HOSTILE, *installed_keys()] if os.environ.get("AUTOMODE_GIT_SWEEP") else []


@pytest.mark.parametrize("key", SWEPT)
def test_no_setting_of_the_installed_git_fires_where_it_is_proved(real: Real, key: str) -> None:
    assert fired(real, key) == []
