"""What an edit puts into a file that tools run by themselves: code that reaches other machines or
credentials. A hint is enough: the edit is not harmful for it, only not proved to be harmless."""

import re
from collections.abc import Iterator, Mapping

from automode.core.input_texts import input_texts

LONGEST = 200_000
# Builds, tests, package managers, editors, hooks and pipelines read them and do what they say.
_RUN_BY_TOOLS = re.compile(
    r"(?:^|/)(?:package\.(?:json5?|yaml)|(?:gnu)?makefile[^/]*|[^/]*\.mk|(?:docker|container)file[^/]*|"
    r"[^/]*\.dockerfile|(?:docker-)?compose[^/]*\.ya?ml|conftest\.py|setup\.(?:py|cfg)|noxfile\.py|"
    r"tasks\.py|fabfile\.py|dodo\.py|(?:site|user)customize\.py|[^/]*\.pth|pyproject\.toml|tox\.ini|"
    r"(?:build|settings)\.gradle(?:\.kts)?|pom\.xml|build\.(?:rs|sbt|zig)|mix\.exs|rakefile|gemfile|"
    r"[^/]*\.gemspec|g(?:runt|ulp)file[^/]*|justfile|taskfile[^/]*|cmakelists\.txt|[^/]*\.cmake|"
    r"meson\.build|configure(?:\.ac)?|[^/]*\.config\.[cm]?[jt]s|\.[\w-]+rc(?:\.[cm]?js)?|"
    r"\.pnpmfile\.cjs|binding\.gyp|vagrantfile|jenkinsfile|\.envrc|\.mcp\.json|devcontainer\.json|"
    r"\.pre-commit-config\.yaml|lefthook\.ya?ml|\.gitlab-ci[^/]*|azure-pipelines[^/]*|bitbucket-pipelines"
    r"[^/]*|[^/]*\.(?:nuspec|csproj|targets|props))$|"
    r"(?:^|/)(?:\.github|\.circleci|\.husky|\.buildkite|\.vscode|\.devcontainer|bin)/",
    re.IGNORECASE,
)
_HERE = (
    r"(?!localhost\b|127\.|0\.0\.0\.0|\[?::1|host\.docker\.internal|[\w-]+:\d|\$\{?\w*(?:host|url))"
)
# Whose installers everybody pipes into a shell.
_KNOWN = (
    r"(?!(?:[\w-]+\.)*(?:nodesource\.com|astral\.sh|docker\.com|rustup\.rs|rust-lang\.org|pypa\.io|"
    r"python-poetry\.org|python\.org|debian\.org|ubuntu\.com|"
    r"alpinelinux\.org|golang\.org|go\.dev|nodejs\.org|bun\.sh|deno\.land|apt\.llvm\.org|hashicorp\.com|"
    r"k8s\.io|maven\.org|apache\.org|schemastore\.org|example\.(?:com|org))(?:[:/\s\"']|$))"
)
_MACHINE = (
    rf"{_HERE}{_KNOWN}(?:[\w-]+\.)+[a-z]{{2,}}(?=[:/?#\s\"'`|;&<>)\\]|$)|{_HERE}\d+\.\d+\.\d+\.\d+"
)
_SHELL_CLIENT = re.compile(
    r"(?<![\w./-])(?:curl|wget|nc|ncat|netcat|socat|telnet|aria2c|scp|sftp|ftp|iwr|irm|(?-i:ADD)|"
    rf"invoke-(?:webrequest|restmethod))\b(?:[^\n|;&]{{0,160}}?[\s\"'@]|\s)(?:\w+://(?:[^\s/@]*@)?)?(?:{_MACHINE})",
    re.IGNORECASE,
)
_CODE_CLIENT = re.compile(
    r"\b(?:requests\.\w+|urlopen|urlretrieve|httpx\.\w+|aiohttp|http\.client|https?\.(?:get|request|post)|"
    r"fetch|axios|got|net\.connect|socket\.\w+|create_connection|net::http|uri\.open|reqwest|ureq|"
    r"http\.(?:get|post)|file_get_contents|xmlhttprequest|websocket|require\(['\"]https?['\"]\))\W"
    rf"[^\n]{{0,200}}?\w+://(?:{_MACHINE})",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"/dev/(?:tcp|udp)/|\.aws/credentials|\.ssh/(?:id_|\*|config)|\bid_(?:rsa|ed25519|ecdsa)\b|\.netrc\b|"
    r"\.git-credentials|\.kube/config|\.gnupg\b|/etc/shadow|\.docker/config\.json|login\.keychain|"
    r"base64\s+(?:-d|-D|--decode)\b|b64decode|\batob\(|['\"]base64['\"]\s*\)|"
    r"[\"'=\s]/(?:tmp|var/tmp|dev/shm)/[\w./-]+\.(?:[cm]?js|ts|py|sh|so|rb)\b|script-shell\s*=|"
    r"permissions:\s*write-all|pull_request_target",
)
_HINTS = (_SHELL_CLIENT, _CODE_CLIENT, _OTHERS)


def is_planted(path: str, given: Mapping[str, object], before: str) -> bool:
    """`before`: what is in the file now. What was there already is no news."""
    if not _RUN_BY_TOOLS.search(path):
        return False
    old = before + "\n".join(text for field, text in _texts(given) if field.startswith("old"))
    return any(
        found[0] not in old
        for field, text in _texts(given)
        if not field.startswith("old")
        for pattern in _HINTS
        for found in pattern.finditer(text[:LONGEST])
    )


def _texts(given: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """With the field that each stands in, also where a call has several edits."""
    for field, value in given.items():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, Mapping):
                yield from _texts(one)
            else:
                yield from ((field.casefold(), text) for text in input_texts(one))


LEAST_LINE = 8
LEAST_LINES = 5


def replaces_all(given: Mapping[str, object], before: str) -> bool:
    """Whether a whole new text leaves not one line of those that are in the file now."""
    new = next((one for name in _WHOLE if isinstance(one := given.get(name), str)), None)
    if new is None:
        return False
    old = {line.strip() for line in before.splitlines() if len(line.strip()) >= LEAST_LINE}
    return len(old) >= LEAST_LINES and old.isdisjoint(line.strip() for line in new.splitlines())


_WHOLE = ("content", "contents", "file_text")
