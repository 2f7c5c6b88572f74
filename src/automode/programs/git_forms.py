"""git commands that read in one form and change in another: branch, tag, remote, config …"""

import re
from collections.abc import Mapping

from automode.programs import git_options as known
from automode.programs.git_keys import Family
from automode.programs.git_options import options
from automode.programs.git_verb import Check, Verb
from automode.programs.use import READS, Effect, Use, network, runs, writes
from automode.shell.options import Arguments
from automode.shell.script import Origin

_SECRET_NAME = re.compile(r"token|passw|secret|extraheader|oauth|api-?key|credential", re.I)
_FILTERS = ("--contains", "--no-contains", "--merged", "--no-merged", "--points-at")


def _each(names: str, use: Use) -> dict[str, Use]:
    return dict.fromkeys(names.split(), use)


def _uncounted(given: Arguments) -> bool:
    """Whether an operand may turn out to be none or several."""
    return any(word.splits or word.origin is Origin.GLOB for word in given.operands)


def _lists(*modes: str, otherwise: str) -> Check:
    def check(given: Arguments) -> Use:
        if not given.operands or given.has(*modes):
            return READS
        return writes(otherwise)

    return check


def _one_name(given: Arguments) -> Use:
    if len(given.operands) > 1 or _uncounted(given):
        return writes("with a second word `git symbolic-ref` changes the reference")
    return READS


def _config(given: Arguments) -> Use:
    """`git config NAME` reads, `git config NAME VALUE` writes."""
    if any(_SECRET_NAME.search(word.text) for word in given.operands):
        return Use(Effect.SECRETS, "the setting may hold a credential")
    if given.has("--list", "-l"):
        return writes("a word is not expected here") if given.operands else READS
    if given.has("--get", "--get-all", "--get-regexp", "--get-urlmatch", "--get-color"):
        return READS
    if given.has("--get-colorbool"):
        return READS
    if len(given.operands) > 1 or _uncounted(given):
        return writes("with a value `git config` changes the setting")
    return READS


def _config_get(given: Arguments) -> Use:
    if any(_SECRET_NAME.search(word.text) for word in given.operands):
        return Use(Effect.SECRETS, "the setting may hold a credential")
    return READS


def _remote_show(given: Arguments) -> Use:
    if given.operands and not given.has("-n"):
        return network("`git remote show NAME` asks the remote")
    return READS


def _notes(given: Arguments) -> Use:
    if not given.operands or given.operands[0].value in ("list", "show", "get-ref"):
        return READS
    return writes("`git notes` changes notes")


def _manual(given: Arguments) -> Use:
    if given.operands or given.has("-i", "-w", "-m", "--info", "--web", "--man"):
        return runs("`git help` opens the manual in another program")
    return READS


_BRANCH_CHANGES = {
    **_each(
        "-d -D -m -M -c -C -f -u -t --delete --move --copy --force --set-upstream-to --track "
        "--unset-upstream --no-track --create-reflog --set-upstream",
        writes("changes a branch"),
    ),
    "--edit-description": runs("`--edit-description` opens an editor"),
}
_TAG_CHANGES = {
    **_each(
        "-a -f -d -m -F -e --annotate --force --delete --message --file --edit --create-reflog "
        "--trailer --cleanup",
        writes("changes a tag"),
    ),
    **_each("-s -u -v --sign --local-user --verify", runs("signing and verifying runs gpg")),
}
_CONFIG_CHANGES = {
    **_each(
        "--add --replace-all --unset --unset-all --rename-section --remove-section --comment "
        "--append",
        writes("changes a setting"),
    ),
    **_each("-e --edit", runs("`--edit` opens an editor")),
}

_PAGED = Family.DATA | Family.PAGER
_PRINTS = Family.PAGER | Family.PRINTS
_LFS = Family.DATA | Family.WORKTREE | Family.LFS

_REFERENCES: Mapping[str, Verb] = {
    "branch": Verb(
        known.BRANCH,
        _PAGED,
        _BRANCH_CHANGES,
        _lists("--list", "-l", *_FILTERS, otherwise="`git branch NAME` creates a branch"),
    ),
    "tag": Verb(
        known.TAG,
        _PAGED,
        _TAG_CHANGES,
        _lists("--list", "-l", "-n", *_FILTERS, otherwise="`git tag NAME` creates a tag"),
    ),
    "symbolic-ref": Verb(
        options("-q --quiet --short --recurse --no-recurse"),
        effects=_each("-d --delete -m", writes("changes the reference")),
        check=_one_name,
    ),
    "reflog exists": Verb(),
    "reflog list": Verb(operands=0),
    "bisect log": Verb(operands=0),
    "bisect terms": Verb(options("--term-good --term-bad --term-old --term-new"), operands=0),
    "notes": Verb(options("--ref="), _PAGED | Family.LOG | Family.TEXTCONV, check=_notes),
    "worktree list": Verb(options("-vz --verbose --porcelain --expire="), operands=0),
    "remote": Verb(options("-v --verbose"), Family.PRINTS, operands=0),
    "remote show": Verb(options("-nv --verbose"), Family.DATA | Family.PRINTS, check=_remote_show),
    "remote get-url": Verb(options("--push --all"), Family.PRINTS, operands=1),
}
_SETTINGS: Mapping[str, Verb] = {
    "config": Verb(known.CONFIG, _PRINTS, _CONFIG_CHANGES, _config),
    "config get": Verb(known.CONFIG, _PRINTS, _CONFIG_CHANGES, _config_get, operands=1),
    "config list": Verb(known.CONFIG, _PRINTS, _CONFIG_CHANGES, operands=0),
    "var": Verb(options("-l"), _PRINTS, operands=1),
    "help": Verb(
        options(
            """-agcv --all --guides --config --no-external-commands --no-aliases --verbose
            --no-verbose --user-interfaces --developer-interfaces"""
        ),
        Family.PAGER,
        check=_manual,
    ),
}
_LARGE_FILES: Mapping[str, Verb] = {
    "lfs ls-files": Verb(
        options(
            """-lsdanj -IX= --long --size --debug --all --deleted --name-only --json --include=
            --exclude="""
        ),
        _LFS,
    ),
    "lfs status": Verb(options("-pj --porcelain --json"), _LFS, operands=0),
    "lfs env": Verb(families=_LFS, operands=0),
    "lfs version": Verb(families=_LFS, operands=0),
    "lfs track": Verb(options("-j --json"), _LFS, operands=0),
}

FORMS: Mapping[str, Verb] = {**_REFERENCES, **_SETTINGS, **_LARGE_FILES}
