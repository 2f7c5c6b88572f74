"""Somebody is there only where the agent's own terminal shows it."""

import os
import pty
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

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

SEEN: dict[str, tuple[bool, bool, tuple[str, ...], dict[str, str], bool]] = {
    # name: (input, output of the agent are a terminal, its words, its environment, somebody there)
    "a session in a terminal": (True, True, ("--model", "x"), {}, True),
    "a prompt that only names the option": (True, True, ("what does -p do?",), {}, True),
    "one prompt": (True, True, ("-p", "go on"), {}, False),
    "one prompt, written together": (True, True, ("--prompt=go on",), {}, False),
    "one prompt, behind another letter": (True, True, ("-yp", "go on"), {}, False),
    "one prompt, behind its letter": (True, True, ("-pgo on",), {}, False),
    "letters that mean nothing of it": (True, True, ("-y", "-i", "- a plan"), {}, True),
    "input from elsewhere": (False, True, (), {}, False),
    "output to elsewhere": (True, False, (), {}, False),
    "a machine that builds": (True, True, (), {"CI": "true"}, False),
}


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="only Linux shows enough")
@pytest.mark.parametrize(
    ("reads", "writes", "words", "variables", "there"), SEEN.values(), ids=SEEN.keys()
)
def test_a_person_is_seen_at_the_agents_terminal(
    tmp_path: Path,
    reads: bool,
    writes: bool,
    words: tuple[str, ...],
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
