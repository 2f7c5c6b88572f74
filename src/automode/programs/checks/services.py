"""Checks of clients of services, containers and databases, and of what shows processes."""

import re
from collections.abc import Iterator

from automode.core.paths import locate
from automode.core.word_lists import word_sets
from automode.core.workspace import Kind as FileKind
from automode.programs import sql
from automode.programs.checks import language_of
from automode.programs.checks.settings import compose
from automode.programs.development import project_code
from automode.programs.row import Given, Kind, Touch
from automode.programs.sql import leading_commands
from automode.programs.use import READS, Effect, Use, network, unknown, writes
from automode.shell.script import HOLE, Word

WORDS = word_sets("automode.programs")

_ACTION = re.compile(r"\{\{(.*?)\}\}", re.S)
_TOKEN = re.compile(
    r"""\s+|"[^"\\]*"|:=|[(),|=-]|\d+|(?P<verb>[a-z]+)|\$?\w*(\.\w+)*\.(?P<field>\w+)|\$\w+"""
)
_VERBS = WORDS["template-verbs"]
_FIELDS = WORDS["template-fields"]


def inspection(given: Given) -> Use:
    """All that is known of a container holds its environment, which holds credentials. A template
    must name what it prints."""
    templates = [o.value for o in given.options.options if o.name in ("-f", "--format")]
    if templates and all(one is not None and _plain(one.text) for one in templates):
        return READS
    return Use(Effect.SECRETS, "prints the environment of a container")


def _plain(template: str) -> bool:
    actions = _ACTION.findall(template)
    return bool(actions) and template.count("{{") == len(actions) and all(map(_harmless, actions))


def _harmless(action: str) -> bool:
    at = 0
    while at < len(action):
        token = _TOKEN.match(action, at)
        if token is None or (token["verb"] and token["verb"] not in _VERBS):
            return False
        if token["field"] and token["field"] not in _FIELDS:
            return False
        at = token.end()
    return True


_FILE_BYTES = 64 * 1024
_LOCAL = re.compile(r"(\.{0,2}/)?([\w-]+/|\.{1,2}/)*[\w.-]+\.ya?ml")


def local_files(given: Given) -> Use:
    """`-f` names a file of the project; an address brings it from elsewhere."""
    options = given.before.options if given.outer is not None else given.options.options
    for option in options:
        if option.name in ("-f", "--file"):
            use = _file(given, option.value)
            if use is not READS:
                return use
    return READS


def _file(given: Given, word: Word | None) -> Use:
    cwd, files = given.invocation.command.cwd, given.invocation.workspace.files
    if word is None or word.value is None or not _LOCAL.fullmatch(word.value):
        return network("a file that may come from elsewhere")
    path = None if cwd is None else locate(word.value, cwd, files)
    if path is None:
        return unknown("the folder is not known")
    if files.kind(path) is FileKind.MISSING or not given.would_read:
        return READS
    text = files.text(path, _FILE_BYTES + 1)
    if text is None or len(text) > _FILE_BYTES or not compose(text):
        why = f"`{word.value}` may bring in other files"
        return project_code(given.invocation, READS, why)
    return READS


_LISTS = WORDS["aws-lists"]
_NO_FILE = re.compile(r"(describe|list|get-metric)-|filter-log-events$")


def operands(given: Given) -> Use:
    """Only an option with many values has words after it; any other is a file that is written."""
    takes_file = not _NO_FILE.match(given.verb) and not _waits(given)
    listed = False
    for word in given.args:
        if word.text.startswith("--"):
            listed = word.text in _LISTS and not takes_file
        elif word in given.operands and not listed:
            return Use(Effect.WRITES, "the answer goes to a file")
    return READS


def _waits(given: Given) -> bool:
    """`wait instance-running`: no option stands before `wait`, whose value it could be."""
    before = given.invocation.args[: len(given.invocation.args) - len(given.args)]
    return len(before) == 3 and before[1].text == "wait" and before[0].text[:1] != "-"


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
    place = locate(name, cwd, files)
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


# A user or program whose name is no row of BSD letters: ps reads it once more when nobody has it.
_PS_NAME = r"(?:root|(?!.*env)(?=.*(?:[bdiyz0-9_-]|[pk].))[a-z][\w.-]*)"
_PS_FORMAT = r"(?:\n(?!.*env)[a-z%,:=_. ]+|(?!.*env)[a-z%]+,[a-z%,:=_. ]+)"
_PS_NUMBERS = rf"(?:[\d,]+|{HOLE})"
_PS_BOTH = (
    rf"-f?p\n{_PS_NUMBERS}|--p?pid[=\n]{_PS_NUMBERS}|--sort[=\n](?!.*env)[%\w,+-]+|--no-head(?:er|ing)s?"
    rf"|-C\n{_PS_NAME}|-f?u\n{_PS_NAME}"
)
_PS_UNIX = rf"-[AadefFljyw]+|-[AadefFljyw]*o{_PS_FORMAT}|--forest"
_PS_BSD = rf"[aujlxwfh]+|-(?:aux|[ajlxwf]+)|(?:-[ajlxw]*|[aujlxw]*)o{_PS_FORMAT}|U\n{_PS_NAME}"
_PS = re.compile(rf"(?:(?:{_PS_UNIX}|{_PS_BOTH})\n)*|(?:(?:{_PS_BSD}|{_PS_BOTH})\n)*|-eLf\n")
"""Command lines of ps, each word with a line end. Where the letters of both kinds stand together,
ps takes all of them for those of BSD, and there `e` is the environment."""


def no_environment(given: Given) -> Use:
    """`ps e` (BSD letters) and `-E` print the environment of processes; `-e` does not."""
    texts = [word.text for word in given.invocation.args]
    if _PS.fullmatch("".join(f"{text}\n" for text in texts)):
        return READS
    short = "".join(text for text in texts if not text.startswith("--"))
    if "e" in short.casefold() and given.invocation.literal:
        return Use(Effect.SECRETS, "may print environment variables, which hold credentials")
    return unknown("it is not known which letters ps takes for those of BSD")
