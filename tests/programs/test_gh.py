"""gh: which command lines only read from GitHub, and what the others do."""

import shlex

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.gh import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import HOLE, Command, Origin, Word

ROOT = "/home/ada/project"


def judged(*words: Word) -> Use:
    command = Command(words, cwd=ROOT)
    workspace = Workspace(ROOT, ROOT, "/home/ada", Names(ROOT))
    return PROGRAMS["gh"](Invocation("gh", command.args, command, workspace))


def line(text: str) -> Use:
    return judged(*(Word(word) for word in shlex.split(text)))


LOCAL = """
gh
gh --version
gh version
gh help
gh help environment
gh pr
gh pr --help
gh pr merge --help
gh config get editor
gh config list
gh alias list
gh completion -s bash
""".strip().splitlines()
REMOTE = """
gh pr list --state open
gh pr ls
gh pr view 12
gh pr view 12 --json title,body --jq .title
gh pr -R o/r view 12
gh pr view 12 --repo o/r --comments
gh pr view https://github.com/o/r/pull/1
gh pr checks --watch
gh pr diff 12 --name-only
gh pr status
gh issue list
gh issue view 3 --json body -q .body
gh run list --workflow ci.yml --limit 3
gh run list -w ci.yml
gh run view 1 --log-failed
gh run watch 12345
gh workflow view --yaml
gh release view v1.0.0
gh repo view o/r --json name
gh repo view github.com/o/r
gh pr list -R github.com/o/r
gh repo view https://github.com/o/r
gh search code a.b/c/d
gh repo deploy-key list
gh gist view abc123 --filename file.txt
gh label list
gh search prs --author @me
gh project item-list 1
gh rs list
gh cache list --ref refs/heads/main
gh cs list
gh codespace ports
gh ext list
gh variable list
gh org list
gh auth status
gh status
gh browse --no-browser
gh api repos/o/r/pulls
gh api repos/{owner}/{repo}/pulls --paginate -q '.[].number'
gh api -X GET search/issues -f q='repo:cli/cli'
gh api -H 'Accept: application/vnd.github.raw' repos/o/r/contents/f
gh api graphql -f query='query { viewer { login } }'
gh api graphql -F owner=o -f query='{ viewer { login } }'
""".strip().splitlines()
OTHERS: list[tuple[Effect, str]] = [
    (Effect.REMOTE_WRITE, "gh pr create --title x"),
    (Effect.REMOTE_WRITE, "gh pr create --title --help"),
    (Effect.REMOTE_WRITE, "gh pr merge --auto"),
    (Effect.REMOTE_WRITE, "gh repo delete o/r --yes"),
    (Effect.REMOTE_WRITE, "gh issue develop 123 --checkout"),
    (Effect.REMOTE_WRITE, "gh codespace ports visibility 80:public"),
    (Effect.WRITES, "gh pr checkout 1"),
    (Effect.WRITES, "gh run download 1"),
    (Effect.WRITES, "gh release download"),
    (Effect.NETWORK, "gh repo clone o/r"),
    (Effect.RUNS, "gh pr view --web"),
    (Effect.RUNS, "gh pr list -w"),
    (Effect.RUNS, "gh issue view 1 -cw"),
    (Effect.RUNS, "gh browse"),
    (Effect.RUNS, "gh browse 123"),
    (Effect.RUNS, "gh codespace ssh"),
    (Effect.RUNS, "gh ext install o/gh-x"),
    (Effect.SECRETS, "gh auth token"),
    (Effect.SECRETS, "gh auth status --show-token"),
    (Effect.SECRETS, "gh auth status -t"),
    (Effect.SECRETS, "gh auth login --with-token"),
    (Effect.SECRETS, "gh secret list"),
    (Effect.SECRETS, "gh config get oauth_token"),
    (Effect.SECRETS, "gh pr view 1 --json title --jq env.GH_TOKEN"),
    (Effect.SECRETS, "gh api user --jq '$ENV.GH_TOKEN'"),
    (Effect.SECRETS, "gh pr view 1 -cq env.GH_TOKEN"),
    (Effect.SECRETS, "gh pr view 1 -cqenv.GH_TOKEN"),
    (Effect.SECRETS, "gh api user -iq env"),
    (Effect.SECRETS, "gh api repos/o/r/actions/secrets"),
    (Effect.NETWORK, "gh pr view https://x.test/o/r/pull/1"),
    (Effect.NETWORK, "gh pr list -R x.test/o/r"),
    (Effect.NETWORK, "gh auth status --hostname x.test"),
    (Effect.NETWORK, "gh repo view x.test/o/r"),
    (Effect.NETWORK, "gh repo view internal/o/r"),
    (Effect.NETWORK, "gh repo view git@x.test:o/r.git"),
    (Effect.NETWORK, "gh repo view ssh://git@x.test/o/r"),
    (Effect.NETWORK, "gh repo view https://github.com@x.test/o/r"),
    (Effect.NETWORK, "gh pr view 'https://x.test?@github.com/o/r/pull/1'"),
    (Effect.NETWORK, "gh pr -R x.test/o/r view 12"),
    (Effect.NETWORK, "gh -R x.test/o/r pr list"),
    (Effect.NETWORK, "gh pr list -Rx.test/o/r"),
    (Effect.NETWORK, "gh pr view 1 -cR x.test/o/r"),
    (Effect.NETWORK, "gh pr list --repo=internal/o/r"),
    (Effect.NETWORK, "gh pr list -R https://x.test/o/r"),
    (Effect.NETWORK, "gh browse -n -R x.test/o/r"),
    (Effect.NETWORK, "gh attestation verify oci://x.test/i --owner o"),
    (Effect.NETWORK, "gh attestation trusted-root --tuf-url=https://x.test"),
    (Effect.NETWORK, "gh api --hostname x.test user"),
    (Effect.NETWORK, "gh api https://x.test/a"),
    (Effect.REMOTE_WRITE, "gh api -X DELETE repos/o/r"),
    (Effect.REMOTE_WRITE, "gh api -XDELETE repos/o/r"),
    (Effect.REMOTE_WRITE, "gh api -X GET -X DELETE repos/o/r"),
    (Effect.REMOTE_WRITE, "gh api repos/o/r/issues -f title=x"),
    (Effect.REMOTE_WRITE, "gh api repos/o/r --input payload.json"),
    (Effect.REMOTE_WRITE, "gh api graphql -f query='mutation { x }'"),
    (Effect.REMOTE_WRITE, "gh api graphql -f query='query A { a } mutation B { b }'"),
    (Effect.UNKNOWN, "gh api graphql -F query=@q.graphql"),
    (Effect.UNKNOWN, "gh api graphql --input q.json"),
    (Effect.UNKNOWN, "gh api -X GET search/code -F q=@secret"),
    (Effect.UNKNOWN, "gh api -H 'X-HTTP-Method-Override: DELETE' repos/o/r"),
    (Effect.UNKNOWN, "gh api --brand-new user"),
    (Effect.UNKNOWN, "gh some-extension"),
    (Effect.UNKNOWN, "gh some-extension --help"),
    (Effect.UNKNOWN, "gh --flag pr list"),
]


@pytest.mark.parametrize("text", LOCAL)
def test_what_is_on_this_machine_only_reads(text: str) -> None:
    assert line(text).effect is Effect.NONE


@pytest.mark.parametrize("text", REMOTE)
def test_reading_verbs_read_from_the_service(text: str) -> None:
    assert line(text).effect is Effect.REMOTE_READ


@pytest.mark.parametrize(("effect", "text"), OTHERS)
def test_another_command_says_what_it_does(effect: Effect, text: str) -> None:
    use = line(text)
    assert effect in use.effect
    assert use.why


def test_an_unknown_argument_is_never_a_read() -> None:
    words = [Word("gh"), Word("pr"), Word("view"), Word(HOLE, Origin.UNKNOWN)]
    assert Effect.UNKNOWN in judged(*words).effect
