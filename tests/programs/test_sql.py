"""SQL: which statements only read, in which dialect."""

from automode.programs import sql
from automode.programs.use import Effect
from tests.rows import each_row

READING = (
    ("postgres", "SELECT a, count(*) FROM t WHERE b ILIKE 'x%' GROUP BY 1 ORDER BY 2 LIMIT 3;"),
    ("postgres", "WITH a AS (SELECT 1 AS x) SELECT x FROM a UNION ALL SELECT 2"),
    ("postgres", "SELECT 'DROP TABLE t;'"),
    ("postgres", "EXPLAIN (ANALYZE, BUFFERS) SELECT 1"),
    ("postgres", "SHOW search_path"),
    ("mysql", "USE app; SHOW CREATE TABLE users; DESCRIBE users"),
    ("sqlite", "PRAGMA table_info(users); SELECT 1"),
    ("sqlite", "SELECT name FROM pragma_table_info('users')"),
    ("sqlite", "SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) p"),
    ("duckdb", "SELECT 42"),
)
NOT_READING = (
    ("postgres", "SELECT 1; DROP TABLE t", Effect.WRITES),
    ("postgres", "WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x", Effect.WRITES),
    ("postgres", "SELECT * INTO copy FROM t", Effect.WRITES),
    ("postgres", "EXPLAIN ANALYZE DELETE FROM t", Effect.WRITES),
    ("postgres", "SELECT pg_read_file('x')", Effect.UNKNOWN),
    ("postgres", "SELECT rolpassword FROM pg_authid", Effect.SECRETS),
    ("postgres", "SELECT app.refresh()", Effect.UNKNOWN),
    ("mysql", "SELECT /*!50000 1; DROP TABLE t */", Effect.UNKNOWN),
    ("mysql", r"SELECT '\'; DROP TABLE t; -- '", Effect.UNKNOWN),
    ("mysql", "SELECT * FROM t INTO OUTFILE '/tmp/x'", Effect.UNKNOWN),
    ("sqlite", "PRAGMA journal_mode = wal", Effect.WRITES),
    ("sqlite", "SELECT * FROM pragma_optimize", Effect.UNKNOWN),
    ("sqlite", "SELECT * FROM Pragma_Optimize(1)", Effect.UNKNOWN),
    ("sqlite", 'SELECT * FROM main."pragma_optimize"', Effect.UNKNOWN),
    ("sqlite", "SELECT * FROM [pragma_optimize] WHERE arg = 2", Effect.UNKNOWN),
    ("sqlite", "SELECT 1 WHERE 1 IN pragma_optimize", Effect.UNKNOWN),
    ("sqlite", "SELECT * FROM t, pragma_wal_checkpoint", Effect.UNKNOWN),
    ("duckdb", "SELECT * FROM 'https://example.com/x.csv'", Effect.UNKNOWN),
    ("duckdb", "FROM 'data.csv'", Effect.UNKNOWN),
    ("postgres", "SELECT 'DROP TABLE t; --'", Effect.UNKNOWN),
    ("postgres", "SELECT pg_terminate_backend(1)", Effect.UNKNOWN),
    ("postgres", "SELECT pg_sleep (9)", Effect.UNKNOWN),
    ("postgres", 'SELECT "lo_export"(1, 2)', Effect.UNKNOWN),
    ("postgres", "SELECT set_config/**/('a', 'b', false)", Effect.UNKNOWN),
    ("postgres", "SELECT $a$ ' $a$; DROP TABLE t; SELECT $a$ ' $a$", Effect.UNKNOWN),
    ("postgres", "SELECT * FROM pg_subscription", Effect.SECRETS),
    ("sqlite", "SELECT [a'b]; DELETE FROM t; SELECT [a'b]", Effect.UNKNOWN),
    ("mysql", "SELECT 1 # '\n; DROP TABLE t # '", Effect.UNKNOWN),
    ("mysql", "SELECT * FROM mysql.global_priv", Effect.SECRETS),
    ("duckdb", "SELECT * FROM read_csv('/etc/passwd')", Effect.UNKNOWN),
    ("tsql", "SELECT 1 SHUTDOWN", Effect.WRITES),
    ("postgres", "SELECT " + "(" * 9_000, Effect.UNKNOWN),
    ("postgres", "SELECT 1 " * 9_000, Effect.UNKNOWN),
    ("postgres", "", Effect.UNKNOWN),
)


@each_row("dialect, text", READING)
def test_a_query_reads(dialect: str, text: str) -> None:
    assert sql.judge(text, dialect).effect is Effect.NONE


@each_row("dialect, text, effect", NOT_READING)
def test_everything_else_is_no_read(dialect: str, text: str, effect: Effect) -> None:
    assert sql.judge(text, dialect).effect & effect
