"""What is proved to only read, and what is not, decided by the whole layer."""

import asyncio

import pytest

from automode.core.call import Action, Read, Shell, ToolCall
from automode.core.decision import Decision, Remark
from automode.core.session import Session
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.facts.reader import ShellReader
from automode.guards.reads.read_only import ReadOnly
from tests.reading import facts_of
from tests.rows import each_row

READER = ShellReader()
WORKSPACE = Workspace("/w/p", "/w/p", "/home/u", Names("/w/p"))


def answer(action: Action, *, remote_reads: bool = True, classify_tools: bool = False) -> object:
    layer = ReadOnly(remote_reads=remote_reads, classify_tools=classify_tools)
    return asyncio.run(
        layer(facts_of(ToolCall("tool", action), WORKSPACE), Session("s", WORKSPACE), ())
    )


def reads(command: str) -> bool:
    return isinstance(answer(Shell(command)), Decision)


READS = [
    "cat ~/.bashrc ~/.gitconfig",
    "ls -la ~/.newtool && test -f ~/.newtool/config.json",
    "cat ~/.claude/settings.json",
    "cat ~/code/.newtool/config.json",
    "grep -rn token src",
    "rg credentials a.txt",
    "cat /etc/pam.d/common-password",
    "ls token && echo password",
    "cat src/token/a.py secret.rs",
    "git status && git log --oneline -5 | head",
    "ls -la src | sort -k5 -n | tail -5",
    "find . -name '*.py' -not -path './.venv/*' -exec wc -l {} + | sort -n | tail",
    "wc -l *.py",
    'for f in *.py; do wc -l "$f"; done',
    'while IFS= read -r line; do echo "$line"; done < list.txt',
    "if [ -f package.json ]; then cat package.json; fi",
    'cat "$(find . -name tsconfig.json | head -1)"',
    "git diff $(git merge-base main HEAD)",
    "grep -rn 'rm -rf /' docs 2>/dev/null || true",
    "echo 'curl x | sh' >/dev/null",
    "cat file 2>&1 | head",
    "timeout 5 ls",
    "bash -c 'git status'",
    "cd src && ls",
    "[[ -f .env.example ]] && head -5 .env.example",
    "n=0; n=$((n+1)); echo $n",
    "kubectl get pods",
    "gh pr view 12",
    "ls -la ~/.ssh",
    "cat src/*.py",
    "grep -n TODO *",
    "find src -name '*.py' | xargs grep -n TODO",
    "cat <<< hello",
    "cut -d / -f 2 paths.txt",
    "grep -rn token ~/project",
    "find . -newermt $(date -d '7 days ago' '+%Y-%m-%d')",
    "nproc 2>/dev/null | xargs -n 1 find sub -size",
    "git show $(git rev-parse --short HEAD~2)",
    "git show $(git rev-list -n 1 --no-merges main -- src)",
    "git show $(git log -1 --format=%h -- src | head -n 1)",
    "find src -newermt $(date +%H:%M:%S.%3N) -size $(nproc | sort -n | tail -1)",
]

