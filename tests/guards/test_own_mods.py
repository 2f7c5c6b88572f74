"""Plug-ins in folders of skills, on a real disk: what makes one is stopped, a skill is not."""

from pathlib import Path

import pytest

from automode.core.call import Shell, ToolCall, Write
from automode.core.workspace import Workspace
from automode.facts.files import Disk
from automode.guards.floor.layer import Floor
from automode.guards.own_files import OwnFolders, own_files
from tests.reading import facts_of
from tests.rows import texts

FLOOR = Floor()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "home/project"
    for name in ("plain/a", "mods/a", "lone", "bad"):
        (project / name).mkdir(parents=True)
        (project / name / "SKILL.md").write_text("a skill")
    for name in ("mods/a", "bad"):
        (project / name / ".claude-plugin").mkdir()
        (project / name / ".claude-plugin/plugin.json").write_text("{}")
    return project


def stopped(project: Path, action: str | Write, cwd: str = "") -> bool:
    place = Workspace(str(project), str(project / cwd), str(project.parent), Disk())
    call = ToolCall("tool", Shell(action) if isinstance(action, str) else action)
    found = FLOOR.judge(facts_of(call, place))
    return found is not None and found.source == "floor.safety-files"


@pytest.mark.parametrize("command", texts("guards", "own-mods-folder-brings-plug-does"))
def test_a_folder_that_brings_a_plug_in_does_not_come_among_skills(
    project: Path, command: str
) -> None:
    (project / ".claude/skills").mkdir(parents=True)

    assert stopped(project, command)


@pytest.mark.parametrize("command", texts("guards", "own-mods-ordinary-skill-copied-as"))
def test_an_ordinary_skill_is_copied_as_any_folder(project: Path, command: str) -> None:
    (project / ".claude/skills").mkdir(parents=True)

    assert not stopped(project, command)


def test_what_is_a_plug_in_already_is_not_changed_and_a_skill_beside_it_is(project: Path) -> None:
    (project / ".claude/skills/x/.claude-plugin").mkdir(parents=True)
    (project / ".claude/skills/y").mkdir()

    assert stopped(project, Write((".claude/skills/x/lib/code.js",)))
    assert stopped(project, "echo 1 >> .claude/skills/x/SKILL.md")
    assert not stopped(project, Write((".claude/skills/y/SKILL.md",)))
    assert not stopped(project, Write((".claude/skills/y/lib/code.js",)))


def test_skills_behind_links_are_the_same_skills(project: Path) -> None:
    (project / "shared").mkdir()
    (project / ".claude/skills").mkdir(parents=True)
    (project / ".claude/skills/b").symlink_to(project / "lone")
    (project.parent / ".claude").mkdir()
    (project.parent / ".claude/skills").symlink_to(project / "shared")

    assert stopped(project, Write(("lone/.claude-plugin/plugin.json",)))
    assert stopped(project, Write(("shared/c/.claude-plugin/plugin.json",)))
    assert not stopped(project, Write(("shared/c/SKILL.md",)))
    assert not stopped(project, Write(("plain/a/.claude-plugin/plugin.json",)))


def test_the_folder_that_settings_were_moved_to_is_known() -> None:
    own = own_files("/home/u", "/w/p", OwnFolders(installed=("/cfg/claude/settings.json",)))

    assert own.setting("/cfg/claude/skills/a/.claude-plugin/plugin.json")
    assert own.setting("/cfg/claude/plugins/a/x.js")
    assert own.setting("/cfg/claude/dev-mods/s/a/hooks/register.js")
    assert not own.setting("/cfg/claude/skills/a/SKILL.md")
