"""The shape of programs whose sub-commands are listed one by one."""

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.clients import SECRET, WRITES, Row, Verbs, alone, merged, options, row
from automode.programs.use import Effect, Invocation, Use
from automode.shell.options import arguments
from automode.shell.script import HOLE, Command, Origin, Word

TOOL = Verbs(
    {
        "list": row("-a --all -n= --name= -o= --output=", output=WRITES),
        "group show": row(),
        "status": Row(check=alone),
    },
    options("-H= --host= -v"),
    effects={"-H": Use(Effect.NETWORK), "--host": Use(Effect.NETWORK)},
    uses={"group token": SECRET},
    literal=False,
)
UNKNOWN_WORD = Word(HOLE, Origin.UNKNOWN)


def judged(*words: Word) -> Effect:
    command = Command((Word("tool"), *words), cwd="/p")
    workspace = Workspace("/p", "/p", "/home/u", Names("/p"))
    return TOOL(Invocation("tool", words, command, workspace)).effect


@pytest.mark.parametrize(
    ("line", "effect"),
    [
        ("", Effect.NONE),
        ("list", Effect.NONE),
        ("list -a --name x", Effect.NONE),
        ("list --all=false", Effect.NONE),
        ("-v list", Effect.NONE),
        ("group show x", Effect.NONE),
        ("group --help", Effect.NONE),
        ("status", Effect.NONE),
        ("list --output x", Effect.WRITES),
        ("-H x list", Effect.NETWORK),
        ("list --host=x", Effect.NETWORK),
        ("group token", Effect.SECRETS),
        ("list --frobnicate", Effect.UNKNOWN),
        ("--frobnicate list delete", Effect.UNKNOWN),
        ("group delete", Effect.UNKNOWN),
        ("status delete", Effect.UNKNOWN),
        ("delete", Effect.UNKNOWN),
        ("delete --help", Effect.UNKNOWN),
        ("list x --help", Effect.UNKNOWN),
    ],
)
def test_a_listed_sub_command_reads_and_nothing_else_does(line: str, effect: Effect) -> None:
    assert judged(*(Word(text) for text in line.split())) == effect


def test_a_word_that_may_be_an_option_is_not_read_past() -> None:
    assert judged(Word("list"), UNKNOWN_WORD) is Effect.UNKNOWN


def test_a_sub_command_that_is_not_known_is_not_guessed() -> None:
    assert judged(UNKNOWN_WORD, Word("list")) is Effect.UNKNOWN


def test_an_unknown_operand_that_cannot_be_an_option_does_no_harm_locally() -> None:
    assert judged(Word("list"), Word(f"web-{HOLE}", Origin.DERIVED)) is Effect.NONE


def test_the_sub_command_decides_what_its_short_options_mean() -> None:
    spec = merged(options("-n="), options("-n --name="))
    given = arguments([Word("-n"), Word("x")], spec)
    assert [word.text for word in given.operands] == ["x"]
