"""Search tools: grep and its kin, find, fd, locate, which, man."""

from collections.abc import Mapping

from automode.programs.forms import sole
from automode.programs.rows import Flat, printable
from automode.programs.use import READS, Invocation, Judge, Use, network, runs, unknown, writes
from automode.shell.options import Spec, arguments, may_split
from automode.shell.script import Word

_RG = Spec(
    flags="aciFHhIlLnNoPpqsSuUvVwx0b.",
    values="ABCdEefgjmMrtT",
    long_flags=(
        "--text --auto-hybrid-regex --binary --block-buffered --byte-offset --case-sensitive "
        "--column --count --count-matches --crlf --debug --trace --files --files-with-matches "
        "--files-without-match --fixed-strings --follow --glob-case-insensitive --heading --help "
        "--hidden --ignore-case --include-zero --invert-match --json --line-buffered "
        "--line-number --line-regexp --max-columns-preview --mmap --multiline "
        "--multiline-dotall --no-binary --no-config --no-column --no-filename --no-fixed-strings "
        "--no-heading --no-hidden --no-ignore --no-ignore-dot --no-ignore-exclude "
        "--no-ignore-files --no-ignore-global --no-ignore-messages --no-ignore-parent "
        "--no-ignore-vcs --no-json --no-line-number --no-messages --no-mmap --no-pcre2-unicode "
        "--no-require-git --no-unicode --null --null-data --one-file-system --only-matching "
        "--passthru --passthrough --pcre2 --pcre2-version --pretty --print0 --quiet --smart-case "
        "--stats --stop-on-nonmatch --trim --type-list --unrestricted --version --vimgrep "
        "--with-filename --word-regexp --ignore-file-case-insensitive --no-follow --no-stats "
        "--no-search-zip --no-pre --no-trim --ignore --ignore-vcs --no-context-separator "
        "--no-glob-case-insensitive --no-multiline --no-crlf --no-text --unicode --pcre2-unicode"
    ).split(),
    long_values=(
        "--after-context --before-context --color --colors --context --context-separator "
        "--dfa-size-limit --encoding --engine --field-context-separator --field-match-separator "
        "--file --glob --iglob --ignore-file --max-columns --max-count --max-depth --maxdepth "
        "--max-filesize --path-separator --regexp --regex-size-limit --replace --sort --sortr "
        "--threads --type --type-not --type-add --type-clear --hyperlink-format --generate "
        "--pre --pre-glob --hostname-bin"
    ).split(),
)
_UNPACK = runs("compressed files are unpacked with other programs")
_RG_EFFECTS = {
    "--pre": runs("`--pre` runs a program on every file"),
    "--hostname-bin": runs("`--hostname-bin` runs a program"),
    "-z": _UNPACK,
    "--search-zip": _UNPACK,
}
_AG = Spec(
    flags="acDfFHhiLlnoQqrRSstuUvVwWxz0",
    values="ABCgGmp",
    long_flags=(
        "--ackmate --all-types --all-text --case-sensitive --column --count --color --nocolor "
        "--files-with-matches --files-without-matches --filename --nofilename --fixed-strings "
        "--follow --group --nogroup --heading --noheading --hidden --ignore-case --invert-match "
        "--line-numbers --list-file-types --literal --multiline --nomultiline --numbers "
        "--nonumbers --null --only-matching --one-device --print-all-files --print-long-lines "
        "--passthrough --passthru --recurse --norecurse --search-files --search-binary --silent "
        "--skip-vcs-ignores --smart-case --stats --stats-only --unrestricted --version "
        "--vimgrep --word-regexp --no-numbers --help --nobreak --break --js --py --cpp --go --ruby"
    ).split(),
    long_values=(
        "--after --before --context --depth --file-search-regex --ignore --ignore-dir --max-count "
        "--path-to-ignore --width --workers --pager"
    ).split(),
)
_ACK = Spec(
    flags="acfhHiIklLnorRsSvwx1",
    values="ABCgmt",
    long_flags=(
        "--count --nocolor --color --column --files-with-matches --files-without-matches "
        "--nofilter --follow --group --nogroup --heading --noheading --ignore-case --invert-match "
        "--literal --no-filename --with-filename --noenv --noignore-dir --passthru --print0 "
        "--recurse --no-recurse --smart-case --sort-files --word-regexp --version --help "
        "--help-types --known-types --nopager --python --js --perl --ruby --go --cpp --java"
    ).split(),
    long_values=(
        "--after-context --before-context --context --ignore-dir --ignore-file --max-count --type "
        "--match --lines --range-start --range-end --pager --output"
    ).split(),
)
_PAGER = runs("the pager is a program")
_FD = Spec(
    flags="HIusigFalLp01qhV",
    values="dtSecEoj",
    long_flags=(
        "--hidden --no-ignore --unrestricted --case-sensitive --ignore-case --glob --regex "
        "--fixed-strings --absolute-path --list-details --follow --full-path --print0 --prune "
        "--no-ignore-vcs --no-ignore-parent --no-require-git --no-global-ignore-file --quiet "
        "--show-errors --one-file-system --strip-cwd-prefix --help --version --relative-path "
        "--no-hidden --ignore --no-follow --has-results --rg-alias-hidden-ignore"
    ).split(),
    long_values=(
        "--max-depth --min-depth --exact-depth --exclude --type --extension --size "
        "--changed-within --changed-before --newer --older --owner --color --threads "
        "--max-results --base-directory --path-separator --search-path --and --format "
        "--ignore-file --gen-completions --exec --exec-batch"
    ).split(),
    long_maybe=("--hyperlink",),
)
_FD_RUNS = runs("runs a program on what it finds")

