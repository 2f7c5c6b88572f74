"""go and gofmt: which command lines only read, and what the others do."""

import shlex

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.golang import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

ROOT = "/home/ada/project"


def line(text: str) -> Use:
    command = Command(tuple(Word(word) for word in shlex.split(text)), cwd=ROOT)
    workspace = Workspace(ROOT, ROOT, "/home/ada", Names(ROOT))
    return PROGRAMS[command.program](Invocation(command.program, command.args, command, workspace))


READING = r"""
go version
go env
go env GOPATH GOROOT
go env -json
go list ./...
go list -m all
go list -f '{{.Dir}}' ./...
go list -m -u all
go list -json ./...
go list -mod=readonly ./...
go doc fmt.Println
go doc -all fmt
go mod graph
go mod why github.com/x/y
go mod verify
go help build
go tool
gofmt -l .
gofmt -d main.go
gofmt -s -l src
""".strip().splitlines()
NOT_READING = (
    ("go env -w A=b", Effect.WRITES),
    ("go env --w A=b", Effect.WRITES),
    ("go env -u A", Effect.WRITES),
    ("go list -toolexec=x", Effect.UNKNOWN),
    ("go list -exec=x ./...", Effect.UNKNOWN),
    ("go list -export ./...", Effect.RUNS),
    ("go list -mod=mod ./...", Effect.WRITES),
    ("go list -m -mod mod all", Effect.WRITES),
    ("go build", Effect.RUNS),
    ("go vet -vettool=x", Effect.RUNS),
    ("go tool pprof x", Effect.RUNS),
    ("go mod tidy", Effect.NETWORK),
    ("go mod edit -x", Effect.WRITES),
    ("go version -x", Effect.UNKNOWN),
    ("gofmt -w x", Effect.WRITES),
    ("gofmt -l -w x", Effect.WRITES),
    ("gofmt -cpuprofile x", Effect.WRITES),
    ("goimports -w x", Effect.WRITES),
    ("go doc -http", Effect.UNKNOWN),
)
ORDINARY = """
go build ./...
go test -count=1 ./pkg/...
go vet ./...
go mod tidy
go run ./cmd/x
golangci-lint run
""".strip().splitlines()
FOREIGN = """
go test -exec ./x ./...
go vet -vettool=x ./...
go build -C /elsewhere
go run example.com/x@latest ../y
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
