"""Whether SQL text only reads, by a real parser and a closed list of what reading is.

A statement that the parser does not know, a function that is not listed here and a client command
in the middle of the text all mean: not understood.
"""

import logging
import re
from collections.abc import Iterator, Sequence

from automode.programs.use import READS, Effect, Use, network, unknown, writes
from automode.programs.verbs import words

LIMIT_CHARACTERS = 20_000

# Reserved words of every dialect that never stand unquoted in a query. SQL Server needs no
# semicolon between statements, so a parser may take such a word for the name of a column.
_CHANGING = words(
    "INSERT UPDATE DELETE MERGE CREATE DROP ALTER TRUNCATE GRANT REVOKE INTO OUTFILE DUMPFILE EXEC"
    " EXECUTE SHUTDOWN BACKUP RESTORE KILL RECONFIGURE BULK DBCC OPENROWSET OPENQUERY"
    " OPENDATASOURCE WRITETEXT UPDATETEXT DENY ATTACH DETACH VACUUM REINDEX LOCK"
)
_FUNCTIONS = words(
    "pg_size_pretty pg_total_relation_size pg_relation_size pg_table_size pg_indexes_size"
    " pg_database_size pg_get_viewdef pg_get_functiondef pg_get_constraintdef pg_get_indexdef"
    " pg_get_expr pg_get_userbyid pg_get_function_arguments pg_get_function_result pg_typeof"
    " pg_postmaster_start_time pg_is_in_recovery pg_backend_pid pg_sleep pg_encoding_to_char"
    " pg_blocking_pids pg_last_wal_replay_lsn pg_current_wal_lsn pg_wal_lsn_diff format_type"
    " current_setting current_schemas to_regclass to_regtype obj_description col_description"
    " shobj_description has_table_privilege has_schema_privilege has_database_privilege age"
    " inet_server_addr inet_server_port txid_current_if_assigned quote_ident array_to_string"
    " json_each json_each_text jsonb_each jsonb_each_text json_array_elements row_to_json to_json"
    " json_array_elements_text jsonb_array_elements jsonb_array_elements_text jsonb_object_keys"
    " json_object_keys to_jsonb jsonb_build_object json_build_object json_agg jsonb_agg"
    " jsonb_pretty jsonb_typeof json_tree json_type json_valid json_group_array json_group_object"
    " json_patch json_quote regexp_matches unnest string_to_table cardinality num_nulls"
    " user database schema connection_id last_insert_id found_rows row_count sleep uuid sys_date"
    " ifnull char_length sqlite_version sqlite_source_id changes total_changes last_insert_rowid"
    " date time datetime typeof instr printf hex likely unlikely julianday unixepoch strftime"
    " quote total unicode"
    " unix_timestamp now inet_ntoa json_unquote randomblob histogram jsonb_path_query"
    " pg_get_serial_sequence has_function_privilege has_column_privilege pg_stat_get_activity"
    " zeroblob duckdb_tables duckdb_columns duckdb_views duckdb_functions duckdb_extensions"
    " duckdb_databases duckdb_schemas duckdb_types duckdb_constraints duckdb_indexes"
    " duckdb_settings parquet_schema parquet_metadata list_value struct_pack list_sum list_avg"
    " quantile_cont epoch_ms epoch strlen hostname formatreadablesize uptime toyyyymm todate"
    " todatetime tostartofday tostartofhour tostartofmonth numbers db_name object_name schema_name"
    " object_id suser_sname serverproperty datename getdate isnull len"
)
_SECRET_TABLES = words("pg_shadow pg_authid pg_user_mapping pg_user_mappings duckdb_secrets")
_READING_PRAGMAS = words(
    "table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list"
    " foreign_key_check database_list integrity_check quick_check compile_options collation_list"
    " function_list module_list pragma_list show_tables show_tables_expanded show database_size"
    " storage_info version platform functions collations"
)
_PLAIN_PRAGMAS = words(
    "user_version journal_mode page_count page_size schema_version encoding foreign_keys"
    " freelist_count application_id auto_vacuum cache_size busy_timeout synchronous data_version"
    " locking_mode max_page_count mmap_size temp_store wal_autocheckpoint secure_delete"
)
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
_DATA_FILE = re.compile(
    r"(?!.*\.\.)(?!.*/\.)[\w*][\w./*-]*\.(csv|tsv|parquet|jsonl?|ndjson)(\.gz)?"
)
_SECRET_NAME = re.compile(r"secret|credential|token|passw|private|auth", re.IGNORECASE)
_ESCAPED_QUOTE = re.compile(r"\\['\"`]")


