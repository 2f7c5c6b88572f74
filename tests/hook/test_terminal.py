"""Somebody is there only where the agent's own terminal shows it."""

import os
import pty
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.rows import each_row, rows

SOURCES = Path(__file__).parents[2] / "src"
LOOK = (
    "from automode.hook.terminal import person_there as there; print(there((b'-p', b'--prompt')))"
)
HOOK = f"{shlex.quote(sys.executable)} -c {shlex.quote(LOOK)} || exit 2"
# Starts its hook as agents do: by a shell, with nothing of its own terminal.
AGENT = (
    "import subprocess, sys;"
    "done = subprocess.run(['sh', '-c', sys.argv[1]], stdin=-3, stdout=-1);"
    "open(sys.argv[2], 'wb').write(done.stdout)"
)


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="only Linux shows enough")
@each_row("name, reads, writes, words, variables, there", rows("hook", "terminals"))
def test_a_person_is_seen_at_the_agents_terminal(
    tmp_path: Path,
    name: str,
    reads: bool,
    writes: bool,
    words: list[str],
    variables: Mapping[str, str],
    there: bool,
) -> None:
    said = tmp_path / "said"
    plain = {name: value for name, value in os.environ.items() if name not in ("CI", "PYTHONPATH")}
    ours, theirs = pty.openpty()

    subprocess.run(
        [sys.executable, "-c", AGENT, HOOK, str(said), *words],
        stdin=theirs if reads else subprocess.DEVNULL,
        stdout=theirs if writes else subprocess.DEVNULL,
        env={**plain, "GITHUB_ACTIONS": "", "PYTHONPATH": str(SOURCES), **variables},
        timeout=60,
        check=True,
    )
    os.close(ours)
    os.close(theirs)

    assert said.read_text().strip() == str(there)
