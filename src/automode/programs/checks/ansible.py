"""Checks of Ansible: an inventory may be a program, and a playbook loads code beside it."""

from automode.programs.touch import Given
from automode.programs.use import READS, Effect, Use

_BUILDS = Use(Effect.DEVELOPMENT | Effect.RUNS, "runs code of the project")
_LOOKS = frozenset("--syntax-check --list-hosts --list-tasks --list-tags".split())


def plain_inventory(given: Given) -> Use:
    """`-i web1,web2,` is a list of hosts; any other inventory may be a program."""
    inventory = given.options.value("-i", "--inventory")
    return READS if inventory is None or inventory.text.endswith(",") else _BUILDS


def looks_only(given: Given) -> Use:
    """Even looking at a playbook may load filters and look-ups that stand beside it."""
    looks = any(word.value in _LOOKS for word in given.invocation.args)
    return _BUILDS if looks else READS
