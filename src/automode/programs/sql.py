"""Whether SQL text only reads, by a real parser and a closed list of what reading is.

A statement that the parser does not know and a word before a parenthesis that is not listed here
mean: not understood. The words are looked for in the raw text, so whatever the parser makes of it,
no other function is called.
"""

import logging
import re
from collections.abc import Iterator, Sequence

from automode.core.word_lists import word_sets
from automode.programs.use import READS, Effect, Use, unknown, writes

WORDS = word_sets("automode.programs")

LIMIT_CHARACTERS = 20_000

# Tables of the sqlite3 shell that read a file, which a condition names as well as an argument.
_FILE_TABLES = re.compile(
    r"\b(fsdir|zipfile|readfile|completion|sqlite_dbdata|sqlite_dbptr|csv|lsmode|vtablog)\b",
    re.IGNORECASE,
)
# A pragma is a table as well, in any place where a table may stand: `x in pragma_optimize`.
_PRAGMA_TABLE = re.compile(r"pragma_(\w*)", re.IGNORECASE)
_DUCKDB_SCHEMAS = frozenset("information_schema pg_catalog".split())

_CHANGING = WORDS["sql-changing"]
_BEFORE_PARENTHESIS = WORDS["sql-before-parenthesis"]
_SECRET_TABLES = WORDS["sql-secret-tables"]
_READING_PRAGMAS = WORDS["sql-reading-pragmas"]
_PLAIN_PRAGMAS = WORDS["sql-plain-pragmas"]
_PRAGMA = re.compile(r"PRAGMA\s+(?:\w+\.)?(\w+)\s*(\(\s*['\"]?[\w.]*['\"]?\s*\))?", re.IGNORECASE)
_SHOW = re.compile(r"SHOW\s+[\w\s.,%'\"`=*@-]+", re.IGNORECASE)
_DESCRIBE = re.compile(
    r"(DESCRIBE|DESC)\s+(TABLE\s+|EXTENDED\s+|FORMATTED\s+|KEYSPACES?\s*|TABLES\s*)?[\w.`\"\[\]]*"
    r"(\s+[\w%'`]+)?",
    re.IGNORECASE,
)
_EXPLAIN = re.compile(
    r"EXPLAIN\s+((QUERY\s+PLAN|ANALYZE|VERBOSE|EXTENDED|AST|SYNTAX|PIPELINE|PLAN|ESTIMATE"
    r"|FORMAT\s*=\s*\w+|\([\w\s,]*\))\s+)*",
    re.IGNORECASE,
)
_USE = re.compile(r"USE\s+[\w`\"\[\]-]+", re.IGNORECASE)
_CALL = re.compile(r"(?P<schema>[\w\"`\]]\s*\.\s*)?(?P<name>[\w$\x80-\uffff]+|[\"`\]'])\s*\(")
# Comments, which MySQL may run and others end elsewhere; dollar quotes; quotes within brackets.
_READ_IN_TWO_WAYS = re.compile(r"/\*|\*/|--|#|\0|\\['\"`]|\$\w*\$|\[[^\]]*['\"`]")


def judge(text: str, dialect: str) -> Use:
    """What `text` does in `dialect`."""
    if len(text) > LIMIT_CHARACTERS:
        return unknown("the SQL is too long to be looked at")
    if _READ_IN_TWO_WAYS.search(text):
        return unknown("the SQL reads differently on different servers")
    if dialect == "sqlite" and (shell := _shell_table(text)):
        return unknown(shell)
    for call in _CALL.finditer(text):
        own = call["schema"] is None or text[: call.start("name")].endswith("pg_catalog.")
        name = call["name"].lower()
        known = name in _BEFORE_PARENTHESIS or name.removeprefix("pragma_") in _READING_PRAGMAS
        if not own or not known:
            return unknown(f"what the function `{call['name']}` does is not known")
    statements = _split(text, dialect)
    if statements is None:
        return unknown("the SQL cannot be read")
    use = READS
    for statement in statements:
        use |= _statement(statement, dialect)
    return use


def _shell_table(text: str) -> str | None:
    """Why a table that SQLite brings itself may do more than read the database."""
    if _FILE_TABLES.search(text):
        return "a table of the shell may read a file"
    for pragma in _PRAGMA_TABLE.finditer(text):
        if pragma[1].lower() not in _READING_PRAGMAS:
            return f"what the table `{pragma[0]}` does is not known"
    return None


