"""`automode trust`: a person lets project-local settings count."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

pytestmark = pytest.mark.usefixtures("a_person")


@pytest.fixture
def local(project: Path) -> Path:
    """Project-local settings that allow something."""
    file = project / ".automode/config.local.json"
    file.parent.mkdir()
    file.write_text('{"permissions": {"allow": ["bash(git push)"]}}')
    return file


def test_trusted_settings_are_shown_and_count_until_the_file_changes(
    automode: Run, local: Path
) -> None:
    before = automode("check", "bash", "git push").exit_code
    unasked = [automode("trust", stdin="y\n"), automode("trust", "--json")]
    between = automode("check", "bash", "git push").exit_code
    trusted = automode("trust", "--yes")
    while_trusted = automode("check", "bash", "git push").exit_code
    local.write_text('{"permissions": {"allow": ["bash(git push)", "write"]}}')
    after = automode("check", "bash", "git push").exit_code

    text = trusted.stdout
    assert trusted.exit_code == 0
    assert text.index("bash(git push)") < text.index("trusted: ")
    assert "When the file changes" in text
    assert [one.exit_code for one in unasked] == [2, 2]
    assert "--yes" in unasked[0].stderr
    assert (before, between, while_trusted, after) == (10, 10, 0, 10)


def test_it_says_when_built_in_entries_would_go(automode: Run, local: Path) -> None:
    local.write_text('{"permissions": {"deny": ["bash(x)"]}, "autoMode": {"soft_deny": ["no"]}}')

    rows = [line.split() for line in automode("trust", "--yes").stdout.splitlines()]

    assert ["autoMode.soft_deny", "(replaces", "the", "built-in", "entries)"] in rows
    assert ["permissions.deny", "(replaces", "the", "built-in", "entries)"] not in rows


def test_trust_can_be_taken_back_and_a_folder_can_be_named(automode: Run, local: Path) -> None:
    below = local.parent.parent / "src"
    below.mkdir()

    result = automode("trust", str(below), "--yes", "--json")
    revoked = json.loads(automode("trust", "--revoke", "--json").stdout)
    automode("trust", "--yes")
    texts = [automode("trust", "--revoke").stdout for _ in range(2)]

    (trusted,) = json.loads(result.stdout)["trusted"]
    assert trusted["file"] == str(local)
    assert len(trusted["sha256"]) == 64
    assert revoked == {"revoked": [str(local)]}
    assert "no longer trusted" in texts[0]
    assert "nothing was trusted" in texts[1]
    assert automode("check", "bash", "git push").exit_code == 10


def test_a_broken_file_shows_its_findings(automode: Run, local: Path) -> None:
    local.write_text('{"permissions": {"allow": 7}}')

    assert "permissions.allow" in automode("trust", "--yes").stdout


def test_plug_ins_inside_the_agent_are_trusted_by_their_files(automode: Run, project: Path) -> None:
    folder = project / ".claude/skills/a"
    for name, text in {
        ".claude-plugin/plugin.json": '{"name": "a"}',
        "hooks/hooks.json": '{"modules": ["./register.js"]}',
        "hooks/register.js": "export function register(on) {}",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)

    asked = automode("trust", "--mods", stdin="y\n")
    done = automode("trust", "--mods", "--yes", "--json")
    taken_back = automode("trust", "--mods", "--revoke")
    again = automode("trust", "--mods", "--revoke")

    assert asked.exit_code == 2
    [kept] = json.loads(done.stdout)["trusted"]
    assert kept["path"] == str(folder.resolve())
    assert len(kept["sha256"]) == 64
    assert "no longer trusted" in taken_back.stdout
    assert "no longer trusted" not in again.stdout
