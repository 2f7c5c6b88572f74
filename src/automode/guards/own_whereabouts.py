"""Where the daemon's socket and tokens lie, for telling quickly which paths may lead there."""

from dataclasses import dataclass
from functools import lru_cache

from automode.core.paths import parents, within
from automode.core.wildcards import written_out
from automode.guards.own_files import channel_of

SOCKETS = ("/run/user/", "/tmp/automode")  # noqa: S108 - names, not uses


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Without regard to case. Whatever a closer look at a path could find is among these."""

    holders: frozenset[str]  # the folders that hold them, from their own upwards
    exact: frozenset[str]
    below: tuple[str, ...]
    lines: str  # all that a pattern may stand for, each behind a line break

    def near(self, path: str) -> bool:
        """Whether a path that is no pattern is worth a closer look."""
        low = path.casefold()
        return low in self.exact or low.startswith(self.below)

    def may_mean(self, path: str) -> bool:
        """The same for a path that may be a pattern."""
        return self.near(path) or f"\n{written_out(path.casefold())}" in self.lines


@lru_cache(maxsize=256)
def whereabouts(
    secrets: tuple[str, ...],
    states: tuple[str, ...],
    needed: tuple[str, ...],
    widely: bool,  # noqa: FBT001 - part of what is remembered
) -> Whereabouts:
    """Folders that hold one of the `needed` count with `widely` alone."""
    folders = (folder for state in states for folder in (f"{state}/tokens", state, *parents(state)))
    holders = frozenset(
        folder.casefold()
        for folder in folders
        if widely or not any(within(one, folder) for one in needed)
    )
    folded = [path.casefold() for path in secrets]
    channel = (path.casefold() for path in channel_of(states))
    return Whereabouts(
        holders,
        exact=holders.union(folded),
        below=(*(f"{one}/" for one in folded), *SOCKETS),
        lines="".join(f"\n{one}" for one in (*holders, *channel)),
    )
