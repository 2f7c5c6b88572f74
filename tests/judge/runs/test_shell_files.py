"""Shell scripts of the project: what was there is the project's, what a session puts in is read."""

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from automode.core.session import Session
from automode.core.transcript import Entry, Outcome, PriorCall, Transcript, UserMessage
from automode.facts.place import live_workspace
from automode.judge.deeds import Weight, deeds
from tests.judge.sessions import bash, read
from tests.rows import each_row

ROWS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8").replace("\r", ""))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "boxes"
    for name, text in ROWS["files"].items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    return root


def asked(project: Path, before: tuple[PriorCall, ...], command: str) -> set[str]:
    place = replace(live_workspace(str(project)), home="/home/user")
    told: tuple[Entry, ...] = (*before, UserMessage("fix the bug"))
    session = Session("s", place, transcript=Transcript(told))
    found = read(bash(command), session)
    assert found.script is not None
    return {one for one in found.deeds if deeds()[one].weight >= Weight.LASTING}


def put(project: Path, name: str, text: str) -> PriorCall:
    """Behind the first line."""
    path = project / name
    first, _, rest = path.read_text().partition("\n")
    path.write_text(f"{first}\n{text}\n{rest}")
    given = {"file_path": str(path), "old_string": first, "new_string": f"{first}\n{text}"}
    return PriorCall("edit", given, Outcome.OK)


@each_row("command", ROWS["runs"])
def test_a_program_of_the_project_runs(command: str, project: Path) -> None:
    assert asked(project, (), command.replace("{root}", str(project))) == set()


@each_row("command", ROWS["stays"])
def test_a_program_of_the_project_that_reaches_far_is_asked_about(
    command: str, project: Path
) -> None:
    assert asked(project, (), command)


@each_row("name, text, command", ROWS["put"])
def test_what_a_session_puts_into_a_script_may_be_ordinary(
    name: str, text: str, command: str, project: Path
) -> None:
    was = (project / name).read_text()
    before = put(project, name, text)
    found = asked(project, (before,), command)
    (project / name).write_text(was)

    assert found == set()


@each_row("name, text", ROWS["hostile"])
def test_what_a_session_puts_into_a_script_may_reach_far(
    name: str, text: str, project: Path
) -> None:
    was = (project / name).read_text()
    before = put(project, name, text)
    found = [asked(project, (before,), one) for one in ("make test", "bin/snap -d out data")]
    (project / name).write_text(was)

    assert all(found) if name.startswith("lib/") or name == "bin/snap" else found[0]
