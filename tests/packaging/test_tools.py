"""`uv tool install` and `pipx install`, as the README leads with them, into an empty home."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

import automode

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.real, pytest.mark.slow]
INSTALLERS = {"uv": ("uv", "tool", "install"), "pipx": ("pipx", "install")}
SECONDS = 600


def run(
    *words: str | Path, cwd: Path, env: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        words, cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=SECONDS
    )


@pytest.fixture(scope="module")
def tools(from_registry: Callable[..., Path]) -> Path:
    return from_registry(*INSTALLERS)


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A wheel, and an address of the repository as it was committed last."""
    folder = tmp_path_factory.mktemp("wheel")
    words = ("pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(folder))
    done = run(sys.executable, "-m", *words, ROOT, cwd=folder)
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("*.whl")
    return {"wheel": str(wheel), "address": f"git+file://{ROOT}"}


@pytest.mark.parametrize("source", ["wheel", "address"])
@pytest.mark.parametrize("words", INSTALLERS.values(), ids=INSTALLERS)
def test_it_is_installed_into_an_empty_home_and_works(
    words: Sequence[str], source: str, tools: Path, sources: Mapping[str, str], tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    path = f"{home}/.local/bin:{tools}:{os.environ['PATH']}"
    kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    env = {**kept, "HOME": str(home), "PATH": path, "COLUMNS": "100"}

    done = run(tools / words[0], *words[1:], sources[source], cwd=tmp_path, env=env)
    said = [
        run(home / ".local/bin/automode", *more, cwd=tmp_path, env=env).stdout
        for more in (("--version",), ("--isolated", "check", "rm -rf ~"))
    ]

    assert done.returncode == 0, done.stdout + done.stderr
    assert automode.__version__ in said[0]
    assert "floor.delete-root" in said[1]
    assert list(home.rglob("share/man/man1/automode.1"))
