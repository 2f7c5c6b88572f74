"""pydantic-ai with automode: a toolset with the gate around it.

python with_pydantic_ai.py openai:gpt-5 "list the files here"
"""

import asyncio
import subprocess
import sys

from pydantic_ai import Agent, AgentRunResult, FunctionToolset
from pydantic_ai.models import Model

from automode import Gate
from automode.integrations.pydantic_ai import gated

tools = FunctionToolset()


@tools.tool_plain
def bash(command: str) -> str:
    """Run a command in a shell."""
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr or "(no output)"


async def run(gate: Gate, task: str, model: Model | str) -> AgentRunResult[str]:
    await gate.said(task)
    return await Agent(model, toolsets=[gated(gate, tools)]).run(task)


if __name__ == "__main__":
    with Gate(attended=False) as own:
        print(asyncio.run(run(own, sys.argv[2], sys.argv[1])).output)
