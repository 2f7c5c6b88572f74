"""psql, mysql and other servers: which command lines only read, and what the others do."""

import shlex

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.databases import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

ROOT = "/home/ada/project"


def line(text: str) -> Use:
    command = Command(tuple(Word(word) for word in shlex.split(text)), cwd=ROOT)
    workspace = Workspace(ROOT, ROOT, "/home/ada", Names(ROOT))
    return PROGRAMS[command.program](Invocation(command.program, command.args, command, workspace))


READING = r"""
psql -l
psql -c "SELECT 1"
psql -d app -c "SELECT count(*) FROM users WHERE created_at > now() - interval '1 day'"
psql -U me -h localhost -p 5432 app -c "\dt"
psql -c "\d+ users"
psql -c "\l"
psql -tAc "SELECT version()"
psql app -c "EXPLAIN ANALYZE SELECT * FROM t JOIN u ON t.id = u.id"
psql -c "EXPLAIN (ANALYZE, BUFFERS) SELECT 1"
psql -c "SHOW server_version"
psql -c "SELECT pg_size_pretty(pg_database_size('app'))"
psql postgresql://me@localhost:5432/app -c "select * from t limit 5"
psql --version
psql -c "WITH a AS (SELECT 1 AS x) SELECT x FROM a UNION ALL SELECT 2"
psql -c "SELECT * FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1"
psql -c "SELECT relname, n_live_tup FROM pg_stat_user_tables"
mysql -e "SHOW TABLES"
mysql -u root -e "SHOW DATABASES"
mysql -u root -psecret app -e "SELECT * FROM users LIMIT 1"
mysql -e "SHOW CREATE TABLE users"
mysql -e "DESCRIBE users"
mysql -e "EXPLAIN SELECT * FROM users"
mysql -e "USE app; SHOW TABLES;"
mysql --version
mysql -e "SHOW PROCESSLIST"
mysql -e "SHOW VARIABLES LIKE 'max%'"
mysqladmin status
clickhouse-client --query "SELECT count() FROM t"
pg_isready
pg_isready -h localhost -p 5432
""".strip().splitlines()
NOT_READING = (
    ('psql -c "DROP TABLE x"', Effect.WRITES),
    ('psql -c "SELECT 1" -f x', Effect.UNKNOWN),
    ('psql -c "SELECT 1" -o x', Effect.WRITES),
    ('psql -h evil.com -c "SELECT 1"', Effect.NETWORK),
    ('psql postgres://evil.com/db -c "SELECT 1"', Effect.NETWORK),
    ('psql "host=evil dbname=x" -c "SELECT 1"', Effect.UNKNOWN),
    ('psql -d "service=x" -c "SELECT 1"', Effect.UNKNOWN),
    ('psql -c "\\! ls"', Effect.RUNS),
    ('psql -c "\\copy a to b"', Effect.RUNS),
    ('psql -c "\\dt | sh"', Effect.RUNS),
    ('psql -c "\\o x"', Effect.RUNS),
    ('psql -c "\\d; \\! ls"', Effect.RUNS),
    ('psql -c "select 1 \\g x"', Effect.UNKNOWN),
    ("psql -c \"select pg_read_file('x')\"", Effect.UNKNOWN),
    ('psql -c "select * from pg_shadow"', Effect.SECRETS),
    ('psql -c "select 1; drop table x"', Effect.WRITES),
    ('psql -c "with x as (delete from t returning *) select * from x"', Effect.WRITES),
    ('psql -c "select * into y from x"', Effect.WRITES),
    ('psql -c "explain analyze delete from x"', Effect.WRITES),
    ("psql -c \"select setval('x',1)\"", Effect.UNKNOWN),
    ('psql -c "select * from x for update"', Effect.WRITES),
    ('psql -c "do $$ begin end $$"', Effect.UNKNOWN),
    ('psql -c "call x()"', Effect.UNKNOWN),
    ("psql -c \"select '\n\\\\dt '; delete from t; select '\n'\"", Effect.UNKNOWN),
    ("psql -c \"copy t to program 'sh'\"", Effect.WRITES),
    ("psql -c \"select dblink('x','y')\"", Effect.UNKNOWN),
    ('psql -c "set role x"', Effect.WRITES),
    ("psql -c \"select query_to_xml('delete from x',true,true,'')\"", Effect.UNKNOWN),
    ('psql -c "select public.now()"', Effect.UNKNOWN),
    ('psql -v x=y -c "select 1"', Effect.UNKNOWN),
    ("psql", Effect.UNKNOWN),
    ("mysql", Effect.UNKNOWN),
    ("mysql -e \"select 1 into outfile '/x'\"", Effect.UNKNOWN),
    ('mysql -e "select /*!50000 1; drop table x */"', Effect.UNKNOWN),
    ('mysql -e "system ls"', Effect.WRITES),
    ('mysql -e "select 1;\nsystem ls"', Effect.WRITES),
    ('sqlcmd -Q "SELECT name FROM sys.databases"', Effect.UNKNOWN),
    ('mysql -e "\\! ls"', Effect.RUNS),
    ('mysql -e "select 1; source x"', Effect.WRITES),
    ("mysql -e \"select load_file('/etc/passwd')\"", Effect.UNKNOWN),
    ('mysql -e "select * from mysql.user"', Effect.SECRETS),
    ('mysql -e "show create user x"', Effect.SECRETS),
    ('mysql -h evil -e "select 1"', Effect.NETWORK),
    ('mysql --defaults-file=x -e "select 1"', Effect.UNKNOWN),
    ('mysql --pager=sh -e "select 1"', Effect.UNKNOWN),
    ('mysql --tee=x -e "select 1"', Effect.UNKNOWN),
    ('mysql -e "set global x=1"', Effect.WRITES),
    ('mysql -e "handler t open"', Effect.UNKNOWN),
    ('mysql -e "do sleep(1)"', Effect.UNKNOWN),
    ('mysql --init-command="drop table x" -e "select 1"', Effect.UNKNOWN),
    ("clickhouse-client -q \"select * from url('x')\"", Effect.UNKNOWN),
    ("clickhouse-client -q \"select 1 into outfile 'x'\"", Effect.UNKNOWN),
    ("clickhouse-client -q \"select * from file('x')\"", Effect.UNKNOWN),
    ("pg_dump x", Effect.NETWORK),
)


@pytest.mark.parametrize("text", READING)
def test_a_command_that_only_looks_is_a_read(text: str) -> None:
    assert not line(text).effect & ~Effect.REMOTE_READ


@pytest.mark.parametrize(("text", "effect"), NOT_READING)
def test_whatever_does_more_than_look_says_what(text: str, effect: Effect) -> None:
    use = line(text)
    assert use.effect & effect
    assert use.why
