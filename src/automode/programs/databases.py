"""Clients of databases: psql, mysql, sqlite3, duckdb, redis-cli and their like."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from automode.programs import sql
from automode.programs.forms import Mostly
from automode.programs.use import READS, Effect, Invocation, Judge, Use, network, unknown, writes
from automode.programs.verbs import REMOTE, asks_only, blurred, reads, spec, words
from automode.shell.options import Arguments, arguments

_LOCAL_HOSTS = words("localhost 127.0.0.1 ::1 0.0.0.0 /tmp /var/run/postgresql /run/postgresql .")
_ADDRESS = re.compile(r"\w+://(?:[^@/]*@)?(?P<host>[\w.-]*)(?::\d+)?(?:/[\w.-]*)?")
INTERACTIVE = unknown("it waits for commands that are not known")


def host(word_text: str | None) -> Use:
    """The user's own server is the one on this machine or the configured one."""
    if word_text is None or word_text in _LOCAL_HOSTS:
        return READS
    return network(f"`{word_text}` is another server than the configured one")


def database(name: str) -> Use:
    """A name, or an address with a server in it."""
    address = _ADDRESS.fullmatch(name)
    if address:
        return host(address["host"] or "localhost")
    return unknown("the connection is described in full") if "=" in name or "/" in name else READS


def statements(texts: Sequence[str | None], dialect: str) -> Use:
    """What a server is told, all texts together."""
    use = REMOTE
    for text in texts:
        use |= unknown("the SQL is not known") if text is None else sql.judge(text, dialect)
    return use


def given_values(given: Arguments, *names: str) -> list[str | None]:
    return [
        option.value.value if option.value is not None else None
        for option in given.options
        if option.name in names
    ]


def unclear(given: Arguments, invocation: Invocation) -> Use:
    if blurred(invocation):
        return unknown("an unquoted argument may become several")
    if given.unclear:
        return unknown(f"option `{given.unclear[0]}` is not known to be harmless")
    return READS


_PSQL = spec(
    "-c= --command= -l --list -t -A -x -q -X -w -W -1 -a -b -e -E -H -z -0 -n -s -S -F= -R= -P= -d="
    " -U= -p= -h= --tuples-only --no-align --expanded --quiet --no-psqlrc --no-password --password"
    " --single-transaction --echo-all --echo-errors --echo-queries --echo-hidden --html --csv"
    " --field-separator= --record-separator= --pset= --dbname= --username= --port= --host="
    " --version -V --help -o= --output= -L= --log-file= -f= --file="
)
_META = re.compile(
    r"\\(d[a-zA-Z]*\+?|l\+?|z|x|timing|conninfo|encoding|sf\+?|sv\+?|a|t|\?|h|q)(\s[^\\|`]*)?"
)


def leading_commands(text: str, mark: str) -> tuple[list[str], str]:
    """Commands of the client itself, one a line, and the SQL behind the last of them. Between
    lines of SQL such a line may stand in a string."""
    lines = text.splitlines()
    first = next((at for at, line in enumerate(lines) if line.lstrip()[:1] != mark), len(lines))
    return [line.strip() for line in lines[:first]], "\n".join(lines[first:])


def _psql_text(text: str) -> Use:
    """Backslash commands, then SQL."""
    commands, rest = leading_commands(text, "\\")
    if not all(map(_META.fullmatch, commands)):
        return Use(Effect.RUNS | Effect.WRITES, "a backslash command may write or run")
    if "\\" in rest:
        return unknown("a backslash command may hide in the SQL")
    return sql.judge(rest, "postgres") if rest.strip() else READS


def _psql(invocation: Invocation) -> Use:
    given = arguments(invocation.args, _PSQL)
    if asks_only(invocation, "--version", "-V", "--help"):
        return READS
    use = unclear(given, invocation)
    for name in given_values(given, "-h", "--host"):
        use |= host(name)
    for word in given.operands[:1]:
        use |= database(word.text)
    for name in given_values(given, "-d", "--dbname"):
        use |= database(name or "=")
    if given.has("-o", "--output", "-L", "--log-file"):
        use |= writes("it writes the answer to a file")
    if given.has("-f", "--file"):
        return use | unknown("the script is not known")
    texts = given_values(given, "-c", "--command")
    if given.has("-l", "--list") and not texts:
        return use | REMOTE
    fed = invocation.command.fed
    if not texts and fed is None:
        return use | INTERACTIVE
    for text in texts or [fed]:
        use |= unknown("the SQL is not known") if text is None else _psql_text(text)
    return use | REMOTE


_MYSQL = spec(
    "-e= --execute= -u= -p[=] -h= -P= -D= -S= -N -B -t -E -H -X -s -r -v -A -f -C -q -n"
    " --table --batch --skip-column-names --vertical --html --xml --silent --raw --verbose --force"
    " --no-auto-rehash --column-names --user= --password[=] --host= --port= --database= --socket="
    " --protocol= --default-character-set= --connect-timeout= --ssl-mode= --version -V --help -?"
)


