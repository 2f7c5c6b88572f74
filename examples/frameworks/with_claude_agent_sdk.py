"""claude-agent-sdk with automode: Claude Code's own tools are decided in this process.

ANTHROPIC_API_KEY=… python with_claude_agent_sdk.py "list the files here"
"""

import asyncio
import sys

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, ResultMessage

from automode import Gate
from automode.integrations.claude_agent_sdk import hooks


async def run(gate: Gate, task: str, **options: object) -> str:
    chosen = ClaudeAgentOptions(
        hooks=hooks(gate), allowed_tools=["Bash", "Read"], setting_sources=[], **options
    )
    async with ClaudeSDKClient(chosen) as client:
        await client.query(task)
        async for message in client.receive_response():
            if isinstance(message, ResultMessage):
                return message.result or ""
    return ""


if __name__ == "__main__":
    with Gate(attended=False) as own:
        print(asyncio.run(run(own, sys.argv[1])))
