"""smolagents with automode: the agent is guarded once it is made.

OPENAI_API_KEY=… python with_smolagents.py gpt-5 "list the files here"
"""

import subprocess
import sys

from smolagents import Model, MultiStepAgent, OpenAIServerModel, ToolCallingAgent, tool

from automode import Gate
from automode.integrations.smolagents import guard


@tool
def bash(command: str) -> str:
    """Run a command in a shell.

    Args:
        command: what to run
    """
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr or "(no output)"


def agent(gate: Gate, model: Model) -> MultiStepAgent:
    return guard(gate, ToolCallingAgent(tools=[bash], model=model, verbosity_level=0))


if __name__ == "__main__":
    with Gate(attended=False) as own:
        own.said_sync(sys.argv[2])
        print(agent(own, OpenAIServerModel(sys.argv[1])).run(sys.argv[2]))
