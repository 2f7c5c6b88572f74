"""The options of git's reading commands, by family. Each list holds what is known to be harmless.

Abbreviations are not followed: `--output` would otherwise pass for `--output-indicator-new` in a
list that leaves the first one out.
"""

from collections.abc import Sequence
from dataclasses import replace

from automode.programs.use import Use, runs, writes
from automode.programs.verbs import spec
from automode.shell.options import Arguments, Option, Spec, arguments
from automode.shell.script import HOLE, Origin, Word


def options(*families: str, numbers: bool = False) -> Spec:
    """A spec from lists of options; an earlier list decides what a shared name means."""
    known: set[str] = set()
    words: list[str] = []
    for family in families:
        added: set[str] = set()
        for word in family.split():
            name = word.removesuffix("[=]").removesuffix("=")
            mark = word[len(name) :]
            long = name.startswith("--")
            names = (name,) if long else tuple(f"-{letter}" for letter in name[1:])
            words += [f"{one}{mark}" for one in names if one not in known]
            added.update(names)
        known |= added
    return spec(" ".join(words), numbers=numbers)


def _settled(word: Word) -> Word:
    """`--since="$day"` is surely that option, whatever the day: only the value is unknown."""
    name, equals, _ = word.text.partition("=")
    sure = word.origin is not Origin.LITERAL and not word.splits and equals
    if sure and name.startswith("--") and HOLE not in name:
        return Word(word.text)
    return word


def read(args: Sequence[Word], known: Spec) -> Arguments:
    """Options and operands. A long option that seems to take an option for its value may not take
    one at all, so that is unclear too; as is a value that may turn into several words."""
    given = arguments([_settled(word) for word in args], known)
    doubtful = [option.name for option in given.options if _doubtful(option, args, known)]
    # Nobody names files so, and not every command stops reading options at `--`.
    doubtful += [word.text for word in given.operands if word.text.startswith("-") and word.value]
    return Arguments(given.options, given.operands, (*given.unclear, *doubtful))


def _doubtful(option: Option, args: Sequence[Word], known: Spec) -> bool:
    value = option.value
    if value is None:
        return False
    if value.splits or value.origin is Origin.GLOB:
        return True
    glued = any(word.text == f"{option.name}={value.text}" for word in args)
    return option.name in known.long_values and not glued and value.could_be_flag


RUN_EFFECTS: dict[str, Use] = {
    "--ext-diff": runs("`--ext-diff` runs a diff program"),
    "--textconv": runs("`--textconv` runs a conversion program"),
    "--show-signature": runs("`--show-signature` runs gpg"),
}
OUTPUT: dict[str, Use] = {"--output": writes("`--output` writes a file")}

