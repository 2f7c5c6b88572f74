"""Checks of archives and compressors, and the files that they touch."""

import re
from collections.abc import Iterator, Sequence

from automode.programs.row import Given, Kind, Touch, option_touches, option_use
from automode.programs.use import READS, Effect, Use, network, unknown, writes
from automode.shell.options import Arguments, arguments
from automode.shell.script import HOLE, Word

_UNPACKS = writes("unpacks or packs files")
_MODES = {
    "-t": ("-t", "--list", "--test-label"),
    "-d": ("-d", "--diff", "--compare"),
    "-x": ("-x", "--extract", "--get"),
}
_HERE = Word(".")


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


_PRINTS_ALL = Use(Effect.SECRETS, "may print every file of the archive, credentials among them")
_SUFFIX = re.compile(r"[^/.]\.\w+$")


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
        yield from (Touch(Kind.TREE, word) for word in options.operands)
    if file is not None:
        yield Touch(Kind.WRITES if packs else Kind.READS, file)
    for option in options.options:
        key = given.row.effects.get(option.name, "")
        if option.value is not None and key in (Kind.READS, Kind.LISTS, Kind.WRITES):
            yield Touch(Kind(key), option.value)


def unzip(given: Given) -> Iterator[Touch]:
    """Members and `-d FOLDER` come after the archive."""
    yield from (Touch(Kind.READS, word) for word in given.operands[:1])
    if given.options.has(*given.row.reads_with):
        return
    pairs = zip(given.args, given.args[1:], strict=False)
    folders = [after for word, after in pairs if word.text == "-d"]
    folders += [Word(w.text[2:], w.origin) for w in given.operands[1:] if re.match("-d.", w.text)]
    yield from (Touch(Kind.WRITES, word) for word in folders or [_HERE])


def zip_touches(given: Given) -> Iterator[Touch]:
    packs = not given.options.has(*given.row.reads_with)
    yield from (Touch(Kind.WRITES if packs else Kind.READS, w) for w in given.operands[:1])
    yield from (Touch(Kind.TREE, word) for word in given.operands[1:])


def seven_zip(given: Given) -> Iterator[Touch]:
    packs = given.invocation.args[:1] and given.invocation.args[0].text in ("a", "d", "u", "rn")
    yield from (Touch(Kind.WRITES if packs else Kind.READS, w) for w in given.operands[:1])
    yield from (Touch(Kind.TREE, word) for word in given.operands[1:] if packs)
    if not packs:
        outs = [Word(w.text[2:], w.origin) for w in given.args if re.match("-o.", w.text)]
        yield from (Touch(Kind.WRITES, word) for word in outs or [_HERE])


_TO_OUTPUT = ("-c", "--stdout", "--to-stdout")
# Of several modes the last one wins, and an option may stand where we expect a value.
_OTHER_MODE = re.compile(r"-[^-]*[dz]|--(d|unc|comp|rm)")


def compress(given: Given) -> Use:
    """Without files it works on its input; `-c`, `-l` and `-t` leave files as they are."""
    options = given.options
    if any(option.value and option.value.could_be_flag for option in options.options):
        return _UNPACKS
    if not given.operands or options.has(*_TO_OUTPUT):
        return READS
    other_mode = any(_OTHER_MODE.match(word.text) for word in given.args)
    asks = options.has("-l", "--list", "-t", "--test")
    return READS if asks and not other_mode else _UNPACKS


_ENDINGS = (".gz", ".bz2", ".xz", ".lzma", ".zst", ".Z", ".z")


def pack_touches(given: Given) -> Iterator[Touch]:
    """The file goes away unless it is kept, and one with another ending comes up beside it."""
    yield from option_touches(given)
    if not compress(given).effect:
        yield from (Touch(Kind.READS, word) for word in given.operands)
        return
    kept = given.options.has("-k", "--keep") or given.row.name == "zstd"
    for word in given.operands:
        yield Touch(Kind.READS if kept else Kind.MOVES, word)
        bare = next((word.text.removesuffix(e) for e in _ENDINGS if word.text.endswith(e)), None)
        yield Touch(Kind.WRITES, Word(bare or f"{word.text}{HOLE}", word.origin))


def library(given: Given) -> Use:
    mode = (given.args[0].value or "") if given.args else ""
    if re.fullmatch(r"-?p[vOV]*", mode):
        return READS if _names_files(given.args[2:]) else _PRINTS_ALL
    if re.fullmatch(r"-?t[vOV]*|--help|--version|-V", mode):
        return READS
    return _UNPACKS


def library_touches(given: Given) -> Iterator[Touch]:
    kind = Kind.WRITES if library(given) == _UNPACKS else Kind.READS
    yield from (Touch(kind, word) for word in given.args[1:2])
