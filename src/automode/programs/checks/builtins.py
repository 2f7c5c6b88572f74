"""Checks of builtins: which variables they assign, what they evaluate, how they steer the shell."""

import itertools
import re
from collections.abc import Collection
from fnmatch import fnmatchcase

from automode.programs.row import Given
from automode.programs.use import READS, Effect, Use, runs, unknown
from automode.shell.options import Arguments, may_split
from automode.shell.script import HOLE, Origin, Word
from automode.shell.variables import plain_name

_SUBSCRIPT = runs("a subscript is evaluated, and may run a command")
LISTS_ALL = Use(Effect.SECRETS, "prints all variables, which hold credentials")


def _target(word: Word | None) -> Use:
    """What it means to let a builtin assign to the variable this word names."""
    name = word.value if word else None
    if name is None:
        return unknown("the variable's name is not known")
    if "[" in name:
        return _SUBSCRIPT
    if not plain_name(name):
        return unknown(f"`{name}` is no plain variable: it may be evaluated, or steer programs")
    return READS


def _targets(words: Collection[Word]) -> Use:
    use = READS
    for word in words:
        use |= _target(word)
    return use


NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?")
JOB = re.compile(r"[0-9]{1,9}|%[A-Za-z0-9_+%-]*")


def is_number(word: Word) -> bool:
    """Whether a word is a number although it is not known which."""
    return word.plain and word.text == HOLE


def _numbers(given: Arguments, *names: str) -> bool:
    """Whether these options have numbers for values: zsh evaluates some of them."""
    values = (o.value for o in given.options if o.name in names)
    return all(v is not None and (NUMBER.fullmatch(v.text) or is_number(v)) for v in values)


_LITERAL = re.compile(
    r"|\s*[-+]?(?:0[xX][0-9a-fA-F]+|[0-9]+\.?[0-9]*(?:[eE][-+]?[0-9]+)?|\.[0-9]+)|['\"].", re.ASCII
)
"""A number as it stands, or a quote and a character: no name whose value would be evaluated."""

_CONVERSION = re.compile(r"%(?:%|([^A-Za-z%(]*(?:\([^)]*\))?)[hlLjzt]*([A-Za-z]))")


def printf(given: Given) -> Use:
    words = given.args
    first = words[0] if words else Word("")
    use = READS
    if first.value is not None and first.value.startswith("-v"):
        glued = first.value[2:]
        use = _target(Word(glued) if glued else (*words[1:2], None)[0])
        words = words[1:] if glued else words[2:]
    elif first.value is None and first.could_be_flag:
        return unknown("the format may be the option `-v`")
    if words and words[0].value == "--":
        words = words[1:]
    return use | _format_use(words[0], words[1:]) if words else use


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
    if word.value is None:
        return is_number(word)
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
            return _SUBSCRIPT
        if word.value == "-t" and not NUMBER.fullmatch(following.text):
            return unknown("the number of the descriptor is evaluated")
    return READS


def _matches_test(pattern: str) -> bool:
    """`[ * ]` in a folder with files called `-v` and `a[$(cmd)]` runs the command."""
    return any(fnmatchcase(name, pattern) for name in ("-v", "-R", "-t"))


def double_test(given: Given) -> Use:
    """`[[ a -eq b ]]` evaluates both sides as arithmetic, where a subscript runs commands."""
    args = given.args
    for at, word in enumerate(args):
        if word.value in ("-eq", "-ne", "-lt", "-le", "-gt", "-ge"):
            sides = (*args[max(at - 1, 0) : at], *args[at + 1 : at + 2])
            if not all(re.fullmatch(r"-?\w+", s.value or "") or s.plain for s in sides):
                return runs("an unknown value is evaluated as arithmetic")
    return test(given)


def read(given: Given) -> Use:
    if not _numbers(given.options, "-n", "-N", "-t", "-u"):
        return unknown("the value of an option may be evaluated")
    array = given.options.value("-a")
    return _targets((*given.operands, *((array,) if array else ())))


def mapfile(given: Given) -> Use:
    if not _numbers(given.options, "-n", "-O", "-s", "-u"):
        return unknown("the value of an option may be evaluated")
    return _targets(given.operands)


