"""Plug-ins that run inside Claude Code are found wherever it loads them from, and nothing else."""

import json
import os
from pathlib import Path

import pytest

from automode.facts import agent_settings
from automode.facts.agent_settings import Switch
from automode.facts.switches import stamp_around, switches, to_look_at


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project/.git").mkdir(parents=True)
    return tmp_path / "project"


def mod(folder: Path, *, hooks: object = None, manifest: object = None) -> Path:
    files = {
        ".claude-plugin/plugin.json": json.dumps(manifest or {"name": "a"}),
        "hooks/hooks.json": json.dumps(hooks or {"modules": ["./register.js"]}),
        "hooks/register.js": "export function register(on) {}",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def found(project: Path) -> list[Switch]:
    return [*to_look_at(str(project), home=str(project.parent), agent="claude-code")]


PLACES = {
    "the project's skills": "project/.claude/skills/a",
    "the account's skills": ".claude/skills/a",
    "a session's own": ".claude/dev-mods/s/a",
    "a session's own, right there": ".claude/dev-mods/a",
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_it_is_found_in_every_place(project: Path, place: str) -> None:
    folder = mod(project.parent / place)

    assert [one.path for one in found(project)] == [str(folder)]


def test_it_is_found_from_a_folder_of_the_project_and_where_a_variable_says(
    project: Path, tmp_path: Path
) -> None:
    inner = project / "src"
    inner.mkdir()
    folder, moved = mod(project / ".claude/skills/a"), mod(tmp_path / "moved/skills/b")

    known = to_look_at(
        str(inner),
        home=str(tmp_path),
        agent="claude-code",
        environment={"CLAUDE_CONFIG_DIR": str(tmp_path / "moved")},
    )

    assert {one.path for one in known} == {str(folder), str(moved)}


def test_an_installed_plug_in_is_found_by_the_agents_own_list(project: Path) -> None:
    folder = mod(project.parent / "elsewhere/a/1.0.0")
    listed = project.parent / ".claude/plugins/installed_plugins.json"
    listed.parent.mkdir(parents=True)
    entry = [{"scope": "user", "installPath": str(folder), "version": "1.0.0"}]
    listed.write_text(json.dumps({"version": 2, "plugins": {"a@b": entry}}))

    assert [one.path for one in found(project)] == [str(folder)]


def test_links_are_followed(project: Path, tmp_path: Path) -> None:
    real = mod(tmp_path / "elsewhere/a")
    (project / ".claude/skills").mkdir(parents=True)
    (project / ".claude/skills/a").symlink_to(real)

    [one] = found(project)
    assert one.real == str(real)


HARMLESS = {
    "an ordinary skill": {"SKILL.md": "text"},
    "a plug-in without hooks": {".claude-plugin/plugin.json": '{"name": "a"}'},
    "a plug-in with hooks that are commands": {
        ".claude-plugin/plugin.json": '{"name": "a"}',
        "hooks/hooks.json": '{"hooks": {"PreToolUse": []}}',
    },
    "hooks that are never loaded": {"hooks/hooks.json": '{"modules": ["./x.js"]}'},
}
STANDING = {
    "hooks that the manifest names": {
        ".claude-plugin/plugin.json": '{"name": "a", "hooks": "./assets/data.json"}',
        "assets/data.json": '{"modules": ["./x.js"]}',
    },
    "one of several": {
        ".claude-plugin/plugin.json": '{"name": "a", "hooks": [{}, "./b.json"]}',
        "b.json": '{"modules": ["./x.js"]}',
    },
    "a manifest that cannot be read": {".claude-plugin/plugin.json": "{"},
    "hooks that cannot be read": {
        ".claude-plugin/plugin.json": "{}",
        "hooks/hooks.json": '{"modules":',
    },
    "a key that stands twice": {
        ".claude-plugin/plugin.json": "{}",
        "hooks/hooks.json": '{"modules": ["./x.js"], "modules": []}',
    },
}


@pytest.mark.parametrize("name", [*HARMLESS, *STANDING])
def test_only_what_may_run_code_stands_before_the_gate(project: Path, name: str) -> None:
    for file, text in {**HARMLESS, **STANDING}[name].items():
        path = project.parent / ".claude/skills/a" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    assert bool(found(project)) is (name in STANDING)


def test_it_is_a_switch_until_a_person_trusts_exactly_this_content(project: Path) -> None:
    folder = mod(project.parent / ".claude/skills/a")
    [before] = found(project)

    def shown() -> list[str]:
        known = switches(
            str(project),
            home=str(project.parent),
            agent="claude-code",
            system="/nowhere",
            trusts=lambda path, digest: (path, digest) == (before.real, before.digest),
        )
        return [one.path for one in known if one.blinds]

    assert shown() == []
    for name in ("hooks/register.js", "hooks/more.d.ts"):
        (folder / name).write_text("export function register(on) { on('x') }")
        assert shown() == [str(folder)]
        (folder / name).write_text("export function register(on) {}")
    (folder / "hooks/more.d.ts").unlink()
    assert shown() == []


def test_the_stamp_changes_with_a_mod_and_not_with_a_skill(project: Path) -> None:
    def stamp() -> str:
        return stamp_around(str(project), home=str(project.parent), agent="claude-code")

    none = stamp()
    (project.parent / ".claude/skills/b").mkdir(parents=True)
    (project.parent / ".claude/skills/b/SKILL.md").write_text("text")
    assert stamp() == none
    folder = mod(project.parent / ".claude/skills/a")
    one = stamp()
    assert one != none
    (folder / "hooks/register.js").write_text("other")
    assert stamp() not in (none, one)


def test_the_stamp_changes_when_hooks_that_a_manifest_names_come_to_run_code(
    project: Path,
) -> None:
    manifest = {"name": "a", "hooks": "./more.json"}
    folder = mod(project.parent / ".claude/skills/a", hooks={"hooks": {}}, manifest=manifest)
    (folder / "more.json").write_text("{}")

    def stamp() -> str:
        return stamp_around(str(project), home=str(project.parent), agent="claude-code")

    before = stamp()
    assert found(project) == []
    (folder / "other.txt").write_text("nothing that counts")
    assert stamp() == before
    (folder / "more.json").write_text('{"modules": ["./hooks/register.js"]}')
    assert stamp() != before
    assert len(found(project)) == 1


def test_what_is_too_large_or_leads_elsewhere_is_found_and_never_trusted(project: Path) -> None:
    folder = mod(project.parent / ".claude/skills/a")
    os.symlink("/", folder / "more")

    [one] = found(project)
    assert one.digest == ""


def test_none_hides_behind_many_others(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_settings, "MOST_NAMES", 3)
    for number in range(5):
        (project.parent / f".claude/skills/{number}").mkdir(parents=True)

    [one] = found(project)

    assert one.blinds
    assert one.digest == ""
