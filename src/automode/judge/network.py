"""Where the commands of a script go to: the machines that network clients and git are given."""

import re
from collections.abc import Iterable, Iterator

from automode.shell.script import HOLE, Command, Script

CLIENTS = frozenset("curl wget http https xh httpie aria2c lynx w3m axel".split())
_VALUED = frozenset(
    "-o --output -H --header -d --data --data-raw --data-binary --data-urlencode --data-ascii -X"
    " --request -u --user -A --user-agent -e --referer -b --cookie -c --cookie-jar -F --form -T"
    " --upload-file -w --write-out -m --max-time --connect-timeout --retry --retry-delay -E --cert"
    " --key --cacert --capath -K --config -x --proxy --resolve --connect-to --unix-socket"
    " --interface -r --range -D --dump-header -C --json --output-dir --limit-rate -P -U -t"
    " --directory-prefix --tries --timeout --output-document --post-data --post-file --method"
    " --body-data --body-file --retry-max-time --stderr --trace --trace-ascii -Q -z".split()
)
# They send a request elsewhere than its address says, or take more options from a file.
_ELSEWHERE = re.compile(
    r"-[a-zA-Z]*[xK]$|--(?:proxy\S*|preproxy|socks\S*|resolve|connect-to|config|unix-socket|"
    r"abstract-unix-socket|doh-url|dns-servers|haproxy\S*)(?:=|$)"
)
_HERE = re.compile(
    r"(?:https?://)?(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[?::1\]?|host\.docker\.internal)"
    rf"(?::(?:\d+|{HOLE}))?(?:[/?#].*)?",
    re.IGNORECASE | re.DOTALL,
)
# Where documentation is looked up. Nothing can be told to them by a plain path.
PUBLIC = re.compile(
    r"https://(?:developer\.mozilla\.org|docs\.(?:python\.org|rs|github\.com|docker\.com|gitlab\.com|"
    r"aws\.amazon\.com)|doc\.rust-lang\.org|pkg\.go\.dev|go\.dev|nodejs\.org|kubernetes\.io|"
    r"learn\.microsoft\.com|cloud\.google\.com|developers\.(?:cloudflare|google)\.com|react\.dev|"
    r"www\.typescriptlang\.org|json-schema\.org|www\.rfc-editor\.org|datatracker\.ietf\.org|"
    r"\w+\.wikipedia\.org|stackoverflow\.com)(?:/[\w./@~#+-]{0,200})?(?=[\s'\"|)>]|$)"
)
_MACHINE = re.compile(r"(?:\w[\w+.-]*://)?(?:[^/@\s]*@)?(\[[^\]]*\]|[^/:?#\s]+)")
_REMOTE = re.compile(r"\w[\w+.-]*://|[\w.-]+@[\w.-]+:|[\w-]+(?:\.[\w-]+)+:(?!\d*//)")
_GIT_REACHING = frozenset("clone fetch pull push ls-remote remote submodule archive".split())


def targets(command: Command) -> list[str]:
    """The words of a network client that are neither options nor their values."""
    found: list[str] = []
    skipped = False
    for word in command.args:
        if skipped:
            skipped = False
        elif word.text.startswith("-"):
            skipped = word.text in _VALUED
        else:
            found.append(word.text)
    return found


def stays_here(command: Command) -> bool:
    """Whether all that a network client is given are addresses of this machine."""
    given = targets(command)
    local = bool(given) and all(_HERE.fullmatch(one) for one in given)
    return local and not goes_elsewhere(command)


def goes_elsewhere(command: Command) -> bool:
    return any(_ELSEWHERE.match(word.text) for word in command.args)


def machines(script: Script) -> set[str]:
    """Names of machines that the script reaches, without regard to case."""
    return {name.casefold() for command in script.commands for name in _machines(command)}


def _machines(command: Command) -> Iterator[str]:
    if command.program in CLIENTS:
        yield from _names(one for one in targets(command) if not _HERE.fullmatch(one))
    elif command.program in ("open", "xdg-open", "start"):
        yield from _names(word.text for word in command.args if "://" in word.text)
    elif command.program == "git":
        words = [word.text for word in command.args]
        if _GIT_REACHING & set(words):
            yield from _names(word for word in words if _REMOTE.match(word))


def _names(addresses: Iterable[str]) -> Iterator[str]:
    for one in addresses:
        found = _MACHINE.match(one)
        if found and not PUBLIC.fullmatch(one) and "." in found[1]:
            yield found[1]
