"""Layer: has a script read by both parsers while other sessions go on. It never has an opinion."""

from typing import Protocol

from automode.core.call import Shell, ToolCall
from automode.core.layer import Answer, Trail
from automode.core.session import Session
from automode.core.workspace import Workspace


class Ahead(Protocol):
    async def ready(self, text: str, workspace: Workspace) -> None: ...


class Readying:
    """Stands first where many sessions share one process; what it could not get ready is read
    when somebody asks for it."""

    name = "reading"

    def __init__(self, reader: Ahead) -> None:
        self._reader = reader

    async def __call__(self, call: ToolCall, session: Session, trail: Trail) -> Answer:
        if isinstance(call.action, Shell) and call.action.dialect == "bash":
            await self._reader.ready(call.action.command, session.workspace)
        return None
