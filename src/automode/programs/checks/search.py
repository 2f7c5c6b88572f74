"""Checks of programs that search and count, and the files that they touch."""

import re
from collections.abc import Iterator

from automode.core.paths import located
from automode.core.workspace import Kind as FileKind
from automode.programs.row import EFFECTS, Given, Kind, Touch, option_touches, option_use
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


def grep(given: Given) -> Iterator[Touch]:
    """The pattern is the first operand, unless an option names it."""
    options = given.options
    deep = options.has("-r", "-R", "--recursive", "--dereference-recursive")
    deep = deep or given.invocation.name == "rgrep"
    how = options.value("-d", "--directories")
    deep = deep or (how is not None and how.value != "skip")
    yield from _search_touches(given, Kind.TREE if deep else Kind.READS, _PATTERNS)


def recursive(given: Given) -> Iterator[Touch]:
    """rg, ag, ack: folders with all below them."""
    flags = _NAMES_ONLY if given.invocation.name.startswith("ack") else _NAMES_ONLY[:2]
    pattern_free = ("--match", *flags) if given.row.name == "ack" else (*_PATTERNS, *flags)
    kind = Kind.NAMES if given.options.has(*flags) else Kind.TREE
    yield from _search_touches(given, kind, pattern_free)


def _search_touches(given: Given, kind: Kind, pattern_free: tuple[str, ...]) -> Iterator[Touch]:
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


_SUMS = re.compile(r"[\dA-F\s._+*/%^~|vpnfcdrkioKIOzZ-]*")


def dc(given: Given) -> Use:
    """In dc a `!` runs a program, `?` and standard input bring more code, strings are code too."""
    words = [word.value for word in given.args]
    command = given.invocation.command
    fed = command.position > 0 or command.fed is not None
    fed = fed or any(redirect.op.startswith("<") for redirect in command.redirects)
    if not fed and len(words) == 2 and words[0] == "-e" and _SUMS.fullmatch(words[1] or "!"):
        return READS
    return runs("`!` in its input runs a program")


_ARCHIVE = re.compile(r"\.(tar|tgz|tbz2?|txz|zip|whl|jar|ear|war|gz|bz2|xz|7z|rpm|deb|rar|Z)$")


def cloc(given: Given) -> Use:
    """What is no file is a revision, which git unpacks with the programs that its settings name."""
    if any(word.value is None or _ARCHIVE.search(word.text) for word in given.operands):
        return runs("archives are unpacked with other programs")
    cwd, files = given.invocation.command.cwd, given.invocation.workspace.files
    for word in given.operands:
        if cwd is None or files.kind(located(word.text, cwd, files)) is FileKind.MISSING:
            return runs(f"`{printable(word)}` may be a revision")
    return READS
