"""What has to be named before it runs, and what every project has."""

from automode.assemble import READER
from automode.judge.tasks import USUAL, unusual
from automode.programs.call_facts import CommandFacts
from tests.judge.sessions import TABLES, WORKSPACE
from tests.rows import each_row


def _tasks(script: str) -> list[str]:
    return [
        task.name
        for command in READER.full(script, WORKSPACE).commands
        for task in unusual(CommandFacts(command, WORKSPACE))
        if task.deed != USUAL
    ]


@each_row("command", TABLES["usual_commands"])
def test_what_every_project_has_needs_no_name(command: str) -> None:
    assert _tasks(command) == []


@each_row("command, name", TABLES["unusual_commands"])
def test_whatever_else_runs_has_to_be_named(command: str, name: str) -> None:
    assert name in _tasks(command)
