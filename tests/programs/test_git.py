"""git: which command lines only read, and what the others do."""

import shlex

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.git import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import HOLE, Command, Origin, Word

ROOT = "/home/ada/project"
WORKSPACE = Workspace(ROOT, ROOT, "/home/ada", Names(ROOT))


def judged(*words: Word, cwd: str | None = ROOT, remote: bool = False) -> Use:
    command = Command(words, cwd=cwd, remote=remote)
    return PROGRAMS["git"](Invocation("git", command.args, command, WORKSPACE))


def line(text: str, cwd: str | None = ROOT) -> Use:
    return judged(*(Word(word) for word in shlex.split(text)), cwd=cwd)


READING = """
git
git --version
git -v
git --exec-path
git version --build-options
git help
git help -a
git commit -h
git status
git status -sb
git status --porcelain=v2 --branch -z
git status --untracked-files=all --ignored
git --no-pager log -3
git --no-optional-locks status
git -c color.ui=never diff
git -c core.quotepath=false -c core.pager=cat log
git -c pager.log=false log
git -c core.fsmonitor=false status
git -C src status
git --git-dir=.git --work-tree=. status
git --git-dir .git log
git log
git log --oneline -20
git log --oneline --graph --decorate --all
git log --format='%h %s (%an)' -n 5
git log --pretty=format:%H --since='2 weeks ago' --author ada
git log -S'os.system(' --oneline
git log --grep='force push'
git log -p --follow -- src/app.py
git log -L 1,20:src/app.py
git log main..HEAD --stat -- src
git log --first-parent --merges -1 --date=iso
git show HEAD
git show HEAD --no-stat
git show HEAD~1:src/app.py
git show --stat --format=fuller v1.0
git show -s --format=%ct
git whatchanged -2
git reflog
git reflog -5
git reflog show HEAD
git reflog exists HEAD
git diff
git diff --cached
git diff --staged --stat
git diff --name-only HEAD~3 -- src
git diff -U0 -w main...feature
git diff --no-index one two
git diff --no-ext-diff --no-textconv
git diff --word-diff --color=always
git diff-tree --no-commit-id --name-only -r HEAD
git diff-index --cached HEAD
git diff-files
git range-diff main a b
git cherry -v main
git blame -L 1,20 f
git blame --porcelain -w -C f
git annotate f
git shortlog -sn
git shortlog -sne --all
git describe --tags --always --dirty
git rev-parse --show-toplevel
git rev-parse --abbrev-ref HEAD
git rev-list --count main..HEAD
git rev-list --left-right --count a...b
git merge-base --is-ancestor main feature
git ls-files -s
git ls-files --others --exclude-standard
git ls-tree -r --name-only HEAD
git cat-file -p HEAD
git cat-file --batch-check
git check-ignore -v f
git check-attr -a f
git check-ref-format --branch x
git for-each-ref --sort=-committerdate --format='%(refname:short)' refs/heads
git show-ref --heads
git show-branch -a
git name-rev HEAD
git grep -n pattern
git grep -e --count -l pattern
git grep -i x -- '*.py'
git grep -C 3 x
git count-objects -vH
git fsck --full --no-dangling
git var GIT_EDITOR
git branch
git branch -a
git branch -r
git branch -vv
git branch --show-current
git branch --list 'feat/*'
git branch --contains abc123
git branch --merged main
git branch --no-merged
git branch --sort=-committerdate --format='%(refname)'
git tag
git tag -l
git tag --list 'v1*'
git tag -n2
git tag --sort=-v:refname
git tag --contains HEAD
git remote
git remote -v
git remote show
git remote show -n origin
git remote get-url origin
git stash list
git stash show -p stash@{0}
git worktree list --porcelain
git worktree prune -n
git config user.email
git config --get user.email
git config --get-regexp remote
git config --list --show-origin
git config -l
git config --global --get user.name
git config get user.name
git config list
git config --show-origin user.name
git notes list
git notes show HEAD
git notes --ref=review show HEAD
git bisect log
git submodule
git submodule status --recursive
git symbolic-ref --short HEAD
git archive --list
git bundle verify f.bundle
git format-patch --stdout -1
git apply --check f.patch
git apply --stat f.patch
git clean -n
git clean -ndx
git add -n .
git add --dry-run -A
git rm -n -r src
git rerere status
git sparse-checkout list
git lfs ls-files
git lfs status
git interpret-trailers --parse
git hash-object f
git patch-id --stable
git get-tar-commit-id
git merge-file -p a b c
""".strip().splitlines()

