"""Checks of docker, podman and compose."""

import re

from automode.programs.touch import Given
from automode.programs.use import READS, Effect, Use, network, unknown

# The environment by name, and templates that print whatever holds it.
_ENVIRONMENT = re.compile(r"env|\.(config|spec)\b(?!\.\w)|[{(\s]\.\s*[})|]", re.IGNORECASE)
_NAMES_ONLY = frozenset(
    "--services --volumes --networks --models --profiles --images --hash -q --quiet".split()
)


def template(given: Given) -> Use:
    """A template may print the environment of a container, which holds credentials."""
    for option in given.options.options:
        if option.name not in ("-f", "--format") or option.value is None:
            continue
        if option.value.value is None:
            return unknown("the template is not known")
        if _ENVIRONMENT.search(option.value.text):
            return Use(Effect.SECRETS, "prints the environment of a container")
    return READS


def inspection(given: Given) -> Use:
    """Without a template all is printed, the environment too."""
    if not given.options.has("-f", "--format"):
        return Use(Effect.SECRETS, "prints the environment of a container")
    return template(given)


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


def local_files(given: Given) -> Use:
    """Files of the project are read; `-f https://…` brings them from elsewhere."""
    if any("://" in word.text for word in given.invocation.args):
        return network("a file from elsewhere")
    return READS
