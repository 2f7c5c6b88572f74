"""Sentences about the machine for the policy's `environment`, drafted from what lies on it.

Files are read within limits and nothing else is done. Only names are taken, and only ones that can
be no credential: of an address the host, of a file of profiles what stands in its headings.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from automode.classifier.secret_formats import find_secrets
from automode.config.places import content
from automode.core.errors import BadSettings

MOST_NAMES = 20
"""Of one file."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@/-]{0,79}")
_HOST = re.compile(r"[a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)+")
_RANDOM = re.compile(r"(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9_-]{24,}")
_ADDRESS = re.compile(r"^\s*url\s*=\s*(\S+)", re.MULTILINE)
_LIKE_SSH = re.compile(r"([^:/@\s]+):([^:@]+)")
_OWNER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,38}")
_DOUBTFUL = re.compile(r"(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{16,}|[A-Za-z0-9]{25,}")
_REGISTRY = re.compile(
    r"^\s*(?:(?:extra-)?index-url|(?:@[\w.-]+:)?registry)\s*=\s*(\S+)", re.MULTILINE
)
_PROFILE = re.compile(r"^\s*\[(?:profile\s+)?([^\]\s]+)\]", re.MULTILINE)
_SSH_HOST = re.compile(r"^[ \t]*Host[ \t]+([^#\n]+)", re.MULTILINE | re.IGNORECASE)
_MACHINE = re.compile(r"[A-Za-z0-9.-]+")


@dataclass(frozen=True, slots=True)
class Draft:
    """A sentence, and the file that it was drawn from."""

    text: str
    source: str


def drafts(home: str, project: str) -> list[Draft]:
    """Each sentence once, of the file that says it first. A file that is not there, or cannot be
    read, says nothing."""
    found: dict[str, Draft] = {}
    for path, sentences in _places(home, project):
        text = _text(path)
        for sentence in sentences(text) if text else ():
            found.setdefault(sentence, Draft(sentence, path))
    return list(found.values())


Sentences = Callable[[str], Iterable[str]]


def _places(home: str, project: str) -> Iterator[tuple[str, Sentences]]:
    yield os.path.join(project, ".git", "config"), _remotes
    for name in (".config/pip/pip.conf", ".pip/pip.conf", ".npmrc"):
        yield os.path.join(home, name), _registries
    yield os.path.join(project, ".npmrc"), _registries
    yield os.path.join(home, ".kube", "config"), _contexts
    yield os.path.join(home, ".aws", "config"), _profiles
    yield os.path.join(home, ".ssh", "config"), _machines
    for name in ("compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"):
        yield os.path.join(project, name), _services


def _text(path: str) -> str:
    try:
        data = content(path)
    except BadSettings:
        return ""
    return (data or b"").decode("utf-8", "replace")


def _names(found: Iterable[str]) -> list[str]:
    """Names that a person would recognise; none that may be a key or a token."""
    fit = [one for one in dict.fromkeys(found) if _NAME.fullmatch(one) and not _secret(one)]
    return fit[:MOST_NAMES]


def _secret(name: str) -> bool:
    parts = re.split(r"[./@]", name)
    return bool(find_secrets(name)) or any(_RANDOM.fullmatch(part) for part in parts)


def _hosts(addresses: Iterable[str]) -> list[str]:
    """Without user, password, port, path and query: any of those may be a credential."""
    hosts = []
    for address in addresses:
        try:
            host = urlsplit(address).hostname or ""
        except ValueError:
            continue
        hosts += [host] if _HOST.fullmatch(host) and not _secret(host) else []
    return list(dict.fromkeys(hosts))[:MOST_NAMES]


def _remotes(text: str) -> Iterator[str]:
    for address in _ADDRESS.findall(text):
        plain = _without_user(address)
        owner = plain.partition("://")[2].partition("/")[2].strip("/").split("/")[0]
        if _OWNER.fullmatch(owner) and not _secret(owner) and not _DOUBTFUL.search(owner):
            for host in _hosts([plain]):
                yield f"Source control: the organisation or account `{owner}` on {host}."


def _without_user(address: str) -> str:
    """Scheme, host and path of a remote; nothing where it is not clear which part is which."""
    scheme, mark, rest = address.partition("://")
    if not mark:
        like_ssh = _LIKE_SSH.fullmatch(address.rpartition("@")[2])
        return f"ssh://{like_ssh[1]}/{like_ssh[2]}" if like_ssh else ""
    place, _, path = re.split(r"[?#]", rest)[0].partition("/")
    host = re.fullmatch(r"([^:]+)(?::\d{1,5})?", place.rpartition("@")[2])
    return f"{scheme}://{host[1]}/{path}" if host and "@" not in rest.partition("/")[2] else ""


def _registries(text: str) -> Iterator[str]:
    for host in _hosts(_REGISTRY.findall(text)):
        yield f"Package registry that is set up here: {host}."


def _contexts(text: str) -> Iterator[str]:
    names = _names(_list_items(text, "contexts"))
    if names:
        yield f"Clusters that kubectl knows here: {_join_names(names)}. {_UNKNOWN}"


def _profiles(text: str) -> Iterator[str]:
    names = _names(_PROFILE.findall(text))
    if names:
        yield f"AWS profiles on this machine: {_join_names(names)}. {_UNKNOWN}"


def _machines(text: str) -> Iterator[str]:
    lines = [line for line in _SSH_HOST.findall(text) if '"' not in line]
    words = [word for line in lines for word in line.split()]
    names = _names(word for word in words if _MACHINE.fullmatch(word))
    if names:
        yield f"Machines that ssh knows by name: {_join_names(names)}. {_UNKNOWN}"


def _services(text: str) -> Iterator[str]:
    names = _names(_keys_below(text, "services"))
    if names:
        yield f"Docker Compose services of a project on this machine: {_join_names(names)}."


_UNKNOWN = "Which of them are production is not said here."


def _join_names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _section(text: str, key: str) -> Iterator[str]:
    """The lines of a top-level key of a YAML file in its usual layout."""
    inside = False
    for line in text.splitlines():
        if line[:1].isalpha() or line[:1] == '"':
            inside = line.rstrip() == f"{key}:"
        elif inside:
            yield line


def _list_items(text: str, key: str) -> Iterator[str]:
    for line in _section(text, key):
        found = re.fullmatch(r"(?:- | {2})name:\s*[\"']?([^\"'\s]+)[\"']?\s*", line)
        if found:
            yield found[1]


def _keys_below(text: str, key: str) -> Iterator[str]:
    lines = [line for line in _section(text, key) if line.strip() and line.lstrip()[:1] != "#"]
    indent = len(lines[0]) - len(lines[0].lstrip()) if lines else 0
    for line in lines:
        found = re.fullmatch(r"([\w.-]+):\s*(?:#.*)?", line.strip())
        if found and len(line) - len(line.lstrip()) == indent:
            yield found[1]
