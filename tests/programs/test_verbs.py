"""Rows for programs with sub-commands: how a line of the table is read."""

import shlex
from dataclasses import replace

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.use import READS, Effect, Invocation, writes
from automode.programs.verbs import Verbs, always, bare_or, prints, reads, remote, spec
from automode.shell.script import HOLE, Command, Origin, Word

ROOT = "/home/ada/project"
ROW = Verbs(
    {
        "ls": reads("--depth= -a --fixable="),
        "view": remote("--json", effects={"--out": writes("it writes")}),
        "version": bare_or(prints, always(Effect.WRITES, "it writes the version")),
        "put": always(Effect.WRITES, "it writes"),
    },
    spec("--quiet --cd="),
)


def invocation(text: str) -> Invocation:
    command = Command(tuple(Word(word) for word in shlex.split(text)), cwd=ROOT)
    workspace = Workspace(ROOT, ROOT, "/home/ada", Names(ROOT))
    return Invocation(command.program, command.args, command, workspace)


@pytest.mark.parametrize(
    ("text", "effect"),
    [
        ("p ls", Effect.NONE),
        ("p --quiet ls -a --depth 3 x", Effect.NONE),
        ("p --cd put ls", Effect.NONE),
        ("p put --help", Effect.NONE),
        ("p version", Effect.NONE),
        ("p version 2", Effect.WRITES),
        ("p view x --json", Effect.REMOTE_READ),
        ("p put", Effect.WRITES),
        ("p --unlisted ls", Effect.UNKNOWN),
        ("p ls --unlisted", Effect.UNKNOWN),
        ("p ls --fix", Effect.UNKNOWN),
        ("p other", Effect.UNKNOWN),
        ("p", Effect.UNKNOWN),
    ],
)
def test_each_verb_has_its_row(text: str, effect: Effect) -> None:
    assert ROW(invocation(text)).effect is effect


def test_a_word_that_may_become_several_is_not_understood() -> None:
    split = Word("x" + HOLE, Origin.UNKNOWN, splits=True)
    given = invocation("p ls")
    assert ROW(replace(given, args=(*given.args, split))).effect & Effect.UNKNOWN


def test_a_service_is_only_read_with_known_arguments() -> None:
    given = invocation("p view")
    word = Word("x" + HOLE, Origin.DERIVED)
    assert ROW(replace(given, args=(*given.args, word))).effect & Effect.UNKNOWN


def test_an_option_that_only_asks_a_service_does_not_hide_an_unknown_one() -> None:
    row = reads("-o", effects={"-o": replace(READS, effect=Effect.REMOTE_READ)})
    assert row(invocation("p -o --log=x")).effect & Effect.UNKNOWN
