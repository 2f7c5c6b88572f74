"""Where an agent types without a hook, nothing is started that waits for typing."""

import asyncio

import pytest

from automode.core.decision import Decision, Verdict
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.gate.layer import Answer
from automode.guards.typed_session import HOSTS, SOURCE, TypedSession
from tests.reading import facts_of
from tests.rows import each_row

LAYER = TypedSession()
WORK = Workspace("/w/project", "/w/project", "/home/u", Names("/w/project"))

WAITS = (
    "bash",
    "bash -l",
    "bash --norc",
    "bash -i",
    "sh -s",
    "sudo -i",
    "sudo bash",
    "env X=1 zsh",
    "exec bash",
    "cd /tmp && bash",
    "bash -c bash",
    "cat | bash",
    "bash /dev/stdin",
    "python3",
    "python3 -u",
    "python3 -",
    "python3 -i x.py",
    "python3 -W ignore",
    "node",
    "irb",
    "psql shop",
    "psql -h db.example.com -U app shop",
    "mysql -u root",
    "sqlite3 shop.db",
    "redis-cli -h cache.example.com",
    "ssh build.example.com",
    "ssh -p 22 -i key build.example.com",
    "su - app",
    "docker exec -it box sh",
    "vim notes.md",
    "less big.log",
    'read line; eval "$line"',
    "xargs -n1 rm",
)
PASSES = (
    "bash x.sh",
    "bash -c 'ls'",
    "bash -lc 'ls -l'",
    "bash < x.sh",
    "bash <<'X'\nls\nX",
    "echo ls | bash",
    "cat x.sh | bash",
    "python3 x.py",
    "python3 -m pytest",
    "python3 -c 'print(1)'",
    "python3 - <<'X'\nprint(1)\nX",
    "python3 --version",
    "node -e '1'",
    "perl -ne 'print' x",
    "psql shop -c 'select 1'",
    "psql -f x.sql shop",
    "mysql -e 'select 1' shop",
    "sqlite3 shop.db 'select 1'",
    "redis-cli -h cache.example.com ping",
    "ssh build.example.com uptime",
    "docker exec box ls",
    "find . -name x | xargs rm",
    'ls | while read f; do echo "$f"; done',
    'while read f; do echo "$f"; done < list',
    "sudo apt-get update",
    "git log | less",
    "vim --version",
    "ls",
    "npm test",
)


def answer(command: str, host: str = "codex") -> Answer:
    session = Session("s", WORK, host=host)
    return asyncio.run(
        LAYER(facts_of(tool_call("Bash", {"command": command}), session), session, ())
    )


@each_row("command", WAITS)
def test_what_waits_for_typing_is_asked_about(command: str) -> None:
    found = answer(command)

    assert isinstance(found, Decision)
    assert (found.verdict, found.source, found.clearable) == (Verdict.ASK, SOURCE, False)
    assert found.advice


@each_row("command", PASSES)
def test_what_brings_its_work_along_is_none_of_its_business(command: str) -> None:
    assert answer(command) is None


@pytest.mark.parametrize("host", ["claude-code", "pi", "cli"])
def test_agents_that_cannot_type_are_left_alone(host: str) -> None:
    assert host not in HOSTS
    assert answer("bash", host) is None


def test_other_tools_are_left_alone() -> None:
    call = tool_call("Write", {"file_path": "bash", "content": "bash"})

    assert asyncio.run(LAYER(facts_of(call, WORK), Session("s", WORK, host="codex"), ())) is None
