"""The wheel is complete: in an empty environment it does its work from an empty folder."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PINNED = ROOT / "requirements/base.txt"
pytestmark = [pytest.mark.real, pytest.mark.slow]


def run(*words: str | Path, cwd: Path, env: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    return done.stdout


def build(folder: Path) -> Path:
    words = ("-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir")
    env = {**os.environ, "SOURCE_DATE_EPOCH": "1577836800"}
    run(sys.executable, *words, folder, ROOT, cwd=folder.parent, env=env)
    (wheel,) = folder.glob("*.whl")
    return wheel


WORK = {
    "--version": "automode, version ",
    "demo": "deny",
    "check uname -a": "only reads",
    "eval --no-classifier --limit 3": "cases decided",
    "install claude-code --dry-run": "settings.json",
    "completion bash": "_AUTOMODE_COMPLETE",
}


def test_the_installed_wheel_works_in_an_empty_folder_with_an_empty_home(tmp_path: Path) -> None:
    wheel, again = build(tmp_path / "first"), build(tmp_path / "second")
    run(sys.executable, "-m", "venv", "env", cwd=tmp_path)
    python = tmp_path / "env/bin/python"
    pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(*pip, "--require-hashes", "-r", PINNED, cwd=tmp_path)
    run(*pip, "--no-deps", wheel, cwd=tmp_path)
    empty, home = tmp_path / "empty", tmp_path / "home"
    empty.mkdir()
    home.mkdir()
    env = {"HOME": str(home), "PATH": f"{python.parent}:{os.defpath}", "COLUMNS": "100"}

    printed = {
        words: run("automode", "--isolated", *words.split(), cwd=empty, env=env)
        if not words.startswith(("--", "install"))
        else run("automode", *words.split(), cwd=empty, env=env)
        for words in WORK
    }

    assert wheel.read_bytes() == again.read_bytes()
    assert {words: said in printed[words] for words, said in WORK.items()} == dict.fromkeys(
        WORK, True
    )
    assert [path.name for path in home.rglob("*")] == []