_DIFF = """
    -zpusRabwWDmcrtq -lSGI= -UXBMC[=] --binary --cc --check --combined-all-paths --compact-summary
    --cumulative --dd --default-prefix --exit-code --find-copies-harder --full-index
    --function-context --histogram --ignore-all-space --ignore-blank-lines --ignore-cr-at-eol
    --ignore-space-at-eol --ignore-space-change --indent-heuristic --irreversible-delete
    --ita-invisible-in-index --ita-visible-in-index --merge-base --minimal --name-only --name-status
    --no-color --no-color-moved --no-color-moved-ws --no-diff-merges --no-ext-diff
    --no-indent-heuristic --no-patch --no-prefix --no-relative --no-rename-empty --no-renames
    --no-stat --no-textconv --numstat --patch --patch-with-raw --patch-with-stat --patience
    --pickaxe-all --pickaxe-regex --quiet --raw --remerge-diff --rename-empty --root --shortstat
    --summary --text --anchored= --color-moved-ws= --diff-algorithm= --diff-filter= --diff-merges=
    --dst-prefix= --find-object= --ignore-matching-lines= --inter-hunk-context= --line-prefix=
    --max-depth= --output-indicator-context= --output-indicator-new= --output-indicator-old=
    --rotate-to= --skip-to= --src-prefix= --stat-count= --stat-graph-width= --stat-name-width=
    --stat-width= --word-diff-regex= --ws-error-highlight= --abbrev[=] --break-rewrites[=]
    --color[=] --color-moved[=] --color-words[=] --dirstat[=] --dirstat-by-file[=] --find-copies[=]
    --find-renames[=] --ignore-submodules[=] --relative[=] --stat[=] --submodule[=] --unified[=]
    --word-diff[=]
"""
_WALK = """
    -iEFPgq -nL= --abbrev-commit --all --all-match --author-date-order --basic-regexp --bisect
    --bisect-all --bisect-vars --boundary --cherry --cherry-mark --cherry-pick --children
    --clear-decorations --commit-header --count --date-order --dense --do-walk --end-of-options
    --exclude-first-parent-only --exclude-promisor-objects --extended-regexp --filter-print-omitted
    --filter-provided-objects --first-parent --fixed-strings --follow --full-diff --full-history
    --graph --header --ignore-missing --in-commit-order --indexed-objects --invert-grep --left-only
    --left-right --log-size --mailmap --maximal-only --merge --merges --no-abbrev
    --no-abbrev-commit --no-commit-header --no-decorate --no-expand-tabs --no-filter --no-follow
    --no-graph --no-mailmap --no-max-parents --no-merges --no-min-parents --no-notes
    --no-object-names --no-show-signature --no-standard-notes --no-use-mailmap --not --object-names
    --objects --objects-edge --objects-edge-aggressive --oneline --parents --perl-regexp --quiet
    --reflog --regexp-ignore-case --relative-date --remove-empty --reverse --right-only
    --show-pulls --simplify-by-decoration --simplify-merges --single-worktree --source --sparse
    --standard-notes --stdin --timestamp --topo-order --unpacked --use-bitmap-index --use-mailmap
    --walk-reflogs --after= --author= --before= --committer= --date= --decorate-refs=
    --decorate-refs-exclude= --encoding= --exclude= --exclude-hidden= --filter= --glob= --grep=
    --grep-reflog= --max-age= --max-count= --max-parents= --min-age= --min-parents= --missing=
    --progress= --since= --since-as-filter= --skip= --until= --abbrev[=] --ancestry-path[=]
    --branches[=] --decorate[=] --disk-usage[=] --expand-tabs[=] --format[=] --no-walk[=]
    --notes[=] --pretty[=] --remotes[=] --show-linear-break[=] --show-notes[=] --tags[=]
"""
_RUNNING = "--ext-diff --textconv --show-signature --output="
_REFS = """
    --all --ignore-case --include-root-refs --list --no-abbrev --no-color --no-column --omit-empty
    --perl --python --quiet --remotes --shell --show-current --start-after --stdin --tcl --verbose
    --count= --exclude= --format= --points-at= --sort= --abbrev[=] --color[=] --column[=]
    --contains[=] --merged[=] --no-contains[=] --no-merged[=]
"""


def history(*own: str) -> Spec:
    return options(*own, _DIFF, _WALK, _RUNNING, numbers=True)


