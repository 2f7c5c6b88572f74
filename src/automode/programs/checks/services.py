"""Checks of clients of services: which server they ask, what a request does, what is secret."""

import re
from collections.abc import Collection

from automode.programs.row import Given
from automode.programs.use import READS, Effect, Use, network, unknown
from automode.shell.options import Option
from automode.shell.word_lists import word_lists

WORDS = word_lists("automode.programs")

_LISTS = WORDS["aws-lists"]
_NO_FILE = re.compile(r"(describe|list|get-metric)-|filter-log-events$")


def operands(given: Given) -> Use:
    """Only an option with many values has words after it; any other is a file that is written."""
    takes_file = not _NO_FILE.match(_name(given)) and not _waits(given)
    listed = False
    for word in given.args:
        if word.text.startswith("--"):
            listed = word.text in _LISTS and not takes_file
        elif word in given.operands and not listed:
            return Use(Effect.WRITES, "the answer goes to a file")
    return READS


def _name(given: Given) -> str:
    """The last word of the sub-command."""
    return given.invocation.args[len(given.invocation.args) - len(given.args) - 1].text


def _waits(given: Given) -> bool:
    """`wait instance-running`: no option stands before `wait`, whose value it could be."""
    before = given.invocation.args[: len(given.invocation.args) - len(given.args)]
    return len(before) == 3 and before[1].text == "wait" and before[0].text[:1] != "-"


_GITHUB = frozenset(("github.com", "www.github.com", "gist.github.com", "api.github.com"))
_GITLAB = frozenset(("gitlab.com", "www.gitlab.com"))
_ENVIRONMENT = re.compile(r"\benv\b|\$ENV|__loc__|input_filename")
# The host comes after the last `@`, so `https://github.com@x.test/` is an address of x.test.
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*://(?:[^/?#]*@)?|[\w.-]+@)([^/:?#@]*)", re.I)
_FIELDS = ("-f", "-F", "--field", "--raw-field")
_HEADERS = re.compile(r"(accept|x-github-api-version|if-none-match|if-modified-since)\s*:", re.I)
_CHANGING_QUERY = re.compile(r"\b(mutation|subscription)\b", re.I)
_READING_QUERY = re.compile(r"\s*(query\b|\{|fragment\b)")
_SECRET_PATH = re.compile(r"(^|/)(secrets|variables|triggers|[\w-]*tokens?|keys/\d+)(/|\?|$)", re.I)
_CHANGES = Use(Effect.REMOTE_WRITE, "the request may change something")


def github(given: Given) -> Use:
    """The client sends its token to whichever server an address or a repository names."""
    return _client(given, _GITHUB) | _servers(_repositories(given), _GITHUB)


def repository(given: Given) -> Use:
    return _servers([word.text for word in given.operands], _GITHUB)


def gitlab(given: Given) -> Use:
    return _client(given, _GITLAB) | _servers(_with_host(_repositories(given)), _GITLAB)


def gitlab_project(given: Given) -> Use:
    return _servers(_with_host([word.text for word in given.operands]), _GITLAB)


def _with_host(projects: Collection[str]) -> list[str]:
    """`group/subgroup/project` has no host in front."""
    return [one for one in projects if re.search(r"[.:@]", one.split("/")[0])]


def _repositories(given: Given) -> list[str]:
    options = (*given.before.options, *given.options.options)
    return [_text(option) for option in options if option.name in ("-R", "--repo")]


def _client(given: Given, hosts: Collection[str]) -> Use:
    options = (*given.before.options, *given.options.options)
    words = [*map(_text, options), *(word.text for word in given.operands)]
    return _addresses(words, hosts) | _expressions(options)


def _addresses(words: Collection[str], hosts: Collection[str]) -> Use:
    for word in words:
        address = _ADDRESS.match(word) if "://" in word or word.startswith("git@") else None
        if address and address[1].lower() not in hosts:
            return network(f"`{address[1]}` is another server")
    return READS


def _servers(repositories: Collection[str], hosts: Collection[str]) -> Use:
    """`HOST/OWNER/NAME` names a server too."""
    for one in repositories:
        address = _ADDRESS.match(one)
        host = address[1] or "?" if address else one.split("/")[0] if one.count("/") > 1 else ""
        if host and host.lower() not in hosts:
            return network(f"`{host}` is another server")
    return READS


def _expressions(options: Collection[Option]) -> Use:
    """jq expressions and templates can reach the environment, where tokens live."""
    for option in options:
        if option.name in ("-q", "--jq") and _ENVIRONMENT.search(_text(option)):
            return Use(Effect.SECRETS, "the jq expression prints environment variables")
    return READS


def _text(option: Option) -> str:
    return option.value.text if option.value else ""


def api(given: Given) -> Use:
    """Raw requests: only a plain GET, or a query that names no mutation, reads."""
    options = given.options.options
    if len(given.operands) != 1:
        return unknown("the address of the request is not clear")
    if "://" in given.operands[0].text:
        return network("the request goes to a named server")
    for option in options:
        if option.name in ("-H", "--header") and not _HEADERS.match(_text(option)):
            return unknown("a header may change what the request means")
        if option.name in _FIELDS and "=@" in _text(option):
            return unknown("a field is read from a file")
    return _graphql(given) if given.operands[0].text == "graphql" else _rest(given)


def _rest(given: Given) -> Use:
    methods = [o for o in given.options.options if o.name in ("-X", "--method")]
    if given.options.has(*_FIELDS) and not methods:
        return _CHANGES
    if any(_text(option).upper() not in ("GET", "HEAD") for option in methods):
        return _CHANGES
    if _SECRET_PATH.search(given.operands[0].text):
        return Use(Effect.SECRETS, "the request asks for secrets")
    return READS


def _graphql(given: Given) -> Use:
    fields = [_text(option) for option in given.options.options if option.name in _FIELDS]
    queries = [text.removeprefix("query=") for text in fields if text.startswith("query=")]
    if given.options.has("-X", "--method") or len(queries) != 1:
        return unknown("the query is not known")
    if _CHANGING_QUERY.search(queries[0]):
        return _CHANGES
    return READS if _READING_QUERY.match(queries[0]) else unknown("the query is not understood")
