"""sqlite3: files that are there, and what is fed to it."""

import shlex

import pytest

from automode.core.workspace import Kind, Workspace
from automode.facts.files import Names
from automode.programs.table import programs
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word
from tests.rows import each_row

ROOT = "/home/ada/project"


class Databases(Names):
    """`x.db` is there, `broken.db` has a journal besides. `link.db` leads to it, `good.db` to
    `x.db`; the folder `link` leads to one whose folder above holds another `x.db` with a journal.
    Nobody can tell where `loop.db` leads."""

    def resolve(self, path: str) -> str | None:
        if path.endswith("/loop.db"):
            return None
        for link, target in {"link.db": "broken.db", "good.db": "x.db", "link": "/far/in"}.items():
            if path == f"{ROOT}/{link}":
                return target if target.startswith("/") else f"{ROOT}/{target}"
        return super().resolve(path)

    def kind(self, path: str) -> Kind:
        there = ("/x.db", "/broken.db", "/broken.db-journal", "/link.db", "/good.db", "/loop.db")
        return Kind.FILE if path.endswith((*there, "/far/x.db-journal")) else super().kind(path)


def line(text: str) -> Use:
    command = Command(tuple(Word(word) for word in shlex.split(text)), cwd=ROOT)
    workspace = Workspace(ROOT, ROOT, "/home/ada", Databases(ROOT))
    return programs()[command.program](
        Invocation(command.program, command.args, command, workspace)
    )


READING = r"""
sqlite3 -safe -readonly x.db "SELECT * FROM t"
sqlite3 x.db .tables
sqlite3 x.db ".schema users"
sqlite3 --safe --readonly -header -csv x.db "SELECT 1"
sqlite3 -json x.db "select name from sqlite_master where type='table' and name not like 'x%'"
sqlite3 x.db "PRAGMA table_info(users)"
sqlite3 -safe -readonly x.db "EXPLAIN QUERY PLAN SELECT * FROM t"
sqlite3 -safe -readonly x.db ".headers on" ".mode column" "select 1;"
sqlite3 -safe -readonly x.db "select json_extract(a, '$.b') from t"
sqlite3 good.db .tables
sqlite3 sub/../x.db .tables
""".strip().splitlines()
NOT_READING = (
    ('sqlite3 x.db "SELECT * FROM t"', Effect.UNKNOWN),  # a view may call `edit`
    ('sqlite3 -safe x.db "SELECT * FROM t"', Effect.UNKNOWN),  # or use `pragma_optimize`
    ('sqlite3 -readonly x.db "SELECT * FROM t"', Effect.UNKNOWN),
    ('sqlite3 x.db "select name from sqlite_master where name in v"', Effect.UNKNOWN),
    ('sqlite3 x.db "select name from sqlite_master, v"', Effect.UNKNOWN),
    ('sqlite3 x.db "pragma integrity_check"', Effect.UNKNOWN),  # checks call functions, too
    ("sqlite3 broken.db .tables", Effect.WRITES),
    ("sqlite3 link.db .tables", Effect.WRITES),  # the journal lies beside the target
    ("sqlite3 link/../x.db .tables", Effect.WRITES),
    ("sqlite3 loop.db .tables", Effect.UNKNOWN),
    ('sqlite3 -safe "file:x.db?mode=rwc" .tables', Effect.UNKNOWN),
    ('sqlite3 -safe -cmd ".tables" x.db "select 1"', Effect.UNKNOWN),
    ('sqlite3 -safe -nonce x x.db "select 1"', Effect.UNKNOWN),
    ('sqlite3 -safe x.db "delete from t"', Effect.WRITES),
    ("sqlite3 -safe x.db \"select edit('a', 'b')\"", Effect.UNKNOWN),
    ('sqlite3 -init x x.db "select 1"', Effect.WRITES),
)


@each_row("text", READING)
def test_a_command_that_only_looks_is_a_read(text: str) -> None:
    assert line(text).effect is Effect.NONE


@each_row("text, effect", NOT_READING)
def test_whatever_does_more_than_look_says_what(text: str, effect: Effect) -> None:
    assert line(text).effect & effect


@pytest.mark.parametrize(
    ("fed", "effect"),
    [
        (".mode box\n.tables\nSELECT 1;\n", Effect.NONE),
        ("SELECT '\n.print '\n; DELETE FROM t; SELECT '\n';", Effect.RUNS),
        ("SELECT 1;\n.shell ls\n", Effect.RUNS),
        ("DELETE FROM t;", Effect.WRITES),
        (None, Effect.UNKNOWN),
    ],
)
def test_a_script_on_standard_input_is_looked_at(fed: str | None, effect: Effect) -> None:
    words = (Word("sqlite3"), Word("-safe"), Word("-readonly"), Word("x.db"))
    command = Command(words, cwd=ROOT, fed=fed)
    workspace = Workspace(ROOT, ROOT, "/home/ada", Databases(ROOT))
    use = programs()["sqlite3"](Invocation("sqlite3", command.args, command, workspace))
    assert (use.effect & effect) if effect else use.effect is Effect.NONE
