"""git: the text of a configuration, and what a repository's own makes of a command that reads."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Disk
from automode.programs.call_facts import CommandFacts
from automode.programs.git_config import FILE_BYTES, BadConfig, parse
from automode.programs.use import Effect, Use
from automode.shell.script import Command, Word
from tests.programs.conftest import ROWS, command_facts, use_of
from tests.rows import each_row


def repository(top: Path, config: str = "[core]\n\tbare = false\n") -> Path:
    git_dir = top / ".git"
    for folder in ("objects", "refs", "hooks"):
        (git_dir / folder).mkdir(parents=True)
    (git_dir / "HEAD").write_text("ref: refs/heads/main\n")
    (git_dir / "config").write_text(config)
    return git_dir


@pytest.fixture
def top(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def judged(top: Path, text: str, cwd: Path | None = None) -> Use:
    command = Command(tuple(map(Word, text.split())), cwd=str(cwd or top))
    workspace = Workspace(str(top), str(top), str(top.parent / "home"), Disk())
    return CommandFacts(command, workspace).use


ORDINARY, LARGE_FILES = ROWS["git-ordinary"], ROWS["git-large-files"]
PLAIN = [(ORDINARY, f"git {verb}") for verb in ROWS["git-plain-verbs"]]
HARMLESS = [*ROWS["git-harmless"], *PLAIN, (ORDINARY + LARGE_FILES, "git status")]


@pytest.mark.parametrize(("config", "text"), ROWS["git-helpers"])
def test_a_configured_helper_means_running(top: Path, config: str, text: str) -> None:
    repository(top, config)
    assert Effect.RUNS in judged(top, text).effect


@pytest.mark.parametrize(("config", "text"), HARMLESS)
def test_a_harmless_configuration_leaves_reading(top: Path, config: str, text: str) -> None:
    repository(top, config)
    assert judged(top, text).effect is Effect.NONE


def lay_out(top: Path, files: dict[str, str]) -> None:
    """A project with a repository, and these files beside it."""
    repository(top)
    for name, text in files.items():
        path = top.parent / name.strip()
        path.parent.mkdir(parents=True, exist_ok=True)
        if name == "project/.git":
            shutil.rmtree(path)
        elif name.endswith("/"):
            path.mkdir(exist_ok=True)
        elif text.startswith("-> "):
            path.symlink_to(text[3:])
        else:
            path.write_text(text)


WORLDS = [pytest.param(one["files"], one["uses"], id=one["name"]) for one in ROWS["git-worlds"]]


@pytest.mark.parametrize(("files", "uses"), WORLDS)
def test_what_lies_in_and_around_a_repository_counts(
    top: Path, files: dict[str, str], uses: list[list[str]]
) -> None:
    lay_out(top, files)
    for text, effect, *folder in uses:
        found = judged(top, text, top.joinpath(*folder)).effect
        wanted = ~Effect.NONE if effect == "any" else Effect[effect.upper()]
        assert found & wanted if wanted else not found, text


def test_a_configuration_that_is_too_large_is_unproved(top: Path) -> None:
    repository(top, "[a]\nk = " + "x" * FILE_BYTES)
    assert Effect.UNKNOWN in judged(top, "git status").effect


@pytest.mark.parametrize(("config", "text"), ROWS["git-credentials"])
def test_a_credential_among_the_settings_is_not_printed(top: Path, config: str, text: str) -> None:
    repository(top, config)
    assert Effect.SECRETS in judged(top, text).effect
    assert judged(top, "git status").effect is Effect.NONE


def test_without_a_repository_folders_are_compared_file_by_file(top: Path) -> None:
    (top.parent / "away").mkdir()
    assert judged(top.parent, "git diff away project").effect


def test_a_repository_inside_counts_whether_it_is_listed_or_not(top: Path) -> None:
    git_dir = repository(top)
    (top / "s").mkdir()
    repository(top / "s", "[core]\nfsmonitor = ./p.sh\n")
    entry = bytes(24) + b"\x00\x00\xe0\x00" + bytes(12) + b"o" * 20 + b"\x00\x01"
    (git_dir / "index").write_bytes(b"DIRC\x00\x00\x00\x02\x00\x00\x00\x01" + entry + b"s\x00")
    assert Effect.RUNS in judged(top, "git status").effect
    (git_dir / "index").write_bytes(b"DIRC\x00\x00\x00\x04\x00\x00\x00\x01" + entry + b"\x00s\x00")
    assert Effect.RUNS in judged(top, "git status").effect
    (git_dir / "index").write_bytes(b"DIRC\x00\x00\x00\x05\x00\x00\x00\x01" + entry + b"\x00s\x00")
    assert Effect.UNKNOWN in judged(top, "git status").effect
    (git_dir / "index").write_bytes(b"DIRC\x00\x00\x00\x02\x00\x00\x00\x00")
    assert judged(top, "git status").effect is Effect.NONE
    (git_dir / "sharedindex.0").write_text("x")
    assert Effect.UNKNOWN in judged(top, "git status").effect


@each_row("text, settings", ROWS["git-settings"])
def test_settings_are_read_as_git_reads_them(text: str, settings: list[list[str]]) -> None:
    assert [[setting.key, setting.value] for setting in parse(text)] == settings


@each_row("text", ROWS["git-refused"])
def test_text_that_git_refuses_is_refused(text: str) -> None:
    with pytest.raises(BadConfig):
        parse(text)


@pytest.mark.parametrize(
    ("meaning", "values"),
    [(True, ("true", "YES", "1")), (False, ("off", "", "0")), (None, ("./p.sh", "2"))],
)
def test_a_value_may_be_a_switch(meaning: object, values: tuple[str, ...]) -> None:
    for value in values:
        assert parse(f"[a]\nk = {value}\n")[0].switch is meaning


def test_an_unknown_folder_is_never_a_read() -> None:
    assert Effect.UNKNOWN in use_of("git status", cwd=None).effect
    assert Effect.UNKNOWN in use_of("git status", cwd="/somewhere/else").effect
    facts = command_facts("git status")
    remote = CommandFacts(replace(facts.command, remote=True), facts.workspace)
    assert Effect.UNKNOWN in remote.use.effect
