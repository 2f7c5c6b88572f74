"""A remembered layer answers as the layer itself would, whatever happened on the disk meanwhile."""

import asyncio
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from automode.core.call import ToolCall
from automode.core.layer import Answer, Layer, Trail
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.workspace import Workspace
from automode.facts.files import OneLook
from automode.facts.reader import ShellReader
from automode.guards.again import LONGEST_SCRIPT, Again
from automode.guards.floor import Floor
from automode.guards.read_only import ReadOnly
from automode.programs.catalog import PROGRAMS

READER = ShellReader()
COMMANDS = (
    "git status",
    "cat notes/a.txt",
    "cat *",
    "echo hi > notes/a.txt",
    "rm -rf notes",
    "cd notes && cat a.txt",
    "grep -rn x .",
)


def link_to_secrets(root: Path, home: Path) -> None:
    (root / "notes" / "a.txt").unlink(missing_ok=True)
    (root / "notes" / "a.txt").symlink_to(home / ".local/state/automode/tokens/person")


def link_to_profile(root: Path, home: Path) -> None:
    (root / "notes" / "a.txt").unlink(missing_ok=True)
    (root / "notes" / "a.txt").symlink_to(home / ".bashrc")


def plain_file(root: Path, home: Path) -> None:
    (root / "notes" / "a.txt").unlink(missing_ok=True)
    (root / "notes" / "a.txt").write_text("a note\n")


def watched_by_a_program(root: Path, home: Path) -> None:
    subprocess.run(["git", "-C", str(root), "config", "core.fsmonitor", "./x.sh"], check=True)


def watched_by_nobody(root: Path, home: Path) -> None:
    subprocess.run(["git", "-C", str(root), "config", "--unset", "core.fsmonitor"], check=False)


CHANGES: tuple[Callable[[Path, Path], None], ...] = (
    link_to_secrets,
    link_to_profile,
    plain_file,
    watched_by_a_program,
    watched_by_nobody,
)


def project(folder: Path) -> tuple[Path, Path]:
    root, home = folder / "project", folder / "home"
    for one in (root / "notes", home / ".local/state/automode/tokens"):
        one.mkdir(parents=True)
    (home / ".local/state/automode/tokens/person").write_text("secret")
    (home / ".bashrc").write_text("")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    plain_file(root, home)
    return root, home


def session(root: Path, home: Path) -> Session:
    """Each decision has its own look at the disk."""
    return Session("s", Workspace(str(root), str(root), str(home), OneLook()))


def layers() -> tuple[Layer, ...]:
    return (Floor(READER), ReadOnly(READER, PROGRAMS))


def answer(layer: Layer, command: str, root: Path, home: Path) -> Answer:
    call = tool_call("bash", {"command": command})
    return asyncio.run(_answered(layer, call, session(root, home)))


async def _answered(layer: Layer, call: ToolCall, given: Session) -> Answer:
    return await layer(call, given, ())


@given(st.lists(st.sampled_from(CHANGES), max_size=5))
@settings(max_examples=15)
def test_it_answers_as_the_layer_itself_does(
    tmp_path_factory: pytest.TempPathFactory, changes: list[Callable[[Path, Path], None]]
) -> None:
    root, home = project(tmp_path_factory.mktemp("again"))
    remembering = [Again(layer, READER) for layer in layers()]

    for change in (plain_file, *changes):
        change(root, home)
        for command in COMMANDS:
            for layer, fresh in zip(remembering, layers(), strict=True):
                assert answer(layer, command, root, home) == answer(fresh, command, root, home)


def test_a_file_that_became_a_link_to_a_token_is_not_read_any_more(tmp_path: Path) -> None:
    root, home = project(tmp_path)
    floor = Again(Floor(READER), READER)

    before = answer(floor, "cat notes/a.txt", root, home)
    link_to_secrets(root, home)
    after = answer(floor, "cat notes/a.txt", root, home)

    assert before is None
    assert after is not None
    assert "own-channel" in str(after)


class Counting:
    name = "counting"

    def __init__(self) -> None:
        self.asked = 0

    async def __call__(self, call: ToolCall, session: Session, trail: Trail) -> Answer:
        self.asked += 1
        return None


@pytest.mark.parametrize(
    ("tool", "given_input", "asked"),
    [
        ("bash", {"command": "git status"}, 1),
        ("bash", {"command": "echo " + "x" * LONGEST_SCRIPT}, 2),
        ("powershell", {"command": "dir"}, 2),
        ("read", {"file_path": "README.md"}, 2),
    ],
)
def test_only_short_scripts_of_bash_are_remembered(
    tool: str, given_input: dict[str, object], asked: int, tmp_path: Path
) -> None:
    root, home = project(tmp_path)
    counting = Counting()
    layer = Again(counting, READER)

    for _ in range(2):
        asyncio.run(_answered(layer, tool_call(tool, given_input), session(root, home)))

    assert counting.asked == asked
    assert layer.name == "counting"