def _mysql(invocation: Invocation) -> Use:
    given = arguments(invocation.args, _MYSQL)
    if asks_only(invocation, "--version", "-V", "--help", "-?"):
        return READS
    use = unclear(given, invocation)
    for name in given_values(given, "-h", "--host"):
        use |= host(name)
    texts = given_values(given, "-e", "--execute") or [invocation.command.fed]
    if texts == [None]:
        return use | INTERACTIVE
    if any(text is not None and "\\" in text for text in texts):
        return use | Use(Effect.RUNS | Effect.WRITES, "a command of the client may write or run")
    return use | statements(texts, "mysql")


_CLICKHOUSE = spec(
    "-q= --query= --host= -h= --port= -u= --user= --password= -d= --database= -f= --format= -t"
    " --time -E --vertical --secure -s -V --version --help -n --multiquery --max_rows_to_read="
    " --progress --readonly="
)


def _clickhouse(invocation: Invocation) -> Use:
    args = invocation.args
    if invocation.name == "clickhouse":
        if not args or args[0].value != "client":
            return unknown("it is not the client")
        args = args[1:]
    given = arguments(args, _CLICKHOUSE)
    if asks_only(replace(invocation, args=args), "--version", "-V", "--help"):
        return READS
    use = unclear(given, invocation)
    for name in given_values(given, "--host", "-h"):
        use |= host(name)
    texts = given_values(given, "-q", "--query") or [invocation.command.fed]
    return use | (INTERACTIVE if texts == [None] else statements(texts, "clickhouse"))


_CQLSH = spec("-e= --execute= -k= --keyspace= -u= -p= --ssl --no-color --version --help -C --color")


def _cqlsh(invocation: Invocation) -> Use:
    given = arguments(invocation.args, _CQLSH)
    if asks_only(invocation, "--version", "--help", "-h"):
        return READS
    use = unclear(given, invocation)
    for word in given.operands[:1]:
        use |= host(word.value or "?")
    texts = given_values(given, "-e", "--execute")
    return use | (statements(texts, "") if texts else INTERACTIVE)


_TRINO = spec(
    "--execute= --catalog= --schema= --output-format= --server= --version --help --user= --debug"
)


def _trino(invocation: Invocation) -> Use:
    given = arguments(invocation.args, _TRINO)
    if asks_only(invocation, "--version", "--help"):
        return READS
    use = unclear(given, invocation)
    for name in given_values(given, "--server"):
        use |= (
            database(name or "=") if name and "://" in name else host((name or "?").split(":")[0])
        )
    texts = given_values(given, "--execute")
    return use | (statements(texts, "trino") if texts else INTERACTIVE)


_READY = (
    "-h= --host= -p= --port= -d= --dbname= -U= --username= -q --quiet -t= --timeout= -V --version"
)


def _pg_isready(invocation: Invocation) -> Use:
    given = arguments(invocation.args, spec(_READY))
    use = REMOTE | unclear(given, invocation)
    for name in given_values(given, "-h", "--host"):
        use |= host(name)
    return use


_ADMIN = spec(
    "-u= -p[=] -h= -P= -S= --user= --password[=] --host= --port= --socket= -s -v --version"
)
_ADMIN_READS = words("status ping version processlist variables extended-status proc stat")


def _mysqladmin(invocation: Invocation) -> Use:
    given = arguments(invocation.args, _ADMIN)
    use = unclear(given, invocation)
    for name in given_values(given, "-h", "--host"):
        use |= host(name)
    if given.operands and all(word.value in _ADMIN_READS for word in given.operands):
        return use | REMOTE
    return use | Use(Effect.REMOTE_WRITE, "it administers the server")


def _dump(invocation: Invocation) -> Use:
    if asks_only(invocation, "--version", "-V", "--help"):
        return READS
    return Use(Effect.NETWORK | Effect.UNKNOWN, "it copies a whole database")


def _administers(invocation: Invocation) -> Use:
    if asks_only(invocation, "--version", "-V", "--help"):
        return READS
    return Use(Effect.REMOTE_WRITE, "it changes the server")


PROGRAMS: Mapping[str, Judge] = {
    "psql": _psql,
    **dict.fromkeys(("mysql", "mariadb", "mycli"), _mysql),
    **dict.fromkeys(("clickhouse-client", "clickhouse"), _clickhouse),
    # Its statements need no mark between them, so no list of words tells where one ends.
    "sqlcmd": Mostly(unknown("what it is told is not known to only read")),
    "cqlsh": _cqlsh,
    **dict.fromkeys(("trino", "presto"), _trino),
    "pg_isready": _pg_isready,
    **dict.fromkeys(("mysqladmin", "mariadb-admin"), _mysqladmin),
    **dict.fromkeys(("pg_dump", "pg_dumpall", "mysqldump", "mariadb-dump", "mongodump"), _dump),
    **dict.fromkeys(
        (
            "pg_restore",
            "createdb",
            "dropdb",
            "createuser",
            "dropuser",
            "mysqlimport",
            "mongorestore",
        ),
        _administers,
    ),
    "pg_config": reads("--bindir --libdir --includedir --version --sharedir --pkglibdir --help"),
    "pg_lsclusters": reads("-h --no-header -j --json"),
}
