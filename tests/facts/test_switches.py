"""Settings that switch an agent's hooks off are found where the agent reads them."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.facts.agent_settings import LARGEST_BYTES, Switch
from automode.facts.switches import MOST_FINDINGS, switches
from tests.rows import rows


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name in ("home", "project", "system"):
        (tmp_path / name).mkdir()
    return tmp_path


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def found(place: Path, root: str = "project", agent: str = "") -> tuple[Switch, ...]:
    """Without an agent: of whom a file is. Others read Claude Code's too."""
    seen = switches(
        str(place / root), home=str(place / "home"), agent=agent, system=str(place / "system")
    )
    return seen if agent else tuple(one for one in seen if not a_guest(one))


def a_guest(switch: Switch) -> bool:
    return switch.agent in ("copilot-cli", "cursor") and "/.claude/" in switch.path


@pytest.mark.parametrize(("agent", "name", "text", "said"), rows("facts", "switches-off"))
def test_a_switch_in_a_project_is_found(
    place: Path, agent: str, name: str, text: str, said: str
) -> None:
    path = written(place / "project" / name, text)

    (switch,) = found(place)

    assert (switch.agent, switch.path) == (agent, str(path))
    assert said in switch.what
    assert switch.fix
    assert found(place, agent=agent) == (switch,)
    assert found(place, agent="another") == ()


@pytest.mark.parametrize(("name", "text"), rows("facts", "switches-harmless"))
def test_other_settings_are_no_switches(place: Path, name: str, text: str) -> None:
    written(place / name, text)

    assert found(place) == ()


def test_an_empty_place_has_none(place: Path) -> None:
    assert found(place) == ()
    assert found(place, "nowhere") == ()


@pytest.mark.parametrize(("agent", "name", "text"), rows("facts", "switches-account"))
def test_a_switch_of_the_account_is_found(place: Path, agent: str, name: str, text: str) -> None:
    path = written(place / "home" / name, text)

    assert [(one.agent, one.path) for one in found(place)] == [(agent, str(path))]


@pytest.mark.parametrize(("variable", "agent", "name", "text"), rows("facts", "switches-moved"))
def test_an_account_may_keep_its_settings_elsewhere(
    place: Path, variable: str, agent: str, name: str, text: str
) -> None:
    path = written(place / "moved" / name, text)

    seen = switches(
        str(place / "project"),
        home=str(place / "home"),
        environment={variable: str(place / "moved")},
        system=str(place / "system"),
    )

    assert [(one.agent, one.path) for one in seen] == [(agent, str(path))]


def test_an_administrator_who_allows_managed_hooks_only_is_named(place: Path) -> None:
    path = place / "system/claude-code/managed-settings.json"
    written(path, '{"allowManagedHooksOnly": true}')
    assert [one.path for one in found(place)] == [str(path)]

    command = "/usr/bin/python3 -I -S /opt/lib/automode/hook/client.py claude-code proposed"
    hooks = f'{{"PreToolUse": [{{"hooks": [{{"type": "command", "command": "{command}"}}]}}]}}'
    written(path, f'{{"allowManagedHooksOnly": true, "hooks": {hooks}}}')
    assert found(place) == ()


def test_the_folders_up_to_the_repositorys_root_count_and_all_without_one(place: Path) -> None:
    project = place / "project"
    (project / ".git").mkdir()
    (project / "a/b").mkdir(parents=True)
    above = written(project / ".claude/settings.local.json", '{"disableAllHooks": true}')
    between = written(project / "a/.codex/config.toml", "features.hooks = false")
    written(place / ".claude/settings.json", '{"disableAllHooks": true}')

    assert {one.path for one in found(place, "project/a/b")} == {str(above), str(between)}

    (project / ".git").rmdir()
    assert {str(above), str(between)} < {one.path for one in found(place, "project/a/b")}


@pytest.mark.parametrize("relative", ["false", "true"])
def test_a_worktree_is_ruled_by_its_main_checkout_too(place: Path, relative: str) -> None:
    project = place / "project"
    git = ["git", "-C", str(project), "-c", "user.name=x", "-c", "user.email=x@x.example"]
    git += ["-c", f"worktree.useRelativePaths={relative}"]
    for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "x"]):
        subprocess.run([*git, *words], check=True, capture_output=True)
    subprocess.run(
        [*git, "worktree", "add", "-q", str(place / "tree")], check=True, capture_output=True
    )
    path = written(project / ".claude/settings.local.json", '{"disableAllHooks": true}')

    assert [one.path for one in found(place, "tree")] == [str(path)]


