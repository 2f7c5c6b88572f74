"""`automode confine`: a person tries a command within the limits of a confined call."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.real


@pytest.fixture
def home() -> Iterator[Path]:
    """Not in /tmp, which is another one inside."""
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    with tempfile.TemporaryDirectory(dir=sys.prefix, prefix="confine-") as path:
        found = Path(path).resolve()
        (found / "project").mkdir()
        (found / "config").mkdir()
        subprocess.run(["git", "init", "-q", str(found / "project")], check=True)
        yield found


def confine(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    state = ["--state-folder", str(home / "state"), "--config-folder", str(home / "config")]
    return subprocess.run(
        [sys.executable, "-m", "automode", *state, "confine", *words],
        cwd=home / "project",
        env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_a_command_it_shows_the_limits(home: Path) -> None:
    done = confine(home)
    assert done.returncode == 0, done
    assert f"can write                    {home}/project\n" in done.stdout
    assert "network                      " in done.stdout


def test_a_command_runs_within_them_and_its_status_is_kept(home: Path) -> None:
    done = confine(home, "--", "sh", "-c", "echo x > made; echo x > ../outside; exit 9")
    assert done.returncode == 9
    assert (home / "project/made").exists()
    assert not (home / "outside").exists()
    assert "ran confined" in done.stderr
