"""Checks of helm: charts by name only, and rehearsals that change nothing."""

from automode.programs.touch import Given
from automode.programs.use import READS, Effect, Use, network


def local_chart(given: Given) -> Use:
    """A chart by its local name; one by address comes from wherever the address says."""
    values = [option.value for option in given.options.options if option.value is not None]
    if any("://" in word.text for word in (*values, *given.operands)):
        return network("a chart or values from elsewhere")
    dry_run = given.options.value("--dry-run")
    if dry_run is not None and dry_run.text not in ("client", "true"):
        return Use(Effect.SECRETS, "a chart that asks the server can print its secrets")
    return READS


def rehearsal(given: Given) -> Use:
    """`--dry-run` alone, or with a value that keeps it one."""
    value = given.options.value("--dry-run")
    if value is not None and value.text != "client":
        return Use(Effect.REMOTE_WRITE, "changes the cluster")
    return local_chart(given) | Use(Effect.REMOTE_READ)
