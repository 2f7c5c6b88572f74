"""glab, hub and tea: which command lines only read from the service."""

import shlex

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.glab import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

ROOT = "/home/ada/project"


def line(text: str) -> Use:
    command = Command(tuple(Word(word) for word in shlex.split(text)), cwd=ROOT)
    workspace = Workspace(ROOT, ROOT, "/home/ada", Names(ROOT))
    return PROGRAMS[command.program](Invocation(command.program, command.args, command, workspace))


REMOTE = """
glab mr list
glab mr view 12 --comments
glab mr diff 12
glab mr view 12 -R group/sub/project
glab issue ls
glab ci status
glab pipeline list
glab ci trace 123
glab repo list
glab release view v1
glab auth status
glab api projects/1/merge_requests
tea issues
tea pr ls
tea whoami
hub ci-status
hub pr list
hub issue
""".strip().splitlines()
OTHERS: list[tuple[Effect, str]] = [
    (Effect.REMOTE_WRITE, "glab mr create"),
    (Effect.REMOTE_WRITE, "glab mr merge 1"),
    (Effect.REMOTE_WRITE, "glab release delete v1.2.3"),
    (Effect.REMOTE_WRITE, "glab ci run"),
    (Effect.REMOTE_WRITE, "glab api -X DELETE projects/1"),
    (Effect.SECRETS, "glab variable list"),
    (Effect.SECRETS, "glab variable get TOKEN"),
    (Effect.SECRETS, "glab auth status -t"),
    (Effect.SECRETS, "glab config get token"),
    (Effect.WRITES, "glab mr checkout 1"),
    (Effect.WRITES, "glab repo archive o/r"),
    (Effect.RUNS, "glab mr view 1 --web"),
    (Effect.NETWORK, "glab mr view 1 -R https://x.test/o/r"),
    (Effect.UNKNOWN, "glab ci view"),
    (Effect.UNKNOWN, "glab duo ask x"),
    (Effect.REMOTE_WRITE, "tea issues create"),
    (Effect.UNKNOWN, "tea open"),
    (Effect.RUNS, "hub browse"),
    (Effect.REMOTE_WRITE, "hub pull-request"),
]


@pytest.mark.parametrize("text", REMOTE)
def test_reading_verbs_read_from_the_service(text: str) -> None:
    assert line(text).effect is Effect.REMOTE_READ


@pytest.mark.parametrize(("effect", "text"), OTHERS)
def test_another_command_says_what_it_does(effect: Effect, text: str) -> None:
    assert effect in line(text).effect
