"""The Ansible programs."""

import shlex

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.ansible import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

WORKSPACE = Workspace(root="/p", cwd="/p", home="/home/u", files=Names("/p"))


def judged(line: str) -> Use:
    words = tuple(Word(text) for text in shlex.split(line))
    name = words[0].text
    command = Command(words=words, cwd="/p")
    return PROGRAMS[name](Invocation(name, words[1:], command, WORKSPACE))


READING = [
    "ansible --version",
    "ansible all --list-hosts",
    "ansible all -i web1,web2, --list-hosts",
    "ansible-inventory --list --yaml",
    "ansible-inventory --graph",
    "ansible-doc -l",
    "ansible-doc -s ping",
    "ansible-galaxy list",
    "ansible-galaxy collection list",
    "ansible-galaxy role --help",
    "ansible-config dump",
    "ansible-playbook --version",
    "ansible-console -h",
]

NOT_READING = [
    ("ansible all -m command -a uptime", Effect.RUNS),
    ("ansible-playbook site.yml", Effect.RUNS),
    ("ansible-playbook site.yml --check", Effect.RUNS),
    ("ansible-playbook site.yml --start-at-task --help", Effect.RUNS),
    ("ansible-console all", Effect.RUNS),
    ("ansible-pull -U https://x.test/r.git", Effect.RUNS),
    ("ansible-inventory -i inventory.py --list", Effect.DEVELOPMENT),
    ("ansible-playbook site.yml --syntax-check", Effect.DEVELOPMENT),
    ("ansible-playbook site.yml --list-tasks", Effect.DEVELOPMENT),
    ("ansible-lint site.yml", Effect.DEVELOPMENT),
    ("ansible-test units", Effect.DEVELOPMENT),
    ("ansible-vault view secrets.yml", Effect.SECRETS),
    ("ansible-vault decrypt secrets.yml", Effect.SECRETS),
    ("ansible-galaxy install x", Effect.NETWORK),
    ("ansible-galaxy search x", Effect.NETWORK),
    ("ansible-config view -c other.cfg", Effect.UNKNOWN),
    ("ansible-doc --module-path x ping", Effect.UNKNOWN),
]


@pytest.mark.parametrize("line", READING)
def test_what_only_reads_is_judged_as_reading(line: str) -> None:
    assert not judged(line).effect & ~Effect.REMOTE_READ


@pytest.mark.parametrize(("line", "effect"), NOT_READING)
def test_what_does_more_is_judged_by_what_it_does(line: str, effect: Effect) -> None:
    assert effect in judged(line).effect
