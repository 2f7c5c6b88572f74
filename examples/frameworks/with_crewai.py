"""CrewAI with automode: hooks that hold for every crew of the process.

OPENAI_API_KEY=… python with_crewai.py openai/gpt-5 "list the files here"
"""

import subprocess
import sys

from crewai import LLM, Agent
from crewai.tools import tool

from automode import Gate
from automode.integrations.crewai import guard


@tool("bash")
def bash(command: str) -> str:
    """Run a command in a shell."""
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr or "(no output)"


def run(gate: Gate, task: str, model: LLM) -> str:
    gate.said_sync(task)
    take_away = guard(gate)
    try:
        agent = Agent(role="worker", goal="do it", backstory="-", tools=[bash], llm=model)
        return str(agent.kickoff(task))
    finally:
        take_away()


if __name__ == "__main__":
    with Gate(attended=False) as own:
        print(run(own, sys.argv[2], LLM(model=sys.argv[1])))
