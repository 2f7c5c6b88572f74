"""openai-agents with automode: every function tool is decided before it runs.

OPENAI_API_KEY=… python with_openai_agents.py "list the files here"
"""

import asyncio
import subprocess
import sys

from agents import Agent, Model, Runner, function_tool

from automode import Gate
from automode.integrations.openai_agents import guard


@function_tool
def bash(command: str) -> str:
    """Run a command in a shell."""
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr or "(no output)"


async def run(gate: Gate, task: str, model: Model | str | None = None) -> str:
    await gate.said(task)
    agent = Agent(name="worker", tools=guard(gate, [bash]), model=model)
    result = await Runner.run(agent, task)
    return str(result.final_output)


if __name__ == "__main__":
    with Gate(attended=False) as own:
        print(asyncio.run(run(own, sys.argv[1])))
