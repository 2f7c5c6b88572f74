"""The state of the files a call names changes with them, and is unknown where they are."""

import os
from pathlib import Path

import pytest

from automode.classifier.named_files import MOST_NAMES, file_state, named_paths
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.workspace import Workspace
from automode.facts.files import Disk


def session(folder: Path) -> Session:
    return Session("s", Workspace(str(folder), str(folder), str(folder / "home"), Disk()))


def state(folder: Path, command: str) -> str | None:
    return file_state(tool_call("Bash", {"command": command}), session(folder))


def test_the_state_follows_a_named_file(tmp_path: Path) -> None:
    script = tmp_path / "run.sh"
    seen = [state(tmp_path, "bash run.sh")]
    script.write_text("echo 1")
    seen.append(state(tmp_path, "bash run.sh"))
    os.utime(script, ns=(1, 1))
    seen.append(state(tmp_path, "bash run.sh"))
    script.unlink()
    script.write_text("echo 1")
    seen.append(state(tmp_path, "bash run.sh"))

    assert None not in seen
    assert len(set(seen)) == 4
    assert state(tmp_path, "bash run.sh") == seen[-1]


def test_a_time_that_was_set_back_hides_no_change(tmp_path: Path) -> None:
    script = tmp_path / "run.sh"
    script.write_text("echo 1")
    kept = script.stat()
    before = state(tmp_path, "bash run.sh")
    while script.stat().st_ctime_ns == kept.st_ctime_ns:  # the disk's clock may be a coarse one
        script.write_text("echo 2")
        os.utime(script, ns=(kept.st_atime_ns, kept.st_mtime_ns))

    assert before is not None
    assert script.stat().st_mtime_ns == kept.st_mtime_ns
    assert state(tmp_path, "bash run.sh") != before


@pytest.mark.parametrize(
    "command",
    ["bash $X", "cat `ls`", "rm *.o", "cat a?", "cat [ab]", "cat {a,b}", "ls .", "ls sub", "a\\ b"],
)
def test_what_cannot_be_told_is_unknown(tmp_path: Path, command: str) -> None:
    (tmp_path / "sub").mkdir()

    assert state(tmp_path, command) is None


def test_files_of_any_tool_count_however_deep_their_names_lie(tmp_path: Path) -> None:
    call = tool_call("mcp__x__run", {"jobs": [{"script": "a.py"}]})
    before = file_state(call, session(tmp_path))
    (tmp_path / "a.py").write_text("1")

    assert before is not None
    assert file_state(call, session(tmp_path)) != before


def test_a_call_with_very_many_names_is_unknown(tmp_path: Path) -> None:
    assert state(tmp_path, " ".join(f"w{n}" for n in range(MOST_NAMES + 1))) is None


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("--file=a,b", ["--file=a,b", "--file", "a", "b"]),
        ("./a:/b:ro", ["a:/b:ro", "a", "/b", "ro"]),
        ("host:", ["host:", "host"]),
        ("https://a.test:80/b", ["https:/a.test:80/b"]),
        (":", [":"]),
    ],
)
def test_a_text_names_itself_and_every_part_that_may_be_a_path(
    tmp_path: Path, text: str, names: list[str]
) -> None:
    assert named_paths(text, session(tmp_path).workspace) == tuple(
        os.path.join(tmp_path, name) for name in names
    )
