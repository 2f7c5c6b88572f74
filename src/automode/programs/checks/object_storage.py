"""Checks of rclone and mc."""

from automode.programs.touch import Given
from automode.programs.use import READS, Use, network


def configured_remote(given: Given) -> Use:
    """`name:path` is a remote the user configured; `:backend,host=…:` is made up on the spot."""
    texts = [word.text for word in given.operands]
    if any(one.startswith(":") or "," in one or "://" in one for one in texts):
        return network("names a remote that nobody configured")
    return READS
