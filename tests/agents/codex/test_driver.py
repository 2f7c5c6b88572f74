"""What Codex trusts is taken along with its hash, and nothing of others."""

import json
import tomllib
from pathlib import Path

import pytest

from automode.agents.codex.install import INSTALLER

MARK = "/automode/hook/client.py"
OURS = {"hooks": [{"type": "command", "command": f"python {MARK} --state /s codex proposed"}]}
FOREIGN = {"hooks": [{"type": "command", "command": "true"}]}


def folder(path: Path, groups: list[object], states: dict[str, str]) -> str:
    path.mkdir()
    (path / "hooks.json").write_text(json.dumps({"hooks": {"PreToolUse": groups}}))
    tables = "".join(
        f'[hooks.state."{path}/hooks.json:{key}"]\ntrusted_hash = "{found}"\n'
        for key, found in states.items()
    )
    (path / "config.toml").write_text(tables)
    return str(path)


def test_our_hook_keeps_its_hash_at_its_new_place(tmp_path: Path) -> None:
    states = {"pre_tool_use:0:0": "sha256:theirs", "pre_tool_use:1:0": "sha256:ours"}
    source = folder(tmp_path / "a", [FOREIGN, OURS], states)
    target = folder(tmp_path / "b", [OURS], {})

    missing = INSTALLER.copy_trust(source, target)

    found = tomllib.loads((tmp_path / "b" / "config.toml").read_text())["hooks"]["state"]
    assert missing == ""
    assert found == {f"{target}/hooks.json:pre_tool_use:0:0": {"trusted_hash": "sha256:ours"}}


@pytest.mark.parametrize(
    ("groups", "states"), [([FOREIGN], {"pre_tool_use:0:0": "sha256:theirs"}), ([OURS], {})]
)
def test_without_trust_there_is_nothing_to_take(
    tmp_path: Path, groups: list[object], states: dict[str, str]
) -> None:
    source = folder(tmp_path / "a", groups, states)
    target = folder(tmp_path / "b", [OURS], {})

    assert "trusts no hook" in INSTALLER.copy_trust(source, target)


def test_a_folder_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    target = folder(tmp_path / "b", [OURS], {})

    assert "nobody can say" in INSTALLER.copy_trust(str(tmp_path / "none"), target)
