"""Checks of sqlite3 and duckdb: databases in a file.

A view in a database calls functions of the shell (`edit` starts a program), so a plain query may
run anything that is in the file, or change the file (`pragma_optimize`). `-safe` forbids the first
and `-readonly` the second; a database in memory has no views, and the schema itself is no view.
"""

import re
from collections.abc import Iterator

from automode.core.files import Kind as FileKind
from automode.core.paths import located
from automode.programs import sql
from automode.programs.checks.databases import fed, told
from automode.programs.row import Kind
from automode.programs.sql_shells import leading_commands
from automode.programs.touch import Given, Touch
from automode.programs.use import READS, Use, unknown, writes

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
