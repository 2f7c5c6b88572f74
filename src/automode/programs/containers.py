"""docker, podman and nerdctl, and the clients of image registries."""

import re
from collections.abc import Mapping
from dataclasses import replace

from automode.programs.clients import (
    BUILDS,
    CHANGES,
    RUNS,
    SECRET,
    WRITES,
    Row,
    Verbs,
    alone,
    options,
    row,
    words,
)
from automode.programs.compose import compose
from automode.programs.use import READS, Effect, Invocation, Judge, Use, network, unknown
from automode.shell.options import Arguments, arguments

_GLOBAL = options(
    "-H= --host= -c= --context= --config= -D --debug -l= --log-level= --tls --tlscacert= --tlscert="
    " --tlskey= --tlsverify --url= --connection= --identity= --remote -r --root= --runroot="
    " --storage-driver= --storage-opt= --cgroup-manager= --hooks-dir= --runtime= --module="
    " --namespace= -n= --address= -a= --version -v"
)
_GLOBAL_EFFECTS = {
    **dict.fromkeys(
        words(
            "-H --host -c --context --tls --tlscacert --tlscert --tlskey --tlsverify --url"
            " --connection --identity --remote -r --address"
        ),
        network("another daemon is asked"),
    ),
    **dict.fromkeys(
        words("--config --root --runroot --hooks-dir --runtime --module --storage-opt"),
        unknown("another configuration is used"),
    ),
}

_CONTAINERS = row(
    "-a --all -f= --filter= --format= -n= --last= -l --latest --no-trunc -q --quiet -s --size --ns"
    " --namespace -p --pod --sort= --sync --external --noheading -w= --watch="
)
_IMAGES = row(
    "-a --all --digests -f= --filter= --format= --no-trunc -q --quiet --tree --names --noheading"
    " --sort= --history -n"
)
# The environment by name, and templates that print whatever holds it.
_ENVIRONMENT = re.compile(r"env|\.(config|spec)\b(?!\.\w)|[{(\s]\.\s*[})|]", re.IGNORECASE)


def _shows_environment(given: Arguments) -> Use:
    for option in given.options:
        if option.name not in ("-f", "--format") or option.value is None:
            continue
        if option.value.value is None:
            return unknown("the template is not known")
        if _ENVIRONMENT.search(option.value.text):
            return Use(Effect.SECRETS, "prints the environment of a container")
    return READS


_INSPECT = Row(
    options("-f= --format= -s --size --type= -l --latest --mode= --platform= -a --all"),
    check=_shows_environment,
)
_LOGS = row(
    "--details -f --follow --since= -n= --tail= -t --timestamps --until= -l --latest --names"
    " --color"
)
_TOP = row("-l --latest")
_STATS = row("-a --all --format= --no-stream --no-trunc --no-reset -l --latest -i= --interval=")
_PORT = row("-a --all -l --latest")
_HISTORY = row("--format= -H --human --no-trunc -q --quiet --platform=")
_LIST = row(
    "-f= --filter= --format= -q --quiet --no-trunc --orchestrator= --no-heading -n --noheading"
    " --cluster -a --all -p --ctr-names --ctr-ids --ctr-status --label= -l --latest --size"
)
_SHOW = Row(
    options("-f= --format= --pretty -v --verbose -s --size --type= -n --platform="),
    check=_shows_environment,
)
_TASKS = row("-f= --filter= --format= --no-resolve --no-trunc -q --quiet")
_EVENTS = row("-f= --filter= --format= --since= --until= --no-trunc --stream")
_EXPORT = Row(options("-o= --output="), effects={"-o": WRITES, "--output": WRITES})
_SAVE = Row(
    options("-o= --output= --platform= -q --quiet --format= -m --multi-image-archive --compress"),
    effects={"-o": WRITES, "--output": WRITES, "--compress": WRITES},
)
_WAIT = row("--condition= -i= --interval= -l --latest")


def _lists(*groups: str) -> dict[str, Row]:
    """`ls` and its spellings, and `inspect`, of every group of objects."""
    verbs = {"ls": _LIST, "list": _LIST, "inspect": _SHOW}
    return {f"{group} {verb}": found for group in groups for verb, found in verbs.items()}


def _ordinary_build(given: Arguments) -> Use:
    """A build of a folder of the project; an address as context is somebody else's code."""
    if any("://" in word.text or word.text.startswith("git@") for word in given.operands):
        return network("builds from elsewhere")
    return READS