def tables(text: str, dialect: str) -> frozenset[str] | None:
    """The tables that the statements name, in small letters; None when they cannot be read."""
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        nodes = [node for one in sqlglot.parse(text, dialect=dialect) if one for node in one.walk()]
    except (SqlglotError, RecursionError, ValueError, IndexError, AttributeError, TypeError):
        return None
    own = {node.alias.lower() for node in nodes if isinstance(node, exp.CTE)}
    found = {node.name.lower() for node in nodes if isinstance(node, exp.Table)}
    return frozenset(found - own - {""})


def _split(text: str, dialect: str) -> tuple[str, ...] | None:
    """The statements of `text`; None when it cannot be taken apart, or there is none."""
    import sqlglot
    from sqlglot.errors import SqlglotError

    try:
        tokens = sqlglot.tokenize(text, dialect=dialect)
    except (SqlglotError, RecursionError, ValueError, IndexError):
        return None
    cuts = [token.start for token in tokens if token.text == ";" and text[token.start] == ";"]
    starts, ends = [0, *(cut + 1 for cut in cuts)], [*cuts, len(text)]
    pieces = (text[start:end].strip() for start, end in zip(starts, ends, strict=True))
    return tuple(piece for piece in pieces if piece) or None


def _statement(text: str, dialect: str) -> Use:
    explained = _EXPLAIN.match(text)
    if explained:
        return _statement(text[explained.end() :], dialect)
    if dialect == "duckdb" and not re.fullmatch(r"[\w\s]+", text):
        return _query(text, dialect)  # a name in a short statement may be that of a file, too
    pragma = _PRAGMA.fullmatch(text)
    if pragma:
        return _pragma(pragma[1].lower(), argument=pragma[2] is not None)
    if _SHOW.fullmatch(text):
        return _show(text)
    if _DESCRIBE.fullmatch(text) or _USE.fullmatch(text):
        return READS
    return _query(text, dialect)


def _pragma(name: str, *, argument: bool) -> Use:
    if name in _READING_PRAGMAS or (name in _PLAIN_PRAGMAS and not argument):
        return READS
    return writes(f"`PRAGMA {name}` may change the database or the connection")


def _show(text: str) -> Use:
    upper = set(text.upper().split())
    if upper & {"INTO", "OUTFILE"}:
        return writes("it writes the answer to a file")
    if {"CREATE", "USER"} <= upper:
        return Use(Effect.SECRETS, "it shows how a user signs in")
    return READS


def _query(text: str, dialect: str) -> Use:
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    # The parser logs what it does not know, and the log would show the command.
    logging.getLogger("sqlglot").setLevel(logging.CRITICAL + 1)
    try:
        parsed = sqlglot.parse(text, dialect=dialect)
        nodes = list(parsed[0].walk()) if len(parsed) == 1 and parsed[0] is not None else []
        tokens = sqlglot.tokenize(text, dialect=dialect)
    except (SqlglotError, RecursionError, ValueError, IndexError, AttributeError, TypeError):
        return unknown("the SQL cannot be read")
    tops: tuple[type[exp.Expr], ...] = (exp.Query, exp.Values, exp.Describe, exp.Summarize)
    if not nodes or not isinstance(nodes[0], tops):
        return writes("the statement is not one that reads")
    strings = {"STRING", "IDENTIFIER", "RAW_STRING", "NATIONAL_STRING", "HEREDOC_STRING"}
    spoken = {token.text.upper() for token in tokens if token.token_type.name not in strings}
    if word := next(iter(sorted(spoken & _CHANGING)), None):
        return writes(f"`{word}` changes data")
    use = READS
    for found in _faults(nodes, dialect):
        use |= found
    return use


def _faults(nodes: Sequence[object], dialect: str) -> Iterator[Use]:
    """Everything in a parsed statement that is not reading rows of tables."""
    from sqlglot import exp

    beyond: tuple[type[object], ...] = (exp.Command, exp.Into, exp.Lock, exp.Copy, exp.Set)
    beyond += (exp.Attach, exp.NextValueFor, exp.ToFile, exp.Secret)
    changes = (exp.DML, exp.DDL, exp.Alter, exp.Drop, exp.TruncateTable)
    for node in nodes:
        if isinstance(node, beyond):
            yield writes("it does more than read")
        elif isinstance(node, changes) and not isinstance(node, exp.Query):
            yield writes("it changes data")
        elif isinstance(node, exp.Table):
            yield _table(node.name, node.db, node.catalog, dialect)


