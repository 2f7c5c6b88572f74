"""The files that keep the gate standing: where they are, and how they are reached on a disk."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.call import Action, Read, Shell, ToolCall, Write
from automode.core.workspace import Workspace
from automode.facts.files import Disk, Names
from automode.guards.floor.layer import Floor
from automode.guards.own_files import OwnFolders, own_files
from tests.reading import facts_of
from tests.rows import texts

FLOOR = Floor()
PATCH = "--- /dev/null\n+++ b/{}\n@@ -0,0 +1 @@\n+{{}}\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "home/project"
    (project / "src").mkdir(parents=True)
    return project


def place(project: Path, cwd: str = "") -> Workspace:
    return Workspace(str(project), str(project / cwd), str(project.parent), Disk())


def source(project: Path, action: Shell | Write, cwd: str = "") -> str:
    found = FLOOR.judge(facts_of(ToolCall("tool", action), place(project, cwd)))
    return "" if found is None else found.source


def stopped(project: Path, action: str | Write, cwd: str = "") -> bool:
    asked = Shell(action) if isinstance(action, str) else action
    return source(project, asked, cwd) == "floor.safety-files"


def written(path: Path, text: str = "{}") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "command",
    texts("guards", "self-protection-settings-behind"),
)
def test_settings_behind_a_linked_folder_are_the_same_settings(project: Path, command: str) -> None:
    (project / "conf").mkdir()
    (project / ".claude").symlink_to("conf")

    assert stopped(project, command)
    assert not stopped(project, command.replace("conf/", "src/"))

    written(project / "conf/settings.json")
    assert stopped(project, command)


def test_a_link_whose_file_is_yet_to_be_made_leads_there_too(project: Path) -> None:
    (project / ".claude").mkdir()
    (project / ".claude/settings.json").symlink_to("../agent.json")

    assert stopped(project, "echo '{}' > agent.json")
    assert source(project, Write(("agent.json",))) == "floor.safety-files"
    assert source(project, Write(("other.json",))) == ""


def test_a_hard_link_is_the_same_file(project: Path) -> None:
    real = written(project / ".claude/settings.json")
    (project / "other.json").hardlink_to(real)

    assert stopped(project, "echo x > other.json")
    assert source(project, Write(("other.json",))) == "floor.safety-files"


def test_a_linked_folder_of_extensions_is_the_same_folder(project: Path) -> None:
    (project / "ext").mkdir()
    (project / ".pi").mkdir()
    (project / ".pi/extensions").symlink_to("../ext")

    assert source(project, Write(("ext/x.ts",))) == "floor.safety-files"
    assert source(project, Write(("extra/x.ts",))) == ""


@pytest.mark.parametrize("command", texts("guards", "self-protection-folder-brings"))
def test_a_folder_that_brings_settings_is_not_put_in_place(project: Path, command: str) -> None:
    written(project / "tmpl/.claude/commands/x.md")
    written(project / "tmpl/readme.md")
    assert not stopped(project, command)

    written(project / "tmpl/.claude/settings.json")
    assert stopped(project, command)


@pytest.mark.parametrize("command", ["cp -r tmpl/. .", "mv tmpl/.claude .claude"])
def test_what_the_same_script_puts_into_the_folder_counts(project: Path, command: str) -> None:
    written(project / "tmpl/.claude/commands/x.md")

    assert stopped(project, f"echo '{{}}' > tmpl/.claude/settings.json; {command}")


@pytest.mark.parametrize(
    "command",
    ["git apply x.patch", "git apply < x.patch", "patch -p1 -i x.patch", "git am x.patch"],
)
def test_a_patch_is_read_before_it_is_applied(project: Path, command: str) -> None:
    written(project / "x.patch", PATCH.format("src/settings.json"))
    assert not stopped(project, command)

    written(project / "x.patch", PATCH.format(".claude/settings.json"))
    assert stopped(project, command)


def test_a_search_that_removes_settings_is_seen_where_they_are(project: Path) -> None:
    command = "find . -name settings.json -exec sed -i s/a/b/ {} +"
    assert not stopped(project, command)

    written(project / ".claude/settings.json")
    assert stopped(project, command)
    assert stopped(project, "find . -name 'sett*' -delete")
    assert not stopped(project, "find . -name '*.pyc' -delete")
    assert not stopped(project, "find . -name settings.json -exec cat {} +")


def test_the_folder_the_agent_was_started_in_has_settings_too(project: Path) -> None:
    path = str(project / "src/.claude/settings.json")

    assert source(project, Write((path,))) == ""
    assert source(project, Write((path,)), cwd="src") == "floor.safety-files"
    assert stopped(project, "echo x > .claude/settings.json", cwd="src")


def test_a_worktree_obeys_the_settings_of_its_main_checkout(project: Path) -> None:
    git = ["git", "-C", str(project), "-c", "user.name=x", "-c", "user.email=x@x.example"]
    tree = project.parent / "tree"
    for words in (
        ["init", "-q"],
        ["commit", "-q", "--allow-empty", "-m", "x"],
        ["worktree", "add", "-q", str(tree)],
    ):
        subprocess.run([*git, *words], check=True, capture_output=True)
    path = str(project / ".claude/settings.local.json")

    assert source(tree, Write((path,))) == "floor.safety-files"
    assert source(tree, Write((str(project / "src/settings.json"),))) == ""
    assert source(tree, Write((str(project.parent / "other/.claude/settings.json"),))) == ""


def test_settings_given_to_another_agent_are_read(project: Path) -> None:
    command = "claude --settings x.json -p y"
    written(project / "x.json", '{"disableAllHooks": false}')
    assert source(project, Shell(command)) == ""

    written(project / "x.json", '{"disableAllHooks" : true}')
    assert source(project, Shell(command)) == "floor.unguarded-agent"


SETTINGS = "/w/p/.claude/settings.json"
NAMED = Workspace("/w/p", "/w/p", "/home/u", Names("/w/p"))


@given(st.sets(st.integers(0, len(SETTINGS) - 1)), st.sampled_from("?*"))
def test_no_case_and_no_pattern_hides_the_settings(places: set[int], mark: str) -> None:
    letters = [
        mark if at in places and letter not in "/" and at > len("/w/p/") else letter.swapcase()
        for at, letter in enumerate(SETTINGS)
    ]

    command = f"rm -f {''.join(letters)}"

    assert FLOOR.judge(facts_of(ToolCall("bash", Shell(command)), NAMED)) is not None


@given(st.lists(st.sampled_from(["git", "find", ".claude", "-C", "-t", "x", "--", "=", "mv", "~"])))
def test_no_words_make_it_raise(words: list[str]) -> None:
    for program in ("git", "tar", "find", "cp", "patch", "ln", "claude", "sed", "rsync"):
        call = ToolCall("bash", Shell(" ".join([program, *words])))
        found = FLOOR.judge(facts_of(call, NAMED))
        assert found is None or found.source.startswith("floor.")


def test_another_name_for_an_installed_file_is_that_file(project: Path) -> None:
    real = written(project.parent.parent / "data/agent.json")
    (project / "other.json").hardlink_to(real)
    folders = OwnFolders(installed=(str(real),))
    floor = Floor(folders)

    assert (
        floor.judge(facts_of(ToolCall("tool", Write(("other.json",))), place(project))) is not None
    )


@pytest.fixture
def skills(project: Path) -> Path:
    """A project with folders of skills, some of them plug-ins."""
    for name in ("plain/a", "mods/a", "lone", "bad"):
        written(project / name / "SKILL.md", "a skill")
    for name in ("mods/a", "bad"):
        written(project / name / ".claude-plugin/plugin.json")
    (project / ".claude/skills").mkdir(parents=True)
    return project


def test_a_folder_that_brings_a_plug_in_does_not_come_among_skills(skills: Path) -> None:
    for table, stops in (("folder-brings-plug-does", True), ("ordinary-skill-copied-as", False)):
        for command in texts("guards", f"own-mods-{table}"):
            assert stopped(skills, command) is stops, command


def test_what_is_a_plug_in_already_is_not_changed_and_a_skill_beside_it_is(skills: Path) -> None:
    (skills / ".claude/skills/x/.claude-plugin").mkdir(parents=True)
    (skills / ".claude/skills/y").mkdir()

    assert stopped(skills, Write((".claude/skills/x/lib/code.js",)))
    assert stopped(skills, "echo 1 >> .claude/skills/x/SKILL.md")
    assert not stopped(skills, Write((".claude/skills/y/SKILL.md",)))
    assert not stopped(skills, Write((".claude/skills/y/lib/code.js",)))


def test_skills_behind_links_are_the_same_skills(skills: Path) -> None:
    project = skills
    (project / "shared").mkdir()
    (project / ".claude/skills/b").symlink_to(project / "lone")
    (project.parent / ".claude").mkdir()
    (project.parent / ".claude/skills").symlink_to(project / "shared")

    assert stopped(project, Write(("lone/.claude-plugin/plugin.json",)))
    assert stopped(project, Write(("shared/c/.claude-plugin/plugin.json",)))
    assert not stopped(project, Write(("shared/c/SKILL.md",)))
    assert not stopped(project, Write(("plain/a/.claude-plugin/plugin.json",)))


def test_the_folder_that_settings_were_moved_to_is_known() -> None:
    own = own_files("/home/u", ("/w/p",), OwnFolders(installed=("/cfg/claude/settings.json",)))

    assert own.is_setting("/cfg/claude/skills/a/.claude-plugin/plugin.json")
    assert own.is_setting("/cfg/claude/plugins/a/x.js")
    assert own.is_setting("/cfg/claude/dev-mods/s/a/hooks/register.js")
    assert not own.is_setting("/cfg/claude/skills/a/SKILL.md")


FOLDERS = OwnFolders(
    config=("/data/conf",),
    state=("/data/st",),
    runtime=("/opt/am/lib/site-packages/automode", "/opt/am"),
)


def denied(action: Action, cwd: str = "/w/p", folders: OwnFolders = FOLDERS) -> bool:
    """Where automode's own folders are not the usual ones, by names alone."""
    floor = Floor(folders)
    place = Workspace(cwd, cwd, "/home/u", Names(cwd))
    return floor.judge(facts_of(ToolCall("tool", action), place)) is not None