_ROWS = {
    **_lists(
        *words("volume network context plugin stack service node secret config pod machine"),
        *words("builder checkpoint trust farm quadlet namespace"),
    ),
    "ps": _CONTAINERS,
    "container ls": _CONTAINERS,
    "container list": _CONTAINERS,
    "container ps": _CONTAINERS,
    "images": _IMAGES,
    "image ls": _IMAGES,
    "image list": _IMAGES,
    "inspect": _INSPECT,
    "container inspect": _INSPECT,
    "image inspect": _INSPECT,
    "logs": _LOGS,
    "container logs": _LOGS,
    "service logs": row(
        "--details -f --follow --no-resolve --no-task-ids --no-trunc --raw --since= -n= --tail="
        " -t --timestamps"
    ),
    "top": _TOP,
    "container top": _TOP,
    "stats": _STATS,
    "container stats": _STATS,
    "port": _PORT,
    "container port": _PORT,
    "diff": row("--format= -l --latest"),
    "container diff": row("--format= -l --latest"),
    "image diff": row("--format="),
    "history": _HISTORY,
    "image history": _HISTORY,
    "image tree": row("--whatrequires"),
    "image exists": row(),
    "container exists": row("--external"),
    "volume exists": row(),
    "network exists": row(),
    "pod exists": row(),
    "pod ps": _LIST,
    "pod logs": _LOGS,
    "pod top": _TOP,
    "pod stats": _STATS,
    "wait": _WAIT,
    "container wait": _WAIT,
    "export": _EXPORT,
    "container export": _EXPORT,
    "save": _SAVE,
    "image save": _SAVE,
    "version": Row(options("-f= --format= --kubeconfig="), effects={"--kubeconfig": RUNS}),
    "info": row("-f= --format= -D --debug"),
    "system info": row("-f= --format= -D --debug"),
    "system df": row("-v --verbose --format="),
    "system events": _EVENTS,
    "system connection list": row("--format= -q --quiet"),
    "events": _EVENTS,
    "node ps": _TASKS,
    "service ps": _TASKS,
    "stack ps": _TASKS,
    "stack services": _TASKS,
    "context show": row(),
    "swarm ca": Row(check=alone),
    "buildx ls": row("--format= --no-trunc"),
    "buildx du": row("--filter= --verbose --format="),
    "buildx inspect": row(),
    "buildx version": row(),
    "buildx history ls": row("--filter= --format= --no-trunc --local"),
    "buildx history logs": row("--progress="),
    "buildx history inspect": row("--format="),
    "builder du": row("--filter= --verbose --format="),
    "generate kube": row("-s --service"),
    "generate systemd": row("-n --name --new --restart-policy="),
    "kube generate": row("-s --service"),
    "healthcheck run": Row(base=RUNS),
    "secret exists": row(),
    "manifest exists": row(),
    "machine info": row("-f= --format="),
    "auto-update": Row(base=CHANGES),
    "unshare": Row(base=RUNS),
    "help": row(),
    "completion": row("--no-desc"),
}

_CHANGED = words(
    "rm rmi start stop restart kill pause unpause rename update commit create attach tag load"
    " import"
    " cp prune umount mount untag init"
)
_USES = {
    **dict.fromkeys(_CHANGED, Use(Effect.WRITES, "changes containers or images")),
    **dict.fromkeys(words("run exec"), RUNS),
    **dict.fromkeys(words("pull search"), network("asks a registry")),
    **dict.fromkeys(("login", "logout"), Use(Effect.NETWORK | Effect.WRITES, "signs in or out")),
    "push": CHANGES,
    "manifest inspect": network("asks a registry"),
    "image pull": network("asks a registry"),
    "image push": CHANGES,
    "buildx imagetools inspect": network("asks a registry"),
    "container run": RUNS,
    "container exec": RUNS,
    "stack config": SECRET,
    "swarm join-token": SECRET,
    "swarm unlock-key": SECRET,
    "scout": network("asks a service"),
    "sbom": network("may fetch the image"),
}

_BUILD = Row(
    options(
        "-t= --tag= -f= --file= --build-arg= --target= --no-cache --pull --platform= --progress= -q"
        " --quiet --label= --load --rm --force-rm --cache-from= -D --debug --squash --compress"
    ),
    BUILDS,
    check=_ordinary_build,
)
_BUILDING = dict.fromkeys(("build", "image build", "buildx build", "buildx b"), _BUILD)
_DOCKER = Verbs({**_ROWS, **_BUILDING}, _GLOBAL, _GLOBAL_EFFECTS, _USES, literal=False)


def docker(invocation: Invocation) -> Use:
    """docker, with `docker compose` as the program of its own that it is."""
    given = arguments(invocation.args, replace(_GLOBAL, stops_at_operand=True))
    if not given.operands or given.operands[0].value != "compose":
        return _DOCKER(invocation)
    use = compose(replace(invocation, args=given.operands[1:]))
    for option in given.options:
        use |= _GLOBAL_EFFECTS.get(option.name, READS)
    return unknown("an option is not known") if given.unclear else use


_ASKS_A_REGISTRY = network("asks a registry")
_SKOPEO = Verbs(
    {"--version": row()},
    options("--version -v"),
    uses={
        **dict.fromkeys(words("inspect list-tags"), _ASKS_A_REGISTRY),
        **dict.fromkeys(words("copy delete sync"), CHANGES),
        "login": _ASKS_A_REGISTRY,
    },
)
_CRANE = Verbs(
    {"version": row()},
    uses={
        **dict.fromkeys(words("ls manifest digest config catalog validate"), _ASKS_A_REGISTRY),
        **dict.fromkeys(words("copy cp delete push tag append mutate rebase"), CHANGES),
        **dict.fromkeys(words("pull export"), _ASKS_A_REGISTRY | WRITES),
        "auth": SECRET,
    },
)

PROGRAMS: Mapping[str, Judge] = {
    "docker": docker,
    "podman": docker,
    "nerdctl": docker,
    "docker-compose": compose,
    "podman-compose": compose,
    "skopeo": _SKOPEO,
    "crane": _CRANE,
}