OTHERS: list[tuple[Effect, str]] = [
    (Effect.WRITES, "git log --output=/tmp/x"),
    (Effect.WRITES, "git show --output=show.out HEAD"),
    (Effect.WRITES, "git diff --output /tmp/x"),
    (Effect.UNKNOWN, "git diff --outpu=/tmp/x"),
    (Effect.WRITES, "git shortlog --output=x"),
    (Effect.WRITES, "git rev-list --output=x HEAD"),
    (Effect.WRITES, "git log --format --output=x"),
    (Effect.UNKNOWN, "git log --since --output=x"),
    (Effect.UNKNOWN, "git annotate -- --show-email --output=x"),
    (Effect.RUNS, "git diff --ext-diff"),
    (Effect.UNKNOWN, "git diff --ext"),
    (Effect.RUNS, "git log -p --textconv"),
    (Effect.RUNS, "git log --show-signature -1"),
    (Effect.RUNS, "git log --format='%h %G?'"),
    (Effect.RUNS, "git log --format=%+G?"),
    (Effect.RUNS, "git log --format=%-%G?"),
    (Effect.RUNS, "git log --format='%(trailers:%G?)'"),
    (Effect.RUNS, "git log --submodule=diff -p"),
    (Effect.UNKNOWN, "git log -O~/.netrc"),
    (Effect.UNKNOWN, "git log --alternate-refs"),
    (Effect.UNKNOWN, "git grep --no-index x"),
    (Effect.UNKNOWN, "git grep --untracked --no-exclude-standard x"),
    (Effect.UNKNOWN, "git grep --untracked -h x"),
    (Effect.UNKNOWN, "git cat-file --batch-all-objects --batch"),
    (Effect.UNKNOWN, "git cat-file --batch"),
    (Effect.UNKNOWN, "git cat-file --batch-command"),
    (Effect.UNKNOWN, "git grep --recurse-submodules x"),
    (Effect.UNKNOWN, "git rev-parse --show-superproject-working-tree"),
    (Effect.UNKNOWN, "git rev-parse --parseopt"),
    (Effect.UNKNOWN, "git ls-files --new-option"),
    (Effect.UNKNOWN, "git ls-tree --new-option HEAD"),
    (Effect.UNKNOWN, "git show-ref --new-option"),
    (Effect.UNKNOWN, "git config --blob=HEAD:x -l"),
    (Effect.UNKNOWN, "git status -v"),
    (Effect.RUNS, "git archive HEAD"),
    (Effect.RUNS, "git archive --format=tgz HEAD"),
    (Effect.RUNS, "git show --pretty=%GS"),
    (Effect.RUNS, "git for-each-ref --format='%(signature:grade)'"),
    (Effect.RUNS, "git tag -v v1"),
    (Effect.RUNS, "git verify-commit HEAD"),
    (Effect.RUNS, "git grep --open-files-in-pager=./p.sh x"),
    (Effect.RUNS, "git grep -nO./p.sh x"),
    (Effect.UNKNOWN, "git grep --open=./p.sh x"),
    (Effect.RUNS, "git cat-file --textconv HEAD:f"),
    (Effect.RUNS, "git cat-file --filters HEAD:f"),
    (Effect.RUNS, "git -c core.pager='!./p.sh' log"),
    (Effect.RUNS, "git -c core.fsmonitor=./p.sh status"),
    (Effect.RUNS, "git -c alias.x='!rm -rf ~/work' x"),
    (Effect.RUNS, "git -c diff.external=./p.sh diff"),
    (Effect.RUNS, "git -c log.showSignature=true log"),
    (Effect.RUNS, "git --config-env=core.pager=X log"),
    (Effect.RUNS, "git --exec-path=./evil status"),
    (Effect.RUNS, "git -p log"),
    (Effect.RUNS, "git --help log"),
    (Effect.RUNS, "git help config"),
    (Effect.RUNS, "git status --help"),
    (Effect.UNKNOWN, "git --bare log"),
    (Effect.UNKNOWN, "git -Crepo status"),
    (Effect.UNKNOWN, "git -C /other/repo status"),
    (Effect.UNKNOWN, "git -C .. status"),
    (Effect.UNKNOWN, "git --git-dir=.evil-git diff"),
    (Effect.UNKNOWN, "git --git-dir=/other/.git log"),
    (Effect.NETWORK, "git ls-remote"),
    (Effect.RUNS, "git ls-remote --upload-pack=./p.sh ."),
    (Effect.NETWORK, "git ls-remote --upload-pa=./p.sh ."),
    (Effect.NETWORK, "git remote show origin"),
    (Effect.NETWORK, "git remote update"),
    (Effect.WRITES, "git remote add evil https://x.test/r"),
    (Effect.UNKNOWN, "git remote -v add evil https://x.test/r"),
    (Effect.NETWORK, "git push --dry-run origin"),
    (Effect.NETWORK, "git fetch --dry-run"),
    (Effect.REMOTE_WRITE, "git push origin +main"),
    (Effect.NETWORK, "git clone https://x.test/r"),
    (Effect.NETWORK, "git archive --remote=. HEAD"),
    (Effect.RUNS, "git archive --exec=./p.sh HEAD"),
    (Effect.WRITES, "git archive -o x.tar HEAD"),
    (Effect.WRITES, "git branch feature"),
    (Effect.WRITES, "git branch -v feature"),
    (Effect.WRITES, "git branch -D feature"),
    (Effect.WRITES, "git branch --delete feature"),
    (Effect.UNKNOWN, "git branch --list --no-list feature"),
    (Effect.WRITES, "git tag v1"),
    (Effect.WRITES, "git tag -d v1"),
    (Effect.WRITES, "git tag --sort=refname v1"),
    (Effect.WRITES, "git config user.name 'Ada'"),
    (Effect.WRITES, "git config --global core.pager ./p.sh"),
    (Effect.WRITES, "git config --unset user.name"),
    (Effect.WRITES, "git config user.name --get"),
    (Effect.WRITES, "git config user.name --global"),
    (Effect.RUNS, "git config -e"),
    (Effect.WRITES, "git config set user.name Ada"),
    (Effect.SECRETS, "git config github.token"),
    (Effect.SECRETS, "git config --get-regexp extraheader"),
    (Effect.SECRETS, "git credential fill"),
    (Effect.WRITES, "git symbolic-ref HEAD refs/heads/x"),
    (Effect.WRITES, "git reflog expire --expire=now --all"),
    (Effect.UNKNOWN, "git reflog --all expire"),
    (Effect.WRITES, "git stash"),
    (Effect.WRITES, "git stash drop"),
    (Effect.WRITES, "git notes add -m x"),
    (Effect.UNKNOWN, "git notes --ref=x add -m y"),
    (Effect.RUNS, "git bisect run ./p.sh"),
    (Effect.RUNS, "git bisect view"),
    (Effect.RUNS, "git submodule foreach 'rm -rf .'"),
    (Effect.WRITES, "git worktree remove ../wt"),
    (Effect.WRITES, "git format-patch -3"),
    (Effect.WRITES, "git format-patch --stdout -o out -3"),
    (Effect.WRITES, "git apply f.patch"),
    (Effect.UNKNOWN, "git apply --stat --apply f.patch"),
    (Effect.WRITES, "git clean -fdx"),
    (Effect.UNKNOWN, "git clean -n --no-dry-run -f"),
    (Effect.WRITES, "git add ."),
    (Effect.WRITES, "git rm --force file.txt"),
    (Effect.WRITES, "git hash-object -w f"),
    (Effect.WRITES, "git fsck --lost-found"),
    (Effect.UNKNOWN, "git interpret-trailers --in-place f"),
    (Effect.WRITES, "git merge-tree --write-tree a b"),
    (Effect.RUNS, "git commit --dry-run"),
    (Effect.WRITES, "git reset --hard HEAD~5"),
    (Effect.WRITES, "git checkout -- ."),
    (Effect.RUNS, "git rebase --exec ./p.sh HEAD~1"),
    (Effect.RUNS, "git filter-branch -f"),
    (Effect.WRITES, "git gc --prune=now"),
    (Effect.WRITES, "git update-ref -d HEAD"),
    (Effect.NETWORK, "git daemon"),
    (Effect.RUNS, "git difftool"),
    (Effect.UNKNOWN, "git st"),
    (Effect.UNKNOWN, "git git"),
]


