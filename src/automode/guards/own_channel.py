"""The daemon's socket and tokens: who uses them speaks in the person's name."""

from automode.guards.guard import Guard, Sight, shown


def _sees_secrets(sight: Sight) -> str | None:
    """Talking to the daemon's socket, or reading its tokens, is speaking in the person's name."""
    for text in sight.texts:
        if "automode" not in text:
            continue
        for part in (text, *text.split("=")[1:], *text.split(":")[1:], *text.split(",")):
            path = sight.path(part)
            if path is not None and (sight.own.secret(path) or _socket(path)) and _uses(path):
                return f"`{shown(part)}` is automode's own"
    return None


def _socket(path: str) -> bool:
    return path.startswith(("/run/user/", "/tmp/automode")) and "/automode" in path  # noqa: S108


def _uses(path: str) -> bool:
    return path.endswith((".sock", ".socket", "socket")) or "token" in path.rsplit("/", 1)[-1]


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
    ),
    passes=(
        "ls ~/.local/state/automode",
        "cat src/automode/daemon.sock",
        "curl --unix-socket /var/run/docker.sock http://x/info",
        "cat automode/token.py",
        "grep -rn automode .",
        "cd automode && ls",
    ),
)
