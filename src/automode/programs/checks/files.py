"""Checks of programs that work on files, and the files that they touch: copies, archives, editors,
searches, transfers."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from automode.core.paths import locate
from automode.core.workspace import Kind as FileKind
from automode.programs.row import EFFECTS, Given, Kind, Touch, option_touches, option_use
from automode.programs.use import READS, Effect, Use, network, printable, runs, unknown, writes
from automode.shell.options import Arguments, arguments
from automode.shell.script import HOLE, Origin, Word

_HERE = Word(".")


def _touch_all(kind: Kind, words: Iterable[Word]) -> Iterator[Touch]:
    return (Touch(kind, word) for word in words)


# Copies


def rm(given: Given) -> Iterator[Touch]:
    """Without `-r` a folder stays, with all that is in it."""
    whole = given.options.has("-r", "-R", "--recursive")
    return (Touch(Kind.DELETES, word, whole) for word in given.operands)


def _place(given: Given, source: Kind) -> Iterator[Touch]:
    """The last operand, or a file of the same name inside it."""
    folder = given.options.value("-t", "--target-directory")
    sources = list(given.operands)
    if folder is not None:
        place = folder
    elif len(sources) > 1:
        place = sources.pop()
    else:
        place = _HERE
    yield Touch(Kind.WRITES, place)
    for word in sources:
        name = posixpath.basename(word.text.rstrip("/")) or "."
        inside = Word(posixpath.join(place.text, name), max(place.origin, word.origin))
        yield Touch(Kind.WRITES, inside)
        yield Touch(source, word)


move = partial(_place, source=Kind.MOVES)
# A link is a second name for its source: what is written to the one is written to the other, and a
# later command of the same script may do just that.
link = partial(_place, source=Kind.WRITES)


def copy(given: Given) -> Iterator[Touch]:
    deep = given.options.has("-r", "-R", "-a", "--recursive", "--archive")
    return _place(given, Kind.TREE if deep else Kind.READS)


def install(given: Given) -> Iterator[Touch]:
    if given.options.has("-d", "--directory"):
        return _touch_all(Kind.WRITES, given.operands)
    return _place(given, Kind.READS)


def dd(given: Given) -> Iterator[Touch]:
    for word in given.args:
        key, _, file = word.text.partition("=")
        if key in ("if", "of"):
            kind = Kind.READS if key == "if" else Kind.WRITES
            yield Touch(kind, Word(file, word.origin, word.splits))


# Editors and formatters

_WRITE = ("w", "w!", "write", "write!", "saveas", "saveas!", "sav", "sav!", "wq", "wq!", "x", "up")


def editor(given: Given) -> Iterator[Touch]:
    """`-c "w FILE"` and `+"w FILE"` write elsewhere than to what was opened."""
    yield from _touch_all(Kind.WRITES, (w for w in given.operands if not w.text.startswith("+")))
    for word in given.args:
        command = word.text.lstrip("+:").split()
        if len(command) > 1 and command[0] in _WRITE:
            # Editors expand `~` themselves, in a word that no shell expands.
            yield Touch(Kind.WRITES, Word(command[-1], word.origin))


_WRITING = ("-w", "-i", "--i", "-inplace", "--write", "--fix", "--fix-only", "--in-place")


def formatter(given: Given) -> Iterator[Touch]:
    """Some write when they are asked to, some unless they are asked to check."""
    row = given.row
    always = Effect.WRITES in row.base.effect and "*" not in row.reads_with
    writes = given.options.has(*_WRITING) or (always and not given.options.has(*row.reads_with))
    return _touch_all(Kind.WRITES if writes else Kind.TREE, given.operands)


# Archives

_UNPACKS = writes("unpacks or packs files")
_PRINTS_ALL = Use(Effect.SECRETS, "may print every file of the archive, credentials among them")
_SUFFIX = re.compile(r"[^/.]\.\w+$")
_MODES = {
    "-t": ("-t", "--list", "--test-label"),
    "-d": ("-d", "--diff", "--compare"),
    "-x": ("-x", "--extract", "--get"),
}


def tar(given: Given) -> Use:
    options = _tar_options(given)
    use = READS
    for option in options.options:
        key = given.row.effects.get(option.name)
        use |= READS if key is None else option_use(option.name, key)
    if use.effect or options.has("--help", "--version", "--usage"):
        return use
    if not _tar_only_reads(options):
        return _UNPACKS
    if options.unclear:
        return unknown(f"option `{options.unclear[0]}` is not known to be harmless")
    if options.has(*_MODES["-x"]) and not _names_files(options.operands):
        return _PRINTS_ALL
    return _tar_source(options)


def _names_files(members: Sequence[Word]) -> bool:
    """Whether each member ends in a suffix: a bare `*` matches all of them, a folder holds any."""
    return bool(members) and all(one.value and _SUFFIX.search(one.value) for one in members)


def _tar_source(options: Arguments) -> Use:
    file = options.value("-f", "--file")
    if file is None:
        return network("without `-f` the archive may be on another machine")
    before_slash = file.text.split("/", 1)[0]
    if not options.has("--force-local") and (":" in before_slash or HOLE in before_slash):
        return network("`host:file` is an archive on another machine")
    return READS


def _tar_options(given: Given) -> Arguments:
    """The old style `tar tzf FILE` is `tar -t -z -f FILE`: values follow in the letters' order."""
    args, spec = given.args, given.row.spec
    if not args or args[0].value is None or args[0].text[:1] in ("", "-"):
        return arguments(args, spec)
    rest, words = list(args[1:]), []
    for letter in args[0].text:
        words.append(Word(f"-{letter}"))
        if letter in spec.values and rest:
            words.append(rest.pop(0))
    return arguments((*words, *rest), spec)