@pytest.mark.parametrize("text", READING)
def test_a_reading_command_only_reads(text: str) -> None:
    assert line(text).effect is Effect.NONE


@pytest.mark.parametrize(("effect", "text"), OTHERS)
def test_another_command_says_what_it_does(effect: Effect, text: str) -> None:
    use = line(text)
    assert effect in use.effect
    assert use.why


@pytest.mark.parametrize(
    "text",
    [
        "git add -A",
        "git commit -m 'fix bug'",
        "git checkout -b feature/x",
        "git switch main",
        "git stash pop",
        "git fetch origin",
        "git pull --ff-only",
        "git restore --staged f",
        "git merge feature",
        "git tag v1.0.0",
        "git worktree add ../wt feature/x",
    ],
)
def test_everyday_changes_are_marked_as_development(text: str) -> None:
    assert Effect.DEVELOPMENT in line(text).effect


@pytest.mark.parametrize(
    "text",
    [
        "git commit --no-verify -m x",
        "git checkout -- .",
        "git restore .",
        "git fetch https://x.test/r",
        "git pull git@x.test:r",
        "git push --force origin main",
        "git reset --hard",
        "git clean -fd",
    ],
)
def test_risky_changes_are_not_marked_as_development(text: str) -> None:
    assert Effect.DEVELOPMENT not in line(text).effect


