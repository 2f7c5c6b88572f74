"""The wheel is complete: in an empty environment it does its work from an empty folder."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]
RELATIVE = re.compile(r"\]\((?!https?:)[^)]*\)")
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


def described(wheel: Path) -> str:
    with ZipFile(wheel) as archive:
        (metadata,) = (one for one in archive.namelist() if one.endswith(".dist-info/METADATA"))
        return archive.read(metadata).decode()


WORK = {
    "--version": "automode, version ",
    "demo": "deny",
    "check uname -a": "only reads",
    "eval --no-classifier --limit 3": "cases decided",
    "install claude-code --dry-run": "settings.json",
    "completion bash": "_AUTOMODE_COMPLETE",
}


WITHOUT_AGENTS = {
    "init --dry-run --yes": "no agent that automode knows is on your PATH",
    "doctor --no-start": "no agent asks automode",
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

    page = tmp_path / "env/share/man/man1/automode.1"
    assert page.read_bytes() == (ROOT / "docs/automode.1").read_bytes()
    assert not RELATIVE.findall(described(wheel))
    assert wheel.read_bytes() == again.read_bytes()
    assert {words: said in printed[words] for words, said in WORK.items()} == dict.fromkeys(
        WORK, True
    )
    assert [path.name for path in home.rglob("*")] == []
    for words, said in WITHOUT_AGENTS.items():
        done = subprocess.run(
            ("automode", *words.split(), "--state-folder", tmp_path / "state"),
            cwd=empty,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, said in done.stdout) == (1, True), done.stdout + done.stderr
