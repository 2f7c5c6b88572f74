"""A workspace, its surroundings, and a way to run a text under a guard."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from automode.confine import landlock
from automode.confine.guard import Guard, command, remember, write_order
from automode.confine.profile import Order, Profile, digest

BWRAP = shutil.which("bwrap")


@dataclass(frozen=True, slots=True)
class World:
    """`home` holds everything; `home/workspace` can be written."""

    home: Path
    guard: Guard
    profile: Profile

    @property
    def workspace(self) -> Path:
        return self.home / "workspace"

    @property
    def orders(self) -> Path:
        return self.home / "orders"

    def with_profile(self, **changes: object) -> "World":
        return replace(self, profile=replace(self.profile, **changes))  # type: ignore[arg-type]

    def words(self, text: str, folder: Path | None = None) -> list[str]:
        path = str(self.orders / f"{len(os.listdir(self.orders))}.json")
        where = str(folder or self.workspace)
        write_order(path, Order(self.profile, where, "/bin/bash", digest(text)))
        return command(path, text)

    def run(
        self, text: str, folder: Path | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.words(text, folder),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            env={**os.environ, **environment},
            check=False,
        )


def make_world(home: Path, guard: Guard) -> World:
    for name in ("orders", "workspace", "workspace/src", "workspace/.git", "workspace/.git/hooks"):
        (home / name).mkdir(mode=0o700)
    (home / "workspace/.git/config").write_text("[core]\n")
    (home / "workspace/.git/HEAD").write_text("ref\n")
    (home / "secrets").mkdir()
    (home / "secrets/key").write_text("top secret")
    (home / "token").write_text("top secret")
    (home / "other").mkdir()
    (home / "other/file").write_text("mine")
    workspace = home / "workspace"
    profile = Profile(
        workspace=str(workspace),
        writable=(),
        read_only=tuple(str(workspace / one) for one in (".git/hooks", ".git/config", ".ci/run")),
        hidden=(str(home / "secrets"), str(home / "token"), str(home / "orders")),
        readable=(),
        watched=(),
        services=(),
        temporary=str(home / "temporary"),
        loopback=True,
        processes=200,
        memory_bytes=4 * 2**30,
        environment={},
    )
    remember(str(home / "orders"), guard)
    return World(home, guard, profile)


@pytest.fixture
def place() -> Iterator[Callable[[Guard], World]]:
    """Not in /tmp, which is another one inside: there nothing would be there to be tried."""
    with tempfile.TemporaryDirectory(dir=sys.prefix, prefix="confine-") as path:
        yield lambda guard: make_world(Path(os.path.realpath(path)), guard)


@pytest.fixture
def wrapped(place: Callable[[Guard], World]) -> World:
    if BWRAP is None:
        pytest.skip("bubblewrap is not installed")
    return place(Guard("bubblewrap", os.path.realpath(BWRAP)))


@pytest.fixture
def landlocked(place: Callable[[Guard], World]) -> World:
    if landlock.version() < landlock.NEEDED:
        pytest.skip(f"Landlock {landlock.version()} of this kernel is too old")
    return place(Guard("landlock", ""))


@pytest.fixture(params=["wrapped", "landlocked"])
def world(request: pytest.FixtureRequest) -> World:
    found: World = request.getfixturevalue(request.param)
    return found
