"""claude-agent-sdk: `ClaudeAgentOptions(hooks=hooks(gate))`.

The SDK counts a hook that raises as no decision, and the tool then runs: so these never raise, and
are registered to block where they fail all the same. What Claude Code says and is answered is what
its hooks on the command line say and are answered.
"""

import json
from collections.abc import Callable, Coroutine, Mapping
from importlib import import_module
from typing import TypeAlias

from automode.agents.claude_code.payloads import ClaudeCode
from automode.agents.events import Moment
from automode.gate.gate import fail_closed
from automode.library import Gate

SECONDS = 130.0
"""Above what a decision takes at most: the SDK blocks a call whose hook is late."""
_UNKNOWN = ("SessionStart", "SessionEnd", "PermissionDenied")
"""Events that the SDK does not have."""
EVENTS = {
    event: moment for event, moment in ClaudeCode.agent.moments.items() if event not in _UNKNOWN
}

Hook: TypeAlias = Callable[
    [Mapping[str, object], object, object], Coroutine[object, object, dict[str, object]]
]


def hooks(gate: Gate) -> dict[str, list[object]]:
    """For every event that matters. Join them with hooks of your own by event."""
    matcher = import_module("claude_agent_sdk").HookMatcher
    return {
        event: [
            matcher(
                hooks=[hook(gate, moment)],
                timeout=SECONDS,
                on_failure="block" if moment is Moment.PROPOSED else "continue",
            )
        ]
        for event, moment in EVENTS.items()
    }


def hook(gate: Gate, moment: Moment) -> Hook:
    adapter = ClaudeCode(attended=gate.attended)

    async def answer(
        payload: Mapping[str, object], tool_use_id: object, context: object
    ) -> dict[str, object]:
        answered = await fail_closed(
            gate.hooked(adapter, moment, payload),
            lambda error: adapter.closing_answer(
                moment, f"the gate failed ({type(error).__name__})"
            ),
        )
        found: object = json.loads(answered.stdout or "{}")
        return found if isinstance(found, dict) else {}

    return answer
