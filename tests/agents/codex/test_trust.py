"""Codex's trust goes out of the person's configuration, and nothing of theirs goes with it; for the
doctor it is copied with its hash."""

import json
import tomllib
from pathlib import Path

import pytest

from automode.agents.codex.install import BEGIN, END, INSTALLER, add_trust, remove_trust, states_in
from automode.agents.installing.plan import CannotInstall
from tests.rows import each_row

STATES = {"/srv/hooks.json:stop:0:0": "sha256:1", "/srv/hooks.json:pre_tool_use:0:0": "sha256:2"}
OWN = 'model = "x"\n'
SERVER = '[mcp_servers.db]\ncommand = "db-mcp"\n'
OTHER_HOOK = '[hooks.state."/srv/hooks.json:stop:1:0"]\ntrusted_hash = "sha256:3"\n'
CONFIGS = {"a file of theirs": OWN.encode(), "no file": None, "an empty file": b""}


@each_row("known", [True, False])
@each_row("config", CONFIGS.values())
@each_row("added", [SERVER, OTHER_HOOK, OTHER_HOOK + "\n" + SERVER])
def test_tables_that_codex_puts_before_our_last_line_stay(
    config: bytes | None, added: str, known: bool
) -> None:
    """Its editor writes new tables before the comment with which a file ends."""
    text, piece = add_trust(config, STATES)
    grown = text.decode().replace(END, f"\n{added}{END}")

    left = remove_trust(grown.encode(), (piece,) if known else ()).decode()

    assert tomllib.loads(left) == tomllib.loads(f"{(config or b'').decode()}{added}")
    assert "automode" not in left


def test_tables_between_ours_stay_a_line_before_our_first_keeps_its_end_and_ours_go_in_again() -> (
    None
):
    text, piece = add_trust(OWN.encode(), STATES)
    second = '[hooks.state."/srv/hooks.json:pre'
    between = text.decode().replace(second, f"{SERVER}\n{second}")
    squeezed = text.decode().replace("\n\n#", "\n#").replace(END, f"{SERVER}{END}")

    left, kept = (remove_trust(one.encode(), (piece,)) for one in (between, squeezed))
    again, _ = add_trust(kept, STATES)

    assert tomllib.loads(left.decode()) == tomllib.loads(f"{OWN}{SERVER}")
    assert kept.decode() == f"{OWN}{SERVER}"
    assert states_in(tomllib.loads(again.decode())) == STATES


def test_a_broken_table_of_ours_is_left_alone_and_named() -> None:
    broken = f'{BEGIN}[hooks.state."a"]\ntrusted_hash = \n{END}'

    with pytest.raises(CannotInstall, match="cannot be read after") as caught:
        remove_trust(broken.encode(), ())

    assert caught.value.hint


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

    assert "it is unknown" in INSTALLER.copy_trust(str(tmp_path / "none"), target)
