"""Archives and compressors: listing and testing read, packing and unpacking write."""

import re
from collections.abc import Mapping

from automode.programs.forms import Asked, Mostly, sole
from automode.programs.rows import Flat
from automode.programs.use import READS, Invocation, Judge, Use, network, runs, unknown, writes
from automode.shell.options import Arguments, Spec, arguments
from automode.shell.script import HOLE, Word

_TAR = Spec(
    flags="tvzjJZaOdxRwipnsU",
    values="fCXbHNV",
    long_flags=(
        "--list --verbose --gzip --gunzip --ungzip --bzip2 --xz --lzma --lzip --lzop --zstd "
        "--compress --uncompress --auto-compress --no-auto-compress --wildcards --no-wildcards "
        "--wildcards-match-slash --anchored --ignore-case --show-transformed-names --full-time "
        "--numeric-owner --utc --no-recursion --totals --block-number --ignore-zeros --test-label "
        "--help --version --extract --get --to-stdout --diff --compare --force-local --occurrence "
        "--show-omitted-dirs --usage"
    ).split(),
    long_values=(
        "--file --directory --exclude --exclude-from --strip-components --transform "
        "--quoting-style --warning --blocking-factor"
    ).split(),
)
_TAR_RUNS = dict.fromkeys(
    "-I -F --use-compress-program --to-command --checkpoint-action --info-script "
    "--new-volume-script --rsh-command --rmt-command".split(),
    runs("the option runs a program"),
)
_UNPACKS = writes("unpacks or packs files")


def _tar_words(args: tuple[Word, ...]) -> tuple[Word, ...]:
    """The old style `tar tzf FILE` is `tar -t -z -f FILE`: values follow in the letters' order."""
    if not args or args[0].value is None or args[0].text.startswith("-") or not args[0].text:
        return args
    rest, words = list(args[1:]), []
    for letter in args[0].text:
        words.append(Word(f"-{letter}"))
        if letter in _TAR.values and rest:
            words.append(rest.pop(0))
    return (*words, *rest)


def _tar(invocation: Invocation) -> Use:
    given = arguments(_tar_words(invocation.args), _TAR)
    use = READS
    for option in given.options:
        use |= _TAR_RUNS.get(option.name, READS)
    if use.effect:
        return use
    if given.has("--help", "--version", "--usage"):
        return READS
    if given.unclear or not _tar_only_reads(given):
        return _UNPACKS
    file = given.value("-f", "--file")
    if file is not None and not given.has("--force-local") and _may_be_remote(file):
        return network("`host:file` is an archive on another machine")
    return READS


def _tar_only_reads(given: Arguments) -> bool:
    modes = {o.name for o in given.options if o.name in ("-t", "-d", "-x")}
    modes |= {
        short
        for short, names in (
            ("-t", ("--list", "--test-label")),
            ("-d", ("--diff", "--compare")),
            ("-x", ("--extract", "--get")),
        )
        if given.has(*names)
    }
    if modes == {"-x"}:
        return given.has("-O", "--to-stdout") and not given.has("-U")
    return modes in ({"-t"}, {"-d"})


def _may_be_remote(file: Word) -> bool:
    before_slash = file.text.split("/", 1)[0]
    return ":" in before_slash or HOLE in before_slash


def _unzip(invocation: Invocation) -> Use:
    """Listing, testing and printing one member; every other form unpacks."""
    if sole(invocation, ("-h", "-hh", "--help", "-v", "--version")) or not invocation.args:
        return READS
    first = invocation.args[0].value or ""
    if first.startswith("-Z"):
        return READS
    # What follows the archive names members, whatever it looks like.
    given = arguments(invocation.args, Spec(flags="ltvpqzCaj12hsm", stops_at_operand=True))
    if given.unclear or not given.has("-l", "-t", "-v", "-p", "-z"):
        return _UNPACKS
    return READS


def _zip(invocation: Invocation) -> Use:
    words = [word.value for word in invocation.args]
    if words[:1] in (["-sf"], ["-su"], ["-h"], ["-h2"], ["--help"], ["--version"], ["-L"]):
        return READS if len(words) <= 2 else _UNPACKS
    if any(word is not None and (word.startswith("-T") or word == "--test") for word in words):
        return runs("testing runs unzip, or the program after `-TT`")
    return _UNPACKS


