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
from automode.programs.use import READS, Effect, Use, unknown, writes
from automode.shell.word_lists import word_lists

WORDS = word_lists("automode.programs")

_INTERACTIVE = unknown("it waits for commands that are not known")


def is_told(given: Given) -> Use:
    """It is told what to do: by an option or a word."""
    return READS if given.code != () else _INTERACTIVE


def is_fed(given: Given) -> Use:
    """The same, or by what is fed to it."""
    text = given.invocation.command.fed
    if given.code != () or text is None:
        return is_told(given)
    return language_of(given.row.language)(given, (text,))


def client(given: Given) -> Use:
    lists = given.options.has("-l", "--list") and given.code == ()
    return READS if lists else is_fed(given)


_REDIS_READS = WORDS["redis-reads"]
_REDIS_PAIRS = WORDS["redis-reading-pairs"]
_REDIS_SECRET = re.compile(r"pass|auth|\*|\?|\[|tls|acl", re.IGNORECASE)
_SCANS = ("--scan", "--bigkeys", "--memkeys", "--hotkeys", "--stat", "--latency")


def redis(given: Given) -> Use:
    texts = [word.text.lower() if word.value is not None else "?" for word in given.operands]
    if not texts:
        return READS if given.options.has(*_SCANS) else _INTERACTIVE
    if texts[0] in _REDIS_READS:
        return READS
    if ":".join(texts[:2]) not in _REDIS_PAIRS:
        return Use(Effect.REMOTE_WRITE, f"`{texts[0]}` is not known to only read")
    if texts[0] == "config" and any(_REDIS_SECRET.search(text) for text in texts[2:]):
        return Use(Effect.SECRETS, "the setting may be a password")
    return READS


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


def _open_use(given: Given, name: str | None) -> Use:
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
        return is_told(given)
    use = is_fed(given)
    texts = given.code or (given.invocation.command.fed or "",)
    name = given.operands[0].value
    if name == ":memory:":
        files = not all(map(_needs_no_file, texts))
        return use | (unknown("a table that is not in memory may be a file") if files else READS)
    use |= _open_use(given, name)
    safe = given.options.has("-safe", "--safe") and given.options.has("-readonly", "--readonly")
    if not safe and not all(map(_schema_only, texts)):
        use |= unknown("a view may call anything, unless `-safe` and `-readonly` are given")
    return use


def duckdb(given: Given) -> Use:
    """It has no `-safe`: only a database in memory is known to hold nothing."""
    if given.operands and given.operands[0].value != ":memory:":
        return is_told(given) | unknown("a view in the database may call anything")
    return is_told(given)


def database(given: Given) -> Iterator[Touch]:
    """The file is read; what else happens to it the statements say."""
    for word in given.operands[:1]:
        yield Touch(Kind.READS, word)
        if not given.options.has("-readonly", "--readonly"):
            yield Touch(Kind.ANY, word)
