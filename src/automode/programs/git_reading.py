"""What each of git's reading commands does with its options."""

from collections.abc import Mapping

from automode.programs import git_options as known
from automode.programs.git_forms import FORMS
from automode.programs.git_options import options
from automode.programs.git_repository import Hazard
from automode.programs.git_verb import Verb, needs, plain_format
from automode.programs.use import Use, network, runs, unknown, writes
from automode.shell.options import Arguments

_HISTORY_EFFECTS = {**known.RUN_EFFECTS, **known.OUTPUT}
_PAGED = Hazard.PAGER
_SHOWS = Hazard.PAGER | Hazard.DIFF | Hazard.LOG | Hazard.CONTENT
_TREE = Hazard.WORKTREE
_COMPARES = _SHOWS | _TREE


def _history(spec: known.Exact = known.HISTORY, hazards: Hazard = _SHOWS) -> Verb:
    return Verb(spec, hazards, _HISTORY_EFFECTS, plain_format)


def _stays_on_stdout(given: Arguments) -> Use:
    formatted = plain_format(given)
    if formatted.effect or given.has("--stdout"):
        return formatted
    return writes("`git format-patch` writes patch files")


def _named_files(given: Arguments) -> Use:
    """`git blame` reads options even after `--`."""
    if any(word.could_be_flag for word in given.operands):
        return unknown("a word is not known and may be an option")
    return plain_format(given)


_LOG = _history()
_BLAME = Verb(known.BLAME, _COMPARES, _HISTORY_EFFECTS, _named_files)
_ANY = Verb(any_option=True)
_LS_REMOTE_RUNS = runs("the program named to serve the repository is run")

