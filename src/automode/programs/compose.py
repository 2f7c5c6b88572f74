"""docker compose: as a sub-command of docker and as a program of its own."""

from automode.programs.clients import (
    BUILDS,
    RUNS,
    SECRET,
    WRITES,
    Row,
    Verbs,
    options,
    row,
    words,
)
from automode.programs.use import READS, Effect, Invocation, Use, network
from automode.shell.options import Arguments

_SPEC = options(
    "-f= --file= -p= --project-name= --project-directory= --profile= --env-file= --ansi="
    " --progress= --parallel= --compatibility --all-resources --verbose --no-ansi --dry-run"
)
_NAMES_ONLY = words(
    "--services --volumes --networks --models --profiles --images --hash -q --quiet"
)


def _prints_all(given: Arguments) -> Use:
    """The whole configuration has the contents of the environment files in it."""
    names = any(
        option.name in _NAMES_ONLY and (option.value is None or option.name == "--hash")
        for option in given.options
    )
    return READS if names else SECRET


_CONFIG = Row(
    options(
        "--services --volumes --networks --models --profiles --images --hash= -q --quiet"
        " --format= --no-interpolate --no-normalize --no-path-resolution --no-consistency"
        " --resolve-image-digests --environment --variables --no-env-resolution"
        " -o= --output= --lock-image-digests"
    ),
    effects={
        "-o": WRITES,
        "--output": WRITES,
        "--environment": Use(Effect.SECRETS, "prints the environment"),
        "--resolve-image-digests": network("asks a registry"),
        "--lock-image-digests": network("asks a registry"),
    },
    check=_prints_all,
)
_ROWS = {
    "ps": row("-a --all --filter= --format= --no-trunc --orphans -q --quiet --services --status="),
    "logs": row(
        "-f --follow --index= -n= --tail= --no-color --no-log-prefix --since= --until="
        " -t --timestamps"
    ),
    "config": _CONFIG,
    "convert": _CONFIG,
    "images": row("--format= -q --quiet"),
    "top": row(),
    "ls": row("-a --all --filter= --format= -q --quiet"),
    "version": row("-f= --format= --short"),
    "port": row("--index= --protocol="),
    "events": row("--json --since= --until="),
    "stats": row("-a --all --format= --no-stream --no-trunc"),
    "volumes": row("--format= -q --quiet"),
    "wait": row(),
    "help": row(),
}
_USES = {
    **dict.fromkeys(words("up build start restart create watch"), BUILDS),
    **dict.fromkeys(
        words("down stop kill rm pause unpause scale"),
        Use(Effect.WRITES, "stops or removes containers"),
    ),
    **dict.fromkeys(words("run exec attach"), RUNS),
    "pull": network("asks a registry"),
    "push": Use(Effect.REMOTE_WRITE, "sends images to a registry"),
    "publish": Use(Effect.REMOTE_WRITE, "sends images to a registry"),
    "cp": WRITES,
}


_VERBS = Verbs(_ROWS, _SPEC, uses=_USES, literal=False)


def compose(invocation: Invocation) -> Use:
    """Files of the project are read; `-f https://…` brings them from elsewhere."""
    if any("://" in word.text for word in invocation.args):
        return network("a file from elsewhere") | _VERBS(invocation)
    return _VERBS(invocation)
