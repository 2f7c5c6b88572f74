"""Checks for cargo and rustc."""

from automode.programs.touch import Given
from automode.programs.use import READS, Effect, Use, runs

_TOOLCHAINS = frozenset(("+stable", "+beta", "+nightly"))


def toolchain(given: Given) -> Use:
    """`cargo +nightly tree` chooses the toolchain first, which may be fetched for it; one with a
    name of its own may be linked to any folder."""
    name = given.invocation.args[0].text
    if name not in _TOOLCHAINS and not name[1:].replace(".", "").isdigit():
        return runs("the toolchain is not one of the usual ones")
    return Use(Effect.RUNS | Effect.DEVELOPMENT, "the toolchain may be fetched")


def rustc(given: Given) -> Use:
    """`--print=native-static-libs=FILE` writes, and printing about a crate compiles it."""
    for option in given.options.options:
        value = option.value
        if option.name == "--print" and (value is None or "=" in value.text or value.value is None):
            return Use(Effect.WRITES | Effect.DEVELOPMENT, "`--print` may write a file")
    return READS