_FILTERS = ("cat", "head", "tail", "sort", "uniq", "tac", "shuf")
NOT_READS = [
    "ls > out.txt",
    "{ ls; } > out.txt",
    "echo x >&~/.bashrc",
    "cat <> f",
    "cat ~/.ssh/id_ed25519",
    "cat ~/.aws/credentials",
    "cat .env",
    "cat ~/.newtool/config.json",
    "cat ~/.config/newtool/a.toml",
    "grep -r x ~/.newtool",
    "rg x ~/.newtool",
    "cat ~/.n*/config.json",
    "cat < ~/.newrc",
    "cd ~ && head .newrc",
    "cat /Users/bob/.newtool/x /root/.newrc",
    "cat ~/.claude/../.newrc",
    "cat token",
    "cat ./credentials~ a.txt",
    "grep x deploy_key",
    "base64 < github_rsa",
    "head -1 kubeconfig",
    "date -f sub/../api_key",
    "docker exec c cat token",
    "grep -r . ~/.aws",
    "export HISTSIZE=0\nwhoami",
    "cd ~/Library/Cookies\ngrep -q coinbase Cookies.binarycookies",
    'cat <<< "$AWS_SECRET_ACCESS_KEY"',
    "cat <<E\n$API_TOKEN\nE",
    "git cat-file --batch <<< HEAD:.env",
    "find ~ -type f -exec cat {} +",
    "find ~ -name 'cred*' | xargs cat",
    "cat $(find / -name x)",
    "cat ~/.s?h/id_*",
    "cat ~/.aw[s]/credentials",
    "cat /home/*/.ssh/*",
    "cat ~/.config/*/hosts.yml",
    "diff -r ~ x",
    "grep -rh . ~/.config",
    "cat /home/bob/.aws/credentials",
    "cat /data/u/.kube/config",
    "grep -r x /data/u/.aws",
    "true && F=~/.aws/credentials; cat $F",
    "a=(~/.aws/credentials); cat ${a[0]}",
    "for f in ~/.netrc; do cat $f; done",
    "echo ~/.netrc | xargs cat",
    "find . -name '*.txt' | xargs sort",
    "find ~/.ssh -type f | xargs cat",
    "cd ~/.ssh && cat $(ls)",
    "grep -rn BEGIN ~",
    "rg token /",
    "cat .e*",
    "head -1 /etc/shadow",
    "cat < /dev/tcp/h/80",
    "echo $AWS_SECRET_ACCESS_KEY",
    "LD_PRELOAD=./x.so ls",
    "PATH=.:$PATH ls",
    "export PATH=/tmp/x:$PATH; ls",
    "for PATH in /tmp/x; do ls; done",
    "read -r PATH <<< /tmp/x; ls",
    "env -u HOME ls",
    "sudo ls",
    "./ls",
    "/tmp/ls",
    "$CMD foo",
    "$(echo ls)",
    "/bin/l?",
    "ls; rm x",
    "ls & rm x",
    "ls() { rm x; }; ls",
    "if false; then rm() { :; }; fi; rm x",
    "false && rm() { :; }; rm x",
    "X=rm; true || X=echo; $X y",
    ":(){ :|:& };:",
    "echo ==\nrm -rf /",
    "coproc sh <x",
    'echo "$\\\n(touch x)"',
    "ls\u2060 -la",
    "p='x[$(touch y)]'; echo $((p))",
    "[[ -v 'a[$(touch y)]' ]]",
    "find . -exec rm {} ;",
    "find . -delete",
    "xargs rm",
    "cat a | sh",
    "unknown-program --version --x",
    "echo 'a",
    "find sub $(date '+%n-exec%ntouch%npwned%n;')",
    "find sub $(date +%t-delete)",
    "find sub $(date +-delete)",
    "find sub $(date '+%F -delete')",
    "find sub $(date +%z)",
    "find sub $(date +%Z)",
    "find sub $(date)",
    "find sub $(date -f o1 +%F)",
    "find sub $(date -d @-99999999999 +%s)",
    "find sub $(date -d '9999 years ago' +%Y)",
    "find sub $(date -x 2>&1)",
    "date +%n-delete | xargs find sub",
    *(f"find sub $(nproc | {name} o1)" for name in _FILTERS),
    *(f"nproc | {name} o1 | xargs find sub" for name in _FILTERS),
    "find sub $(nproc | grep d o1)",
    "find sub $(nproc | grep -f o1)",
    "find sub $(nproc | rg d o1)",
    "find sub $(nproc | cat < o1)",
    "find sub $(nproc | cat <<< -delete)",
    "find sub $(nproc | wc --files0-from=o1)",
    "find sub $(nproc | sort --files0-from=o1)",
    "find sub $(date +%F | tail -c 3)",
    "find sub $(git describe --always --dirty=' -delete')",
    "git merge-base 'x -delete' HEAD |& xargs find sub",
    "git rev-parse ax-delete | xargs -d x find sub",
    "nproc | xargs -a o1 find sub",
    "nproc | xargs find sub < o1",
    "git log $(git describe --tags)",
    "git log $(git branch --show-current)",
    "git log $(git rev-parse --abbrev-ref HEAD)",
    "find sub $(git rev-parse ' -delete')",
    "git log $(git rev-list --no-commit-header --format=%s -1 HEAD)",
    "git log $(git rev-list --boundary HEAD)",
    "git log $(git log -1 --format=%h --format=%s)",
    "git log $(git log -1 --format=%h -p)",
    "wc -l *",
    "wc $(ls)",
    "du -sh *",
    "ls | xargs wc -l",
    "find . -name '*.py' | xargs wc -l",  # `a --files0-from=.env .py`
    'for f in *; do wc -l "$f"; done',
    "hexdump *",
    "findmnt *",
    "python3 -m json.tool ./*.json",
    "python3 -m json.tool -- [ab].json",
    "python3 -m json.tool --indent 2 $(ls)",
    "python3 -m json.tool ./$(nproc)",
    "sd a ./*",
    "sd ./*",
    "uniq ./*",
    "xxd ./*",
    "pdftotext ./* -",
    "xxd -l $(git rev-list -n 2 HEAD) a",
    "git reflog $(date +expire)",
    "git reflog $(git rev-parse HEAD)",
]


@each_row("command", READS)
def test_reading_scripts_are_allowed(command: str) -> None:
    assert reads(command), answer(Shell(command))


@each_row("command", NOT_READS)
def test_everything_else_is_not(command: str) -> None:
    assert not reads(command)


@pytest.mark.parametrize(
    "command", ["npm test", "pytest -q", "cargo build", "make", "cd x && npm test"]
)
def test_ordinary_development_is_marked_for_later_layers(command: str) -> None:
    found = answer(Shell(command))

    assert isinstance(found, Remark)
    assert found.mark == "ordinary-development"


def test_a_mixed_script_is_not_marked_as_ordinary() -> None:
    found = answer(Shell("npm test && rm -rf x"))

    assert isinstance(found, Remark)
    assert found.mark == "not-proved"


def test_remote_reads_can_be_switched_off() -> None:
    assert isinstance(answer(Shell("kubectl get pods"), remote_reads=False), Remark)


def test_other_shells_are_never_read_only() -> None:
    assert answer(Shell("Get-ChildItem", dialect="powershell")) is None


def test_read_tools_are_allowed_but_not_for_credentials() -> None:
    assert isinstance(answer(Read(("src/a.py",))), Decision)
    assert isinstance(answer(Read(())), Decision)
    assert isinstance(answer(Read(("~/.ssh/id_rsa",))), Remark)
    assert isinstance(answer(Read(("token",))), Remark)
    assert isinstance(answer(Read(("~/.newtool/config.json",))), Remark)
    assert isinstance(answer(Read(("src/a.py",)), classify_tools=True), Remark)
    assert isinstance(answer(Read(("~/.aws",))), Remark)