DERIVED = Word(HOLE, Origin.DERIVED)
GIT = Word("git")


@pytest.mark.parametrize(
    "words",
    [
        [GIT, Word("diff"), Word("--"), DERIVED],
        [GIT, Word("rev-parse"), Word(f"HEAD:{HOLE}", Origin.DERIVED)],
        [GIT, Word("diff"), Word("a"), Word("--"), DERIVED],
        [GIT, Word("log"), Word("-n"), DERIVED],
        [GIT, Word("log"), Word(f"--since={HOLE}", Origin.UNKNOWN)],
        [GIT, Word("show"), Word(f"HEAD:{HOLE}", Origin.DERIVED)],
        [GIT, Word("diff"), Word("src/*.py", Origin.GLOB)],
    ],
)
def test_unknown_words_do_no_harm_where_they_cannot_be_options(words: list[Word]) -> None:
    assert judged(*words).effect is Effect.NONE


@pytest.mark.parametrize(
    "words",
    [
        [GIT, DERIVED],
        [GIT, Word("rev-parse"), DERIVED],
        [GIT, Word("diff"), Word("--no-index"), Word("--"), DERIVED, DERIVED],
        [GIT, Word("diff"), Word("--"), Word("."), DERIVED],
        [GIT, Word("diff"), Word("../a*", Origin.GLOB)],
        [GIT, Word("diff"), Word("--"), Word("/home/ada/.*", Origin.GLOB)],
        [GIT, Word("diff"), DERIVED],
        [GIT, Word("blame"), Word("--"), DERIVED],
        [GIT, Word("diff"), Word("*", Origin.GLOB)],
        [GIT, Word("log"), Word("-n"), Word(HOLE, Origin.UNKNOWN, splits=True)],
        [GIT, Word("log"), Word("--since"), DERIVED],
        [GIT, Word("log"), Word(f"--since={HOLE}", Origin.UNKNOWN, splits=True)],
        [GIT, Word("log"), Word(f"--format={HOLE}", Origin.UNKNOWN)],
        [GIT, Word("-c"), Word(f"color.ui={HOLE}", Origin.UNKNOWN), Word("log")],
        [GIT, Word("-C"), DERIVED, Word("status")],
        [GIT, Word("--work-tree"), Word(HOLE, Origin.UNKNOWN, splits=True), Word("status")],
        [GIT, Word("config"), Word(f"user.{HOLE}", Origin.UNKNOWN, splits=True)],
        [GIT, Word("config"), Word("user.*", Origin.GLOB)],
    ],
)
def test_unknown_words_that_may_be_options_are_never_reads(words: list[Word]) -> None:
    assert judged(*words).effect is not Effect.NONE


def test_an_unknown_folder_is_never_a_read() -> None:
    assert Effect.UNKNOWN in line("git status", cwd=None).effect
    assert Effect.UNKNOWN in line("git status", cwd="/somewhere/else").effect
    assert Effect.UNKNOWN in judged(GIT, Word("status"), remote=True).effect
