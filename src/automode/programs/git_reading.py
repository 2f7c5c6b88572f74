"""What each of git's reading commands does with its options."""

from collections.abc import Mapping

from automode.programs import git_options as known
from automode.programs.git_forms import FORMS
from automode.programs.git_keys import Family
from automode.programs.git_options import options
from automode.programs.git_verb import Verb, needs
from automode.programs.use import READS, Use, network, runs, unknown, writes
from automode.shell.options import Arguments, Spec

_HISTORY_EFFECTS = {**known.RUN_EFFECTS, **known.OUTPUT}
_PAGED = Family.DATA | Family.PAGER
_SHOWS = _PAGED | Family.TEXTCONV | Family.LOG
_TREE = Family.DATA | Family.WORKTREE
_COMPARES = _SHOWS | _TREE


def _history(spec: Spec = known.HISTORY, families: Family = _SHOWS) -> Verb:
    return Verb(spec, families, _HISTORY_EFFECTS)


def _stays_on_stdout(given: Arguments) -> Use:
    if given.has("--stdout"):
        return READS
    return writes("`git format-patch` writes patch files")


def _named_files(given: Arguments) -> Use:
    """`git blame` reads options even after `--`."""
    if any(word.could_be_flag for word in given.operands):
        return unknown("a word is not known and may be an option")
    return READS


_LOG = _history()
_BLAME = Verb(known.BLAME, _COMPARES, _HISTORY_EFFECTS, _named_files)
_LS_REMOTE_RUNS = runs("the program named to serve the repository is run")

_SHOWING: Mapping[str, Verb] = {
    "log": _LOG,
    "show": _LOG,
    "whatchanged": _LOG,
    "reflog": _LOG,
    "reflog show": _LOG,
    "stash list": _LOG,
    "stash show": _history(
        known.history("-u --include-untracked --only-untracked --no-include-untracked"),
        _SHOWS | Family.EXTERNAL,
    ),
    "rev-list": _history(),
    "shortlog": _history(known.SHORTLOG),
    "diff": _history(known.COMPARE, _COMPARES | Family.EXTERNAL),
    "diff-files": _history(known.PLUMBING, _COMPARES | Family.EXTERNAL),
    "diff-index": _history(known.PLUMBING, _COMPARES | Family.EXTERNAL),
    "diff-tree": _history(known.PLUMBING, _COMPARES | Family.EXTERNAL),
    "range-diff": _history(
        known.history("--no-dual-color --dual-color --left-only --right-only --creation-factor="),
        _SHOWS | Family.EXTERNAL,
    ),
    "blame": _BLAME,
    "annotate": _BLAME,
    "format-patch": Verb(
        known.FORMAT_PATCH,
        _SHOWS,
        {
            **_HISTORY_EFFECTS,
            "-o": writes("`-o` writes patch files"),
            "--output-directory": writes("`--output-directory` writes patch files"),
        },
        _stays_on_stdout,
    ),
    "cherry": Verb(options("-v --verbose --abbrev[=]"), _SHOWS),
    "show-branch": Verb(
        options(
            """-ar -g[=] --remotes --all --current --topo-order --date-order --sparse --merge-base
            --independent --no-name --sha1-name --topics --list --no-color --more= --reflog[=]
            --color[=]"""
        ),
        _PAGED,
    ),
}

_INDEX: Mapping[str, Verb] = {
    "status": Verb(known.STATUS, _PAGED | _TREE),
    "ls-files": Verb(known.LS_FILES, _TREE),
    "describe": Verb(known.DESCRIBE, _TREE),
    "grep": Verb(
        known.GREP,
        _PAGED | _TREE | Family.GREP,
        {
            **known.RUN_EFFECTS,
            "-O": runs("`-O` opens the files in a pager"),
            "--open-files-in-pager": runs("`--open-files-in-pager` opens the files in a pager"),
        },
    ),
    "check-ignore": Verb(
        options("-qvnz --quiet --verbose --stdin --non-matching --no-index"), _TREE
    ),
    "check-attr": Verb(options("-az --all --stdin --cached --source="), _TREE),
    "hash-object": Verb(
        options("-t= --stdin --stdin-paths --no-filters --literally --path="),
        _TREE,
        {"-w": writes("`-w` stores the object")},
    ),
    "apply": Verb(
        known.APPLY,
        _TREE,
        check=needs(
            "--check", "--stat", "--numstat", "--summary", otherwise=writes("`git apply` patches")
        ),
    ),
    "submodule": Verb(
        options("-q --quiet --cached --recursive"), _COMPARES | Family.EXTERNAL, operands=0
    ),
    "submodule status": Verb(
        options("-q --quiet --cached --recursive"), _COMPARES | Family.EXTERNAL
    ),
    "submodule summary": Verb(
        options("-q -n= --quiet --cached --files --summary-limit="), _COMPARES | Family.EXTERNAL
    ),
    "rerere status": Verb(operands=0),
    "rerere remaining": Verb(operands=0),
    "rerere diff": Verb(operands=0, families=_COMPARES | Family.EXTERNAL),
    "sparse-checkout list": Verb(operands=0),
}