def test_links_are_followed(place: Path) -> None:
    real = written(place / "elsewhere.json", '{"disableAllHooks": true}')
    (place / "project/.claude").mkdir()
    (place / "project/.claude/settings.json").symlink_to(real)
    (place / "linked").symlink_to(place / "project")

    assert len(found(place)) == 1
    assert len(found(place, "linked")) == 1


CLAUDE, CODEX = ".claude/settings.json", ".codex/config.toml"
NOT_UNDERSTOOD = [
    *((CLAUDE, text) for text in ('{"disableAllHooks"', "[" * 100_000, "not json")),
    *((CLAUDE, text) for text in ('{"a": ' + "9" * 10_000 + "}", '"' * 99_999, "/*" * 99_999)),
    *((CLAUDE, text) for text in (" " * (LARGEST_BYTES + 1), "[]", '"x"', "1")),
    *((CODEX, text) for text in (".".join("a" * 100_000) + " = 1", "x = [", "[features\n")),
    (CODEX, "# x\n" * 100_000),
]


@pytest.mark.parametrize(("name", "text"), NOT_UNDERSTOOD, ids=lambda text: text[:12])
def test_a_file_nobody_understands_is_reported(place: Path, name: str, text: str) -> None:
    written(place / "project" / name, text)

    (switch,) = found(place)

    assert "cannot be understood" in switch.what
    assert len(switch.what) < 300
    assert switch.fix
    assert (switch.blinds, switch.digest) == (True, "")


@pytest.mark.parametrize("kind", ["pipe", "folder", "loop", "bytes"])
def test_what_is_no_ordinary_file_is_reported_and_waits_for_nobody(place: Path, kind: str) -> None:
    path = place / "project/.claude/settings.json"
    path.parent.mkdir()
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "bytes":
            path.write_bytes(b"\xff\xfe{}")
        case _:
            path.symlink_to(path)

    (switch,) = found(place)

    assert "cannot be" in switch.what


def test_what_is_said_of_a_file_moves_no_cursor(place: Path) -> None:
    names = '["\\u001b[2J' + "x" * 999 + '\\n"]'
    written(place / "project/.gemini/settings.json", f'{{"hooksConfig": {{"disabled": {names}}}}}')

    (switch,) = found(place)

    assert switch.what.isprintable()
    assert len(switch.what) < 300


def test_there_is_an_end_to_findings(place: Path) -> None:
    lines = "".join(f'[hooks.state."{n}"]\nenabled = false\n' for n in range(5 * MOST_FINDINGS))
    written(place / "project/.codex/config.toml", lines)

    assert len(found(place)) == MOST_FINDINGS


@given(st.binary(max_size=200), st.sampled_from([".claude/settings.json", ".codex/config.toml"]))
def test_no_content_makes_it_raise(place: Path, data: bytes, name: str) -> None:
    for old in (place / "project").rglob("*.*"):
        if old.is_file():
            old.unlink()
    path = written(place / "project" / name, "")
    path.write_bytes(data)

    assert all(one.path == str(path) for one in found(place))


@given(
    others=st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=4),
    first=st.booleans(),
)
def test_nothing_beside_a_switch_hides_it(
    place: Path, others: dict[str, str], *, first: bool
) -> None:
    beside = json.dumps(others)[1:-1]
    parts = ['"disableAllHooks": true', beside] if first else [beside, '"disableAllHooks": true']
    text = "{" + ", ".join(part for part in parts if part) + "}"
    written(place / "project/.claude/settings.json", text)

    assert "`disableAllHooks` switches every hook off" in [one.what for one in found(place)]


@pytest.mark.parametrize("name", ["settings.json", "settings.local.json"])
def test_copilot_obeys_what_a_project_says_to_claude_code(place: Path, name: str) -> None:
    path = written(place / "project/.claude" / name, '{"disableAllHooks": true}')

    (switch,) = found(place, agent="copilot-cli")

    assert switch.path == str(path)


def test_the_systems_settings_are_looked_for_where_a_variable_says(place: Path) -> None:
    path = written(place / "elsewhere/mine.json", '{"disableAllHooks": true}')
    there = {"QWEN_CODE_SYSTEM_SETTINGS_PATH": str(path)}

    (found,) = switches(
        str(place / "project"), home=str(place / "home"), agent="qwen-code", environment=there
    )

    assert found.path == str(path)
