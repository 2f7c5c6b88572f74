"""brew and nix: which command lines only read, and what the others do."""

import shlex

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.homebrew import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

ROOT = "/home/ada/project"


def line(text: str) -> Use:
    command = Command(tuple(Word(word) for word in shlex.split(text)), cwd=ROOT)
    workspace = Workspace(ROOT, ROOT, "/home/ada", Names(ROOT))
    return PROGRAMS[command.program](Invocation(command.program, command.args, command, workspace))


READING = r"""
brew list
brew info jq
brew search jq
brew outdated
brew deps --tree jq
brew uses --installed jq
brew config
brew doctor
brew --prefix
brew --prefix openssl
brew leaves
brew desc jq
brew services list
brew --version
brew list --versions jq
brew tap-info homebrew/core
brew --cellar
brew commands
brew cat jq
brew services info postgresql
brew info --cask firefox
brew log jq
brew options jq
brew missing
brew analytics
brew --repository
brew desc --search json
brew formulae
brew help install
brew install --help
brew outdated --json=v2
brew outdated --greedy
brew list --cask
brew ls -1
nix --version
nix-env -q
nix-env --version
nix flake show
nix flake metadata
nix profile list
nix-store -q --references /nix/store/x
nix-channel --list
""".strip().splitlines()
NOT_READING = (
    ("brew install x", Effect.NETWORK),
    ("brew", Effect.UNKNOWN),
    ("brew info ./evil.rb", Effect.RUNS),
    ("brew info evil/tap/x", Effect.RUNS),
    ("brew info https://x/y.rb", Effect.RUNS),
    ("brew cat evil.rb", Effect.RUNS),
    ("brew bundle list", Effect.RUNS),
    ("brew services start x", Effect.SYSTEM),
    ("brew home x", Effect.RUNS),
    ("brew ls --x", Effect.UNKNOWN),
    ("brew --prefix --evil", Effect.UNKNOWN),
    ("brew analytics off", Effect.NETWORK),
    ("brew search --open x", Effect.UNKNOWN),
    ("nix flake show github:x/y", Effect.NETWORK),
    ("nix-env -i x", Effect.RUNS),
    ("nix-env -f x -qa", Effect.RUNS),
    ("nix eval x", Effect.NETWORK),
    ("nix-shell -p x", Effect.NETWORK),
    ("nix profile install x", Effect.NETWORK),
)


@pytest.mark.parametrize("text", READING)
def test_a_command_that_only_looks_is_a_read(text: str) -> None:
    assert not line(text).effect & ~Effect.REMOTE_READ


@pytest.mark.parametrize(("text", "effect"), NOT_READING)
def test_whatever_does_more_than_look_says_what(text: str, effect: Effect) -> None:
    use = line(text)
    assert use.effect & effect
    assert use.why
