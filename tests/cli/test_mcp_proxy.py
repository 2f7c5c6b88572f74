"""`automode mcp-proxy`: what its command line takes. What it does, `tests/proxy` shows."""

import pytest
from click.testing import CliRunner

from automode.cli.main import cli


@pytest.mark.parametrize("words", ["-- rm -rf ~", "--name x -- server", "--url http://h"])
def test_an_agent_that_types_it_in_a_shell_is_denied(words: str) -> None:
    """It would start any program, below a daemon of its choice. Clients need no shell for it."""
    typed = ["--isolated", "check", "--no-classifier", "bash", f"automode mcp-proxy {words}"]

    result = CliRunner().invoke(cli, typed)

    assert result.exit_code == 20
    assert "floor.own-verbs" in result.stdout
