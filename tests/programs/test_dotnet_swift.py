"""dotnet, Swift, Elixir and others: which command lines only read, and what the others do."""

import shlex

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.dotnet_swift import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

ROOT = "/home/ada/project"


def line(text: str) -> Use:
    command = Command(tuple(Word(word) for word in shlex.split(text)), cwd=ROOT)
    workspace = Workspace(ROOT, ROOT, "/home/ada", Names(ROOT))
    return PROGRAMS[command.program](Invocation(command.program, command.args, command, workspace))


READING = r"""
dotnet --version
dotnet --info
dotnet --list-sdks
dotnet list package
dotnet list package --outdated
dotnet tool list -g
dotnet nuget list source
swift --version
xcodebuild -version
xcodebuild -list
xcodebuild -showsdks
xcodebuild -list -project App.xcodeproj
mix help
elixir --version
R --version
Rscript --version
julia --version
stack --version
cabal --version
ghc --version
zig version
zig env
dart --version
dart pub deps
flutter --version
flutter doctor
flutter devices
""".strip().splitlines()
NOT_READING = (
    ("dotnet list package --source http://x", Effect.NETWORK),
    ("dotnet x.dll", Effect.UNKNOWN),
    ("dotnet tool run x", Effect.RUNS),
    ("swift x.swift", Effect.RUNS),
    ("xcodebuild -list build", Effect.RUNS),
    ("xcodebuild", Effect.RUNS),
    ("R -e x", Effect.RUNS),
    ("Rscript x.R", Effect.RUNS),
    ("zig fmt x", Effect.RUNS),
    ("zig build", Effect.RUNS),
)
ORDINARY = """
dotnet test
swift build
xcodebuild test -scheme App
mix test
""".strip().splitlines()
FOREIGN = """
swift build --package-path /elsewhere
""".strip().splitlines()


@pytest.mark.parametrize("text", READING)
def test_a_command_that_only_looks_is_a_read(text: str) -> None:
    assert not line(text).effect & ~Effect.REMOTE_READ


@pytest.mark.parametrize(("text", "effect"), NOT_READING)
def test_whatever_does_more_than_look_says_what(text: str, effect: Effect) -> None:
    use = line(text)
    assert use.effect & effect
    assert use.why


@pytest.mark.parametrize("text", ORDINARY)
def test_the_usual_steps_of_development_are_ordinary_but_no_reads(text: str) -> None:
    use = line(text)
    assert use.effect & Effect.DEVELOPMENT
    assert use.effect & (Effect.RUNS | Effect.WRITES)


@pytest.mark.parametrize("text", FOREIGN)
def test_code_or_settings_from_elsewhere_are_not_ordinary(text: str) -> None:
    use = line(text)
    assert not use.effect & Effect.DEVELOPMENT
    assert use.effect & ~Effect.REMOTE_READ
