"""The daemon's socket and tokens: who uses them speaks in the person's name."""

import re
from collections.abc import Iterator

from automode.guards.guard import Guard, Sight, shown, words

_LISTERS = words("ls stat du find tree file cd test [ echo realpath readlink basename dirname wc")
_SPEAKS = re.compile(
    r"\.sock(?:et)?$|/[^/]*token[^/]*(?:/|$)|/signing\.key$|(?<!/automode)/socket$"
)
_WILD = re.compile(r"[*?\[\0]")
_CHANNEL = ("/daemon.sock", "/tokens", "/signing.key")


def _sees_secrets(sight: Sight) -> str | None:
    """Talking to the daemon's socket, or reading its tokens, is speaking in the person's name."""
    here = sight.command.cwd
    inside = here is not None and sight.own.secret(here)
    for text in _texts(sight):
        if not inside and "automode" not in text:
            continue
        for part in (text, *text.split("=")[1:], *text.split(":")[1:], *text.split(",")):
            path = sight.path(part)
            if path is not None and _speaks(path, sight):
                return f"`{shown(part)}` is automode's own"
        if _spelled(text, sight):
            return "it names automode's tokens or its socket"
    return None


def _texts(sight: Sight) -> Iterator[str]:
    """The words, and the files that are fed in."""
    yield from sight.texts
    for redirect in sight.command.redirects:
        if redirect.op in ("<", "<>"):
            yield redirect.target.text


def _speaks(path: str, sight: Sight) -> bool:
    if not sight.own.secret(path):
        return _socket(path) and _SPEAKS.search(path) is not None
    if _SPEAKS.search(path):
        return True
    # The folder as a whole, or what a pattern finds in it, holds them as well.
    whole = _WILD.search(path) is not None or path.casefold() in _folded(sight.own.secrets)
    return whole and sight.name not in _LISTERS


def _folded(paths: tuple[str, ...]) -> list[str]:
    return [path.casefold() for path in paths]


def _spelled(text: str, sight: Sight) -> bool:
    """Inside code: the path as a program would write it."""
    home = sight.workspace.home
    for folder in sight.own.secrets:
        below = folder.removeprefix(f"{home}/")
        for place in {folder, below} if below != folder else {folder}:
            if any(f"{place}{one}" in text for one in _CHANNEL):
                return True
    return False


def _socket(path: str) -> bool:
    return path.startswith(("/run/user/", "/tmp/automode")) and "/automode" in path  # noqa: S108


OWN_CHANNEL = Guard(
    id="own-channel",
    reason="this talks to automode's daemon in the person's name",
    advice="ask the person to run the command",
    about="The daemon's socket and the tokens beside it, whichever program uses them.",
    sees=_sees_secrets,
    everywhere=True,
    stops=(
        "curl --unix-socket ~/.local/state/automode/daemon.sock http://x/approve",
        "nc -U ~/.local/state/automode/daemon.sock",
        "cat ~/.local/state/automode/token",
        "socat - UNIX-CONNECT:/run/user/1000/automode/daemon.sock",
        "cp ~/.local/state/automode/token x",
        "python3 client.py --socket=/run/user/1000/automode.sock",
        "cat ~/.local/state/automode/tokens/person",
        "cat < ~/.local/state/automode/tokens/person",
        "cd ~/.local/state/automode && cat tokens/person",
        "cd ~/.local/state/automode/tokens; cat person",
        "cat ~/.local/state/automode/*/*",
        "cp -r ~/.local/state/automode x",
        "grep -r . ~/.local/state/automode",
        "base64 ~/.local/state/automode/signing.key",
        "python3 -c \"open('$HOME/.local/state/automode/tokens/person').read()\"",
        "node -e 'net.connect(os.homedir() + \"/.local/state/automode/daemon.sock\")'",
    ),
    passes=(
        "ls ~/.local/state/automode",
        "ls -la ~/.local/state/automode/",
        "tail -n 50 ~/.local/state/automode/daemon.log",
        "cat src/automode/daemon.sock",
        "curl --unix-socket /var/run/docker.sock http://x/info",
        "cat automode/token.py",
        "grep -rn automode .",
        "cd automode && ls",
    ),
)
