"""How deciding code gets a script read without knowing which parsers do it."""

from typing import Protocol

from automode.core.workspace import Workspace
from automode.shell.script import Script


class Reader(Protocol):
    """Contract: never raises on any text, never runs anything."""

    def first(self, text: str, workspace: Workspace) -> Script:
        """A quick reading by one parser. It may prove a call dangerous, never safe."""
        ...

    def full(self, text: str, workspace: Workspace) -> Script:
        """The reading both parsers agree on. Only this one may be `complete`."""
        ...


class NoReader:
    """For gates that decide no scripts: reading one is an error, and the gate fails closed."""

    def first(self, text: str, workspace: Workspace) -> Script:
        raise NotImplementedError("this gate reads no scripts")

    full = first
