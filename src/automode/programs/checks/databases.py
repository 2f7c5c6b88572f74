"""Checks of clients of databases: which server or file they open, and what they are told to do.

A view in an SQLite database calls functions of the shell (`edit` starts a program), so a plain
query may run anything that is in the file, or change the file (`pragma_optimize`). `-safe` forbids
the first and `-readonly` the second; a database in memory has no views, and the schema is none.
"""

import re
from collections.abc import Iterator

from automode.core.paths import located
from automode.core.workspace import Kind as FileKind
from automode.programs import sql
from automode.programs.checks import language_of
from automode.programs.row import Given, Kind, Touch
from automode.programs.sql import leading_commands
from automode.programs.use import READS, Effect, Use, network, unknown, writes
from automode.shell.word_lists import word_lists

WORDS = word_lists("automode.programs")

_LOCAL_HOSTS = WORDS["local-hosts"]
_LOCAL_SOCKETS = WORDS["local-sockets"]
_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")
_PORT_AND_NAME = r"(?P<host>[A-Za-z0-9_.-]*)(?::\d+)?(?:/[A-Za-z0-9_-]*)?"
# Where a password ends is a matter of the client, so none holds a mark that ends a part.
_ADDRESS = re.compile(
    r"(postgres(ql)?|mysql|mariadb|rediss?|valkeys?|mongodb|clickhouse|https?)://"
    rf"(?:[^@/?#,;\\\[\]\s\0]*@)?{_PORT_AND_NAME}"
)
_PLACE = re.compile(_PORT_AND_NAME)
_INTERACTIVE = unknown("it waits for commands that are not known")


def _host(name: str) -> Use:
    """The user's own server is the one on this machine or the configured one."""
    if name in _LOCAL_HOSTS:
        return READS
    return network(f"`{name}` is another server than the configured one")


def _socket(path: str) -> Use:
    """A server behind another socket may ask the client for files of its machine."""
    return READS if path in _LOCAL_SOCKETS else network(f"`{path}` is not the usual socket")


def _server(text: str) -> Use:
    """An address, or a host with or without its port and a database: all of this machine."""
    address = _ADDRESS.fullmatch(text) or _PLACE.fullmatch(text)
    if address is None:
        return unknown("the connection is described in full")
    return _host(address["host"] or "localhost")


def _database(text: str) -> Use:
    """A plain name of a database of the configured server, or a server in its place."""
    return READS if _PLAIN.fullmatch(text) else _server(text)


def _values(given: Given, *names: str) -> Iterator[str]:
    """The values of these options; `?` stands for one that is not known."""
    for option in given.options.options:
        if option.name in names and option.value is not None:
            yield option.value.value or "?"


def server(given: Given) -> Use:
    """The server, which must be this machine, and the database, in whose place clients take the
    address of a server."""
    use = READS
    for name in _values(given, "-h", "--host"):
        use |= _host(name)
    for name in _values(given, "-S", "--socket"):
        use |= _socket(name)
    for name in _values(given, "-d", "--dbname", "-D", "--database", "-k", "--keyspace"):
        use |= _database(name)
    return use


def told(given: Given) -> Use:
    """The same, and it is told what to do: by an option or a word."""
    return server(given) | (READS if given.code != () else _INTERACTIVE)


def fed(given: Given) -> Use:
    """The same, or by what is fed to it."""
    text = given.invocation.command.fed
    if given.code != () or text is None:
        return told(given)
    return server(given) | language_of(given.row.language)(given, (text,))


def client(given: Given) -> Use:
    """The same with a database as its first word."""
    use = READS
    for word in given.operands[:1]:
        use |= _database(word.value or "?")
    if given.options.has("-l", "--list") and given.code == ():
        return use | server(given)
    return use | fed(given)


def cqlsh(given: Given) -> Use:
    use = told(given)
    for word in given.operands[:1]:
        use |= _host(word.value or "?")
    return use


def trino(given: Given) -> Use:
    use = told(given)
    for name in _values(given, "--server"):
        use |= _server(name)
    return use


_ADMIN_READS = WORDS["mysqladmin-reads"]


def mysqladmin(given: Given) -> Use:
    if given.operands and all(word.value in _ADMIN_READS for word in given.operands):
        return server(given)
    return server(given) | Use(Effect.REMOTE_WRITE, "it administers the server")


def mongo(given: Given) -> Use:
    if len(given.operands) > 1 or any(word.text.endswith(".js") for word in given.operands):
        return server(given) | Use(Effect.RUNS, "it runs a script")
    use = told(given)
    for word in given.operands:
        use |= _database(word.value or "?")
    return use


