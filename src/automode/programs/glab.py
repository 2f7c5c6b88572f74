"""glab, hub and tea: what the other forges' clients only read from their services."""

from collections.abc import Mapping, Sequence

from automode.programs.forge import Forge
from automode.programs.forge_api import api
from automode.programs.use import READS, Effect, Invocation, Judge, Use, runs, unknown

_CHANGES = Use(Effect.REMOTE_WRITE, "changes something on the service")
_SECRET = Use(Effect.SECRETS, "prints credentials or their names")


def _pairs(text: str) -> tuple[str, ...]:
    """`mr: list view` becomes `mr list` and `mr view`."""
    found: list[str] = []
    for line in text.strip().splitlines():
        group, _, verbs = line.partition(":")
        found += [f"{group.strip()} {verb}".strip() for verb in verbs.split()]
    return tuple(found)


def _config(words: Sequence[str]) -> Use:
    if any("token" in word.lower() for word in words):
        return _SECRET
    return READS if len(words) == 1 else unknown("only `config get KEY` is known to read")


_GLAB = Forge(
    hosts=("gitlab.com", "www.gitlab.com"),
    reads=_pairs("""
        mr: list view diff issues approvers
        issue: list view
        incident: list view
        ci: list status get trace
        job: list
        repo: list view search contributors
        repo members: list
        release: list view
        label: list get
        milestone: list get
        iteration: list
        schedule: list
        snippet: list view
        ssh-key: list get
        gpg-key: list get
        deploy-key: list get
        user: events
        runner: list
        securefile: list
        changelog: generate
        cluster agent: list
        work-items: list
        auth: status
    """),
    local=("alias list", "completion", "check-update"),
    uses={
        **dict.fromkeys(
            _pairs("""
                mr: create update close reopen merge approve revoke rebase note delete for todo
                issue: create update close reopen note delete subscribe unsubscribe
                ci: run retry cancel delete trigger run-trig
                repo: create delete transfer update mirror publish
                release: create delete upload
                label: create delete edit
                milestone: create delete edit
                schedule: create delete run update
                snippet: create
                ssh-key: add delete
                deploy-key: add delete
                variable: set update delete
            """),
            _CHANGES,
        ),
        **dict.fromkeys(_pairs("variable: list get export\ntoken: list create revoke"), _SECRET),
        **dict.fromkeys(
            _pairs("""
                release: download
                repo: clone fork archive
                securefile: download
                ci: artifact
            """),
            Use(Effect.NETWORK | Effect.WRITES, "writes what it downloads"),
        ),
        "mr checkout": Use(Effect.NETWORK | Effect.WRITES, "checks out a branch"),
    },
    special={"api": api, "config get": _config},
    aliases={
        "ls": "list",
        "project": "repo",
        "pipe": "ci",
        "pipeline": "ci",
        "show": "view",
        "merge-request": "mr",
        "var": "variable",
    },
    groups=("mr", "issue", "ci", "repo", "release", "label", "variable", "auth", "config", "api"),
)  # fmt: skip

_TEA = Forge(
    hosts=("gitea.com",),
    reads=_pairs("""
        : whoami
        issues: list
        pulls: list
        repos: list search
        releases: list
        labels: list
        milestones: list issues
        notifications: list
        times: list
        organizations: list
        branches: list
    """),
    local=("logins list",),
    uses=dict.fromkeys(
        _pairs("""
            issues: create edit close reopen
            pulls: create close reopen merge approve reject review clean
            repos: create fork migrate delete
            releases: create edit delete
            labels: create update delete
            milestones: create close delete reopen
        """),
        _CHANGES,
    ),
    aliases={
        "ls": "list",
        "issue": "issues",
        "i": "issues",
        "pull": "pulls",
        "pr": "pulls",
        "repo": "repos",
        "release": "releases",
        "label": "labels",
        "milestone": "milestones",
        "login": "logins",
        "org": "organizations",
        "orgs": "organizations",
        "branch": "branches",
    },
)

_HUB = Forge(
    hosts=("github.com",),
    reads=("ci-status", "pr list", "issue show", "issue labels", "release show", "gist show"),
    uses={
        "browse": runs("opens a browser"),
        "compare": runs("opens a browser"),
        "pr show": runs("opens a browser"),
        **dict.fromkeys(
            ("pull-request", "issue create", "issue update", "release create", "release edit"),
            _CHANGES,
        ),
    },
)


def _bare_or(forge: Forge, *commands: str) -> Judge:
    """`tea issues` lists as `tea issues list` does."""

    def judge(invocation: Invocation) -> Use:
        if [word.value for word in invocation.args] in [[command] for command in commands]:
            return Use(Effect.REMOTE_READ)
        return forge(invocation)

    return judge


PROGRAMS: Mapping[str, Judge] = {
    "glab": _GLAB,
    "tea": _bare_or(_TEA, "issues", "pulls", "pr", "repos", "releases", "labels", "notifications"),
    "hub": _bare_or(_HUB, "issue", "release"),
}
