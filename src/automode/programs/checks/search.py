"""Checks of programs that search, and the files that they touch."""

from collections.abc import Iterator

from automode.programs.row import EFFECTS, Kind, option_use
from automode.programs.touch import Given, Touch, option_touches
from automode.programs.use import READS, Use, printable, runs, unknown
from automode.shell.script import HOLE, Origin, Word

_PATTERNS = ("-e", "--regexp", "--regex", "-f", "--file")
_NAMES_ONLY = ("--files", "--type-list", "-f", "--help-types", "--list-file-types")
_HERE = Word(".")


def pcre(given: Given) -> Use:
    """A pattern may start a program (`(?C"…")`), so it has to be known."""
    if any("(?C" in word.text for word in given.args):
        return runs("a callout in the pattern may run a program")
    named = [o.value for o in given.options.options if o.name in _PATTERNS]
    patterns = named or list(given.operands[:1])
    if any(word is None or word.value is None for word in patterns):
        return unknown("the pattern is not known")
    return READS


def find(given: Given) -> Use:
    """An action counts wherever it stands, also behind `--`. Values are words of their own."""
    use = READS
    for word in given.args:
        key = given.row.effects.get(word.text, "reads")
        name, equals, _ = word.text.partition("=")
        if EFFECTS[key]:
            use |= option_use(word.text, key)
        elif word.value == "--" or (equals and name in given.row.spec.long_values):
            use |= unknown(f"what `{printable(word)}` means to find is not known")
    return use


def page(given: Given) -> Use:
    """A word with a slash is a file, not the name of a page."""
    if any("/" in word.text for word in given.args):
        return unknown("a file is not a manual page")
    return READS if given.invocation.literal else unknown("an argument may be an option")


def grep(given: Given) -> Iterator[Touch]:
    """The pattern is the first operand, unless an option names it."""
    options = given.options
    deep = options.has("-r", "-R", "--recursive", "--dereference-recursive")
    deep = deep or given.invocation.name == "rgrep"
    how = options.value("-d", "--directories")
    deep = deep or (how is not None and how.value != "skip")
    yield from _searched(given, Kind.TREE if deep else Kind.READS, _PATTERNS)


def recursive(given: Given) -> Iterator[Touch]:
    """rg, ag, ack: folders with all below them."""
    flags = _NAMES_ONLY if given.invocation.name.startswith("ack") else _NAMES_ONLY[:2]
    pattern_free = ("--match", *flags) if given.row.name == "ack" else (*_PATTERNS, *flags)
    kind = Kind.NAMES if given.options.has(*flags) else Kind.TREE
    yield from _searched(given, kind, pattern_free)


def _searched(given: Given, kind: Kind, pattern_free: tuple[str, ...]) -> Iterator[Touch]:
    yield from option_touches(given)
    files = given.operands if given.options.has(*pattern_free) else given.operands[1:]
    fed = given.invocation.command.position > 0
    if not files and kind is not Kind.READS and not fed:
        files = (_HERE,)
    for word in files:
        yield Touch(kind, word)


def find_touches(given: Given) -> Iterator[Touch]:
    """Where it starts is looked up; what it deletes lies somewhere below."""
    starts: list[Word] = []
    for word in given.operands:
        if word.text[:1] in ("-", "(", "!", ",", ")"):
            break
        starts.append(word)
    for word in starts or [_HERE]:
        yield Touch(Kind.NAMES, word)
        if given.options.has("-delete"):
            yield Touch(Kind.DELETES, Word(f"{word.text}/{HOLE}", max(word.origin, Origin.DERIVED)))
    yield from option_touches(given)
