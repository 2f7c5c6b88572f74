"""Coreutils and their kin: programs that print, sort, count and compare text."""

import re
from collections.abc import Mapping

from automode.programs.forms import Mostly, perhaps_several
from automode.programs.rows import Flat, printable
from automode.programs.use import READS, Effect, Invocation, Judge, Use, runs, unknown, writes
from automode.shell.options import Spec, arguments
from automode.shell.script import HOLE

# None of their options can write, run or connect.
_PRINTERS = """
    tac head tail wc ls dir vdir cut paste tr comm join cmp nl fold fmt column colrm col
    expand unexpand rev seq jot tsort od hexdump hd hexyl pr look
    md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum b3sum cksum sum
    md5 sha1 sha256 sha512 shasum basename dirname realpath readlink pathchk dircolors
    cal ncal factor numfmt yes sleep expr bc stat du df nproc tput ascii banner figlet
    ghead gtail gwc gls gstat gdu gdf gtac gcut gtr grealpath greadlink gnproc gseq
    csvlook csvcut csvgrep csvstat csvsort csvjoin csvstack csvformat csvjson
    eza exa lsd dust duf tokei cygpath pdfinfo pdffonts
""".split()

_OUTPUT = writes("the output option writes a file")

_DIFF = Spec(
    flags="qsceynputTNrEZbwBaHid0",
    values="CUWFIxSXDL",
    long_flags=(
        "--normal --brief --report-identical-files --side-by-side --left-column "
        "--suppress-common-lines --show-c-function --expand-tabs --initial-tab "
        "--suppress-blank-empty --recursive --no-dereference --new-file --unidirectional-new-file "
        "--ignore-file-name-case --no-ignore-file-name-case --ignore-case --ignore-tab-expansion "
        "--ignore-trailing-space --ignore-space-change --ignore-all-space --ignore-blank-lines "
        "--text --strip-trailing-cr --minimal --speed-large-files --help --version --ed --rcs "
        "--paginate"
    ).split(),
    long_values=(
        "--label --width --starting-file --exclude --exclude-from --from-file --to-file --tabsize "
        "--show-function-line --ignore-matching-lines --horizon-lines --ifdef --palette "
        "--line-format --old-line-format --new-line-format --unchanged-line-format "
        "--old-group-format --new-group-format --unchanged-group-format --changed-group-format"
    ).split(),
    long_maybe=("--context", "--unified", "--color"),
    numbers=True,
)
_TREE = Spec(
    flags="adfilxNqQrtcUnCAShDpsugFvXJH",
    values="LPI",
    long_flags=(
        "--noreport --dirsfirst --filesfirst --du --si --inodes --device --matchdirs --prune "
        "--gitignore --ignore-case --metafirst --nolinks --hyperlink --info --version --fromfile "
        "--fromtabfile"
    ).split(),
    long_values=("--charset", "--filelimit", "--sort", "--timefmt", "--gitfile"),
)
_FILE = Spec(
    flags="bikLhnNprsEv0d",
    values="eFfmP",
    long_flags=(
        "--brief --mime --mime-type --mime-encoding --extension --apple --keep-going "
        "--dereference --no-dereference --no-buffer --no-pad --raw --special-files --print0 "
        "--preserve-date --version --help --list --exclude-quiet"
    ).split(),
    long_values=("--exclude", "--separator", "--files-from", "--magic-file", "--parameter"),
)
_LESS = Spec(
    flags="aABcCdeEfFgGiIJKLmMnNqQrRsSuUVwWXF?~",
    values="bhjPxyz",
    long_flags=(
        "--quit-if-one-screen --no-init --RAW-CONTROL-CHARS --chop-long-lines --LINE-NUMBERS "
        "--line-numbers --ignore-case --squeeze-blank-lines --help --version --raw-control-chars"
    ).split(),
    long_values=("--tabs",),
    numbers=True,
)
_UNIQ = Spec(
    flags="cdDiuz",
    values="fsw",
    long_flags=(
        "--count",
        "--repeated",
        "--ignore-case",
        "--unique",
        "--zero-terminated",
        "--help",
    ),
    long_values=("--skip-fields", "--skip-chars", "--check-chars"),
    long_maybe=("--all-repeated", "--group"),
    numbers=True,
)
_BASE64 = Spec(
    flags="dDi",
    values="wb",
    long_flags=("--decode", "--ignore-garbage", "--help", "--version"),
    long_values=("--wrap", "--break"),
)
_BASENC = Spec(
    flags="di",
    values="w",
    long_flags=(
        "--base64 --base64url --base32 --base32hex --base16 --base2msbf --base2lsbf --z85 "
        "--base58 --decode --ignore-garbage --help --version"
    ).split(),
    long_values=("--wrap",),
)
_STRINGS = Spec(
    flags="afowUV",
    values="ntesT",
    long_flags=("--all", "--data", "--print-file-name", "--include-all-whitespace", "--help"),
    long_values=("--bytes", "--radix", "--encoding", "--target", "--output-separator"),
    numbers=True,
)
_ICONV = Spec(
    flags="cls",
    values="ft",
    long_flags=("--list", "--silent", "--verbose", "--help", "--version", "--unicode-subst"),
    long_values=("--from-code", "--to-code"),
)
_SHUF = Spec(
    flags="erz",
    values="in",
    long_flags=("--echo", "--repeat", "--zero-terminated", "--help", "--version"),
    long_values=("--input-range", "--head-count", "--random-source"),
)
_XXD = Spec(  # xxd takes one-letter options apart by hand, and `-len` means `-l`
    long_flags="-a -b -C -d -e -E -i -p -ps -plain -u -v -h -autoskip -bits -postscript".split(),
    long_values="-c -g -l -n -o -s -R -cols -groupsize -len -name -seek -offset".split(),
    single_dash=True,
)
_DATE = Spec(
    flags="uRjn",
    values="drfvz",
    maybe="I",
    long_flags=("--utc", "--universal", "--rfc-email", "--debug", "--help", "--version"),
    long_values=("--date", "--file", "--reference", "--rfc-3339", "--resolution"),
    long_maybe=("--iso-8601",),
)
_MORE = Spec(
    flags="cdefsu",
    long_flags="--silent --exit-on-eof --clean-print --squeeze --plain --help --version".split(),
    numbers=True,
)
_SUMS = re.compile(r"[\dA-F\s._+*/%^~|vpnfcdrkioKIOzZ-]*")
_STREAMS = ("-", "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty")