_TESTS_WITHOUT_VALUE = frozenset(
    "-print -print0 -ls -prune -quit -empty -executable -readable -writable -true -false -daystart "
    "-depth -d -mount -xdev -x -X -E -s -follow -noleaf -nouser -nogroup -noignore_readdir_race "
    "-ignore_readdir_race -nowarn -warn -help --help -version --version -and -a -or -o -not -H -L "
    "-P -acl -xattr".split()
)
_TESTS_WITH_VALUE = frozenset(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype "
    "-size -perm -user -group -uid -gid -links -inum -samefile -newer -anewer -cnewer -amin -cmin "
    "-mmin -atime -ctime -mtime -used -maxdepth -mindepth -regextype -printf -fstype -files0-from "
    "-context -f -D -flags -Bmin -Btime -Bnewer -xattrname -since".split()
)
_WRITERS = ("-delete", "-fprint", "-fprint0", "-fprintf", "-fls")
_RUNNERS = ("-exec", "-execdir", "-ok", "-okdir")
_GRAMMAR = ("(", ")", "!", ",", "{}", "+", ";", "--")


def _find(invocation: Invocation) -> Use:
    """A writer counts wherever it stands: taking it for the value of another test is a bet."""
    use = READS
    for word in invocation.args:
        if word.value in _WRITERS:
            use |= writes(f"`{word.value}` deletes or writes files")
        if word.value in _RUNNERS:
            use |= runs(f"`{word.value}` runs a program on what it finds")
    return use if use.effect else _find_words(invocation.args)


def _find_words(args: tuple[Word, ...]) -> Use:
    words = iter(args)
    for word in words:
        if may_split(word) or (word.value is None and word.could_be_flag):
            return unknown("an argument is not known and may be an action")
        text = word.text
        if text in _TESTS_WITH_VALUE or (text.startswith("-newer") and len(text) == 8):
            value = next(words, None)
            if value is not None and may_split(value):
                return unknown("a value is not known and may bring an action along")
        elif text.startswith("-") and text not in _TESTS_WITHOUT_VALUE and text[:2] != "-O":
            return unknown(f"`{printable(word)}` is not known to be harmless")
    return READS


