"""Codex's trust goes out of the person's configuration, and nothing of theirs goes with it."""

import tomllib

import pytest

from automode.agents.codex.install import BEGIN, END, states_in, trusted, untrusted
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
    text, piece = trusted(config, STATES)
    grown = text.decode().replace(END, f"\n{added}{END}")

    left = untrusted(grown.encode(), (piece,) if known else ()).decode()

    assert tomllib.loads(left) == tomllib.loads(f"{(config or b'').decode()}{added}")
    assert "automode" not in left


def test_tables_between_ours_stay() -> None:
    text, piece = trusted(OWN.encode(), STATES)
    second = '[hooks.state."/srv/hooks.json:pre'
    grown = text.decode().replace(second, f"{SERVER}\n{second}")

    left = untrusted(grown.encode(), (piece,)).decode()

    assert tomllib.loads(left) == tomllib.loads(f"{OWN}{SERVER}")


def test_a_line_before_our_first_keeps_its_end() -> None:
    text, piece = trusted(OWN.encode(), STATES)
    squeezed = text.decode().replace("\n\n#", "\n#").replace(END, f"{SERVER}{END}")

    left = untrusted(squeezed.encode(), (piece,)).decode()

    assert left == f"{OWN}{SERVER}"


def test_what_we_wrote_can_be_put_in_again_after_codex_has_written() -> None:
    text, piece = trusted(OWN.encode(), STATES)
    grown = text.decode().replace(END, f"\n{SERVER}{END}")

    again, _ = trusted(untrusted(grown.encode(), (piece,)), STATES)

    whole = tomllib.loads(again.decode())
    assert whole["mcp_servers"] == {"db": {"command": "db-mcp"}}
    assert states_in(whole) == STATES


def test_a_broken_table_of_ours_is_left_alone_and_named() -> None:
    broken = f'{BEGIN}[hooks.state."a"]\ntrusted_hash = \n{END}'

    with pytest.raises(CannotInstall, match="cannot be read behind") as caught:
        untrusted(broken.encode(), ())

    assert caught.value.hint
