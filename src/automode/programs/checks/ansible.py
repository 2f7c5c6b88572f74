"""Checks of Ansible: an inventory may be a program, and a playbook loads code beside it."""

from automode.programs.touch import Given
from automode.programs.use import READS, Effect, Use

_BUILDS = Use(Effect.DEVELOPMENT | Effect.RUNS, "runs code of the project")
_LOOKS = frozenset("--syntax-check --list-hosts --list-tasks --list-tags".split())


def plain_inventory(given: Given) -> Use:
    """`-i web1,web2,` is a list of hosts; any other inventory may be a program."""
    for option in given.options.options:
        hosts = option.value.text if option.value else ""
        if option.name in ("-i", "--inventory") and not hosts.endswith(","):
            return _BUILDS
    return READS


def looks_only(given: Given) -> Use:
    """Even looking at a playbook may load filters and look-ups that stand beside it."""
    looks = any(word.value in _LOOKS for word in given.invocation.args)
    return _BUILDS if looks else READS