_REDIS_READS = WORDS["redis-reads"]
_REDIS_PAIRS = WORDS["redis-reading-pairs"]
_REDIS_SECRET = re.compile(r"pass|auth|\*|\?|\[|tls|acl", re.IGNORECASE)
_SCANS = ("--scan", "--bigkeys", "--memkeys", "--hotkeys", "--stat", "--latency")


def redis(given: Given) -> Use:
    use = server(given)
    for address in _values(given, "-u"):
        use |= _server(address)
    texts = [word.text.lower() if word.value is not None else "?" for word in given.operands]
    if not texts:
        return use | (READS if given.options.has(*_SCANS) else _INTERACTIVE)
    if texts[0] in _REDIS_READS:
        return use
    if ":".join(texts[:2]) not in _REDIS_PAIRS:
        return use | Use(Effect.REMOTE_WRITE, f"`{texts[0]}` is not known to only read")
    if texts[0] == "config" and any(_REDIS_SECRET.search(text) for text in texts[2:]):
        return use | Use(Effect.SECRETS, "the setting may be a password")
    return use


_TEST = r"\w+\s*(=|!=|<>|(not\s+)?like)\s*'[^']*'"
_SCHEMA_ONLY = re.compile(
    r"(pragma\s+(table_x?info|table_list|index_list|index_info|foreign_key_list|database_list"
    r"|user_version|schema_version|page_count|page_size|encoding|journal_mode|application_id"
    r"|freelist_count|compile_options)\s*(\(['\"]?\w*['\"]?\))?"
    rf"|select\s+(\*|\w+(\s*,\s*\w+)*)\s+from\s+sqlite_(master|schema)"
    rf"(\s+where\s+{_TEST}(\s+(and|or)\s+{_TEST})*)?(\s+order\s+by\s+\w+)?)\s*;?\s*",
    re.IGNORECASE,
)
_IN_MEMORY = frozenset("sqlite_master sqlite_schema json_each json_tree generate_series".split())


def _schema_only(text: str) -> bool:
    """Whether it looks at the schema and at nothing that a view may stand for."""
    rest = leading_commands(text, ".")[1]
    return not rest.strip() or bool(_SCHEMA_ONLY.fullmatch(rest))


def _needs_no_file(text: str) -> bool:
    """In memory there are no tables: another name is that of a module, which may read a file."""
    rest = leading_commands(text, ".")[1]
    if re.search(r"\b(from|join|in)\b", rest, re.IGNORECASE) is None:
        return True
    found = sql.tables(rest, "sqlite")
    return found is not None and found <= _IN_MEMORY


def _opened(given: Given, name: str | None) -> Use:
    """What opening a file does: it is created where it is missing, and repaired by a journal, which
    may name other files."""
    cwd = given.invocation.command.cwd
    if name is None or cwd is None or name.startswith("file:"):
        return unknown("which database it opens is not known")
    files = given.invocation.workspace.files
    place = located(name, cwd, files)
    real = files.resolve(place)
    if real is None:
        return unknown("where the database lies is not known")
    # The journal lies beside the file that a link leads to; old versions look beside the link.
    journals = (f"{one}-journal" for one in (place, real))
    calm = all(files.kind(one) is FileKind.MISSING for one in journals)
    there = calm and files.kind(real) is not FileKind.MISSING
    if there or given.options.has("-readonly", "--readonly"):
        return READS
    return writes("it may create or repair the database, unless `-readonly` is given")


def sqlite(given: Given) -> Use:
    if not given.operands:
        return told(given)
    use = fed(given)
    texts = given.code or (given.invocation.command.fed or "",)
    name = given.operands[0].value
    if name == ":memory:":
        files = not all(map(_needs_no_file, texts))
        return use | (unknown("a table that is not in memory may be a file") if files else READS)
    use |= _opened(given, name)
    safe = given.options.has("-safe", "--safe") and given.options.has("-readonly", "--readonly")
    if not safe and not all(map(_schema_only, texts)):
        use |= unknown("a view may call anything, unless `-safe` and `-readonly` are given")
    return use


def duckdb(given: Given) -> Use:
    """It has no `-safe`: only a database in memory is known to hold nothing."""
    if given.operands and given.operands[0].value != ":memory:":
        return told(given) | unknown("a view in the database may call anything")
    return told(given)


def database(given: Given) -> Iterator[Touch]:
    """The file is read; what else happens to it the statements say."""
    for word in given.operands[:1]:
        yield Touch(Kind.READS, word)
        if not given.options.has("-readonly", "--readonly"):
            yield Touch(Kind.ANY, word)
