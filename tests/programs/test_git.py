"""git: the text of a configuration, and what a repository's own makes of a command that reads."""

from dataclasses import replace
from pathlib import Path

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Disk
from automode.programs.call_facts import CommandFacts
from automode.programs.git_repository import FILE_BYTES
from automode.programs.git_settings import BadConfig, parse
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


def test_the_repository_is_found_above_the_folder(top: Path) -> None:
    repository(top, "[core]\nfsmonitor = ./p.sh")
    (top / "a" / "b").mkdir(parents=True)
    assert Effect.RUNS in judged(top, "git status", top / "a" / "b").effect
    assert Effect.RUNS in judged(top, "git -C a/b status").effect
    assert Effect.RUNS in judged(top, "git --git-dir=.git status").effect


def test_no_repository_is_fine(top: Path) -> None:
    assert judged(top, "git status").effect is Effect.NONE


@pytest.mark.parametrize("value", ["extra", "~/extra", "../.git/extra"])
def test_includes_are_followed(top: Path, value: str) -> None:
    git_dir = repository(top, f"[include]\npath = {value}\n")
    home = top.parent / "home"
    home.mkdir()
    for folder in (git_dir, home):
        (folder / "extra").write_text("[core]\nfsmonitor = ./p.sh\n")
    assert Effect.RUNS in judged(top, "git status").effect


def test_conditional_includes_are_followed_whatever_the_condition(top: Path) -> None:
    git_dir = repository(top, '[includeIf "gitdir:/never/"]\npath = extra\n')
    (git_dir / "extra").write_text("[core]\nfsmonitor = ./p.sh\n")
    assert Effect.RUNS in judged(top, "git status").effect


def test_includes_in_a_circle_are_unproved(top: Path) -> None:
    repository(top, "[include]\npath = config\n")
    assert Effect.UNKNOWN in judged(top, "git status").effect


@pytest.mark.parametrize(
    "config",
    [
        "[core\n",
        "[a]\nk = " + "x" * FILE_BYTES,
        "[include]\npath = ~bob/extra\n",
        "[include]\npath = %(prefix)/extra\n",
        "[core]\nworktree = /elsewhere\n",
    ],
)
def test_what_cannot_be_looked_at_is_unproved(top: Path, config: str) -> None:
    repository(top, config)
    assert Effect.UNKNOWN in judged(top, "git status").effect


def test_worktree_configuration_counts(top: Path) -> None:
    git_dir = repository(top)
    (git_dir / "config.worktree").write_text("[core]\nfsmonitor = ./p.sh\n")
    assert Effect.RUNS in judged(top, "git status").effect


def test_the_index_hook_is_a_helper_for_commands_that_refresh_the_index(top: Path) -> None:
    git_dir = repository(top)
    (git_dir / "hooks" / "post-index-change").write_text("#!/bin/sh\n")
    assert Effect.RUNS in judged(top, "git status").effect
    assert judged(top, "git branch").effect is Effect.NONE


def test_a_moved_hooks_folder_is_looked_into(top: Path) -> None:
    repository(top, "[core]\nhooksPath = .husky\n")
    (top / ".husky").mkdir()
    assert judged(top, "git status").effect is Effect.NONE
    (top / ".husky" / "post-index-change").write_text("#!/bin/sh\n")
    assert Effect.RUNS in judged(top, "git status").effect


def test_a_linked_worktree_uses_the_shared_configuration(top: Path) -> None:
    git_dir = repository(top, "[core]\nfsmonitor = ./p.sh\n")
    linked = git_dir / "worktrees" / "wt"
    linked.mkdir(parents=True)
    (linked / "HEAD").write_text("ref: refs/heads/wt\n")
    (linked / "commondir").write_text("../..\n")
    wt = top / "wt"
    wt.mkdir()
    (wt / ".git").write_text(f"gitdir: {linked}\n")
    assert Effect.RUNS in judged(top, "git status", wt).effect
    (git_dir / "config").write_text("")
    assert judged(top, "git status", wt).effect is Effect.NONE


def test_a_submodule_is_asked_under_its_own_configuration(top: Path) -> None:
    repository(top)
    (top / ".gitmodules").write_text('[submodule "s"]\npath = s\nurl = x\n')
    (top / "s").mkdir()
    assert judged(top, "git status").effect is Effect.NONE
    repository(top / "s", "[core]\nfsmonitor = ./p.sh\n")
    assert Effect.RUNS in judged(top, "git status").effect
    assert judged(top, "git branch").effect is Effect.NONE


@pytest.mark.parametrize("names", [("objects", "refs"), ("commondir",)])
def test_a_bare_repository_inside_a_checkout_is_unproved(top: Path, names: tuple[str, ...]) -> None:
    repository(top)
    inner = top / "docs"
    inner.mkdir()
    for name in names:
        (inner / name).mkdir()
    assert Effect.UNKNOWN in judged(top, "git status", inner).effect


def test_a_broken_git_folder_is_unproved(top: Path) -> None:
    (top / ".git").mkdir()
    assert Effect.UNKNOWN in judged(top, "git status").effect
    (top / ".git").rmdir()
    (top / ".git").write_text("nonsense")
    assert Effect.UNKNOWN in judged(top, "git status").effect