_PCRE = Spec(
    flags="acFhHiIlLMnoqrstuUvVwx",
    values="ABCDdemO",
    long_flags=(
        "--text --case-restrict --count --files-with-matches --files-without-match --fixed-strings "
        "--help --ignore-case --invert-match --line-buffered --line-number --line-offsets "
        "--line-regex --line-regexp --multiline --no-filename --no-jit --no-messages --null "
        "--only-matching --quiet --recursive --silent --total-count --utf --version "
        "--with-filename --word-regex --word-regexp"
    ).split(),
    long_values=(
        "--after-context --before-context --context --exclude --exclude-dir --include "
        "--include-dir --max-count --newline --regex --regexp --binary-files --devices "
        "--directories"
    ).split(),
    long_maybe=("--color", "--colour"),
    stops_at_operand=True,
    numbers=True,
)


def _pcre(invocation: Invocation) -> Use:
    """A pattern may start a program (`(?C"…")`), so it has to be known."""
    if any("(?C" in word.text for word in invocation.args):
        return runs("a callout in the pattern may run a program")
    given = arguments(invocation.args, _PCRE)
    named = [o.value for o in given.options if o.name in ("-e", "--regex", "--regexp")]
    patterns = named or list(given.operands[:1])
    if any(word is None or word.value is None for word in patterns):
        return unknown("the pattern is not known")
    return Flat(_PCRE)(invocation)


def _command(invocation: Invocation) -> Use:
    """`command -v NAME` looks a program up; without `-v` it runs one."""
    first, rest = (*invocation.args[:1], Word(""))[0], invocation.args[1:]
    if not invocation.args:
        return READS
    if first.value in ("-v", "-V", "-pv", "-pV") and not any(w.could_be_flag for w in rest):
        return READS
    return runs("runs a program")


def _man(invocation: Invocation) -> Use:
    """A word with a slash is a file to be typeset, not the name of a page."""
    spec = Spec(
        flags="kfwWai",
        values="sSM",
        long_flags="--apropos --whatis --where --path --all --help --version --names-only".split(),
        long_values=("--sections",),
    )
    if any("/" in word.text for word in invocation.args):
        return unknown("a file is not a manual page")
    return Flat(spec)(invocation)


def _info(invocation: Invocation) -> Use:
    if any(word.text.startswith("-") for word in invocation.args):
        asks = sole(invocation, ("--help", "--version"))
        return READS if asks else unknown("options of info are not known to be harmless")
    return READS if invocation.literal else unknown("an argument may be an option")


_APROPOS = Flat(
    Spec(
        flags="dvewrlah",
        values="sm",
        long_flags="--exact --wildcard --regex --long --and --verbose --help --version".split(),
        long_values=("--sections", "--section"),
    )
)

PROGRAMS: Mapping[str, Judge] = {
    **dict.fromkeys(
        "grep egrep fgrep ggrep pgrep zgrep zegrep zfgrep bzgrep xzgrep zipgrep "
        "locate mlocate plocate slocate which whereis gwhich".split(),
        Flat(any_option=True),
    ),
    **dict.fromkeys(("pcregrep", "pcre2grep"), _pcre),
    **dict.fromkeys(("rg", "ripgrep"), Flat(_RG, effects=_RG_EFFECTS)),
    "ag": Flat(_AG, effects={"--pager": _PAGER}),
    **dict.fromkeys(
        ("ack", "ack-grep"), Flat(_ACK, effects={"--pager": _PAGER, "--output": _PAGER})
    ),
    **dict.fromkeys(("find", "gfind"), _find),
    **dict.fromkeys(
        ("fd", "fdfind"),
        Flat(_FD, effects=dict.fromkeys(("-x", "-X", "--exec", "--exec-batch"), _FD_RUNS)),
    ),
    "command": _command,
    "man": _man,
    "info": _info,
    **dict.fromkeys(("apropos", "whatis"), _APROPOS),
    "tldr": lambda _: network("pages may be downloaded"),
    "updatedb": lambda _: writes("rebuilds the database of locate"),
}
