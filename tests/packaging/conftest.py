"""Programs of others that the tests here install for themselves."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def from_registry(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Installs packages into an environment of their own, and gives its folder of programs. Where
    the registry does not serve them, the test is skipped with the reason."""

    def install(*packages: str) -> Path:
        folder = tmp_path_factory.mktemp("tools")
        subprocess.run((sys.executable, "-m", "venv", folder), check=True, timeout=300)
        done = subprocess.run(
            (folder / "bin/python", "-m", "pip", "install", "--quiet", *packages),
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        if done.returncode:
            why = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            pytest.skip(f"NOT TRIED: {', '.join(packages)} could not be installed: {why}")
        return folder / "bin"

    return install
