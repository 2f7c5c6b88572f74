"""svn, hg, jj and the ticket clients."""

import shlex
from pathlib import Path

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Disk, Names
from automode.programs.use import Effect, Invocation, Use
from automode.programs.vcs import PROGRAMS
from automode.shell.script import Command, Word

ROOT = "/home/ada/project"
NAMES = Workspace(ROOT, ROOT, "/home/ada", Names(ROOT))


def line(text: str, workspace: Workspace = NAMES, cwd: str | None = "") -> Use:
    folder = workspace.cwd if cwd == "" else cwd
    command = Command(tuple(Word(word) for word in shlex.split(text)), cwd=folder)
    return PROGRAMS[command.program](Invocation(command.program, command.args, command, workspace))


READING = """
svn info
svn status -v
svn diff
svn --version
hg status
hg log -l 5 -T '{node}'
hg diff --stat
hg branch
hg paths
jj log -r @
jj --no-pager st
jj diff --git
jj file list
jj op log
jj log -r @ -n 3 --no-graph
svn status -q --depth=files
hg status -mard --rev 1
""".strip().splitlines()
REMOTE = """
""".strip().splitlines()
OTHERS: list[tuple[Effect, str]] = [
    (Effect.NETWORK, "svn log https://x.test/r"),
    (Effect.NETWORK, "svn log -l 5"),
    (Effect.NETWORK, "svn list"),
    (Effect.NETWORK, "svn info ^/trunk"),
    (Effect.NETWORK, "svn propget x f@HEAD"),
    (Effect.UNKNOWN, "svn status -u"),
    (Effect.UNKNOWN, "svn diff -c 4"),
    (Effect.UNKNOWN, "svn diff --diff-cmd ./p.sh"),
    (Effect.UNKNOWN, "svn status --config-dir evil"),
    (Effect.UNKNOWN, "svn diff -r 1:2"),
    (Effect.WRITES, "svn commit -m x"),
    (Effect.NETWORK, "svn update"),
    (Effect.UNKNOWN, "hg log --config extensions.x=./x.py"),
    (Effect.UNKNOWN, "hg annotate -l --config=extensions.x=./x.py"),
    (Effect.UNKNOWN, "hg --config alias.log=!./p.sh log"),
    (Effect.UNKNOWN, "hg log -R /other"),
    (Effect.UNKNOWN, "hg log -r 'outgoing()'"),
    (Effect.UNKNOWN, "hg log --rev=remote(tip,'ssh://x')"),
    (Effect.UNKNOWN, "hg heads -T \"{revset('outgoing()')}\""),
    (Effect.UNKNOWN, "hg log -l 1 --templ=x"),
    (Effect.UNKNOWN, "hg status -S"),
    (Effect.UNKNOWN, "hg cat -o x f"),
    (Effect.UNKNOWN, "hg --cwd /other status"),
    (Effect.UNKNOWN, "hg status --pager=always"),
    (Effect.WRITES, "hg cat -r 1 --output x f"),
    (Effect.WRITES, "hg branch feature"),
    (Effect.WRITES, "hg update"),
    (Effect.NETWORK, "hg pull"),
    (Effect.RUNS, "jj diff --tool ./p.sh"),
    (Effect.UNKNOWN, "jj log --config ui.pager=./p.sh"),
    (Effect.UNKNOWN, "jj -R /other log"),
    (Effect.WRITES, "jj new"),
    (Effect.REMOTE_WRITE, "jj git push"),
]


@pytest.mark.parametrize("text", READING)
def test_a_reading_command_only_reads(text: str) -> None:
    assert line(text).effect is Effect.NONE


@pytest.mark.parametrize("text", REMOTE)
def test_reading_verbs_read_from_the_service(text: str) -> None:
    assert line(text).effect is Effect.REMOTE_READ


@pytest.mark.parametrize(("effect", "text"), OTHERS)
def test_another_command_says_what_it_does(effect: Effect, text: str) -> None:
    assert effect in line(text).effect


@pytest.mark.parametrize("text", ["hg status", "jj log"])
def test_an_unknown_folder_is_never_a_read(text: str) -> None:
    assert Effect.UNKNOWN in line(text, cwd=None).effect
    assert Effect.UNKNOWN in line(text, cwd="/other/place").effect


@pytest.mark.parametrize(
    ("text", "path", "content", "effect"),
    [
        ("hg status", ".hg/hgrc", "[paths]\ndefault = https://x.test\n", Effect.NONE),
        ("hg status", ".hg/hgrc", "[hooks]\npre-status = ./p.sh\n", Effect.RUNS),
        ("hg status", ".hg/hgrc", "[paths]\n%include other\n", Effect.RUNS),
        ("hg status", ".hg/sharedpath", "/other/.hg", Effect.RUNS),
        ("jj log", ".jj/repo/config.toml", "", Effect.NONE),
        ("jj log", ".jj/repo/config.toml", "ui.pager = './p.sh'\n", Effect.RUNS),
    ],
)
def test_the_repositorys_own_configuration_counts(
    tmp_path: Path, text: str, path: str, content: str, effect: Effect
) -> None:
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text(content)
    workspace = Workspace(str(tmp_path), str(tmp_path), "/home/ada", Disk())
    assert line(text, workspace).effect is effect