HISTORY = history()
COMPARE = history("-123 --cached --staged --no-index --base --ours --theirs")
PLUMBING = history("-v --cached --no-commit-id --always")
SHORTLOG = options(
    "-sneci -w[=] --summary --numbered --email --committer --group= --format[=]",
    _WALK,
    _RUNNING,
    numbers=True,
)
BLAME = history(
    """-ltsefnpcbwk -LS= -MC[=] --root --show-stats --score-debug --show-name --show-number
    --porcelain --line-porcelain --incremental --show-email --color-lines --color-by-age --minimal
    --first-parent --progress --no-progress --date= --ignore-rev= --ignore-revs-file= --contents=
    --encoding= --since= --reverse[=] --abbrev[=]"""
)
FORMAT_PATCH = history(
    """-nNksq -vo= --stdout --numbered --no-numbered --keep-subject --signoff --no-signoff
    --no-thread --no-attach --cover-letter --no-cover-letter --rfc --zero-commit --no-signature
    --quiet --root --always --ignore-if-in-upstream --progress --no-binary --no-stat --no-base
    --no-notes --in-reply-to= --base= --subject-prefix= --reroll-count= --suffix= --start-number=
    --to= --cc= --signature= --range-diff= --interdiff= --creation-factor= --output-directory=
    --thread[=] --attach[=] --inline[=] --from[=] --notes[=]"""
)
STATUS = options(
    """-sbz -u[=] --ahead-behind --branch --long --no-ahead-behind --no-branch --no-column
    --no-renames --no-show-stash --null --renames --short --show-stash --column[=] --find-renames[=]
    --ignore-submodules[=] --ignored[=] --porcelain[=] --untracked-files[=]"""
)
DESCRIBE = options(
    """--all --always --contains --debug --exact-match --first-parent --long --tags --abbrev=
    --candidates= --exclude= --match= --broken[=] --dirty[=]"""
)
CAT_FILE = options(
    """-ptsezZ --allow-unknown-type --buffer --filters --follow-symlinks --mailmap --no-buffer
    --no-mailmap --textconv --unordered --use-mailmap --filter= --path= --batch-check[=]"""
)
EACH_REF = options("-spi", _REFS)
BRANCH = options("-arvqil", _REFS)
TAG = options("-li -n[=]", _REFS)
GREP = options(
    """-aiIrwvhHEGPFnlLzocpWq -ABCfem= -O[=] --all-match --and --basic-regexp --break --cached
    --column --count --exclude-standard --ext-grep --extended-regexp --files-with-matches
    --files-without-match --fixed-strings --full-name --function-context --heading --ignore-case
    --invert-match --line-number --name-only --no-color --no-ext-grep --no-recursive --no-textconv
    --not --null --only-matching --or --perl-regexp --quiet --recursive --show-function --text
    --textconv --word-regexp --after-context= --before-context= --context= --max-count=
    --max-depth= --threads= --color[=] --open-files-in-pager[=]""",
    numbers=True,
)
FSCK = options(
    """-v --cache --connectivity-only --dangling --full --lost-found --name-objects --no-dangling
    --no-full --no-name-objects --no-progress --no-references --no-reflogs --progress --references
    --root --strict --tags --unreachable --verbose"""
)
APPLY = options(
    """-Rvqz -pC= --allow-empty --allow-overlap --binary --cached --check --ignore-space-change
    --ignore-whitespace --inaccurate-eof --index --no-add --numstat --quiet --recount --reverse
    --stat --summary --unidiff-zero --verbose --directory= --exclude= --include= --whitespace="""
)
REV_PARSE = options(
    """-q --verify --quiet --sq --symbolic --symbolic-full-name --revs-only --no-revs --flags
    --no-flags --not --all --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir
    --git-common-dir --is-inside-git-dir --is-inside-work-tree --is-bare-repository
    --is-shallow-repository --local-env-vars --shared-index-path --show-ref-format --end-of-options
    --default= --prefix= --glob= --exclude= --disambiguate= --git-path= --since= --until= --after=
    --before= --resolve-git-dir= --path-format= --short[=] --abbrev-ref[=] --branches[=] --tags[=]
    --remotes[=] --show-object-format[=]"""
)
LS_FILES = options(
    """-cdmoisukvtfz -xX= --cached --deleted --modified --others --ignored --stage --unmerged
    --killed --directory --empty-directory --no-empty-directory --eol --deduplicate --resolve-undo
    --exclude-standard --error-unmatch --full-name --recurse-submodules --debug --sparse --exclude=
    --exclude-from= --exclude-per-directory= --with-tree= --format= --abbrev[=]"""
)
CONFIG = replace(
    options(
        """-lz -f= --all --bool --bool-or-int --bool-or-str --expiry-date --fixed-value --get
        --get-all --get-color --get-colorbool --get-regexp --get-urlmatch --global --includes --int
        --list --local --name-only --no-includes --no-show-names --no-type --null --path --regexp
        --show-names --show-origin --show-scope --system --worktree --default= --file= --type=
        --url= --value="""
    ),
    stops_at_operand=True,  # `git config NAME --get` stores `--get`
)