def _tar_only_reads(options: Arguments) -> bool:
    modes = {mode for mode, names in _MODES.items() if options.has(*names)}
    if modes == {"-x"}:
        return options.has("-O", "--to-stdout") and not options.has("-U")
    return modes in ({"-t"}, {"-d"})


def tar_touches(given: Given) -> Iterator[Touch]:
    """Unpacking writes below the folder of `-C`; packing writes the archive and reads the rest."""
    options = _tar_options(given)
    file = options.value("-f", "--file")
    if options.has(*_MODES["-x"]) and not options.has("-O", "--to-stdout"):
        yield Touch(Kind.WRITES, options.value("-C", "--directory") or _HERE)
    packs = any(given.row.effects.get(option.name) == Kind.WRITES for option in options.options)
    if packs:
        yield from _touch_all(Kind.TREE, options.operands)
    if file is not None:
        yield Touch(Kind.WRITES if packs else Kind.READS, file)
    for option in options.options:
        key = given.row.effects.get(option.name, "")
        if option.value is not None and key in (Kind.READS, Kind.LISTS, Kind.WRITES):
            yield Touch(Kind(key), option.value)


def _glued_values(words: Iterable[Word], option: str) -> list[Word]:
    """The values that stand in one word with an option: `-dfolder`."""
    return [Word(w.text[2:], w.origin) for w in words if w.text.startswith(option) and w.text[2:]]


def unzip(given: Given) -> Iterator[Touch]:
    """Members and `-d FOLDER` come after the archive."""
    yield from _touch_all(Kind.READS, given.operands[:1])
    if not given.options.has(*given.row.reads_with):
        pairs = zip(given.args, given.args[1:], strict=False)
        folders = [after for word, after in pairs if word.text == "-d"]
        yield from _touch_all(
            Kind.WRITES, [*folders, *_glued_values(given.operands[1:], "-d")] or [_HERE]
        )


def pack(given: Given) -> Iterator[Touch]:
    """`zip`, and `7z a`: the archive is written, and the rest is read."""
    packs = not given.options.has(*given.row.reads_with)
    yield from _touch_all(Kind.WRITES if packs else Kind.READS, given.operands[:1])
    yield from _touch_all(Kind.TREE, given.operands[1:])


def seven_zip(given: Given) -> Iterator[Touch]:
    if given.verb in ("a", "d", "u", "rn"):
        yield from pack(given)
        return
    yield from _touch_all(Kind.READS, given.operands[:1])
    yield from _touch_all(Kind.WRITES, _glued_values(given.args, "-o") or [_HERE])


# Of several modes the last one wins, and an option may stand where we expect a value.
_OTHER_MODE = re.compile(r"-[^-]*[dz]|--(d|unc|comp|rm)")
_ENDINGS = (".gz", ".bz2", ".xz", ".lzma", ".zst", ".Z", ".z")


def compress(given: Given) -> Use:
    """Without files it works on its input; `-c`, `-l` and `-t` leave files as they are."""
    options = given.options
    if any(option.value and option.value.could_be_flag for option in options.options):
        return _UNPACKS
    if not given.operands or options.has("-c", "--stdout", "--to-stdout"):
        return READS
    other_mode = any(_OTHER_MODE.match(word.text) for word in given.args)
    asks = options.has("-l", "--list", "-t", "--test")
    return READS if asks and not other_mode else _UNPACKS


def compressor(given: Given) -> Iterator[Touch]:
    """The file goes away unless it is kept, and one with another ending comes up beside it."""
    yield from option_touches(given)
    if not compress(given).effect:
        yield from _touch_all(Kind.READS, given.operands)
        return
    kept = given.options.has("-k", "--keep") or given.row.name == "zstd"
    for word in given.operands:
        yield Touch(Kind.READS if kept else Kind.MOVES, word)
        bare = next((word.text.removesuffix(e) for e in _ENDINGS if word.text.endswith(e)), None)
        yield Touch(Kind.WRITES, Word(bare or f"{word.text}{HOLE}", word.origin))


# Searches

_PATTERNS = ("-e", "--regexp", "--regex", "-f", "--file")
_NAMES_ONLY = ("--files", "--type-list", "-f", "--help-types", "--list-file-types")


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