_DRY = "`--dry-run` is missing"
_DRY_RUNS: Mapping[str, Verb] = {
    "clean": Verb(
        options("-ndxXqf -e= --dry-run --quiet --force --exclude="),
        _TREE,
        check=needs("-n", "--dry-run", otherwise=writes("`git clean` deletes files")),
    ),
    "add": Verb(
        options("-nvAuf --dry-run --verbose --all --update --force --no-all --ignore-errors"),
        _TREE,
        check=needs("-n", "--dry-run", otherwise=writes(_DRY)),
    ),
    "rm": Verb(
        options("-nqfr --dry-run --quiet --force --cached --ignore-unmatch"),
        _TREE,
        check=needs("-n", "--dry-run", otherwise=writes("`git rm` deletes files")),
    ),
    "mv": Verb(
        options("-nvfk --dry-run --verbose --force"),
        _TREE,
        check=needs("-n", "--dry-run", otherwise=writes(_DRY)),
    ),
    "worktree prune": Verb(
        options("-nv --dry-run --verbose --expire="),
        check=needs("-n", "--dry-run", otherwise=writes(_DRY)),
    ),
    "prune": Verb(
        options("-nv --dry-run --verbose --progress --no-progress --expire="),
        check=needs("-n", "--dry-run", otherwise=writes("`git prune` deletes objects")),
    ),
}

_OBJECTS: Mapping[str, Verb] = {
    "cat-file": Verb(
        known.CAT_FILE,
        effects={
            "--textconv": runs("`--textconv` runs a conversion program"),
            "--filters": runs("`--filters` runs the configured filters"),
        },
    ),
    "ls-tree": Verb(
        options(
            "-drtlz --long --name-only --name-status --object-only --full-name --full-tree "
            "--format= --abbrev[=]"
        )
    ),
    "fsck": Verb(
        known.FSCK,
        Family.DATA | Family.FSCK,
        {"--lost-found": writes("`--lost-found` writes files")},
    ),
    # With a tree it runs filters, and gpg where a file's text asks for signatures.
    "archive": Verb(
        options("-lv -o= --list --verbose --output= --remote= --exec="),
        effects={
            "-o": writes("`-o` writes a file"),
            "--output": writes("`--output` writes a file"),
            "--remote": network("`--remote` asks another repository"),
            "--exec": runs("`--exec` names a program to run"),
        },
        check=needs("-l", "--list", otherwise=runs("`git archive` may run filters and gpg")),
    ),
    "bundle verify": Verb(options("-q --quiet")),
    "bundle list-heads": Verb(),
    "commit-graph verify": Verb(options("--shallow --progress --no-progress --object-dir=")),
    "multi-pack-index verify": Verb(options("--progress --no-progress --object-dir=")),
    "for-each-ref": Verb(known.EACH_REF, _PAGED),
    "refs list": Verb(known.EACH_REF, _PAGED),
    "ls-remote": Verb(
        options(
            """-htq -o= --heads --tags --branches --refs --quiet --exit-code --get-url --symref
            --upload-pack= --exec= --sort= --server-option="""
        ),
        effects={"--upload-pack": _LS_REMOTE_RUNS, "--exec": _LS_REMOTE_RUNS},
        check=lambda given: network("`git ls-remote` asks the remote"),
    ),
    "interpret-trailers": Verb(
        options(
            """--trim-empty --only-trailers --only-input --unfold --parse --no-divider --where=
            --if-exists= --if-missing= --trailer="""
        ),
        Family.DATA | Family.TRAILER,
    ),
    "merge-file": Verb(
        options("-pq -L= --stdout --quiet --diff3 --zdiff3 --ours --theirs --union --marker-size="),
        check=needs("-p", "--stdout", otherwise=writes("`git merge-file` changes its first file")),
    ),
    "merge-tree": Verb(
        options("--trivial-merge"),
        check=needs("--trivial-merge", otherwise=writes("`git merge-tree` stores objects")),
    ),
    "merge-base": Verb(options("-a --all --octopus --independent --is-ancestor --fork-point")),
    "rev-parse": Verb(known.REV_PARSE),
    "show-ref": Verb(
        options(
            """-dqs --head --heads --branches --tags --dereference --verify --quiet --exists
            --hash[=] --abbrev[=] --exclude-existing[=]"""
        )
    ),
    "name-rev": Verb(
        options("--tags --name-only --no-undefined --always --all --refs= --exclude=")
    ),
    "count-objects": Verb(options("-vH --verbose --human-readable"), operands=0),
    "verify-pack": Verb(options("-vs --verbose --stat-only")),
    "show-index": Verb(options("--object-format="), operands=0),
    "check-mailmap": Verb(options("--stdin")),
    "patch-id": Verb(options("--stable --unstable --verbatim"), operands=0),
}

# They look neither at objects nor at the index.
_PLAIN: Mapping[str, Verb] = {
    "check-ref-format": Verb(
        options(
            "--branch --normalize --print --allow-onelevel --no-allow-onelevel --refspec-pattern"
        ),
        Family.NONE,
    ),
    "get-tar-commit-id": Verb(families=Family.NONE, operands=0),
    "stripspace": Verb(options("-sc --strip-comments --comment-lines"), Family.NONE, operands=0),
    "column": Verb(
        options("--raw-mode= --width= --indent= --nl= --padding= --mode[=] --command="), Family.NONE
    ),
    "version": Verb(options("--build-options"), Family.NONE, operands=0),
}

READING: Mapping[str, Verb] = {**_SHOWING, **_INDEX, **_DRY_RUNS, **_OBJECTS, **_PLAIN, **FORMS}
"""Keyed by the command, or by the command and its sub-command (`stash list`)."""
