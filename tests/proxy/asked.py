"""A stand-in for the daemon: what it is asked is kept, and the names of tools say its answers."""

import asyncio
import json
from collections.abc import Mapping

from automode.core.errors import AutomodeError
from automode.proxy.asking import Ruling, Unreached
from automode.proxy.checkpoint import Checkpoint

WARNING = "[automode] Warning: suspect"


class Asked:
    """`allowed…` runs, `slow…` waits for ever, `broken…` fails, everything else is denied; a result
    with the word `attack` in it gets a warning."""

    def __init__(self, trouble: Exception | None = None) -> None:
        self.events: list[Mapping[str, object]] = []
        self.trouble = trouble or Unreached("no daemon")

    async def decide(self, event: Mapping[str, object]) -> Ruling:
        self.events.append(event)
        tool = str(event["tool"]).removeprefix("mcp__srv__")
        if tool.startswith("slow"):
            await asyncio.Event().wait()
        if tool.startswith("broken"):
            raise self.trouble
        allowed = tool.startswith("allowed")
        return Ruling(runs=allowed, text="" if allowed else f"denied: {tool}")

    async def warning(self, event: Mapping[str, object]) -> str:
        self.events.append(event)
        if "unseen" in str(event["result"]):
            raise AutomodeError("no daemon")
        return WARNING if "attack" in str(event["result"]) else ""


def checkpoint(asked: Asked | None = None) -> Checkpoint:
    return Checkpoint(asked or Asked(), "srv", "/srv/project", session="one")


def call(tool: str, identity: object = 1, **given: object) -> dict[str, object]:
    params = {"name": tool, "arguments": given}
    return {"jsonrpc": "2.0", "id": identity, "method": "tools/call", "params": params}


def call_frame(tool: str, identity: object = 1) -> bytes:
    return json.dumps(call(tool, identity)).encode()
