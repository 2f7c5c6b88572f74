"""Where automode is registered with an agent, by which release, and what is wrong with that."""

from collections.abc import Sequence
from typing import Protocol

from automode.daemon.version import UNKNOWN, own_version
from automode.doctor.finding import Finding, fine, problem, warning


class Registered(Protocol):
    """One place in which an agent is told to ask automode."""

    @property
    def scope(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def version(self) -> str:
        """The release that wrote it; empty where it does not say."""
        ...

    @property
    def transport(self) -> str: ...
    @property
    def wrong(self) -> tuple[str, ...]:
        """Sentences; none where all is as this automode would write it."""
        ...


def check_registered(
    agent: str, found: Sequence[Registered], *, by_plugin: bool = False
) -> list[Finding]:
    check, install = f"{agent}: registered", f"automode install {agent}"
    if not found and by_plugin:
        return [fine(check, "by the plugin")]
    if not found:
        says = "nowhere: its calls run without being decided"
        return [problem(check, says, install)]
    return [one for place in found for one in _place(check, place, install)]


def _place(check: str, place: Registered, install: str) -> list[Finding]:
    where, fix = f"{place.path} ({place.scope})", f"{install} --{place.scope}"
    if place.wrong:
        return [problem(check, f"{where}: {sentence}", fix) for sentence in place.wrong]
    mine = own_version()
    if place.version != mine and mine != UNKNOWN:
        says = f"{where}: written by release {place.version or 'unknown'}, this one is {mine}"
        return [warning(check, says, fix)]
    return [fine(check, f"{where}, over {place.transport}, release {place.version}")]
