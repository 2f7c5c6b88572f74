"""What code on a command line does, by the language of the row, and the files of awk, sed and perl.

Each function objects to code that its parser does not know to only compute and print.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from automode.programs import sql
from automode.programs.awk import program_use
from automode.programs.checks.python_run import shadowed
from automode.programs.development import plain_file
from automode.programs.python_code import harmless
from automode.programs.row import Kind
from automode.programs.sed import script_use
from automode.programs.sql_shells import dot_use, mongo_use, mysql_use, psql_use
from automode.programs.touch import Given, Language, Touch, option_touches
from automode.programs.use import READS, Effect, Use, network, runs, unknown
from automode.shell.options import Spec, arguments
from automode.shell.script import HOLE

_IN_PLACE = ("-i", "-I", "--in-place", "--inplace", "--include")


def awk_files(given: Given) -> Use:
    """It needs a program. What starts with something that is not known may start with `/inet`."""
    if given.code == ():
        return unknown("the awk program is not known")
    if any(word.text.startswith(("/inet", HOLE)) for word in given.operands[1:]):
        return network("`/inet` is a network connection")
    return READS


def sed(given: Given, texts: tuple[str, ...]) -> Use:
    """All parts are one script."""
    if any(text.endswith("\\") for text in texts):
        return unknown("a part of the sed script goes on in the next one")
    return script_use("\n".join(texts))


def sed_order(given: Given) -> Use:
    """Some seds look for options behind the first operand, some do not: to those it is the script,
    unless one was given before it."""
    if given.options.has(*_IN_PLACE):
        return unknown("what the files become is not known")
    spec = replace(given.row.spec, stops_at_operand=True)
    texts = replace(given, options=arguments(given.args, spec)).code
    return sed(given, texts) if texts else unknown("the sed script is not known")


def edited(given: Given) -> Iterator[Touch]:
    """The files that are read, or rewritten: `sed -i`, `gawk -i inplace`, `yq -i`."""
    options = given.options.options
    writes = given.options.has(*_IN_PLACE)
    others = tuple(option for option in options if option.name not in _IN_PLACE)
    yield from option_touches(replace(given, options=replace(given.options, options=others)))
    for kind, word in zip(given.kinds or (), given.operands, strict=False):
        if kind is not Kind.CODE:
            yield Touch(Kind.WRITES if writes else kind, word)


_ONE_LINER = Spec(
    values="eflE",
    maybe="i",
    long_values=("--expression", "--file"),
    long_maybe=("--in-place",),
)


def one_liner(given: Given) -> Iterator[Touch]:
    """The files that `perl -i` and `ruby -i` rewrite. Any other word is for the code to say."""
    args = given.args
    bundled = any(word.text[:1] == "-" != word.text[1:2] and "i" in word.text for word in args)
    found = arguments(args, _ONE_LINER)
    writes = bundled or found.has("-i", "--in-place")
    for word in found.operands if writes else given.operands:
        yield Touch(Kind.WRITES if writes else Kind.ANY, word)


# Blanks and comments may stand between `$` and the name.
_JQ_ENVIRONMENT = re.compile(r'(?<![.\w"])(env|ENV)\b|(?<![.\w"])__prog|get_search_list')
_JQ_MODULES = re.compile(r'(?<![.\w"])(import|include|modulemeta)\b')
_YQ_REACHES_OUT = re.compile(
    r"\b(env|strenv|envsubst|eval|\w*load\w*|system)\b|(?<![.\w])(ENV|import|include|modulemeta)\b"
)


def jq(given: Given, texts: tuple[str, ...]) -> Use:
    """The filter language cannot write, run or connect; it can print the environment."""
    if any(map(_JQ_MODULES.search, texts)):
        return unknown("the filter loads code from a file")
    if any(map(_JQ_ENVIRONMENT.search, texts)):
        return Use(Effect.SECRETS, "the filter prints the environment")
    return READS


def yq(given: Given, texts: tuple[str, ...]) -> Use:
    if any(map(_YQ_REACHES_OUT.search, texts)):
        return Use(Effect.SECRETS, "the expression reads the environment or other files")
    return READS


def python(given: Given, texts: tuple[str, ...]) -> Use:
    found = [harmless(text) for text in texts]
    for one in found:
        if one is None:
            return runs("it runs code given on the command line")
        # Without any import, too: an error loads modules of its own.
        if any(shadowed(given.invocation, module) for module in one.modules | {"traceback"}):
            return runs("a file here has the name of a module that may be imported")
        if not all(plain_file(given.invocation, file) for file in one.files):
            return runs("it opens a file that is not plainly the project's own")
    return READS


def _each(judge: Callable[[str], Use]) -> Language:
    """Every text by itself."""

    def language(given: Given, texts: tuple[str, ...]) -> Use:
        use = READS
        for text in texts:
            use |= judge(text)
        return use

    return language


def _sql(dialect: str) -> Language:
    return _each(lambda text: sql.judge(text, dialect))


awk = _each(program_use)
psql = _each(psql_use)
mysql = _each(mysql_use)
sqlite = _each(lambda text: dot_use(text, "sqlite"))
duckdb = _each(lambda text: dot_use(text, "duckdb"))
mongo = _each(mongo_use)
clickhouse = _sql("clickhouse")
trino = _sql("trino")
cql = _sql("")
