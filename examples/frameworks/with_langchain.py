"""LangChain with automode: a middleware decides every tool call of the agent.

python with_langchain.py openai:gpt-5 "list the files here"
"""

import subprocess
import sys

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.tools import tool

from automode import Gate
from automode.integrations.langchain import middleware


@tool
def bash(command: str) -> str:
    """Run a command in a shell."""
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr or "(no output)"


def run(gate: Gate, task: str, model: BaseChatModel | str) -> list[BaseMessage]:
    gate.said_sync(task)
    agent = create_agent(model, tools=[bash], middleware=[middleware(gate)])
    return agent.invoke({"messages": [("user", task)]})["messages"]


if __name__ == "__main__":
    with Gate(attended=False) as own:
        print(run(own, sys.argv[2], sys.argv[1])[-1].content)
