"""Checks of rclone."""

from automode.programs.touch import Given
from automode.programs.use import READS, Use, network


def configured_remote(given: Given) -> Use:
    """`name:path` is a remote the user configured; `:backend,host=…:` is made up on the spot."""
    if any(word.text.startswith(":") or "," in word.text for word in given.operands):
        return network("names a remote that nobody configured")
    return READS
