"""Checks of terraform, tofu and packer."""

from automode.programs.development import inside
from automode.programs.touch import Given
from automode.programs.use import READS, Effect, Use, runs


def folder(given: Given) -> Use:
    """As ordinary as the folder it works in: `-chdir` out of the project is not ordinary."""
    places = [w.text.partition("=")[2] for w in given.invocation.args if "chdir" in w.text]
    if all(place and inside(given.invocation, place) for place in places):
        return READS
    return runs("it works in another folder, with the providers there")


def formatting(given: Given) -> Use:
    """`fmt` rewrites files unless told to only look, or fed from standard input."""
    write = given.options.value("-write", "--write")
    kept = write is not None and write.text == "false"
    piped = [word.text for word in given.operands] == ["-"]
    if kept or piped or given.options.has("-check", "--check"):
        return READS
    return Use(Effect.WRITES | Effect.DEVELOPMENT, "formats files")


def all_outputs(given: Given) -> Use:
    """Only the plain list of all outputs hides those marked as secret."""
    if given.operands or given.options.has("-json", "--json", "-raw", "--raw"):
        return Use(Effect.SECRETS, "prints an output, which may be a credential")
    return READS
