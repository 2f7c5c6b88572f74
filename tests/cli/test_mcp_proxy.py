"""`automode mcp-proxy`: what its command line takes. What it does, `tests/proxy` shows."""

import pytest
from click.testing import CliRunner

from automode.cli.main import cli

WRONG = {
    # words                                                      what is said
    "": "name one server",
    "--url http://h -- server": "name one server",
    "--listen 80 -- server": "--listen and --header go with --url",
    "--url http://h --listen 80 --header a:b": "--header would sign in everybody",
    "--url ftp://h": "no address of a server: `ftp://h`",
    "--url http://h --listen 0.0.0.0:80": "no port of loopback: `0.0.0.0:80`",
    "--url http://h --header x": "a --header that is none",
    "--url http://h --header a:${NO_SUCH_VARIABLE_HERE}": "no variable `NO_SUCH_VARIABLE_HERE`",
}


@pytest.mark.parametrize("words", WRONG)
def test_what_makes_no_sense_is_said_before_anything_starts(words: str, tmp_path: str) -> None:
    folders = ["--state-folder", str(tmp_path), "--config-folder", str(tmp_path)]

    result = CliRunner().invoke(cli, ["mcp-proxy", *folders, *words.split()])

    assert result.exit_code == 2
    assert WRONG[words] in result.stderr


@pytest.mark.parametrize("words", ["-- rm -rf ~", "--name x -- server", "--url http://h"])
def test_an_agent_that_types_it_in_a_shell_is_denied(words: str) -> None:
    """It would start any program, below a daemon of its choice. Clients need no shell for it."""
    typed = ["--isolated", "check", "--no-classifier", "bash", f"automode mcp-proxy {words}"]

    result = CliRunner().invoke(cli, typed)

    assert result.exit_code == 20
    assert "floor.own-verbs" in result.stdout
