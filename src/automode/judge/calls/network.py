"""Which machines a command or a text reaches, and which addresses are this machine."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from urllib.parse import unquote

from automode.judge.consent.objects import KNOWN, Name, is_named_in
from automode.judge.hosts import SCHEME, UNKNOWN, host_of, is_here
from automode.judge.words import keys_by_word, patterns, word_lists
from automode.programs.table import of_kind
from automode.programs.use import Effect
from automode.shell.script import Command, Script

_P = patterns("network")
_W = word_lists("network")
CLIENTS = of_kind("downloader")
_FRIENDLY = frozenset({"http", "https", "xh", "httpie"})
_METHOD = re.compile(r"[A-Za-z]+")
_OWN_HOSTS = frozenset({"git", "gh", "glab"})
_OPENERS = frozenset({"open", "xdg-open", "start"})
_PACKAGES = of_kind("package-manager")
COPIERS = frozenset({"scp", "rsync", "sftp"})
_WORDS = re.compile(r"[^A-Za-z]+|(?<=[a-z])(?=[A-Z])")
LONGEST_PLAIN = 120
LONGEST_PART = 24
_NO_SCHEME = re.compile(r"(?://|(?=www\.))([\w.-]+\.[a-z]{2,}(?::\d+)?)(?:/\S*)?")


def is_near(url: str, said: str) -> bool:
    """Whether the user spoke of the machine alone, or of an address that begins with the same part:
    who names one project of a forge names no other."""
    first = SCHEME.sub("", url).casefold().partition("/")[2].partition("/")[0]
    found = re.findall(rf"{re.escape(host_of(url))}(?::\d+)?(?:/([\w.~%@-]*))?", said)
    return any(part in ("", first) for part in found)


def only_reads(url: str) -> bool:
    """Whether what follows the machine of an address is short, and has no verb in it: a page may be
    there to do something."""
    if not SCHEME.match(url):
        return False
    rest = unquote(SCHEME.sub("", url).partition("/")[2])
    words = [one.casefold() for one in _WORDS.split(rest)]
    short = len(rest) <= LONGEST_PLAIN and all(len(one) <= LONGEST_PART for one in words)
    verbs = KNOWN.verbs.union(keys_by_word("tool_deeds", "verbs")) - KNOWN.kinds - _W.looks
    return short and verbs.isdisjoint(words)


def urls_in(text: str) -> list[str]:
    return _P.url.findall(text) if "://" in text else []


def targets(command: Command) -> list[str]:
    """The addresses that a network client is given."""
    found = _operands(command)
    if command.program not in _FRIENDLY:
        return found
    given = found[1:] if found and _METHOD.fullmatch(found[0]) and len(found) > 1 else found
    return [f"localhost{one}" if one.startswith(":") else one for one in given[:1]]


def _operands(command: Command) -> list[str]:
    """The words that are neither options nor their values."""
    found: list[str] = []
    skipped = False
    for word in command.args:
        if skipped:
            skipped = False
        elif word.text.startswith("-"):
            skipped = word.text in _W.valued
        else:
            found.append(word.text)
    return found


def stays_here(command: Command) -> bool:
    """Whether all that a network client is given are addresses of this machine."""
    given = targets(command)
    local = bool(given) and all(is_here(host_of(one)) for one in given)
    return local and not goes_elsewhere(command)


def controls(command: Command) -> bool:
    """Whether an address here is one that rules a machine or a program."""
    return any(_P.control.search(one) for one in targets(command))


def goes_elsewhere(command: Command) -> bool:
    return any(_P.elsewhere.match(word.text) for word in command.args)


def is_called_in(host: str, said: str) -> bool:
    """Whether users call a machine of a private network by its parts: `pg-prod.internal` where they
    say "prod". Each part has to be said, but for what every such machine is called."""
    if not _P.private.search(host):
        return False
    parts = [one for one in re.split(r"[^a-z0-9]+", host) if one not in _W.private_parts]
    return bool(parts) and all(is_named_in(Name(one), said) for one in parts)


def machines(script: Script) -> frozenset[str]:
    """Names of machines that the script reaches, without regard to case."""
    hosts = (host for command in script.commands for host in reached_hosts(command))
    return frozenset(host for host in hosts if "." in host)


def reached_hosts(command: Command, effect: Effect = Effect.NONE) -> Iterator[str]:
    """The other machines that a command reaches, one by one; UNKNOWN for each that is not known."""
    name = command.program
    texts = [word.text for word in command.args]
    if name in CLIENTS:
        yield from _others(one for one in targets(command) if not _P.public.fullmatch(one))
        yield from (UNKNOWN for word in texts if _P.listed.match(word))
        yield from _others(_proxies(texts))
    elif name in _W.probes:
        yield from _probed_hosts(texts)
    elif name in _W.lookups:
        yield from _others(one for one in texts if "." in one and one[:1] not in ("-", "+", "@"))
        yield from _others(one[1:] for one in texts if one[:1] == "@")
    elif name in _OPENERS or name in _PACKAGES:
        yield from _others(url for word in texts for url in urls_in(word))
    elif name in _W.databases:
        yield from _others(url for word in texts for url in urls_in(word))
        yield from _others(b for a, b in pairwise(texts) if a in ("-h", "--host", "-H", "--uri"))
        yield from _others(one[7:] for one in texts if one.startswith("--host="))
    elif name == "git" and _W.git_reaching & set(texts):
        yield from _others(word for word in texts if _P.remote.match(word))
    elif Effect.NETWORK in effect and Effect.DEVELOPMENT not in effect and name not in _OWN_HOSTS:
        modules = {b for a, b in pairwise(texts) if a == "-m"}
        named = (word for word in texts if _P.machine.fullmatch(word))
        yield from _others(word for word in named if word not in modules)
    elif Effect.UNKNOWN in effect:
        yield from _others(word for word in texts if _P.address.fullmatch(word))


def _probed_hosts(texts: list[str]) -> Iterator[str]:
    """A range of machines has to be named as it is written."""
    for word in texts:
        value = word.partition("=")[2] if word.startswith("-") else word
        machine = _P.machine.fullmatch(value) and not _P.file_name.search(value)
        if _P.address.fullmatch(value) and re.search(r"[/-]", value):
            yield value
        elif machine or _P.address.fullmatch(value) or urls_in(value):
            yield from _others([value])
        elif re.match(r"-i[LR]", word):
            yield UNKNOWN


def is_remote(text: str) -> bool:
    return re.match(r"(?:[\w.-]+@)?[\w.-]+:(?!//)", text) is not None


def copied_to(text: str) -> Iterator[str]:
    """What a user has to say of `user@host:path`: the path too, unless it is a plain folder."""
    host, _, path = text.partition(":")
    yield host
    plain = _P.stores.fullmatch(path) and ".." not in path and not _P.runs_there.search(path)
    if not plain or re.search(r"\.\w+$", path):
        yield path


def strangers_in(text: str) -> Iterator[str]:
    """Addresses in a text that are neither of this machine nor of public documentation."""
    for url in urls_in(text):
        local = url.casefold().startswith("file:") or is_here(host_of(url))
        if not local and not _P.readable.fullmatch(url):
            yield url


def _others(addresses: Iterable[str]) -> Iterator[str]:
    for one in addresses:
        host = host_of(one)
        if not is_here(host):
            yield host


def _proxies(texts: list[str]) -> Iterator[str]:
    """Where a request goes in place of its address."""
    for option, value in pairwise(texts):
        if option in ("-x", "--proxy", "--preproxy", "--socks5", "--url"):
            yield value
    yield from (one.partition("=")[2] for one in texts if one.startswith(("--url=", "--proxy=")))


def files_in(text: str) -> list[str]:
    """The paths of addresses of files: what is fetched from there is read."""
    found = [unquote(one) for one in _P.file.findall(text)] if "file:" in text.casefold() else []
    return [one if one.startswith("/") else f"/{one}" for one in found]


def without_scheme(text: str) -> str:
    """The machine of `//host/path`, or of `www.host/path`, where a text is nothing else."""
    found = _NO_SCHEME.fullmatch(text.strip())
    return host_of(found[1]) if found else ""