def getopts(given: Given) -> Use:
    if any(may_split(word) for word in given.args[:2]):
        return unknown("the variable's name is not known")
    return _target((*given.args[1:2], None)[0])


def wait(given: Given) -> Use:
    if not all(JOB.fullmatch(word.text) or is_number(word) for word in given.operands):
        return unknown("an argument of wait is not known to be harmless")
    return _target(given.options.value("-p")) if given.options.has("-p") else READS


def declaration(given: Given) -> Use:
    """export, declare, local …: names and values. What a name steers is judged elsewhere."""
    words = list(given.args)
    letters = ""
    while words and words[0].text[:1] in ("-", "+") and words[0].value is not None:
        letters += words.pop(0).text[1:]
    if set(letters) - set("aAfFiprx-"):
        return unknown("an option of the declaration is not known to be harmless")
    if not words and "f" not in letters and "F" not in letters:
        return LISTS_ALL
    if "p" in letters:
        return READS if all(plain_name(w.text) for w in words) else LISTS_ALL
    use = READS
    for word in words:
        use |= _declaration_use(word, letters)
    return use


def _declaration_use(word: Word, letters: str) -> Use:
    name, equals, value = word.text.partition("=")
    if "[" in name:
        return _SUBSCRIPT
    if not re.fullmatch(r"[A-Za-z_]\w*\+?", name):
        return unknown("the variable's name is not known")
    if "i" in letters and not re.fullmatch(r"-?\d*", value):
        return runs("the value is evaluated as arithmetic")
    if equals and set(letters) & {"a", "A"}:
        return runs("the value is evaluated as the elements of an array")
    return READS


def unset(given: Given) -> Use:
    for word in given.args:
        if "[" in word.text:
            return _SUBSCRIPT
        if word.value is None or not re.fullmatch(r"-[vfn]|[A-Za-z_]\w*", word.value):
            return unknown("the variable's name is not known")
        if word.value.startswith("HIST"):
            return Use(Effect.SYSTEM, "hides the history")
        if not word.value.startswith("-") and not plain_name(word.value):
            return unknown(f"`{word.value}` may steer programs that run later")
    return READS


def let(given: Given) -> Use:
    for word in given.args:
        found = re.fullmatch(r"([a-z_]\w*)=[\d+*/%() <>&|^~?:-]+", word.value or "")
        if not found or _target(Word(found[1])).effect:
            return runs("arithmetic evaluates subscripts, which may run commands")
    return READS


_SET_NAMES = frozenset(
    "pipefail errexit nounset xtrace verbose noglob noclobber errtrace functrace noexec physical "
    "posix".split()
)


def set_options(given: Given) -> Use:
    words = [word.value for word in given.args]
    if not words:
        return LISTS_ALL
    while words and words[0] not in ("--", "-", None):
        word = words.pop(0) or ""
        if word[:1] not in ("-", "+"):
            return READS  # positional parameters
        if set(word[1:]) - set("euxvfnETBhCPo"):
            return unknown(f"`set {word}` is not known to be harmless")
        if word.endswith("o") and words:
            name = words.pop(0)
            if name == "history":
                return Use(Effect.SYSTEM, "switches the history")
            if name not in _SET_NAMES:
                return unknown("the shell option is not known to be harmless")
    return unknown("an argument of set is not known") if words[:1] == [None] else READS


_SHOPT_NAMES = frozenset(
    "globstar nullglob dotglob extglob nocaseglob nocasematch failglob lastpipe inherit_errexit "
    "globasciiranges globskipdots checkwinsize".split()
)


def shopt(given: Given) -> Use:
    names = {word.value for word in given.operands}
    if None in names:
        return unknown("an argument of shopt is not known")
    if not given.options.has("-s", "-u"):
        return READS
    if "expand_aliases" in names:
        return runs("aliases replace commands")
    known = _SET_NAMES if given.options.has("-o") else _SHOPT_NAMES
    return READS if names <= known else unknown("a shell option may change meanings")


def trap(given: Given) -> Use:
    """Without text to run it lists, resets or ignores signals."""
    first = given.args[0].value if given.args else "-p"
    plain = first in ("-", "", "-l", "-p") and given.invocation.literal
    return READS if plain else runs("runs text as shell code")