def grep(given: Given) -> Iterator[Touch]:
    """The pattern is the first operand, unless an option names it."""
    options = given.options
    deep = options.has("-r", "-R", "--recursive", "--dereference-recursive")
    deep = deep or given.invocation.name == "rgrep"
    how = options.value("-d", "--directories")
    deep = deep or (how is not None and how.value != "skip")
    return _search_touches(given, Kind.TREE if deep else Kind.READS, _PATTERNS)


def recursive(given: Given) -> Iterator[Touch]:
    """rg, ag, ack: folders with all below them."""
    flags = _NAMES_ONLY if given.invocation.name.startswith("ack") else _NAMES_ONLY[:2]
    pattern_free = ("--match", *flags) if given.row.name == "ack" else (*_PATTERNS, *flags)
    kind = Kind.NAMES if given.options.has(*flags) else Kind.TREE
    return _search_touches(given, kind, pattern_free)


def _search_touches(given: Given, kind: Kind, pattern_free: tuple[str, ...]) -> Iterator[Touch]:
    yield from option_touches(given)
    files = given.operands if given.options.has(*pattern_free) else given.operands[1:]
    if not files and kind is not Kind.READS and given.invocation.command.position == 0:
        files = (_HERE,)
    yield from _touch_all(kind, files)


_ARCHIVE = re.compile(r"\.(tar|tgz|tbz2?|txz|zip|whl|jar|ear|war|gz|bz2|xz|7z|rpm|deb|rar|Z)$")


def cloc(given: Given) -> Use:
    """What is no file is a revision, which git unpacks with the programs that its settings name."""
    if any(word.value is None or _ARCHIVE.search(word.text) for word in given.operands):
        return runs("archives are unpacked with other programs")
    cwd, files = given.invocation.command.cwd, given.invocation.workspace.files
    for word in given.operands:
        if cwd is None or files.kind(locate(word.text, cwd, files)) is FileKind.MISSING:
            return runs(f"`{printable(word)}` may be a revision")
    return READS


# Transfers

_FILES_IN_VALUES = {
    **dict.fromkeys(
        ("-d", "--data", "--data-ascii", "--data-binary", "--data-urlencode", "--json"),
        re.compile(r"[^=@]*@(.+)", re.DOTALL),
    ),
    **dict.fromkeys(("-F", "--form"), re.compile(r"[^=]*=[@<]([^;,]+).*", re.DOTALL)),
    **dict.fromkeys(("-H", "--header", "-b", "--cookie"), re.compile(r"@(.+)", re.DOTALL)),
}
_OUTPUT = ("-o", "--output")


def curl(given: Given) -> Iterator[Touch]:
    """Data that starts with `@` is a file, and `-O` writes a file with the address's last part."""
    folder = given.options.value("--output-dir")
    for option in given.options.options:
        if option.value is None:
            continue
        pattern = _FILES_IN_VALUES.get(option.name)
        if found := pattern.fullmatch(option.value.text) if pattern else None:
            yield Touch(Kind.READS, Word(found[1], option.value.origin))
        if option.name in _OUTPUT:
            yield Touch(Kind.WRITES, _within(folder, option.value))
    yield from option_touches(given, besides=_OUTPUT)
    if given.options.has("-O", "--remote-name", "--remote-name-all"):
        yield from _downloads(given, folder)


def wget(given: Given) -> Iterator[Touch]:
    yield from option_touches(given)
    for option in given.options.options:
        if option.name in ("--post-file", "--body-file") and option.value is not None:
            yield Touch(Kind.READS, option.value)
    if not given.options.has("--spider", "-O", "--output-document"):
        yield from _downloads(given, given.options.value("-P", "--directory-prefix"))


def _downloads(given: Given, folder: Word | None) -> Iterator[Touch]:
    return _touch_all(Kind.WRITES, (_within(folder, _last_part(word)) for word in given.operands))


def transfer(given: Given) -> Iterator[Touch]:
    """The last operand is where the others go; `host:path` is no file of this machine."""
    yield from option_touches(given)
    local = [(word, ":" not in word.text.split("/", 1)[0]) for word in given.operands]
    yield from _touch_all(Kind.TREE, (word for word, here in local[:-1] if here))
    if len(local) < 2 or not local[-1][1]:
        return
    place = local[-1][0]
    yield Touch(Kind.WRITES, place)
    for word, _ in local[:-1]:
        # `src/` means what is in the folder, `src` the folder itself.
        if name := posixpath.basename(word.text.rpartition(":")[2]):
            yield Touch(Kind.WRITES, _within(place, Word(name, word.origin)))


def _last_part(address: Word) -> Word:
    path = re.sub(r"^[a-z][a-z0-9+.-]*://[^/]*|[?#].*", "", address.text, flags=re.IGNORECASE)
    return Word(posixpath.basename(path.rstrip("/")) or "index.html", address.origin)


def _within(folder: Word | None, name: Word) -> Word:
    if folder is None:
        return name
    origin = folder.origin if name.value is not None else name.origin
    return Word(posixpath.join(folder.text, name.text), origin)