_SHOWING: Mapping[str, Verb] = {
    "log": _LOG,
    "show": _LOG,
    "whatchanged": _LOG,
    "reflog": _LOG,
    "reflog show": _LOG,
    "stash list": _LOG,
    "stash show": _history(
        known.joined(
            options("include-untracked only-untracked no-include-untracked", short="u"),
            known.HISTORY,
        )
    ),
    "rev-list": _history(),
    "shortlog": _history(known.SHORTLOG),
    "diff": _history(known.COMPARE, _COMPARES),
    "diff-files": _history(known.PLUMBING, _COMPARES),
    "diff-index": _history(known.PLUMBING, _COMPARES),
    "diff-tree": _history(known.PLUMBING, _COMPARES),
    "range-diff": _history(
        known.joined(
            options("no-dual-color dual-color left-only right-only", "creation-factor"),
            known.HISTORY,
        )
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
    "cherry": Verb(options("verbose", "", "abbrev", short="v"), _SHOWS),
    "show-branch": Verb(
        options(
            "remotes all current topo-order date-order sparse merge-base independent no-name "
            "sha1-name topics list no-color",
            "more",
            "reflog color",
            short="ar//g",
        ),
        _PAGED,
    ),
}

_INDEX: Mapping[str, Verb] = {
    "status": Verb(known.STATUS, _COMPARES),
    "ls-files": Verb(any_option=True, hazards=_TREE),
    "describe": Verb(known.DESCRIBE, _TREE),
    "grep": Verb(
        known.GREP,
        _COMPARES,
        {
            **known.RUN_EFFECTS,
            "-O": runs("`-O` opens the files in a pager"),
            "--open-files-in-pager": runs("`--open-files-in-pager` opens the files in a pager"),
        },
    ),
    "check-ignore": Verb(any_option=True, hazards=_TREE),
    "check-attr": Verb(any_option=True, hazards=_TREE),
    "hash-object": Verb(
        options("stdin stdin-paths no-filters literally", "path", short="/t"),
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
    "submodule": Verb(options("quiet cached recursive", short="q"), _COMPARES, operands=0),
    "submodule status": Verb(options("quiet cached recursive", short="q"), _COMPARES),
    "submodule summary": Verb(
        options("quiet cached files", "summary-limit", short="q/n"), _COMPARES
    ),
    "rerere status": Verb(operands=0),
    "rerere remaining": Verb(operands=0),
    "rerere diff": Verb(operands=0, hazards=_COMPARES),
    "sparse-checkout list": Verb(operands=0),
}

_DRY = "`--dry-run` is missing"
_DRY_RUNS: Mapping[str, Verb] = {
    "clean": Verb(
        options("dry-run quiet force", "exclude", short="ndxXqf/e"),
        _TREE,
        check=needs("-n", "--dry-run", otherwise=writes("`git clean` deletes files")),
    ),
    "add": Verb(
        options("dry-run verbose all update force no-all ignore-errors", short="nvAuf"),
        _TREE,
        check=needs("-n", "--dry-run", otherwise=writes(_DRY)),
    ),
    "rm": Verb(
        options("dry-run quiet force cached ignore-unmatch", short="nqfr"),
        _TREE,
        check=needs("-n", "--dry-run", otherwise=writes("`git rm` deletes files")),
    ),
    "mv": Verb(
        options("dry-run verbose force", short="nvfk"),
        _TREE,
        check=needs("-n", "--dry-run", otherwise=writes(_DRY)),
    ),
    "worktree prune": Verb(
        options("dry-run verbose", "expire", short="nv"),
        check=needs("-n", "--dry-run", otherwise=writes(_DRY)),
    ),
    "prune": Verb(
        options("dry-run verbose progress no-progress", "expire", short="nv"),
        check=needs("-n", "--dry-run", otherwise=writes("`git prune` deletes objects")),
    ),
}

_OBJECTS: Mapping[str, Verb] = {
    "cat-file": Verb(
        known.CAT_FILE,
        Hazard.CONTENT,
        {
            "--textconv": runs("`--textconv` runs a conversion program"),
            "--filters": runs("`--filters` runs the configured filters"),
        },
        plain_format,
    ),
    "ls-tree": Verb(any_option=True, hazards=Hazard.CONTENT),
    "fsck": Verb(known.FSCK, effects={"--lost-found": writes("`--lost-found` writes files")}),
    "archive": Verb(
        known.ARCHIVE,
        _TREE | Hazard.ARCHIVE | Hazard.CONTENT,
        {
            "-o": writes("`-o` writes a file"),
            "--output": writes("`--output` writes a file"),
            "--remote": network("`--remote` asks another repository"),
            "--exec": runs("`--exec` names a program to run"),
        },
    ),
    "bundle verify": Verb(options("quiet", short="q")),
    "bundle list-heads": Verb(),
    "commit-graph verify": Verb(options("shallow progress no-progress", "object-dir")),
    "multi-pack-index verify": Verb(options("progress no-progress", "object-dir")),
    "for-each-ref": Verb(known.EACH_REF, _PAGED, check=plain_format),
    "refs list": Verb(known.EACH_REF, _PAGED, check=plain_format),
    "ls-remote": Verb(
        options(
            "heads tags branches refs quiet exit-code get-url symref",
            "upload-pack exec sort server-option",
            short="htq/o",
        ),
        effects={"--upload-pack": _LS_REMOTE_RUNS, "--exec": _LS_REMOTE_RUNS},
        check=lambda given: network("`git ls-remote` asks the remote"),
    ),
    "interpret-trailers": Verb(
        options(
            "trim-empty only-trailers only-input unfold parse no-divider",
            "where if-exists if-missing trailer",
        ),
        Hazard.TRAILER,
    ),
    "merge-file": Verb(
        options("stdout quiet diff3 zdiff3 ours theirs union", "marker-size", short="pq/L"),
        check=needs("-p", "--stdout", otherwise=writes("`git merge-file` changes its first file")),
    ),
    "merge-tree": Verb(
        options("trivial-merge"),
        Hazard.CONTENT,
        check=needs("--trivial-merge", otherwise=writes("`git merge-tree` stores objects")),
    ),
}

# None of their options can write, run or connect.
_HARMLESS = (
    "rev-parse merge-base check-mailmap check-ref-format show-ref name-rev count-objects "
    "get-tar-commit-id patch-id stripspace column show-index verify-pack version var"
)

READING: Mapping[str, Verb] = {
    **dict.fromkeys(_HARMLESS.split(), _ANY),
    **_SHOWING,
    **_INDEX,
    **_DRY_RUNS,
    **_OBJECTS,
    **FORMS,
}
"""Keyed by the command, or by the command and its sub-command (`stash list`)."""
