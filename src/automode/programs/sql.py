"""Whether SQL text only reads, by a real parser and a closed list of what reading is.

A statement that the parser does not know and a word before a parenthesis that is not listed here
mean: not understood. The words are looked for in the raw text, so whatever the parser makes of it,
no other function is called.
"""

import logging
import re
from collections.abc import Iterator, Sequence

from automode.programs.use import READS, Effect, Use, unknown, writes

LIMIT_CHARACTERS = 20_000

# Tables of the sqlite3 shell that read a file, which a condition names as well as an argument.
_FILE_TABLES = re.compile(
    r"\b(fsdir|zipfile|readfile|completion|sqlite_dbdata|sqlite_dbptr|csv|lsmode|vtablog)\b",
    re.IGNORECASE,
)
# A pragma is a table as well, in any place where a table may stand: `x in pragma_optimize`.
_PRAGMA_TABLE = re.compile(r"pragma_(\w*)", re.IGNORECASE)
_DUCKDB_SCHEMAS = frozenset("information_schema pg_catalog".split())

# Reserved words of every dialect that never stand unquoted in a query. SQL Server needs no
# semicolon between statements, so a parser may take such a word for the name of a column.
_CHANGING = frozenset(
    "INSERT UPDATE DELETE MERGE CREATE DROP ALTER TRUNCATE GRANT REVOKE INTO OUTFILE DUMPFILE EXEC"
    " EXECUTE SHUTDOWN BACKUP RESTORE KILL RECONFIGURE BULK DBCC OPENROWSET OPENQUERY"
    " OPENDATASOURCE WRITETEXT UPDATETEXT DENY ATTACH DETACH VACUUM REINDEX LOCK".split()
)
# What may stand before a parenthesis: functions that only compute or look up, and grammar.
_BEFORE_PARENTHESIS = frozenset(
    "abs age all and any any_value arg_max arg_min array array_agg array_length"
    " array_position array_to_string as ascii avg avgif base64 between bit_length bool_and"
    " bool_or by cardinality case cast ceil ceiling changes char char_length chr coalesce"
    " col_description concat concat_ws connection_id convert corr count countif curdate"
    " current_database current_date current_schema current_schemas current_setting"
    " current_time current_timestamp current_user curtime database date date_add date_format"
    " date_part date_sub date_trunc datediff datename datetime day dayofweek db_name decimal"
    " dense_rank distinct duckdb_columns duckdb_constraints duckdb_databases"
    " duckdb_extensions duckdb_functions duckdb_indexes duckdb_schemas duckdb_tables"
    " duckdb_types duckdb_views else encode epoch epoch_ms every except exists exp explain"
    " extract filter first_value float floor format format_type formatreadablesize found_rows"
    " from generate_series getdate glob greatest group_concat has_column_privilege"
    " has_database_privilege has_function_privilege has_schema_privilege has_table_privilege"
    " having hex histogram hostname hour if ifnull iif in inet_ntoa inet_server_addr"
    " inet_server_port initcap instr intersect interval is isnull join json_agg json_array"
    " json_array_elements json_array_elements_text json_array_length json_build_object"
    " json_contains json_each json_each_text json_extract json_extract_path_text"
    " json_group_array json_group_object json_keys json_length json_object json_object_keys"
    " json_patch json_quote json_tree json_type json_unquote json_valid json_value jsonb_agg"
    " jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_object"
    " jsonb_each jsonb_each_text jsonb_extract_path_text jsonb_object_keys jsonb_path_query"
    " jsonb_pretty jsonb_typeof julianday lag last_day last_insert_id last_insert_rowid"
    " last_value lateral lead least left len length like likely limit list list_avg list_sum"
    " list_value ln localtimestamp log log10 lower lpad ltrim makedate materialized max md5"
    " median min minute mod mode month not now nth_value ntile nullif num_nulls numbers"
    " numeric obj_description object_id object_name octet_length offset on or over partition"
    " percent_rank percentile_cont percentile_disc pg_backend_pid pg_blocking_pids pg_catalog"
    " pg_current_wal_lsn pg_database_size pg_encoding_to_char pg_get_constraintdef"
    " pg_get_expr pg_get_function_arguments pg_get_function_result pg_get_functiondef"
    " pg_get_indexdef pg_get_serial_sequence pg_get_userbyid pg_get_viewdef pg_indexes_size"
    " pg_is_in_recovery pg_last_wal_replay_lsn pg_postmaster_start_time pg_relation_size"
    " pg_size_pretty pg_table_size pg_total_relation_size pg_typeof pg_wal_lsn_diff position"
    " power printf quantile quantile_cont quarter quote quote_ident random randomblob rank"
    " recursive regexp_like regexp_match regexp_matches regexp_replace regexp_substr repeat"
    " replace reverse right round row row_count row_number row_to_json rpad rtrim schema"
    " schema_name second select serverproperty session_user sha1 sha256 shobj_description"
    " sign some space split_part sqlite_source_id sqlite_version sqrt stddev strftime"
    " string_agg string_split string_to_table strlen strpos struct_pack substr substring sum"
    " sumif suser_sname then time timestamp timestampdiff to_char to_date to_days to_json"
    " to_jsonb to_number to_regclass to_regtype to_timestamp todate todatetime topk"
    " tostartofday tostartofhour tostartofmonth total total_changes toyyyymm trim trunc"
    " try_cast txid_current_if_assigned typeof unhex unicode union uniq unix_timestamp"
    " unixepoch unlikely unnest upper uptime user using uuid values varchar variance version"
    " week weekday when where with within year zeroblob".split()
)
_SECRET_TABLES = frozenset(
    "pg_shadow pg_authid pg_user_mapping pg_user_mappings user_mapping_options pg_subscription"
    " pg_hba_file_rules duckdb_secrets".split()
)
_READING_PRAGMAS = frozenset(
    "table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list"
    " foreign_key_check database_list integrity_check quick_check compile_options collation_list"
    " function_list module_list pragma_list show_tables show_tables_expanded show database_size"
    " storage_info version platform functions collations".split()
)
_PLAIN_PRAGMAS = frozenset(
    "user_version journal_mode page_count page_size schema_version encoding foreign_keys"
    " freelist_count application_id auto_vacuum cache_size busy_timeout synchronous data_version"
    " locking_mode max_page_count mmap_size temp_store wal_autocheckpoint secure_delete".split()
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