def test_named_folders_have_the_same_floor_and_what_lies_beside_them_is_ordinary() -> None:
    own, beside = "own-files-named-folders-have-same", "own-files-what-lies-beside-them"

    assert [one for one in texts("guards", own) if not denied(Shell(one))] == []
    assert [one for one in texts("guards", beside) if denied(Shell(one))] == []


def test_the_file_tools_are_kept_out_too() -> None:
    assert denied(Read(("/data/st/tokens/person",)))
    assert denied(Write(("/data/conf/config.json",)))
    assert denied(Write(("config.json",)), cwd="/data/conf")
    assert denied(Write(("2-abc.jsonl",)), cwd="/data/st/spool")
    assert denied(Write(("/opt/am/lib/site-packages/automode/hook/client.py",)))


def test_whoever_works_on_automode_may_change_it_after_a_review() -> None:
    folders = OwnFolders(runtime=("/w/p/src/automode", "/w/p/.venv"))
    found = own_files("/home/u", ("/w/p",), folders)

    assert not found.is_setting("/w/p/src/automode/gate/gate.py")
    assert found.is_ours("/w/p/src/automode/gate/gate.py")
    assert own_files("/home/u", ("/w/other",), folders).is_setting("/w/p/src/automode/gate/gate.py")


@pytest.mark.parametrize("folder", ["/home/u", "/home", "/w"])
def test_a_folder_full_of_other_things_is_not_ours_as_a_whole(folder: str) -> None:
    found = own_files("/home/u", ("/w/p",), OwnFolders(config=(folder,), state=(folder,)))

    assert not found.is_setting(f"{folder}/other.txt")
    assert found.is_setting(f"{folder}/config.json")
    assert found.is_setting(f"{folder}/spool/x.jsonl")
    assert found.is_secret(f"{folder}/tokens/person")


def test_files_into_which_automode_was_installed_are_its_own() -> None:
    removes = Shell("rm -rf /data/agent")

    assert denied(removes, folders=OwnFolders(installed=("/data/agent/settings.json",)))
    assert not denied(removes)


@pytest.mark.parametrize("cwd", ["/opt", "/opt/tools", "/opt/tools/automode", "/", "/w/sub"])
def test_the_folder_that_an_agent_is_in_does_not_make_the_program_its_own(cwd: str) -> None:
    given = OwnFolders(state=("/srv/state",), runtime=("/opt/tools/automode",))

    own = own_files("/home/u", ("/w", cwd), given)

    assert own.is_setting("/opt/tools/automode/bin/automode")
    assert own.is_setting("/srv/state/anything")
