"""One gate for each project and model, built anew when its settings change."""

import os
from pathlib import Path

import pytest

from automode.assemble import build_gate, load_settings
from automode.config.places import Places
from automode.config.settings import Settings
from automode.core.errors import BadCall
from automode.gate.gate import Gate
from automode.sessions.projects import FRESH_SECONDS, MOST_FOLDERS, MOST_PROJECTS, Projects


class Time:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def projects(home: Path, time: Time) -> Projects:
    def places(root: str) -> Places:
        return Places.of(home=home, environment={}, project=root, managed=home / "managed.json")

    def build(settings: Settings, model: str | None, lender: str) -> Gate:
        return build_gate(settings)

    return Projects(places, load_settings, build, time)


def denied(found: Projects, root: Path) -> list[str]:
    return [rule.text for rule in found.at(str(root), None).settings.permissions.deny]


def test_a_project_is_opened_once(tmp_path: Path) -> None:
    time = Time()
    found = projects(tmp_path, time)

    first = found.at(str(tmp_path), None)
    time.now += 60

    assert found.at(str(tmp_path), None) is first
    assert found.at(str(tmp_path), "a/model").gate is not first.gate
    assert found.roots() == (str(tmp_path),)


CHANGES = {
    "written": '{"permissions": {"deny": ["bash(b*)"]}}',
    "of the same length": '{"permissions": {"deny": ["bash(c*)"]}}',
}


@pytest.mark.parametrize("name", [".automode/config.json", "managed.json"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_counts_after_a_moment(tmp_path: Path, name: str, change: str) -> None:
    (tmp_path / ".automode").mkdir()
    file = tmp_path / name
    if change != "written":
        file.write_text(CHANGES["written"])
    time = Time()
    found = projects(tmp_path, time)
    before = denied(found, tmp_path)

    times = (file.stat().st_atime_ns, file.stat().st_mtime_ns) if file.exists() else None
    file.write_text(CHANGES[change])
    if times is not None:
        os.utime(file, ns=times)  # who sets the time back is found out all the same
    at_once = denied(found, tmp_path)
    time.now += FRESH_SECONDS + 0.01

    assert at_once == before
    assert denied(found, tmp_path) == [CHANGES[change].split('"')[5]]


def test_a_file_that_goes_away_counts_too(tmp_path: Path) -> None:
    (tmp_path / "managed.json").write_text(CHANGES["written"])
    time = Time()
    found = projects(tmp_path, time)
    before = denied(found, tmp_path)

    (tmp_path / "managed.json").unlink()
    time.now += 1

    assert (before, denied(found, tmp_path)) == (["bash(b*)"], [])


def test_forgetting_reads_everything_anew(tmp_path: Path) -> None:
    found = projects(tmp_path, Time())
    before = denied(found, tmp_path)

    (tmp_path / "managed.json").write_text(CHANGES["written"])
    found.forget()

    assert (before, denied(found, tmp_path)) == ([], ["bash(b*)"])


def test_what_is_open_is_bounded(tmp_path: Path) -> None:
    found = projects(tmp_path, Time())
    for number in range(MOST_FOLDERS + 10):
        (tmp_path / f"p{number}").mkdir()
        found.workspace(str(tmp_path / f"p{number}"))
    for number in range(MOST_PROJECTS + 10):
        found.at(f"/p{number}", None)

    assert len(found.roots()) == MOST_PROJECTS
    assert len(found._folders) == MOST_FOLDERS


def test_a_folder_is_looked_at_again_after_a_moment(tmp_path: Path) -> None:
    time = Time()
    found = projects(tmp_path, time)
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / ".git").mkdir()
    before = found.workspace(str(inner)).root

    (inner / ".git").mkdir()
    time.now += 1

    assert (before, found.workspace(str(inner)).root) == (str(tmp_path), str(inner))


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadCall, match="no such folder"):
        projects(tmp_path, Time()).workspace(str(tmp_path / "gone"))
