"""automode as a library: calls are decided in the process of the program that makes them.

    async with Gate("/srv/shop", attended=False) as gate:
        decision = await gate.decide(ToolCall("bash", {"command": "git push"}))
        if decision.allowed: ...

The same settings, layers, sessions and records as with a daemon. What is decided waits in the spool
for whoever writes the store next.
"""

from automode.core.decision import Decision, Verdict
from automode.library.gate import Gate, ToolCall, decide, screen

__all__ = ["Decision", "Gate", "ToolCall", "Verdict", "decide", "screen"]
