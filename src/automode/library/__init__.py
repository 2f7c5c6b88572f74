"""automode as a library: calls are decided in the process of the program that makes them.

    async with Gate("/srv/shop", attended=False) as gate:
        decision = await gate.decide(ToolCall("bash", {"command": "git push"}))
        if decision.allowed: ...

The same settings, layers, sessions, records and store as with a daemon.
"""

from automode.core.decision import Decision, Verdict
from automode.library.gate import Gate, ToolCall, Usage, decide, screen

__all__ = ["Decision", "Gate", "ToolCall", "Usage", "Verdict", "decide", "screen"]
