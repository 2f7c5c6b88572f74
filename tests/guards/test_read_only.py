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
from tests.rows import each_row, texts

READER = ShellReader()
WORKSPACE = Workspace("/w/p", "/w/p", "/home/u", Names("/w/p"))


def answer(action: Action, *, remote_reads: bool = True, classify_tools: bool = False) -> object:
    layer = ReadOnly(remote_reads=remote_reads, classify_tools=classify_tools)
    return asyncio.run(
        layer(facts_of(ToolCall("tool", action), WORKSPACE), Session("s", WORKSPACE), ())
    )


def reads(command: str) -> bool:
    return isinstance(answer(Shell(command)), Decision)


READS = texts("guards", "read-only-reads")

_FILTERS = ("cat", "head", "tail", "sort", "uniq", "tac", "shuf")
NOT_READS = texts("guards", "read-only-not-reads")


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