def judge(text: str, dialect: str, *, frozen: bool = False) -> Use:
    """What `text` does in `dialect`. `frozen`: the database is open for reading only, so that
    changing its tables fails."""
    if len(text) > LIMIT_CHARACTERS:
        return unknown("the SQL is too long to be looked at")
    # Comments that MySQL runs, and quoting that depends on a server's settings.
    if "/*!" in text or "/*+" in text or _ESCAPED_QUOTE.search(text) or "\0" in text:
        return unknown("the SQL reads differently on different servers")
    statements = _split(text, dialect)
    if statements is None:
        return unknown("the SQL cannot be read")
    use = READS
    for statement in statements:
        use |= _statement(statement, dialect, frozen=frozen)
    return use


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


def _statement(text: str, dialect: str, *, frozen: bool) -> Use:
    explained = _EXPLAIN.match(text)
    if explained:
        return _statement(text[explained.end() :], dialect, frozen=False)
    pragma = _PRAGMA.fullmatch(text)
    if pragma:
        return _pragma(pragma[1].lower(), argument=pragma[2] is not None)
    if _SHOW.fullmatch(text):
        return _show(text)
    if _DESCRIBE.fullmatch(text) or _USE.fullmatch(text):
        return READS
    return _query(text, dialect, frozen=frozen)


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


def _query(text: str, dialect: str, *, frozen: bool) -> Use:
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
    if frozen:
        tops += (exp.Insert, exp.Update, exp.Delete, exp.Drop, exp.Create, exp.Alter)
    if not nodes or not isinstance(nodes[0], tops):
        return writes("the statement is not one that reads")
    strings = {"STRING", "IDENTIFIER", "RAW_STRING", "NATIONAL_STRING", "HEREDOC_STRING"}
    spoken = {token.text.upper() for token in tokens if token.token_type.name not in strings}
    if not frozen and (word := next(iter(sorted(spoken & _CHANGING)), None)):
        return writes(f"`{word}` changes data")
    use = READS
    for found in _faults(nodes, dialect, frozen=frozen):
        use |= found
    return use


def _faults(nodes: Sequence[object], dialect: str, *, frozen: bool) -> Iterator[Use]:
    """Everything in a parsed statement that is not reading rows of tables."""
    from sqlglot import exp

    beyond: tuple[type[object], ...] = (exp.Command, exp.Into, exp.Lock, exp.Copy, exp.Set)
    beyond += (exp.Attach, exp.NextValueFor, exp.ToFile, exp.Secret)
    changes = (exp.DML, exp.DDL, exp.Alter, exp.Drop, exp.TruncateTable)
    for node in nodes:
        if isinstance(node, beyond):
            yield writes("it does more than read")
        elif isinstance(node, changes) and not isinstance(node, exp.Query) and not frozen:
            yield writes("it changes data")
        elif isinstance(node, exp.Anonymous):
            yield _function(node.name.lower())
        elif isinstance(node, exp.Dot) and isinstance(node.expression, exp.Func):
            own = node.this.name.lower() == "pg_catalog"
            yield READS if own else unknown("a function of a schema may do anything")
        elif isinstance(node, exp.Table):
            yield _table(node.name, node.db)
        elif isinstance(node, exp.ReadCSV | exp.ReadParquet):
            yield _file_function(node.sql(dialect="duckdb"))
        elif isinstance(node, exp.Literal) and dialect == "duckdb" and "://" in node.name:
            yield network("it names an address")


def _function(name: str) -> Use:
    if name in _FUNCTIONS or name.removeprefix("pragma_") in _READING_PRAGMAS:
        return READS
    return unknown(f"what the function `{name}` does is not known")


def _file_function(call: str) -> Use:
    files = re.findall(r"'([^']*)'", call)
    if files and all(_DATA_FILE.fullmatch(file) for file in files):
        return READS
    return unknown("it reads a file that is not plainly the project's own data")


def _table(name: str, schema: str) -> Use:
    if name.lower() in _SECRET_TABLES or (schema.lower(), name.lower()) == ("mysql", "user"):
        return Use(Effect.SECRETS, f"`{name}` holds credentials")
    if "://" in name:
        return network("it names an address")
    looks_like_file = "/" in name or re.search(r"\.\w+$", name)
    if looks_like_file and (_SECRET_NAME.search(name) or not _DATA_FILE.fullmatch(name)):
        return unknown("it reads a file that is not plainly the project's own data")
    return READS
