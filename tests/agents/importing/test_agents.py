"""Each agent's own files become these entries of ours: `imported.toml` in the agent's folder."""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from automode.agents.importing.agent_rules import (
    AgentRule,
    hold_back,
    importable,
    permissions_of,
    rules_in,
)
from automode.agents.installing.site import Site
from automode.core.errors import BadSettings
from tests.rows import each_row

TABLES = {
    path.parent.name.replace("_", "-"): tomllib.loads(path.read_text())
    for path in sorted(Path(__file__).parents[1].glob("*/imported.toml"))
}


def rows(kind: str, *fields: str) -> Iterator[tuple[object, ...]]:
    for agent, tables in TABLES.items():
        for row in tables.get(kind, ()):
            yield agent, *(row[field] for field in fields)


def told(home: Path, agent: str, *, project: bool = False) -> list[AgentRule]:
    permissions, site = permissions_of(agent), Site(str(home), {}, str(home / "project"))
    found, _ = rules_in((permissions.project if project else permissions.user)(site))
    return hold_back(found)


def write(home: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        file = home / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


@each_row("agent, files, expected", rows("becomes", "files", "entries"))
def test_the_files_of_an_agent_become_these_entries(
    agent: str,
    files: Mapping[str, str],
    expected: list[list[str]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    home = tmp_path_factory.mktemp("home")
    write(home, files)

    found = [[one.key.rpartition(".")[2], *one.entries.ours] for one in told(home, agent)]

    assert found == expected


def test_every_agent_with_rules_of_its_own_is_known() -> None:
    assert set(importable()) == set(TABLES)


@each_row("agent, name, text", rows("stops", "file", "text"))
def test_beside_a_prohibition_that_cannot_be_said_nothing_is_allowed(
    agent: str, name: str, text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = tmp_path_factory.mktemp("home")
    write(home, {name: text})

    assert [one for one in told(home, agent) if one.entries.ours] == []


TOO_MUCH = [
    ("claude-code", ".claude/settings.json", "x" * (1 << 21)),
    ("codex", ".codex/rules/a.rules", "(" * 5000),
]


@each_row("agent, name, text", [*rows("broken", "file", "text"), *TOO_MUCH])
def test_a_file_that_cannot_be_understood_is_named(
    agent: str, name: str, text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = tmp_path_factory.mktemp("home")
    write(home, {name: text})

    with pytest.raises(BadSettings, match="nothing was imported") as caught:
        told(home, agent)

    assert str(home / name) in str(caught.value)


@pytest.mark.parametrize("kind", ["circle", "folder"])
def test_a_link_in_a_circle_and_a_folder_are_named(kind: str, tmp_path: Path) -> None:
    file = tmp_path / ".claude" / "settings.json"
    file.parent.mkdir()
    if kind == "circle":
        file.symlink_to(file)
    else:
        file.mkdir()

    with pytest.raises(BadSettings, match=r"settings\.json"):
        told(tmp_path, "claude-code")


def test_too_many_files_of_rules_are_refused(tmp_path: Path) -> None:
    write(tmp_path, {f".codex/rules/{number}.rules": "" for number in range(101)})

    with pytest.raises(BadSettings, match="more than 100"):
        told(tmp_path, "codex")


@each_row("agent", list(importable()))
def test_a_home_without_the_agent_holds_no_rules(agent: str, tmp_path: Path) -> None:
    assert told(tmp_path, agent) == []
    assert told(tmp_path, agent, project=True) == []
