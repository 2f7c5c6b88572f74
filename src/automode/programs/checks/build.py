"""Checks for make, cmake and mise."""

import re

from automode.programs.touch import Given
from automode.programs.use import READS, Effect, Use, runs

_SECRET = re.compile(r"auth|token|pass|secret|key\b|^env\b", re.IGNORECASE)


def make(given: Given) -> Use:
    other = any(word.text.startswith("SHELL=") for word in given.args)
    return runs("another shell runs the recipes") if other else READS


def cmake(given: Given) -> Use:
    script = any(word.text in ("-E", "-P") for word in given.args)
    return runs("it runs a script or a command") if script else READS


def mise_key(given: Given) -> Use:
    if any(_SECRET.search(word.text) or word.value is None for word in given.args):
        return Use(Effect.SECRETS, "the key may hold a credential")
    return READS