def _table(name: str, schema: str, catalog: str, dialect: str) -> Use:
    if name.lower() in _SECRET_TABLES or schema.lower() == "mysql":
        return Use(Effect.SECRETS, f"`{name}` may hold credentials")
    # DuckDB takes the name of a file or an address for a table: `secrets.json` is one as well.
    plain = all(re.fullmatch(r"[\w$ -]*", part) for part in (name, schema, catalog))
    if dialect == "duckdb":
        plain = plain and not catalog and (not schema or schema.lower() in _DUCKDB_SCHEMAS)
    return READS if plain else unknown("it may read a file or an address")


_META = re.compile(
    r"\\(d[a-zA-Z]*\+?|l\+?|z|x|timing|conninfo|encoding|sf\+?|sv\+?|a|t|\?|h|q)(\s[^\\|`]*)?"
)
_DOT = re.compile(
    r"\.(tables?|schema|databases|indexes|indices|headers?|mode|show|help|width"
    r"|nullvalue|separator|timer|stats|eqp|explain|bail|echo|quit|exit|version|changes|print)"
    r"(\s+[\w.,%*=-]+)*"
)


def leading_commands(text: str, mark: str) -> tuple[list[str], str]:
    """Commands of the client itself, one a line, and the SQL behind the last of them. Between
    lines of SQL such a line may stand in a string."""
    lines = text.splitlines()
    first = next((at for at, line in enumerate(lines) if line.lstrip()[:1] != mark), len(lines))
    return [line.strip() for line in lines[:first]], "\n".join(lines[first:])


def psql_use(text: str) -> Use:
    """Backslash commands, then SQL."""
    commands, rest = leading_commands(text, "\\")
    if not all(map(_META.fullmatch, commands)):
        return Use(Effect.RUNS | Effect.WRITES, "a backslash command may write or run")
    if "\\" in rest:
        return unknown("a backslash command may hide in the SQL")
    return judge(rest, "postgres") if rest.strip() else READS


def dot_use(text: str, dialect: str) -> Use:
    """Dot-commands, then SQL."""
    commands, rest = leading_commands(text, ".")
    if not all(map(_DOT.fullmatch, commands)) or re.search(r"^\s*\.", rest, re.MULTILINE):
        return Use(Effect.RUNS | Effect.WRITES, "a dot-command may write or run")
    return judge(rest, dialect) if rest.strip() else READS


def mysql_use(text: str) -> Use:
    if "\\" in text:
        return Use(Effect.RUNS | Effect.WRITES, "a command of the client may write or run")
    return judge(text, "mysql")


_PLAIN = r"[^()`;=\\]*"
_MONGO_READ = re.compile(
    rf"db(\.getSiblingDB\({_PLAIN}\)|\.getCollection\({_PLAIN}\)|\.[A-Za-z_]\w*)*"
    rf"\.(find|findOne|count|countDocuments|estimatedDocumentCount|distinct|stats|getIndexes"
    rf"|getCollectionNames|getCollectionInfos|getName|version|serverStatus|hostInfo|dataSize"
    rf"|storageSize|totalIndexSize|totalSize|isCapped|hello|getMongo|listCollections)\({_PLAIN}\)"
    rf"(\.(limit|sort|skip|project|pretty|count|toArray|explain|size|hint)\({_PLAIN}\))*"
    r"|rs\.(status|conf|printReplicationInfo)\(\)|sh\.status\(\)"
    r"|show (dbs|databases|collections|tables|users|roles)"
)
_MONGO_CODE = re.compile(
    r"\$where|\$function|\$accumulator|function\b|=>|\bnew\b|\beval\b"
    # What the shell itself can reach: the environment, files and modules.
    r"|\bsystem\b"  # its collections hold how users sign in
    r"|\b(process|env|require|load|import|module|global|globalThis|this|config)\b"
)


def mongo_use(code: str) -> Use:
    """JavaScript: only a chain of reading methods is taken for what it says."""
    text = code.strip().rstrip(";").strip()
    wrapped = re.fullmatch(r"(?:print|printjson)\((.*)\)", text, re.DOTALL)
    inner = wrapped[1].strip() if wrapped else text
    reads = _MONGO_READ.fullmatch(inner) and not _MONGO_CODE.search(inner)
    return READS if reads else unknown("it runs JavaScript")
