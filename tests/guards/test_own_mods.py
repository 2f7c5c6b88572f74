"""Plug-ins in folders of skills, on a real disk: what makes one is stopped, a skill is not."""

from pathlib import Path

import pytest

from automode.core.call import Shell, ToolCall, Write
from automode.core.workspace import Workspace
from automode.facts.files import Disk
from automode.guards.floor.layer import Floor
from automode.guards.own_files import OwnFolders, own_files
from tests.reading import facts_of

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


@pytest.mark.parametrize(
    "command",
    [
        "cp -r bad .claude/skills/b",
        "cp -r bad ~/.claude/skills/",
        "cp -a bad/. .claude/skills/b",
        "cp -r bad/.claude-plugin .claude/skills/b/",
        "mv bad .claude/skills/",
        "rsync -a bad/ .claude/skills/b/",
        "cp -rT mods .claude/skills",
        "cp -r mods/. .claude/skills",
        "cp -r mods/* .claude/skills/",
        "cp -r mods/a .claude/skills",
        'cp -r "$SOURCE" .claude/skills/b',
        "git clone -q https://example.com/x absent && cp -r absent ~/.claude/skills/x",
        "git clone -q https://example.com/x lone && cp -r lone ~/.claude/skills/x",
        "mkdir -p new/.claude-plugin && mv new .claude/skills/new",
        "cd .claude/skills && unzip ../../a.zip",
        "git -C .claude/skills clone https://example.com/x",
        "python3 -c \"import shutil; shutil.copytree('bad', '.claude/skills/b')\"",
        "python3 - <<'X'\nimport os\nos.symlink('/tmp/b', '.claude/skills/b')\nX",
        'node -e \'fs.cpSync("bad", ".claude/skills/b", {recursive: true})\'',
    ],
)
def test_a_folder_that_brings_a_plug_in_does_not_come_among_skills(
    project: Path, command: str
) -> None:
    (project / ".claude/skills").mkdir(parents=True)

    assert stopped(project, command)


@pytest.mark.parametrize(
    "command",
    [
        "cp -r lone .claude/skills/b",
        "cp -r lone ~/.claude/skills/",
        "mv lone .claude/skills/",
        "cp -r plain .claude/skills",
        "cp -r plain/a .claude/skills/",
        "rsync -a plain/a/ .claude/skills/a/",
        "cp -r .claude/skills /tmp/backup",
        "rm -rf .claude/skills/a",
        "cd .claude/skills && unzip -l ../../a.zip",
        "ls -R .claude/skills",
        "tar czf skills.tgz .claude/skills",
        "python3 -c \"import shutil; shutil.copytree('.claude/skills', '/tmp/backup')\"",
    ],
)
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
