"""Every command that a page shows: run as it stands there, and its output compared."""

import re
import subprocess
from pathlib import Path

import click
import pytest

from automode.cli.main import cli
from tests.cli.daemons import Place, place
from tests.cli.pages import ROOT, Shown, blocks_in, commands_of, put_file

GENERATED = (ROOT / "docs/reference/programs", ROOT / "docs/reference/guards")
PAGES = [
    page
    for page in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
    if page.parent not in GENERATED and page.name != "CHANGELOG.md"
]
SHOWING = [page for page in PAGES if any(one.kind == "console" for one in blocks_in(page))]
YES = {"install": ["--yes"], "uninstall": ["--yes"], "trust": ["--yes"]}
"""What stands for the person's answer at the terminal."""
TARGETS = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
LOOKS_LIKE_A_COMMAND = re.compile(r"^\s*(\$ |automode \w|make \w|\S*/automode )", re.MULTILINE)


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.usefixtures("a_person")
@pytest.mark.parametrize("page", SHOWING, ids=name_of)
def test_the_page_shows_what_happens(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with place() as here:
        home = Path(here.project).parent / "home"
        programs = home / "bin"
        programs.mkdir(parents=True)
        claude = programs / "claude"
        claude.write_text("#!/bin/sh\necho '2.1.325 (Claude Code)'\n")
        claude.chmod(0o755)
        monkeypatch.setenv("HOME", str(home))
        subprocess.run(["git", "init", "-q", here.project], check=True)
        config, project = Path(here.config), Path(here.project)
        for block in blocks_in(page):
            if block.title is not None:
                put_file(block.title, block.text, home=home, config=config, project=project)
            for shown in commands_of(block):
                check(shown, here, home)


def check(shown: Shown, here: Place, home: Path) -> None:
    first, *rest = shown.words
    if first == "make":
        assert shown.words[1] in TARGETS, shown.line
    elif first == "automode" and shown.why_not is not None:
        exists(rest)
    if shown.why_not is not None or first == "make":
        return
    assert first == "automode", f"say why it is not run: {shown.line}"
    variables = {"PATH": f"{home}/bin:/usr/bin:/bin", "COLUMNS": "80", "CLAUDE_CONFIG_DIR": ""}
    words = [word.replace("~", str(home)) if word.startswith("~/") else word for word in rest]
    done = here.run(*words, *YES.get(rest[0], []), variables=variables)
    printed = done.stdout.replace(here.config, "~/.config/automode").replace(str(home), "~")
    assert done.returncode == shown.status, (shown.line, done.stdout, done.stderr)
    assert not shown.prints or shown.agrees(printed), (shown.line, printed)


def exists(words: list[str]) -> None:
    """The command, and every option that is written before an argument of another program's."""
    command: click.Command = cli
    context = click.Context(cli)
    for word in words:
        if word == "--" or command.name == "run":
            return
        if word.startswith("--"):
            known = [name for one in command.get_params(context) for name in one.opts]
            assert word.partition("=")[0] in known, words
        elif word[0] != "-" and isinstance(command, click.Group):
            found = command.get_command(context, word)
            assert found is not None or command is not cli, words
            command = found or command
    assert command is not cli, words


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_block_that_shows_a_command_says_so(page: Path) -> None:
    blocks = [one for one in blocks_in(page) if one.why is None]
    plain = [one.text for one in blocks if one.kind in ("", "text")]

    assert [one.text for one in blocks if one.kind in ("sh", "bash")] == []
    assert [text for text in plain if LOOKS_LIKE_A_COMMAND.search(text)] == []


def test_the_cookbook_tests_twelve_recipes() -> None:
    text = (ROOT / "docs/guides/cookbook.md").read_text()
    recipes = re.findall(r"^## \d+\..*?(?=^## )", text, re.MULTILINE | re.DOTALL)

    assert len(recipes) == 12
    assert [one for one in recipes if "$ automode policy test cases.jsonl" not in one] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_command_in_the_text_exists_with_its_options(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for found in re.findall(r"`automode ((?:[^`\n]|\n(?!\n))+)`", text):
        exists(re.sub(r"[\[\]|…]|'[^']*'", " ", found).split())


def test_every_usage_names_commands_and_options_that_exist() -> None:
    lines = [
        line
        for page in PAGES
        for block in blocks_in(page)
        if block.kind == "usage"
        for line in block.text.splitlines()
    ]
    assert len(lines) > 50
    for line in lines[1:]:  # the first is that of `automode` itself
        exists(re.sub(r"[\[\]|]|#.*| < .*", " ", line).split()[1:])
