"""What code on a command line does, by the language of the row, and the files of awk, sed and perl.

Each function objects to code that its parser does not know to only compute and print."""

import itertools
import posixpath
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from fnmatch import fnmatchcase

from automode.core.paths import absolute
from automode.core.word_lists import word_sets
from automode.core.workspace import Files, Search
from automode.core.workspace import Kind as FileKind
from automode.programs import sql
from automode.programs.awk_sed import awk_use, sed_use
from automode.programs.development import plain_file
from automode.programs.python_code import harmless
from automode.programs.row import Given, Kind, Language, Touch, option_touches
from automode.programs.sql import dot_use, mongo_use, mysql_use, psql_use
from automode.programs.use import READS, Effect, Invocation, Use, network, runs, unknown
from automode.shell.options import Spec, arguments, may_split
from automode.shell.script import HOLE, Origin, Word

WORDS = word_sets("automode.programs")

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
    return sed_use("\n".join(texts))


def sed_order(given: Given) -> Use:
    """Some seds look for options behind the first operand, some do not: to those it is the script,
    unless one was given before it."""
    if given.options.has(*_IN_PLACE):
        return unknown("what the files become is not known")
    spec = replace(given.row.spec, stops_at_operand=True)
    texts = replace(given, options=arguments(given.args, spec)).code
    return sed(given, texts) if texts else unknown("the sed script is not known")


def edit_touches(given: Given) -> Iterator[Touch]:
    """The files that are read, or rewritten: `sed -i`, `gawk -i inplace`, `yq -i`. To yq the first
    word is a file where the expression is left out."""
    writes = given.options.has(*_IN_PLACE) or given.before.has(*_IN_PLACE)
    yield from option_touches(given, besides=_IN_PLACE)
    for kind, word in zip(given.kinds or (), given.operands, strict=False):
        file = Kind.READS if kind is Kind.CODE and given.row.language == "yq" else kind
        if file is not Kind.CODE:
            yield Touch(Kind.WRITES if writes else file, word)


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
        if any(has_stand_in(given.invocation, module) for module in one.modules | {"traceback"}):
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


awk = _each(awk_use)
psql = _each(psql_use)
mysql = _each(mysql_use)
sqlite = _each(lambda text: dot_use(text, "sqlite"))
duckdb = _each(lambda text: dot_use(text, "duckdb"))
mongo = _each(mongo_use)
clickhouse = _sql("clickhouse")
trino = _sql("trino")
cql = _sql("")

# Of all versions of Python that are asked by these names, and not only of the one that runs here.
_VERSIONS = re.compile(r"py|python|python3(?:\.(?:8|9|1[0-4]))?")
_OTHER_VERSIONS = WORDS["python-modules-of-other-versions"]
_OF_EACH = sys.stdlib_module_names - _OTHER_VERSIONS - {"test"}  # which none imports
_STANDARD = _OF_EACH | _OTHER_VERSIONS
_OWN = WORDS["python-own-files"]
# Tools that import standard modules alone, and start a program that is not Python.
_THIN = frozenset({"ruff"})
_CODE_SUFFIXES = (".py", ".pyc", ".pyo", ".pyw", ".so", ".pyd")
_NAMES_LISTED = 4_000
# What follows the `m` in one word would be the module.
_MODULE = re.compile(r"-[uBISsEqOP]*m")


def run(given: Given) -> Use:
    """`python -m NAME`: a module with a row, and no file of the folder in its place."""
    if given.outer is None:
        return runs("it runs a module") if given.options.has("-m") else READS
    leading = given.invocation.args[: -len(given.args) - 1]
    if not given.before.has("-m") or not _MODULE.fullmatch(leading[-1].text):
        return runs("it runs a script")
    if not given.row.develops and has_stand_in(given.invocation, given.verb):
        return runs("a file here may be imported in place of a module")
    return READS


def has_stand_in(invocation: Invocation, module: str) -> bool:
    """Whether a file of the folder it runs in could be imported instead of the module, or instead
    of one that it imports in turn."""
    cwd = invocation.command.cwd
    if cwd is None:
        return True
    top = module.partition(".")[0]
    files = invocation.workspace.files
    path = absolute(top, cwd)
    if files.kind(path + ".py") is not FileKind.MISSING or files.kind(path) is FileKind.FOLDER:
        return True
    names = files.names(cwd, _NAMES_LISTED)
    known = top in _STANDARD | _THIN and _VERSIONS.fullmatch(invocation.name) is not None
    stands_in = _stands_in if known else _may_be_imported
    return len(names) >= _NAMES_LISTED or any(stands_in(files, cwd, name) for name in names)


