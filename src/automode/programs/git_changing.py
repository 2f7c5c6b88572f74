"""What git's changing commands do, and which of their forms developers use all day."""

from collections.abc import Mapping, Sequence

from automode.programs.git_options import options, read
from automode.programs.use import Effect, Use
from automode.shell.options import Spec
from automode.shell.script import Word

_LOCAL = Effect.WRITES
_HOOKED = Effect.WRITES | Effect.RUNS
_FETCHES = Effect.WRITES | Effect.NETWORK
_SENDS = Effect.REMOTE_WRITE | Effect.NETWORK

_GROUPS: tuple[tuple[Effect, str], ...] = (
    (
        _LOCAL,
        "add rm mv restore reset clean init stash apply branch tag symbolic-ref update-ref "
        "update-index update-server-info write-tree commit-tree commit-graph multi-pack-index "
        "read-tree checkout-index mktag mktree hash-object pack-objects unpack-objects pack-refs "
        "repack prune prune-packed gc maintenance fast-import index-pack replace notes rerere "
        "reflog|expire reflog|delete reflog|drop reflog|write bisect|start bisect|good bisect|bad "
        "bisect|new bisect|old bisect|skip bisect|reset bisect|replay bisect|next "
        "remote|add remote|rename remote|rm remote|remove remote|set-url remote|set-head "
        "remote|set-branches config config|set config|unset config|rename-section "
        "config|remove-section notes|add notes|copy notes|append notes|remove notes|prune "
        "notes|merge stash|push stash|save stash|pop stash|apply stash|drop stash|clear "
        "stash|branch stash|create stash|store stash|import stash|export worktree|add "
        "worktree|remove worktree|move worktree|lock worktree|unlock worktree|prune "
        "worktree|repair submodule|init submodule|deinit submodule|absorbgitdirs "
        "submodule|set-branch submodule|set-url submodule|sync rerere|clear rerere|forget "
        "rerere|gc sparse-checkout bundle|create bundle|unbundle mailinfo mailsplit unpack-file "
        "merge-file merge-tree merge-index merge-one-file merge-octopus merge-ours "
        "merge-recursive merge-resolve merge-subtree format-patch bugreport diagnose "
        "commit-graph|write multi-pack-index|write rm quiltimport lfs|install lfs|uninstall "
        "lfs|track lfs|untrack lfs|prune lfs|checkout lfs|migrate refs|migrate history replay",
    ),
    (
        _HOOKED,
        "commit checkout switch merge rebase cherry-pick revert am bisect filter-branch "
        "filter-repo bisect|run submodule|foreach for-each-repo config|edit notes|edit mergetool",
    ),
    (
        Effect.RUNS,
        "difftool citool gui gitk instaweb verify-commit verify-tag bisect|view "
        "bisect|visualize remote-ext hook fsmonitor--daemon",
    ),
    (
        _FETCHES,
        "fetch pull clone submodule|add submodule|update remote|update remote|prune fetch-pack "
        "http-fetch svn p4 cvsimport cvsexportcommit archimport lfs|fetch lfs|pull lfs|clone "
        "backfill",
    ),
    (_SENDS, "push send-pack http-push send-email lfs|push lfs|lock lfs|unlock imap-send"),
    (
        Effect.NETWORK | Effect.RUNS,
        "daemon http-backend upload-pack receive-pack upload-archive shell cvsserver "
        "remote-http remote-https remote-ftp request-pull lfs|locks scalar",
    ),
    (
        Effect.SECRETS,
        "credential credential-cache credential-store credential-osxkeychain "
        "credential-libsecret credential-manager credential-wincred credential-gnome-keyring",
    ),
)

CHANGING: Mapping[str, Effect] = {
    key.replace("|", " "): effect for effect, keys in reversed(_GROUPS) for key in keys.split()
}
"""Keyed like the reading ones: by the command, or by the command and its sub-command."""

_STASH = options("-ukqS -m= --include-untracked --keep-index --quiet --staged --message=")
_ORDINARY: Mapping[str, Spec] = {
    "add": options("-AuvN --all --update --verbose --intent-to-add"),
    "commit": options(
        "-aqvs -mF= --all --quiet --verbose --signoff --no-status --message= --file= --trailer="
    ),
    "switch": options("-q -c= --quiet --guess --create="),
    "stash": _STASH,
    "stash push": _STASH,
    "stash pop": options("-q --index --quiet"),
    "stash apply": options("-q --index --quiet"),
    "fetch": options("-pqvt --all --tags --prune --quiet --verbose --depth="),
    "pull": options("-qvr --ff-only --rebase --no-rebase --quiet --verbose"),
    "merge": options("-q -m= --ff --no-ff --ff-only --no-edit --quiet --message="),
    "mv": options("-vk --verbose"),
    "init": options("-q -b= --quiet --initial-branch="),
    "tag": options("-a -m= --annotate --message="),
    "branch": options("-q --quiet"),
    "worktree add": options("-q -b= --quiet"),
}


def changing(key: str, args: Sequence[Word]) -> Use:
    """The effect of a changing command; everyday forms are marked as development."""
    effect = CHANGING[key]
    if _dry(key, args):
        return Use(Effect.NETWORK | Effect.RUNS, f"`git {key} --dry-run` asks the remote")
    if _everyday(key, args):
        effect |= Effect.DEVELOPMENT
    return Use(effect, f"`git {key}` does more than read")


def _dry(key: str, args: Sequence[Word]) -> bool:
    return key in ("push", "fetch") and any(word.value == "--dry-run" for word in args)


def _everyday(key: str, args: Sequence[Word]) -> bool:
    if key in ("checkout", "restore"):
        spec = options("-q -b=") if key == "checkout" else options("-S --staged")
        given = read(args, spec)
        return given.has("-b", "-S", "--staged") and not given.unclear
    if key not in _ORDINARY:
        return False
    given = read(args, _ORDINARY[key])
    # A remote spelled out as an address is somebody's machine, not the configured remote.
    named = all(":" not in word.text and "@" not in word.text for word in given.operands)
    return not given.unclear and (named or key not in ("fetch", "pull"))
