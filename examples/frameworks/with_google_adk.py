"""Google ADK with automode: a plugin decides every tool call of the runner.

GOOGLE_API_KEY=… python with_google_adk.py "list the files here"
"""

import asyncio
import subprocess
import sys

from google.adk.agents import LlmAgent
from google.adk.events import Event
from google.adk.models import BaseLlm
from google.adk.runners import InMemoryRunner

from automode import Gate
from automode.integrations.google_adk import plugin


def bash(command: str) -> dict[str, str]:
    """Run a command in a shell."""
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    return {"output": done.stdout + done.stderr or "(no output)"}


async def run(gate: Gate, task: str, model: BaseLlm | str = "gemini-2.5-pro") -> list[Event]:
    await gate.said(task)
    agent = LlmAgent(name="worker", model=model, tools=[bash])
    runner = InMemoryRunner(agent=agent, plugins=[plugin(gate)])
    return await runner.run_debug(task, quiet=True)


if __name__ == "__main__":
    with Gate(attended=False) as own:
        for event in asyncio.run(run(own, sys.argv[1])):
            print(event.content)
