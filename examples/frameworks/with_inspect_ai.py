"""Inspect AI with automode: an approver for every tool of a task.

python with_inspect_ai.py openai/gpt-5 "list the files here"
"""

import subprocess
import sys

from inspect_ai import Task, eval
from inspect_ai.approval import ApprovalPolicy
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import Model
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import Tool, tool

from automode import Gate
from automode.integrations.inspect_ai import approver


@tool
def bash() -> Tool:
    async def execute(command: str) -> str:
        """Run a command in a shell.

        Args:
            command: what to run
        """
        done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
        return done.stdout + done.stderr or "(no output)"

    return execute


def run(gate: Gate, task: str, model: Model | str, logs: str = "logs") -> EvalLog:
    gate.said_sync(task)
    solved = Task(dataset=[Sample(input=task)], solver=[use_tools(bash()), generate()])
    policy = [ApprovalPolicy(approver(gate), "*")]
    return eval(solved, model=model, approval=policy, display="none", log_dir=logs)[0]


if __name__ == "__main__":
    with Gate(attended=False) as own:
        print(run(own, sys.argv[2], sys.argv[1]).status)
