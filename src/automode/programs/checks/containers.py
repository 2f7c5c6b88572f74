"""Checks of docker, podman and compose."""

import re

from automode.programs.touch import Given
from automode.programs.use import READS, Effect, Use, network

_ACTION = re.compile(r"\{\{(.*?)\}\}", re.S)
_TOKEN = re.compile(
    r"""\s+|"[^"\\]*"|:=|[(),|=-]|\d+|(?P<verb>[a-z]+)|\$?\w*(\.\w+)*\.(?P<field>\w+)|\$\w+"""
)
_VERBS = frozenset(
    """json range end if else with index len print println printf join upper lower and or not eq ne
    gt lt split""".split()
)
# What a template may end in. Above them stand objects that hold the environment.
_FIELDS = frozenset(
    """Architecture Binds Cmd Containers Created CreatedAt Dead Destination Driver Entrypoint Error
    ExitCode ExposedPorts FailingStreak FinishedAt Gateway GraphDriver Health Healthcheck HostConfig
    HostIp HostPort Hostname ID IPAddress IPPrefixLen Id Image ImageID Labels Layers LogPath
    MacAddress Memory Mode Mountpoint Mounts Name Names NanoCpus NetworkID NetworkMode
    NetworkSettings Networks OOMKilled Os Paused Pid Platform PortBindings Ports Privileged RW
    RepoDigests RepoTags Restarting RestartCount RestartPolicy RootFS Running Size Source StartedAt
    State Status Type User VirtualSize WorkingDir""".split()
)
_NAMES_ONLY = frozenset(
    "--services --volumes --networks --models --profiles --images --hash -q --quiet".split()
)


def inspection(given: Given) -> Use:
    """All that is known of a container holds its environment, which holds credentials. A template
    must name what it prints."""
    templates = [o.value for o in given.options.options if o.name in ("-f", "--format")]
    if templates and all(one is not None and _plain(one.text) for one in templates):
        return READS
    return Use(Effect.SECRETS, "prints the environment of a container")


def _plain(template: str) -> bool:
    actions = _ACTION.findall(template)
    return bool(actions) and template.count("{{") == len(actions) and all(map(_harmless, actions))


def _harmless(action: str) -> bool:
    at = 0
    while at < len(action):
        token = _TOKEN.match(action, at)
        if token is None or (token["verb"] and token["verb"] not in _VERBS):
            return False
        if token["field"] and token["field"] not in _FIELDS:
            return False
        at = token.end()
    return True


def local_build(given: Given) -> Use:
    """A build of a folder of the project; an address as context is somebody else's code."""
    if any("://" in word.text or word.text.startswith("git@") for word in given.operands):
        return network("builds from elsewhere")
    return READS


def composed_names(given: Given) -> Use:
    """The whole configuration has the contents of the environment files in it."""
    for option in given.options.options:
        if option.name in _NAMES_ONLY and (option.value is None or option.name == "--hash"):
            return READS
    return Use(Effect.SECRETS, "prints the configuration with the contents of environment files")
