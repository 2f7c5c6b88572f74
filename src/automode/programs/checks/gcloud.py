"""Checks of the Google Cloud clients: places that become addresses, and buckets."""

import re

from automode.programs.touch import Given
from automode.programs.use import READS, Effect, Use, network, unknown

_PLACES = frozenset("--region --zone --location --regions --zones".split())
_PLACE = re.compile(r"[a-z0-9,-]+")


def places(given: Given) -> Use:
    """A region stands in the address that is asked: `--region x.test/` would be another server."""
    for option in (*given.before.options, *given.options.options):
        if option.name in _PLACES and not (option.value and _PLACE.fullmatch(option.value.text)):
            return network(f"`{option.name}` becomes part of an address")
    return READS


def buckets(given: Given) -> Use:
    """`gs://bucket`; another address is another service, and a path is a file of this machine."""
    for word in given.operands:
        if "://" in word.text and not word.text.startswith(("gs://", "file://")):
            return network("the address is another service's")
        if not word.text.startswith("gs://"):
            return unknown("it is not known to be a bucket")
    return READS


def rehearsal(given: Given) -> Use:
    """What a query costs is asked of the service."""
    return Use(Effect.REMOTE_READ)