def _stands_in(files: Files, cwd: str, name: str) -> bool:
    """Whether a name is that of a standard module. Those of its own that a version adds begin with
    `_`."""
    stem = name.partition(".")[0]
    own = stem.startswith("_") and not stem.startswith("__")
    if stem not in _STANDARD and not own:
        return False
    if name.endswith(_CODE_SUFFIXES):
        return True
    # A folder that is no package gives way to the standard module.
    inner = files.names(posixpath.join(cwd, name), _NAMES_LISTED)
    return len(inner) >= _NAMES_LISTED or any(one.startswith("__init__.") for one in inner)


def _may_be_imported(files: Files, cwd: str, name: str) -> bool:
    """Whether a name may be that of a module that is not known: a tool imports other packages, and
    tries to import some that are not installed."""
    stem = name.partition(".")[0]
    if stem in _OWN or not stem.isidentifier():
        return False
    if stem in _OF_EACH:
        return _stands_in(files, cwd, name)
    if stem != name:
        return name.endswith(_CODE_SUFFIXES)
    code = Search(posixpath.join(cwd, name), _NAMES_LISTED, ends=_CODE_SUFFIXES)
    return files.below(code) != ()


_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?")
_LITERAL = re.compile(
    r"|\s*[-+]?(?:0[xX][0-9a-fA-F]+|[0-9]+\.?[0-9]*(?:[eE][-+]?[0-9]+)?|\.[0-9]+)|['\"].", re.ASCII
)
"""A number as it stands, or a quote and a character: no name whose value would be evaluated."""

_CONVERSION = re.compile(r"%(?:%|([^A-Za-z%(]*(?:\([^)]*\))?)[hlLjzt]*([A-Za-z]))")


def printf(given: Given) -> Use:
    """The variable that `-v` names is the walk's business, which assigns to it."""
    words = given.args
    first = words[0] if words else Word("")
    if first.value is None and first.could_be_flag:
        return unknown("the format may be the option `-v`")
    if first.text.startswith("-v"):
        words = words[1 if first.text[2:] else 2 :]
    if words and words[0].value == "--":
        words = words[1:]
    return _format_use(words[0], words[1:]) if words else READS


def _format_use(form: Word, values: tuple[Word, ...]) -> Use:
    """`%n` assigns to the variable a word names; zsh evaluates the words that become numbers."""
    if form.value is None:
        return (
            unknown("the format is not known, and may assign") if values or form.splits else READS
        )
    found = _CONVERSION.findall(form.value)
    if any(letter == "n" for _, letter in found):
        return unknown("`%n` assigns to a variable")
    slots = [numeric for flags, letter in found for numeric in _slots(flags, letter)]
    if any(may_split(word) or word.origin is Origin.GLOB for word in values):
        slots = [any(slots)]  # it is not known which word goes where
    evaluated = itertools.compress(values, itertools.cycle(slots)) if slots else ()
    if not all(map(_harmless_number, evaluated)):
        return runs("a word is evaluated as a number")
    return READS


def _slots(flags: str, letter: str) -> list[bool]:
    """The words a conversion takes: whether each becomes a number. `%%` takes none."""
    if not letter:
        return []
    return [*[True] * flags.count("*"), letter in "diouxXeEfFgGaAT"]


def _harmless_number(word: Word) -> bool:
    """Also one that is a number although it is not known which."""
    if word.value is None:
        return word.plain and word.text == HOLE
    return _LITERAL.fullmatch(word.value) is not None


def test(given: Given) -> Use:
    """`-v name[subscript]` evaluates the subscript, also when it comes out of a variable."""
    args = given.args
    if any(w.splits and w.value is None and not w.plain for w in args):
        return unknown("an unquoted expansion may turn into other tests")
    if any(w.origin is Origin.GLOB and _matches_test(w.text) for w in args):
        return unknown("a pattern may match a file that is called like a test")
    for word, following in itertools.pairwise(args):
        asks = word.value in ("-v", "-R") or (word.value is None and word.could_be_flag)
        if asks and (following.value is None or "[" in following.value):
            return runs("a subscript is evaluated, and may run a command")
        if word.value == "-t" and not _NUMBER.fullmatch(following.text):
            return unknown("the number of the descriptor is evaluated")
    return READS


def _matches_test(pattern: str) -> bool:
    """`[ * ]` in a folder with files called `-v` and `a[$(cmd)]` runs the command."""
    return any(fnmatchcase(name, pattern) for name in ("-v", "-R", "-t"))