def test_another_repository_counts_when_it_can_be_seen(top: Path) -> None:
    other = top.parent / "other"
    other.mkdir()
    repository(other)
    assert judged(top, f"git -C {other} status").effect is Effect.NONE
    (other / ".git" / "config").write_text("[core]\nfsmonitor = ./p.sh\n")
    assert Effect.RUNS in judged(top, f"git -C {other} status").effect
    assert Effect.UNKNOWN in judged(top, "git -C /no/such/place status").effect


def test_a_link_is_followed_before_going_up(top: Path) -> None:
    evil = top.parent / "evil"
    (evil / "sub").mkdir(parents=True)
    (evil / "sub" / "file").write_text("x")
    repository(evil, "[core]\nfsmonitor = ./p.sh\n")
    repository(top)
    (top / "link").symlink_to(evil / "sub")
    assert Effect.RUNS in judged(top, "git -C link status").effect
    assert Effect.RUNS in judged(top, "git -C link/.. status").effect


@pytest.mark.parametrize("name", [".gitconfig", ".config/git/config"])
def test_the_persons_own_configuration_counts(top: Path, name: str) -> None:
    repository(top)
    own = top.parent / "home" / name
    own.parent.mkdir(parents=True)
    own.write_text(ORDINARY + LARGE_FILES + "[include]\npath = more\n")
    assert judged(top, "git status").effect is Effect.NONE
    (own.parent / "more").write_text("[diff]\nexternal = ./p.sh\n")
    assert judged(top, "git status").effect is Effect.NONE
    assert Effect.RUNS in judged(top, "git diff").effect
    (top / ".git" / "HEAD").unlink()
    (top / ".git").rename(top / "no")
    assert Effect.RUNS in judged(top, "git diff --no-index a b").effect


def test_an_include_lies_beside_the_link_that_was_followed(top: Path) -> None:
    git_dir = repository(top, "[include]\npath = inc\n")
    (top / "inc").write_text("[include]\npath = evil\n")
    (git_dir / "inc").symlink_to(top / "inc")
    (git_dir / "evil").write_text("[core]\nfsmonitor = ./p.sh\n")
    assert Effect.RUNS in judged(top, "git status").effect


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ('[remote "o"]\nurl = https://a:s3cret@x.test/r', "git remote -v"),
        ('[remote "o"]\nurl = https://ghp_abcdefghijklmnopqrstuvwxyz@x.test/r', "git config -l"),
        ('[http "https://x.test"]\nextraheader = AUTHORIZATION: basic x', "git config --list"),
        ("[github]\ntoken = x", "git config --get-regexp ."),
        ('[url "https://t:s3cret@x.test"]\ninsteadOf = x:', "git remote get-url o"),
    ],
)
def test_a_credential_among_the_settings_is_not_printed(top: Path, config: str, text: str) -> None:
    repository(top, config)
    assert Effect.SECRETS in judged(top, text).effect
    assert judged(top, "git status").effect is Effect.NONE


@pytest.mark.parametrize(
    "text",
    [
        "git -c core.fsmonitor=./p.sh status",
        "git -c core.hooksPath=hooks status",
        "git -c include.path=/x status",
        "git -c core.worktree=/ status",
        "git -c pretty.x=%G? log --format=x",
        "git -c remote.o.promisor log",
        "git --work-tree=/ status",
        "git --work-tree=.. diff",
        "git --git-dir=../other/.git diff",
    ],
)
def test_settings_and_places_of_the_command_line_count(top: Path, text: str) -> None:
    git_dir = repository(top)
    repository(top.parent / "other")
    (top / "hooks").mkdir()
    (top / "hooks" / "post-index-change").write_text("#!/bin/sh\n")
    assert judged(top, text).effect
    assert git_dir.is_dir()


def test_folders_are_not_compared_file_by_file(top: Path) -> None:
    repository(top)
    for name in ("src", "docs"):
        (top / name).mkdir()
    (top.parent / "away").mkdir()
    (top / "a").write_text("a")
    for text in ("src docs", "--no-index a a", "-- src docs", "a ../missing", "main ..x/y"):
        assert judged(top, f"git diff {text}").effect is Effect.NONE, text
    for text in ("--no-index src .", "src ../away", f"-- {top.parent}/away a", "../away ../away"):
        assert judged(top, f"git diff {text}").effect, text
    assert judged(top.parent, "git diff away project").effect


def test_a_repository_inside_counts_whether_it_is_listed_or_not(top: Path) -> None:
    git_dir = repository(top)
    (top / "s").mkdir()
    repository(top / "s", "[core]\nfsmonitor = ./p.sh\n")
    entry = bytes(24) + b"\x00\x00\xe0\x00" + bytes(12) + b"o" * 20 + b"\x00\x01"
    (git_dir / "index").write_bytes(b"DIRC\x00\x00\x00\x02\x00\x00\x00\x01" + entry + b"s\x00")
    assert Effect.RUNS in judged(top, "git status").effect
    (git_dir / "index").write_bytes(b"DIRC\x00\x00\x00\x04\x00\x00\x00\x01" + entry + b"\x00s\x00")
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
