"""The man page: it says what the help says, and a real man shows it without a warning."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import click
import pytest

from automode.cli.main import COMMANDS, cli

PAGE = Path(__file__).parents[2] / "docs/automode.1"
CONTEXT = click.Context(cli)


def shown() -> str:
    man = shutil.which("man")
    if man is None or shutil.which("groff") is None:
        pytest.skip("NO MAN: `man` and `groff` are not installed; the page was not shown")
    done = subprocess.run(
        (man, "--warnings", "--local-file", str(PAGE)),
        env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "MANWIDTH": "200", "MANPAGER": "cat"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return re.sub(r".\x08", "", done.stdout)


def test_every_request_of_the_page_is_one_of_the_few_that_it_needs() -> None:
    lines = PAGE.read_text("ascii").splitlines()
    requests = {line.split()[0] for line in lines if line.startswith((".", "'"))}

    known = {'.\\"', ".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".BR", ".I", ".nf", ".fi"}
    assert requests <= known
    assert len(lines) > 500


@pytest.mark.real
def test_man_shows_every_command_and_option() -> None:
    page = " ".join(shown().split())

    for name in COMMANDS:
        command = cli.get_command(CONTEXT, name)
        assert command is not None
        assert (f" automode {name} [" in page) is not command.hidden, name
        if not command.hidden:
            options = [one for one in command.params if isinstance(one, click.Option)]
            missing = [
                option.name
                for option in options
                if not option.hidden and not any(opt in page for opt in option.opts)
            ]
            assert missing == [], name
    assert "AM● a:12 d:2" in page
    assert "~/.config/automode/config.json" in page
