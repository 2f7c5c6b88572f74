"""Checks for the build tools of Java."""

from automode.programs.touch import Given
from automode.programs.use import READS, Effect, Use

_PUBLISHING = frozenset(
    "publish deploy release:perform release:prepare uploadArchives publishToMavenCentral".split()
)


def publishing(given: Given) -> Use:
    for word in given.args:
        if word.text in _PUBLISHING or word.text.rsplit(":", 1)[-1] in _PUBLISHING:
            return Use(Effect.RUNS | Effect.REMOTE_WRITE, "it publishes the project")
    return READS
