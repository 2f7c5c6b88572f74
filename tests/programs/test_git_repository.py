"""A repository's own configuration can make a reading command run a helper."""

from pathlib import Path

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Disk
from automode.programs.git_repository import FILE_BYTES
from automode.programs.table import programs
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
    return programs()["git"](Invocation("git", command.args, command, workspace))


ORDINARY = """
[core]
repositoryformatversion = 0
filemode = true
bare = false
logallrefupdates = true
ignorecase = true
precomposeunicode = true
editor = code --wait
hooksPath = .husky/_
pager = delta
excludesFile = ~/.gitignore_global
autocrlf = input
sshCommand = ssh -i ~/.ssh/work
[interactive]
diffFilter = delta --color-only
[delta]
navigate = true
side-by-side = true
[user]
name = Ada
email = ada@x.test
signingkey = ABC
[commit]
gpgsign = true
[gpg]
format = ssh
[gpg "ssh"]
program = /Applications/1Password.app/Contents/MacOS/op-ssh-sign
[credential]
helper = osxkeychain
[credential "https://github.com"]
helper = !/usr/bin/gh auth git-credential
[url "git@github.com:"]
insteadOf = https://github.com/
[http]
postBuffer = 1
[safe]
directory = *
[remote "origin"]
url = git@github.com:a/b.git
fetch = +refs/heads/*:refs/remotes/origin/*
gh-resolved = base
[branch "main"]
remote = origin
merge = refs/heads/main
vscode-merge-base = origin/main
[submodule "x"]
url = https://x.test/x
active = true
[alias]
st = status
lg = !git log --graph
[merge]
tool = vimdiff
conflictStyle = zdiff3
[mergetool "x"]
cmd = code --wait
[difftool "x"]
cmd = code --diff
[diff]
colorMoved = default
tool = x
[pull]
rebase = true
[push]
autoSetupRemote = true
[rerere]
enabled = true
[init]
defaultBranch = main
[color]
ui = auto
[help]
autocorrect = 1
[lfs]
repositoryformatversion = 0
"""
LARGE_FILES = """
[filter "lfs"]
clean = git-lfs clean -- %f
smudge = git-lfs smudge -- %f
process = git-lfs filter-process
required = true
[lfs "https://github.com/a/b.git/info/lfs"]
access = basic
locksverify = true
"""
PLAIN_VERBS = """status
log --oneline
diff
show HEAD
branch -a
rev-parse HEAD
ls-files
blame f
grep x
remote -v
stash list
describe --tags
tag
config --list
for-each-ref
shortlog -sn
cat-file -p HEAD
ls-tree HEAD""".splitlines()
HELPERS = [
    ("[format]\npretty = %+G?", "git log"),
    ("[format]\npretty = %-%G?", "git log"),
    ("[format]\npretty = %(trailers:%G?)", "git log"),
    ("[pretty]\nx = %C(auto)%GS", "git log --pretty=x"),
    ('[remote "origin"]\npromisor = true', "git rev-parse HEAD:x"),
    ('[remote "origin"]\npartialCloneFilter = blob:none', "git status"),
    ("[extensions]\npartialClone = origin", "git ls-tree HEAD"),
    ("[core]\nalternateRefsCommand = ./p.sh", "git log"),
    ("[some]\nnewKey = ./p.sh", "git status"),
    ("[core]\nnewKey = 1", "git log"),
    ("[trace2]\neventTarget = /tmp/x", "git log"),
    ("[core]\npager = less -o x", "git log"),
    ("[core]\npager = ./delta", "git log"),
    ("[delta]\npager = ./p.sh", "git log"),
    ("[diff]\nsubmodule = diff", "git log -p"),
    ("[diff]\norderFile = /etc/passwd", "git diff"),
    ("[grep]\nfallbackToNoIndex = true", "git grep x"),
    ("[submodule]\nrecurse = true", "git grep x"),
    ("[status]\nsubmoduleSummary = true", "git status"),
    ("[core]\nattributesFile = ~/.netrc", "git check-attr -a machine"),
    ("[blame]\nignoreRevsFile = .env", "git blame f"),
    ("[mailmap]\nfile = /home/x/.netrc", "git shortlog -s"),
    ("[format]\nsignatureFile = .env", "git format-patch --stdout -1"),
    ('[lfs "extension.x"]\nclean = ./p.sh', "git status"),
    ("[lfs]\nstorage = /elsewhere", "git diff"),
    ("[fsck]\nskipList = .env", "git fsck"),
    ("[alias]\nlfs = !./p.sh", "git lfs ls-files"),
    ('[alias "lfs"]\ncommand = ./p.sh', "git lfs status"),
    ("[alias]\nfilter-repo = !./p.sh", "git filter-repo -h"),
    ("[help]\nautocorrect = immediate", "git lfs status"),
    ('[merge]\ndefault = x\n[merge "x"]\ndriver = ./p.sh', "git log --remerge-diff"),
    ('[merge "x"]\ndriver = ./p.sh', "git merge-tree --trivial-merge a b c"),
    ("[merge]\nrenormalize = true", "git show --remerge-diff"),
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
    ('[diff "x"]\ncommand = ./p.sh', "git diff"),
    ('[remote "a.url.b"]\npromisor = true', "git log"),
    ('[delta "light"]\npager = ./p.sh', "git log"),
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
    *((ORDINARY, f"git {verb}") for verb in PLAIN_VERBS),
    (ORDINARY + LARGE_FILES, "git status"),
    ("[diff]\nexternal = difft", "git log -p"),
    ("[diff]\nexternal = difft", "git status"),
    ('[diff "ipynb"]\ntextconv = nbdime', "git status"),
    ('[filter "nbstripout"]\nclean = nbstripout', "git log"),
    ("[pretty]\nx = %C(auto)%h %ad%d %s%Creset%n%w(72,4,4)%<(20)%an %(trailers:key=A)", "git log"),
    ('[remote "o"]\npromisor = true', "git config user.name"),
    ("[blame]\nignoreRevsFile = .git-blame-ignore-revs", "git blame f"),
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
