"""The agents that the scenarios start are pinned, and no registry is named."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NODE_AGENTS = sorted(file.parent for file in (ROOT / "e2e" / "agents").glob("*/package.json"))


def test_python_packages_are_pinned_by_hash() -> None:
    text = (ROOT / "requirements-agents.txt").read_text()

    assert "--hash=sha256:" in text
    assert "://" not in text


@pytest.mark.parametrize("folder", NODE_AGENTS, ids=lambda one: one.name)
def test_node_packages_are_pinned_by_hash_and_come_from_nowhere_in_particular(folder: Path) -> None:
    locked = json.loads((folder / "package-lock.json").read_text())["packages"]
    packages = {name: one for name, one in locked.items() if name and not one.get("inBundle")}

    assert packages
    assert [name for name, one in packages.items() if "resolved" in one] == []
    assert [name for name, one in packages.items() if "integrity" not in one] == []


@pytest.mark.parametrize("folder", NODE_AGENTS, ids=lambda one: one.name)
def test_the_lock_is_that_of_the_version_that_is_wanted(folder: Path) -> None:
    wanted = json.loads((folder / "package.json").read_text())["dependencies"]
    locked = json.loads((folder / "package-lock.json").read_text())["packages"]

    for name, version in wanted.items():
        assert locked[f"node_modules/{name}"]["version"] == version