def _by_verb(verbs: str, otherwise: Use = _UNPACKS) -> Judge:
    """The first word that is no switch says what is done; switches of reading verbs only read."""
    reading = frozenset(verbs.split())

    def judge(invocation: Invocation) -> Use:
        words = invocation.args
        if any(word.value is None and word.could_be_flag for word in words):
            return unknown("an argument is not known and may be a switch")
        if not words or sole(invocation, ("--help", "-h", "--version", "-?")):
            return READS
        verb = next((w.value for w in words if not w.text.startswith("-")), None)
        return READS if verb in reading else otherwise

    return judge


# Of several modes the last one wins, and an option may stand where we expect a value.
_OTHER_MODE = re.compile(r"-[^-]*[dz]|--(d|unc|comp|rm)")
_TO_OUTPUT = ("-c", "--stdout", "--to-stdout")


def _compressor(extra_values: str = "", asks: str = "-l --list -t --test") -> Judge:
    spec = Spec(
        flags="cdklLtvqfnNhVz0123456789aHMe",
        values="S" + extra_values,
        long_flags=(
            "--stdout --to-stdout --decompress --uncompress --keep --list --test --verbose --quiet "
            "--force --no-name --name --fast --best --help --version --license --compress --ascii "
            "--robot --extreme --small --no-progress --ultra --no-warn --no-sparse --info-memory "
            "--long-help"
        ).split(),
        long_values=("--suffix", "--format", "--threads", "--memlimit"),
        numbers=True,
    )

    def judge(invocation: Invocation) -> Use:
        given = arguments(invocation.args, spec)
        if given.unclear or any(o.value and o.value.could_be_flag for o in given.options):
            return _UNPACKS
        if not given.operands or given.has(*_TO_OUTPUT):
            return READS
        other_mode = any(_OTHER_MODE.match(word.text) for word in invocation.args)
        return READS if given.has(*asks.split()) and not other_mode else _UNPACKS

    return judge


_ZSTDCAT = Spec(flags="vqfk", long_flags=("--verbose", "--quiet", "--force", "--no-progress"))
_REMOVES = {"--rm": writes("`--rm` deletes what it has unpacked")}


def _cat(invocation: Invocation) -> Use:
    """The name may belong to zstd or lz4, which delete on request."""
    removes = any(word.text.startswith("--rm") for word in invocation.args)
    return _REMOVES["--rm"] if removes else READS


def _ar(invocation: Invocation) -> Use:
    mode = (invocation.args[0].value or "") if invocation.args else ""
    if re.fullmatch(r"-?[tp][vOV]*", mode) or sole(invocation, ("--help", "--version", "-V")):
        return READS
    return _UNPACKS


def _cpio(invocation: Invocation) -> Use:
    if any(":" in word.text for word in invocation.args):
        return network("`host:file` is an archive on another machine")
    asked = Asked(
        ("-t", "--list"),
        _UNPACKS,
        Spec(
            flags="tivn",
            values="FIH",
            long_flags=("--list", "--verbose", "--quiet", "--extract"),
            long_values=("--file", "--format"),
        ),
    )
    return asked(invocation)


PROGRAMS: Mapping[str, Judge] = {
    **dict.fromkeys(("tar", "gtar", "bsdtar"), _tar),
    "unzip": _unzip,
    "zip": _zip,
    **dict.fromkeys(
        "zipinfo lzmainfo lsar".split(),
        Flat(any_option=True),
    ),
    **dict.fromkeys("zcat gzcat bzcat xzcat lzcat".split(), _cat),
    **dict.fromkeys(("zstdcat", "lz4cat"), Flat(_ZSTDCAT, effects=_REMOVES)),
    **dict.fromkeys("7z 7za 7zr 7zz 7zzs".split(), _by_verb("l t i h b")),
    **dict.fromkeys(("unrar", "rar"), _by_verb("l lb lt lta v vb vt t p")),
    **dict.fromkeys(("gzip", "gunzip", "pigz", "unpigz"), _compressor("p")),
    **dict.fromkeys(("bzip2", "bunzip2", "pbzip2", "lbzip2"), _compressor(asks="-t --test")),
    **dict.fromkeys(("xz", "unxz", "lzma", "unlzma", "lzip"), _compressor("FTM")),
    **dict.fromkeys(("zstd", "unzstd", "pzstd"), _compressor("DTM")),
    **dict.fromkeys(("lz4", "unlz4"), Asked(("-t", "--list"), _UNPACKS, Spec(flags="tv"))),
    **dict.fromkeys(
        ("brotli", "compress", "uncompress", "zforce", "unar", "gzexe"), Mostly(_UNPACKS)
    ),
    **dict.fromkeys(("ar", "llvm-ar", "gar"), _ar),
    "cpio": _cpio,
}