def _one_file(spec: Spec) -> Judge:
    """A second operand is the output file, and an unquoted expansion may bring one along."""

    def judge(invocation: Invocation) -> Use:
        if any(map(perhaps_several, invocation.args)):
            return unknown("a word may become a second file, which would be written")
        return Flat(spec, operands=1)(invocation)

    return judge


def _date(invocation: Invocation) -> Use:
    """`date 01020304` sets the clock; `date +%F` and the BSD form `-j` only print."""
    given = arguments(invocation.args, _DATE)
    if given.unclear:
        if any(o.name in ("-s", "--set") for o in given.options):
            return Use(Effect.SYSTEM, "sets the clock")
        return unknown(f"option `{(*given.unclear, 'of date')[0]}` is not known to be harmless")
    only_formats = all(word.text.startswith("+") for word in given.operands)
    if only_formats or given.has("-j"):
        return READS
    return Use(Effect.SYSTEM, "an operand without `+` sets the clock")


def _tee(invocation: Invocation) -> Use:
    targets = [word for word in invocation.args if word.value not in ("-a", "-i", "--append")]
    if all(word.value in _STREAMS for word in targets):
        return READS
    return writes(f"writes `{printable(targets[0])}`")


def _dc(invocation: Invocation) -> Use:
    """In dc a `!` runs a program, `?` and standard input bring more code, strings are code too."""
    words = [word.value for word in invocation.args]
    command = invocation.command
    fed = command.position > 0 or command.fed is not None
    fed = fed or any(redirect.op.startswith("<") for redirect in command.redirects)
    if not fed and len(words) == 2 and words[0] == "-e" and _SUMS.fullmatch(words[1] or "!"):
        return READS
    return runs("`!` in its input runs a program")


# A line break ends the search; what follows would be further commands of the pager.
_POSITION = re.compile(r"\+(\d+|[FG]|/[^!|\x00-\x1f\x7f]*)")


def _more(invocation: Invocation) -> Use:
    """Often another name of less, so only options that do no harm in either."""
    return _starts_with_a_command(invocation) or Flat(_MORE)(invocation)


def _starts_with_a_command(invocation: Invocation) -> Use | None:
    """`+command` runs a pager command, `+/text` and `+12` only position."""
    positions = [word for word in invocation.args if word.text.startswith("+")]
    if all(_POSITION.fullmatch(word.text) for word in positions):
        return None
    return unknown("`+` starts with a pager command")


def _less(invocation: Invocation) -> Use:
    """less looks for further options behind a number and behind a `$` in a value."""
    for option in arguments(invocation.args, _LESS).options:
        text = option.value.text if option.value else "0"
        plain = "$" not in text if option.name == "-P" else re.fullmatch(r"-?[\d.,]+", text)
        if not plain or HOLE in text:
            return unknown(f"the value of `{option.name}` may bring an option along")
    command = _starts_with_a_command(invocation)
    if command:
        return command
    return Flat(_LESS, effects={"-o": _OUTPUT, "-O": _OUTPUT})(invocation)


def _tree(invocation: Invocation) -> Use:
    """`-o` counts wherever it stands: taking it for the value of another option is a bet."""
    if any(re.match(r"-[^-]*o", word.text) for word in invocation.args):
        return _OUTPUT
    return Flat(_TREE)(invocation)


def _stty(invocation: Invocation) -> Use:
    if all(
        word.value in ("-a", "-g", "--all", "--save", "size", "speed") for word in invocation.args
    ):
        return READS
    return Use(Effect.SYSTEM, "changes the terminal")


_OUTPUT_FLAGS = {"-o": _OUTPUT, "--output": _OUTPUT}

PROGRAMS: Mapping[str, Judge] = {
    **dict.fromkeys(_PRINTERS, Flat(any_option=True)),
    "uniq": _one_file(_UNIQ),
    "diff": Flat(_DIFF, effects={"-l": runs("`-l` runs pr"), "--paginate": runs("runs pr")}),
    "diff3": Flat(Spec(flags="aAeExX3imT", values="L")),
    "sdiff": Flat(Spec(flags="abBEHilstWZd", values="wI"), effects=_OUTPUT_FLAGS),
    "tree": _tree,
    "file": Flat(_FILE, effects={"-C": writes("compiles a magic file")}),
    "less": _less,
    "more": _more,
    "shuf": Flat(_SHUF, effects=_OUTPUT_FLAGS),
    "xxd": _one_file(_XXD),
    **dict.fromkeys(("base64", "base32", "gbase64"), Flat(_BASE64, effects=_OUTPUT_FLAGS)),
    "basenc": Flat(_BASENC),
    "strings": Flat(_STRINGS),
    "iconv": Flat(_ICONV, effects=_OUTPUT_FLAGS),
    **dict.fromkeys(("date", "gdate"), _date),
    "tee": _tee,
    "dc": _dc,
    "stty": _stty,
    **dict.fromkeys(("split", "csplit"), Mostly(writes("writes the pieces"))),
}
