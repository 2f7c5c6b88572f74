"""sqlite3 and duckdb: which command lines only read, and what the others do."""

import shlex

import pytest

from automode.core.files import Kind
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.database_files import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

ROOT = "/home/ada/project"


class Databases(Names):
    """`x.db` is there, `broken.db` has a journal besides."""

    def kind(self, path: str) -> Kind:
        there = ("/x.db", "/broken.db", "/broken.db-journal")
        return Kind.FILE if path.endswith(there) else super().kind(path)


def line(text: str) -> Use:
    command = Command(tuple(Word(word) for word in shlex.split(text)), cwd=ROOT)
    workspace = Workspace(ROOT, ROOT, "/home/ada", Databases(ROOT))
    return PROGRAMS[command.program](Invocation(command.program, command.args, command, workspace))


READING = r"""
sqlite3 -safe x.db "SELECT * FROM t"
sqlite3 -safe -readonly new.db "SELECT * FROM t"
sqlite3 x.db .tables
sqlite3 x.db ".schema users"
sqlite3 --safe -header -csv x.db "SELECT 1"
sqlite3 -json x.db "select name from sqlite_master where type='table' and name not like 'x%'"
sqlite3 x.db "PRAGMA table_info(users)"
sqlite3 x.db "PRAGMA user_version"
sqlite3 --version
sqlite3 -safe x.db "EXPLAIN QUERY PLAN SELECT * FROM t"
sqlite3 -readonly -safe x.db "select count(*) from t"
sqlite3 :memory: "select sqlite_version()"
sqlite3 -safe x.db ".headers on" ".mode column" "select 1;"
sqlite3 -safe x.db "select json_extract(a, '$.b') from t"
sqlite3 -safe x.db "select datetime(ts, 'unixepoch') from t"
duckdb -json -c "SELECT 42"
duckdb -c "SELECT * FROM information_schema.tables"
sqlite3 :memory: "select value from json_each('[1]')"
sqlite3 :memory: "with t as (select 1 as a) select a from t"
duckdb --version
""".strip().splitlines()
NOT_READING = (
    ('sqlite3 x.db "SELECT * FROM t"', Effect.UNKNOWN),  # a view may call `edit`
    ('sqlite3 x.db "select name from sqlite_master where name in v"', Effect.UNKNOWN),
    ('sqlite3 x.db "select name from sqlite_master, v"', Effect.UNKNOWN),
    ('sqlite3 x.db "pragma integrity_check"', Effect.UNKNOWN),  # checks call functions, too
    ("sqlite3 new.db .tables", Effect.WRITES),
    ("sqlite3 broken.db .tables", Effect.WRITES),
    ('sqlite3 -safe "file:x.db?mode=rwc" .tables', Effect.UNKNOWN),
    ('sqlite3 -safe -cmd ".tables" x.db "select 1"', Effect.UNKNOWN),
    ('sqlite3 -safe -nonce x x.db "select 1"', Effect.UNKNOWN),
    ('sqlite3 -safe x.db "delete from t"', Effect.WRITES),
    ("sqlite3 -safe x.db \"select edit('a', 'b')\"", Effect.UNKNOWN),
    ("duckdb -c \"SELECT * FROM 'data.csv' LIMIT 5\"", Effect.UNKNOWN),
    ('duckdb x.db "SHOW TABLES"', Effect.UNKNOWN),
    ("sqlite3 x.db", Effect.UNKNOWN),
    ('sqlite3 x.db "DELETE FROM t"', Effect.WRITES),
    ('sqlite3 x.db ".shell ls"', Effect.RUNS),
    ('sqlite3 x.db ".output x"', Effect.RUNS),
    ('sqlite3 x.db ".once |sh"', Effect.RUNS),
    ('sqlite3 x.db ".import a b"', Effect.RUNS),
    ('sqlite3 x.db ".read x"', Effect.RUNS),
    ('sqlite3 x.db ".tables" ".system ls"', Effect.RUNS),
    ('sqlite3 -cmd ".shell ls" x.db "select 1"', Effect.UNKNOWN),
    ('sqlite3 -init x x.db "select 1"', Effect.WRITES),
    ("sqlite3 x.db \"select load_extension('x')\"", Effect.UNKNOWN),
    ("sqlite3 x.db \"select writefile('x','y')\"", Effect.UNKNOWN),
    ("sqlite3 x.db \"attach 'x' as y\"", Effect.WRITES),
    ('sqlite3 x.db "pragma journal_mode=wal"', Effect.WRITES),
    ('sqlite3 x.db "pragma journal_mode(wal)"', Effect.UNKNOWN),
    ('sqlite3 x.db "pragma writable_schema=1"', Effect.WRITES),
    ("sqlite3 -A x", Effect.UNKNOWN),
    ("sqlite3 x.db \"vacuum into 'x'\"", Effect.WRITES),
    ('sqlite3 x.db "select 1" "drop table x"', Effect.WRITES),
    ('sqlite3 x.db "replace into t values(1)"', Effect.WRITES),
    ('sqlite3 x.db ".excel"', Effect.RUNS),
    ('sqlite3 x.db ".www"', Effect.RUNS),
    ('sqlite3 x.db ".log x"', Effect.RUNS),
    ('sqlite3 x.db ".trace x"', Effect.RUNS),
    ('sqlite3 x.db ".save x"', Effect.RUNS),
    ('sqlite3 x.db ".clone x"', Effect.RUNS),
    ('sqlite3 x.db ".backup x"', Effect.RUNS),
    ('sqlite3 x.db ".load x"', Effect.RUNS),
    ('sqlite3 x.db ".mode insert; .shell ls"', Effect.RUNS),
    ("duckdb -c \"copy t to 'x'\"", Effect.WRITES),
    ('duckdb -c "install httpfs"', Effect.WRITES),
    ("duckdb -c \"load 'x'\"", Effect.WRITES),
    ("duckdb -c \"select * from 'https://x/y.csv'\"", Effect.UNKNOWN),
    ("duckdb -c \"select * from read_csv('/etc/passwd')\"", Effect.UNKNOWN),
    ("duckdb -c \"select * from read_text('x')\"", Effect.UNKNOWN),
    ("duckdb -c \"select getenv('X')\"", Effect.UNKNOWN),
    ("duckdb -c \"select * from read_csv('s3://x/y.csv')\"", Effect.UNKNOWN),
    ('duckdb -c "set x=y"', Effect.WRITES),
    ("duckdb -c \"export database 'x'\"", Effect.UNKNOWN),
    ("duckdb -c \"attach 'x'\"", Effect.WRITES),
    ("duckdb -readonly x.db \"copy t to 'y'\"", Effect.WRITES),
    ("duckdb -readonly x.db \"attach 'y'; drop table y.t\"", Effect.WRITES),
    ('duckdb -init x y.db "select 1"', Effect.WRITES),
    ('duckdb -c "create secret (type s3)"', Effect.UNKNOWN),
    ('duckdb -readonly x "create secret (type s3)"', Effect.UNKNOWN),
    ('duckdb -readonly x "create persistent secret (type s3)"', Effect.UNKNOWN),
    ("duckdb -readonly x \"create table x as select * from read_text('y')\"", Effect.UNKNOWN),
    ("duckdb -ui", Effect.UNKNOWN),
    ('duckdb -c "select * from secrets.json"', Effect.UNKNOWN),
    ('duckdb -c "from secrets.json"', Effect.UNKNOWN),
    ('duckdb -c "summarize secrets.json"', Effect.UNKNOWN),
    ('duckdb -c "describe secrets.json"', Effect.UNKNOWN),
    ("duckdb -c 'select * from \"/x/y\".json'", Effect.UNKNOWN),
    ("duckdb -c 'select * from \"https://x.test/y\".csv'", Effect.UNKNOWN),
    ("duckdb -c 'select * from a.b.csv'", Effect.UNKNOWN),
    ("sqlite3 :memory: \"select data from fsdir where path='x'\"", Effect.UNKNOWN),
    ("sqlite3 -safe :memory: \"select data from fsdir where path='x'\"", Effect.UNKNOWN),
    ("sqlite3 :memory: 'select * from main.[FSDIR]'", Effect.UNKNOWN),
    ("sqlite3 :memory: 'select * from t'", Effect.UNKNOWN),
    ("sqlite3 -safe -readonly :memory: 'select * from json_each, zipfile'", Effect.UNKNOWN),
)


@pytest.mark.parametrize("text", READING)
def test_a_command_that_only_looks_is_a_read(text: str) -> None:
    assert not line(text).effect & ~Effect.REMOTE_READ


@pytest.mark.parametrize(("text", "effect"), NOT_READING)
def test_whatever_does_more_than_look_says_what(text: str, effect: Effect) -> None:
    use = line(text)
    assert use.effect & effect
    assert use.why


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
    command = Command((Word("sqlite3"), Word("-safe"), Word("x.db")), cwd=ROOT, fed=fed)
    workspace = Workspace(ROOT, ROOT, "/home/ada", Databases(ROOT))
    use = PROGRAMS["sqlite3"](Invocation("sqlite3", command.args, command, workspace))
    assert (use.effect & effect) if effect else use.effect is Effect.NONE
