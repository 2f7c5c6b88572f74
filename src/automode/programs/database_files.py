"""sqlite3 and duckdb: databases in a file, whose shells have commands of their own.

A view in a database calls functions of the shell (`edit` starts a program), so a plain query may
run anything that is in the file. `-safe` forbids that; a database in memory has no views, and the
schema itself is no view.
"""

import re
from collections.abc import Mapping

from automode.core.files import Kind
from automode.core.paths import absolute
from automode.programs import sql
from automode.programs.databases import INTERACTIVE, given_values, leading_commands, unclear
from automode.programs.use import READS, Effect, Invocation, Judge, Use, unknown, writes
from automode.programs.verbs import asks_only, spec
from automode.shell.options import arguments
from automode.shell.script import Word

_LOOKS = (
    "-header -headers -noheader -csv -json -line -list -column -table -box -markdown -html -ascii"
    " -quote -tabs -bail -batch -echo -readonly -nofollow -separator= -nullvalue= -newline="
)
_SQLITE = spec(f"{_LOOKS} -safe", single_dash=True)
_DUCKDB = spec(f"{_LOOKS} -jsonlines -latex -no-stdin -c= -s=", single_dash=True)
_DOT = re.compile(
    r"\.(tables?|schema|databases|indexes|indices|headers?|mode|show|help|width"
    r"|nullvalue|separator|timer|stats|eqp|explain|bail|echo|quit|exit|version|changes|print)"
    r"(\s+[\w.,%*=-]+)*"
)
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


def _single_dash(word: Word) -> Word:
    """Both shells take `--json` for `-json`."""
    return Word(word.text[1:], word.origin, word.splits) if word.text[:2] == "--" else word


def _text(text: str, dialect: str) -> Use:
    """Dot-commands, then SQL."""
    commands, rest = leading_commands(text, ".")
    if not all(map(_DOT.fullmatch, commands)) or re.search(r"^\s*\.", rest, re.MULTILINE):
        return Use(Effect.RUNS | Effect.WRITES, "a dot-command may write or run")
    return sql.judge(rest, dialect) if rest.strip() else READS


def _schema_only(text: str | None) -> bool:
    """Whether it looks at the schema and at nothing that a view may stand for."""
    rest = None if text is None else leading_commands(text, ".")[1]
    return rest is not None and (not rest.strip() or bool(_SCHEMA_ONLY.fullmatch(rest)))


def _needs_no_file(text: str | None) -> bool:
    """In memory there are no tables: another name is that of a module, which may read a file."""
    rest = "" if text is None else leading_commands(text, ".")[1]
    if re.search(r"\b(from|join|in)\b", rest, re.IGNORECASE) is None:
        return True
    found = sql.tables(rest, "sqlite")
    return found is not None and found <= _IN_MEMORY


def _opened(invocation: Invocation, name: str | None, *, frozen: bool) -> Use:
    """What opening a file does: it is created where it is missing, and repaired by a journal, which
    may name other files."""
    cwd = invocation.command.cwd
    if name is None or cwd is None or name.startswith("file:"):
        return unknown("which database it opens is not known")
    kind, place = invocation.workspace.files.kind, absolute(name, cwd)
    exists = kind(place) is not Kind.MISSING and kind(f"{place}-journal") is not Kind.FILE
    if frozen or exists:
        return READS
    return writes("it may create or repair the database, unless `-readonly` is given")


def _texts(texts: list[str | None], dialect: str) -> Use:
    use = READS
    for text in texts:
        use |= unknown("the SQL is not known") if text is None else _text(text, dialect)
    return use


def _sqlite(invocation: Invocation) -> Use:
    if asks_only(invocation, "-version", "--version", "-help", "--help"):
        return READS
    given = arguments(tuple(map(_single_dash, invocation.args)), _SQLITE)
    use = unclear(given, invocation)
    if not given.operands:
        return use | INTERACTIVE
    texts = [word.value for word in given.operands[1:]] or [invocation.command.fed]
    if given.operands[0].value != ":memory:":
        use |= _opened(invocation, given.operands[0].value, frozen=given.has("-readonly"))
        if not given.has("-safe") and not all(map(_schema_only, texts)):
            use |= unknown("a view in the database may call anything, unless `-safe` is given")
    elif not all(map(_needs_no_file, texts)):
        use |= unknown("a table that is not in memory may be a file")
    return use | (INTERACTIVE if texts == [None] else _texts(texts, "sqlite"))


def _duckdb(invocation: Invocation) -> Use:
    """It has no `-safe`: only a database in memory is known to hold nothing."""
    if asks_only(invocation, "-version", "--version", "-help", "--help", "-h"):
        return READS
    given = arguments(tuple(map(_single_dash, invocation.args)), _DUCKDB)
    use = unclear(given, invocation)
    if given.operands and given.operands[0].value != ":memory:":
        use |= unknown("a view in the database may call anything")
    texts = [*given_values(given, "-c", "-s"), *(word.value for word in given.operands[1:])]
    return use | (_texts(texts, "duckdb") if texts else INTERACTIVE)


PROGRAMS: Mapping[str, Judge] = {
    **dict.fromkeys(("sqlite3", "sqlite"), _sqlite),
    "duckdb": _duckdb,
}
