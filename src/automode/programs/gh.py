"""gh, the GitHub client: what it only reads from the service."""

from collections.abc import Mapping, Sequence

from automode.programs.forge import Forge
from automode.programs.forge_api import api
from automode.programs.use import READS, Effect, Judge, Use, runs, unknown, writes


def _lines(text: str) -> tuple[str, ...]:
    """`pr list,view` becomes `pr list` and `pr view`."""
    found: list[str] = []
    for line in text.strip().splitlines():
        *group, verbs = line.split()
        found += [" ".join([*group, verb]) for verb in verbs.split(",")]
    return tuple(found)


_READS = _lines("""
    pr list,status,view,checks,diff
    issue list,status,view
    run list,view,watch
    workflow list,view
    release list,view,verify,verify-asset
    repo list,view
    repo deploy-key list
    repo autolink list,view
    repo gitignore list,view
    repo license list,view
    gist list,view
    label list
    search code,commits,issues,prs,repos
    project list,view,field-list,item-list
    ruleset list,view,check
    cache list
    codespace list,view,ports
    extension list,search
    variable list,get
    org list
    ssh-key list
    gpg-key list
    attestation verify,trusted-root
    agent-task list,view
    auth status
    status
""")
_SECRET = Use(Effect.SECRETS, "prints credentials or their names")
_CHANGES = Use(Effect.REMOTE_WRITE, "changes something on GitHub")
_CONNECTS = Use(Effect.NETWORK | Effect.RUNS, "opens a connection to another machine")
_DOWNLOADS = Use(Effect.NETWORK | Effect.WRITES, "writes what it downloads")

_USES: Mapping[str, Use] = {
    **dict.fromkeys(
        _lines("""
            pr create,edit,close,reopen,merge,review,comment,ready,update-branch,lock,unlock,revert
            issue create,edit,close,reopen,comment,delete,transfer,lock,unlock,pin,unpin,develop
            run rerun,cancel,delete
            workflow run,enable,disable
            release create,edit,delete,upload,delete-asset
            repo create,edit,delete,rename,archive,unarchive,set-default,sync
            repo deploy-key add,delete
            repo autolink create,delete
            gist create,edit,delete,rename
            label create,edit,delete,clone
            project create,edit,delete,close,copy,link,unlink,mark-template,field-create
            project field-delete,item-add,item-archive,item-create,item-delete,item-edit
            cache delete
            codespace create,delete,edit,rebuild,stop
            codespace ports visibility
            ssh-key add,delete
            gpg-key add,delete
            variable set,delete
            secret set,delete
            agent-task create
        """),
        _CHANGES,
    ),
    **dict.fromkeys(
        _lines("codespace ssh,code,jupyter,cp,logs\ncodespace ports forward"), _CONNECTS
    ),
    **dict.fromkeys(
        _lines("run download\nrelease download\nattestation download\nrepo clone,fork\ngist clone"),
        _DOWNLOADS,
    ),
    **dict.fromkeys(_lines("pr checkout\nconfig set,clear-cache\nalias set,delete,import"),
                    writes("changes something on this machine")),
    **dict.fromkeys(_lines("auth login,logout,refresh,setup-git,switch"),
                    Use(Effect.SECRETS | Effect.WRITES, "changes how the user is signed in")),
    **dict.fromkeys(_lines("extension install,upgrade,remove,create,exec,browse\ncopilot explain"),
                    Use(Effect.RUNS | Effect.NETWORK, "runs code that is not gh's own")),
    "auth token": _SECRET,
    "auth git-credential": _SECRET,
    "secret list": _SECRET,
}  # fmt: skip
_ALIASES = {
    "ls": "list",
    "cs": "codespace",
    "ext": "extension",
    "extensions": "extension",
    "rs": "ruleset",
    "at": "attestation",
    "agent": "agent-task",
    "agents": "agent-task",
    "agent-tasks": "agent-task",
}
_GROUPS = (
    "pr issue run workflow release repo gist label search project ruleset cache codespace "
    "extension variable secret org ssh-key gpg-key attestation auth alias config api browse"
)


def _browse(words: Sequence[str]) -> Use:
    if any(word in ("-n", "--no-browser") for word in words):
        return Use(Effect.REMOTE_READ)
    return runs("`gh browse` opens a browser")


def _config(words: Sequence[str]) -> Use:
    if any("token" in word.lower() for word in words):
        return _SECRET
    return READS if len(words) == 1 else unknown("only `gh config get KEY` is known to read")


_GH = Forge(
    hosts=("github.com", "www.github.com", "gist.github.com", "api.github.com"),
    reads=_READS,
    local=("alias list", "config list", "completion", "licenses"),
    uses=_USES,
    special={"api": api, "browse": _browse, "config get": _config},
    aliases=_ALIASES,
    groups=_GROUPS.split(),
    plain_w=("run list",),
    takes_repository=("repo view",),
    nested_groups=False,
)

PROGRAMS: Mapping[str, Judge] = {"gh": _GH}
