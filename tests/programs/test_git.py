"""git: words that are only known when the command runs, and folders that are not known.

What its command lines do is in the examples of the table."""

import shlex

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.table import programs
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import HOLE, Command, Origin, Word
from tests.rows import each_row

ROOT = "/home/ada/project"
WORKSPACE = Workspace(ROOT, ROOT, "/home/ada", Names(ROOT))


def judged(*words: Word, cwd: str | None = ROOT, remote: bool = False) -> Use:
    command = Command(words, cwd=cwd, remote=remote)
    return programs()["git"](Invocation("git", command.args, command, WORKSPACE))


def line(text: str, cwd: str | None = ROOT) -> Use:
    return judged(*(Word(word) for word in shlex.split(text)), cwd=cwd)


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


@each_row(
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
        [GIT, Word("interpret-trailers"), Word("secrets/*", Origin.GLOB)],
        [
            GIT,
            Word("merge-file"),
            Word("-p"),
            Word("a"),
            Word("b"),
            Word(f"x/{HOLE}", Origin.DERIVED),
        ],
    ],
)
def test_unknown_words_that_may_be_options_are_never_reads(words: list[Word]) -> None:
    assert judged(*words).effect is not Effect.NONE


def test_an_unknown_folder_is_never_a_read() -> None:
    assert Effect.UNKNOWN in line("git status", cwd=None).effect
    assert Effect.UNKNOWN in line("git status", cwd="/somewhere/else").effect
    assert Effect.UNKNOWN in judged(GIT, Word("status"), remote=True).effect
