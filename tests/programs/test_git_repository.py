"""A repository's own configuration can make a reading command run a helper."""

from itertools import combinations
from pathlib import Path

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Disk
from automode.programs import git_repository
from automode.programs.git import PROGRAMS
from automode.programs.git_repository import FILE_BYTES, Hazard
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word


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
    words = tuple(Word(word) for word in text.split())
    command = Command(words, cwd=str(cwd or top))
    workspace = Workspace(str(top), str(top), str(top.parent / "home"), Disk())
    return PROGRAMS["git"](Invocation("git", command.args, command, workspace))


HELPERS = [
    ("[core]\nfsmonitor = ./p.sh", "git status"),
    ("[core]\nFSMONITOR = ./p.sh", "git diff"),
    ("[core]\nfsmonitor = .git/hooks/watch", "git ls-files -m"),
    ("[core]\nfsmonitor = ./p.sh", "git rev-parse :file"),
    ("[core]\nfsmonitor = ./p.sh", "git fsck"),
    ("[core]\npager = ./p.sh", "git log"),
    ("[pager]\nlog = ./p.sh", "git log"),
    ("[pager]\nbranch = ./p.sh", "git branch"),
    ("[diff]\nexternal = ./p.sh", "git diff"),
    ('[diff "x"]\ntextconv = ./p.sh', "git show"),
    ('[diff "x"]\ncommand = ./p.sh', "git log -p"),
    ('[filter "x"]\nclean = ./p.sh', "git status"),
    ('[filter "x"]\nprocess = ./p.sh', "git diff"),
    ('[filter "lfs"]\nclean = ./git-lfs clean -- %f', "git status"),
    ("[log]\nshowSignature = true", "git log"),
    ("[format]\npretty = %h %G?", "git log"),
    ('[tar "tgz"]\ncommand = ./p.sh', "git archive HEAD"),
    ('[trailer "x"]\ncmd = ./p.sh', "git interpret-trailers"),
    ('[remote "origin"]\npromisor = true', "git show"),
    ("[alias]\nwhatchanged = !./p.sh", "git whatchanged"),
    ('[hook "x"]\ncommand = ./p.sh', "git status"),
]
HARMLESS = [
    ("", "git status"),
    ("[core]\nfsmonitor = true", "git status"),
    ("[diff]\nexternal = ./p.sh", "git rev-parse HEAD"),
    ("[diff]\nexternal = ./p.sh", "git branch"),
    ("[core]\nsshCommand = ./p.sh", "git status"),
    ("[core]\neditor = ./p.sh", "git log"),
    ("[core]\npager = cat", "git log"),
    ("[pager]\nlog = false", "git log"),
    ("[alias]\nst = status", "git status"),
    ('[filter "lfs"]\nclean = git-lfs clean -- %f\nrequired = true', "git status"),
    ('[diff "py"]\nxfuncname = def', "git diff"),
    ('[remote "origin"]\nurl = https://x.test/r', "git remote -v"),
    ("[include]\npath = missing", "git status"),
]


@pytest.mark.parametrize(("config", "text"), HELPERS)
def test_a_configured_helper_means_running(top: Path, config: str, text: str) -> None:
    repository(top, config)
    assert Effect.RUNS in judged(top, text).effect


@pytest.mark.parametrize(("config", "text"), HARMLESS)
def test_a_harmless_configuration_leaves_reading(top: Path, config: str, text: str) -> None:
    repository(top, config)
    assert judged(top, text).effect is Effect.NONE


def test_the_repository_is_found_above_the_folder(top: Path) -> None:
    repository(top, HELPERS[0][0])
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


KEYS = """core.pager pager.log filter.x.clean filter.a.b.smudge hook.x.command diff.external
    diff.x.command diff.x.textconv merge.x.driver log.showsignature format.pretty pretty.x
    remote.x.promisor extensions.partialclone tar.x.command trailer.x.cmd core.bare user.name
    remote.x.url""".split()


@pytest.mark.parametrize("key", [*KEYS, "pager.a\nb.c", "filter.a\nb.clean"])
def test_one_look_for_all_hazards_passes_over_nothing_that_one_of_them_counts(key: str) -> None:
    singles = [hazard for hazard in Hazard if git_repository._risky(hazard).fullmatch(key)]

    counted = [
        h for h in Hazard if h in git_repository._KEYS and git_repository._KEYS[h].fullmatch(key)
    ]

    assert singles == counted
    for one, other in combinations(Hazard, 2):
        both = git_repository._risky(one | other).fullmatch(key) is not None
        assert both == (one in counted or other in counted)
