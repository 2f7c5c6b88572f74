"""The options of git's reading commands, by family. Each list holds what is known to be harmless.

Abbreviations are not followed: `--output` would otherwise pass for `--output-indicator-new` in a
list that leaves the first one out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from automode.programs.use import Use, runs, writes
from automode.shell.options import Arguments, Option, Spec, arguments
from automode.shell.script import HOLE, Origin, Word


@dataclass(frozen=True, slots=True)
class Exact(Spec):
    """A spec whose long options count only when written in full."""

    def long(self, typed: str) -> tuple[str, str] | None:
        kinds = ((self.long_flags, "flag"), (self.long_values, "value"), (self.long_maybe, "maybe"))
        return next(((typed, kind) for names, kind in kinds if typed in names), None)


def options(
    flags: str = "", values: str = "", maybe: str = "", *, short: str = "", numbers: bool = False
) -> Exact:
    """A spec from blank-separated names; `short` is `flags/values/maybe` of the letters."""
    letters = [*short.split("/"), "", ""]
    return Exact(
        letters[0],
        letters[1],
        letters[2],
        frozenset(f"--{name}" for name in flags.split()),
        frozenset(f"--{name}" for name in values.split()),
        frozenset(f"--{name}" for name in maybe.split()),
        numbers=numbers,
    )


def joined(first: Spec, *others: Spec) -> Exact:
    """All options of several families; an earlier family decides what a shared letter means."""
    flags, values, maybe = first.flags, first.values, first.maybe
    long_flags, long_values = {*first.long_flags}, {*first.long_values}
    long_maybe = {*first.long_maybe}
    for other in others:
        taken = flags + values + maybe
        names = long_flags | long_values | long_maybe
        flags += "".join(letter for letter in other.flags if letter not in taken)
        values += "".join(letter for letter in other.values if letter not in taken)
        maybe += "".join(letter for letter in other.maybe if letter not in taken)
        long_flags |= {*other.long_flags} - names
        long_values |= {*other.long_values} - names
        long_maybe |= {*other.long_maybe} - names
    numbers = first.numbers or any(other.numbers for other in others)
    return Exact(flags, values, maybe, long_flags, long_values, long_maybe, numbers=numbers)


def _settled(word: Word) -> Word:
    """`--since="$day"` is surely that option, whatever the day: only the value is unknown."""
    name, equals, _ = word.text.partition("=")
    sure = word.origin is not Origin.LITERAL and not word.splits and equals
    if sure and name.startswith("--") and HOLE not in name:
        return Word(word.text)
    return word


def read(args: Sequence[Word], spec: Spec) -> Arguments:
    """Options and operands. A long option that seems to take an option for its value may not take
    one at all, so that is unclear too; as is a value that may turn into several words."""
    given = arguments([_settled(word) for word in args], spec)
    doubtful = [option.name for option in given.options if _doubtful(option, args, spec)]
    # Nobody names files so, and not every command stops reading options at `--`.
    doubtful += [word.text for word in given.operands if word.text.startswith("-") and word.value]
    return Arguments(given.options, given.operands, (*given.unclear, *doubtful))


def _doubtful(option: Option, args: Sequence[Word], spec: Spec) -> bool:
    value = option.value
    if value is None:
        return False
    if value.splits or value.origin is Origin.GLOB:
        return True
    glued = any(word.text == f"{option.name}={value.text}" for word in args)
    return option.name in spec.long_values and not glued and value.could_be_flag


RUN_EFFECTS: dict[str, Use] = {
    "--ext-diff": runs("`--ext-diff` runs a diff program"),
    "--textconv": runs("`--textconv` runs a conversion program"),
    "--show-signature": runs("`--show-signature` runs gpg"),
}
OUTPUT: dict[str, Use] = {"--output": writes("`--output` writes a file")}

RUNNING = options("ext-diff textconv show-signature", "output")

DIFF = options(
    "patch no-patch raw patch-with-raw indent-heuristic no-indent-heuristic minimal patience "
    "histogram compact-summary numstat shortstat summary patch-with-stat name-only name-status "
    "no-color no-color-moved no-color-moved-ws no-renames rename-empty no-rename-empty check "
    "full-index binary irreversible-delete find-copies-harder pickaxe-all pickaxe-regex text "
    "ignore-cr-at-eol ignore-space-at-eol ignore-space-change ignore-all-space ignore-blank-lines "
    "function-context exit-code quiet no-ext-diff no-textconv no-prefix default-prefix "
    "ita-invisible-in-index ita-visible-in-index no-relative cumulative cc combined-all-paths "
    "no-diff-merges remerge-diff dd root merge-base no-stat",
    "anchored diff-algorithm stat-width stat-name-width stat-count stat-graph-width color-moved-ws "
    "word-diff-regex ws-error-highlight diff-filter skip-to rotate-to inter-hunk-context "
    "src-prefix dst-prefix line-prefix max-depth find-object ignore-matching-lines "
    "output-indicator-new output-indicator-old output-indicator-context diff-merges",
    "unified stat dirstat dirstat-by-file submodule color color-moved word-diff color-words abbrev "
    "break-rewrites find-renames find-copies relative ignore-submodules",
    short="zpusRabwWDmcrtq/lSGOI/UXBMC",
    numbers=True,
)
WALK = options(
    "merges no-merges no-min-parents no-max-parents first-parent exclude-first-parent-only not all "
    "reflog single-worktree ignore-missing bisect stdin quiet cherry-mark cherry-pick left-only "
    "right-only cherry walk-reflogs merge boundary use-bitmap-index simplify-by-decoration "
    "full-history dense sparse simplify-merges show-pulls date-order author-date-order topo-order "
    "reverse objects objects-edge objects-edge-aggressive indexed-objects unpacked "
    "no-object-names object-names in-commit-order do-walk parents children left-right graph "
    "no-graph count oneline abbrev-commit no-abbrev-commit no-abbrev relative-date header "
    "timestamp no-commit-header commit-header no-notes standard-notes no-standard-notes "
    "no-show-signature no-expand-tabs log-size source use-mailmap mailmap no-mailmap "
    "no-use-mailmap full-diff follow no-follow no-decorate clear-decorations regexp-ignore-case "
    "basic-regexp extended-regexp fixed-strings perl-regexp all-match invert-grep remove-empty "
    "filter-print-omitted filter-provided-objects no-filter exclude-promisor-objects "
    "bisect-vars bisect-all end-of-options maximal-only",
    "max-count skip since after until before since-as-filter max-age min-age author committer "
    "grep-reflog grep min-parents max-parents encoding date filter exclude exclude-hidden "
    "decorate-refs decorate-refs-exclude glob missing progress",
    "branches tags remotes decorate pretty format notes show-notes abbrev ancestry-path no-walk "
    "expand-tabs show-linear-break disk-usage",
    short="iEFPgq/nL",
    numbers=True,
)
HISTORY = joined(DIFF, WALK, RUNNING)
COMPARE = joined(
    options("cached staged no-index base ours theirs", short="123"),
    HISTORY,
)
PLUMBING = joined(options("cached no-commit-id always", short="v"), HISTORY)
STATUS = options(
    "short branch no-branch show-stash no-show-stash long verbose null no-column ahead-behind "
    "no-ahead-behind renames no-renames",
    "",
    "porcelain untracked-files ignore-submodules ignored column find-renames",
    short="sbvz//u",
)
SHORTLOG = joined(
    options("summary numbered email committer", "group", "format", short="sneci//w"), WALK, RUNNING
)
BLAME = joined(
    options(
        "root show-stats score-debug show-name show-number porcelain line-porcelain incremental "
        "show-email color-lines color-by-age minimal first-parent progress no-progress",
        "date ignore-rev ignore-revs-file contents encoding since",
        "reverse abbrev",
        short="ltsefnpcbwk/LS/MC",
    ),
    DIFF,
    WALK,
    RUNNING,
)
DESCRIBE = options(
    "all tags contains exact-match debug long always first-parent",
    "abbrev candidates match exclude",
    "dirty broken",
)
CAT_FILE = options(
    "batch-all-objects buffer no-buffer follow-symlinks unordered allow-unknown-type use-mailmap "
    "mailmap no-mailmap textconv filters",
    "filter path",
    "batch batch-check batch-command",
    short="ptsezZ",
)
REFS = options(
    "shell perl python tcl omit-empty include-root-refs ignore-case stdin all verbose quiet "
    "show-current list remotes no-color no-column no-abbrev start-after",
    "count format sort points-at exclude",
    "color column abbrev contains no-contains merged no-merged",
)
EACH_REF = joined(options(short="spi"), REFS)
BRANCH = joined(options(short="arvqil"), REFS)
TAG = joined(options(short="li//n"), REFS)
GREP = options(
    "cached untracked no-index exclude-standard no-exclude-standard text no-textconv textconv "
    "ignore-case recursive no-recursive word-regexp invert-match full-name extended-regexp "
    "basic-regexp perl-regexp fixed-strings line-number column files-with-matches name-only "
    "files-without-match null only-matching count no-color break heading show-function "
    "function-context and or not quiet all-match ext-grep no-ext-grep",
    "max-depth after-context before-context context threads max-count",
    "color open-files-in-pager",
    short="aiIrwvhHEGPFnlLzocpWq/ABCfem/O",
    numbers=True,
)
FSCK = options(
    "unreachable dangling no-dangling root tags cache no-reflogs full no-full strict verbose "
    "progress no-progress connectivity-only name-objects no-name-objects references "
    "no-references lost-found",
    short="v",
)
ARCHIVE = options(
    "list verbose worktree-attributes",
    "format prefix add-file add-virtual-file mtime output remote exec",
    short="lv/o",
    numbers=True,
)
FORMAT_PATCH = joined(
    options(
        "stdout numbered no-numbered keep-subject signoff no-signoff no-thread no-attach "
        "cover-letter no-cover-letter rfc zero-commit no-signature quiet root always "
        "ignore-if-in-upstream progress no-binary no-stat no-base no-notes",
        "in-reply-to base subject-prefix reroll-count suffix start-number to cc signature "
        "signature-file range-diff interdiff creation-factor output-directory",
        "thread attach inline from notes",
        short="nNksq/vo",
    ),
    DIFF,
    WALK,
    RUNNING,
)
APPLY = options(
    "check stat numstat summary cached index reverse unidiff-zero verbose quiet ignore-whitespace "
    "ignore-space-change recount inaccurate-eof allow-overlap allow-empty no-add binary",
    "directory exclude include whitespace",
    short="Rvqz/pC",
)
CONFIG = replace(
    options(
        "get get-all get-regexp get-urlmatch get-color get-colorbool list name-only show-origin "
        "show-scope null bool int bool-or-int bool-or-str path expiry-date no-type includes "
        "no-includes global system local worktree fixed-value all regexp show-names no-show-names",
        "type default file blob value url",
        short="lz/f",
    ),
    stops_at_operand=True,  # `git config NAME --get` stores `--get`
)
