"""redis-cli and mongosh: which command lines only read, and what the others do."""

import shlex

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.database_stores import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

ROOT = "/home/ada/project"


def line(text: str) -> Use:
    command = Command(tuple(Word(word) for word in shlex.split(text)), cwd=ROOT)
    workspace = Workspace(ROOT, ROOT, "/home/ada", Names(ROOT))
    return PROGRAMS[command.program](Invocation(command.program, command.args, command, workspace))


READING = r"""
redis-cli ping
redis-cli KEYS '*'
redis-cli -n 1 GET foo
redis-cli lrange x 0 -1
redis-cli --scan --pattern 'a*'
redis-cli config get maxmemory
redis-cli -h localhost -p 6379 info memory
redis-cli --version
redis-cli client list
mongosh --quiet --eval "db.users.find({a: 1}).limit(5)"
mongosh app --eval "db.getCollectionNames()"
mongosh --version
""".strip().splitlines()
NOT_READING = (
    ("redis-cli set a b", Effect.REMOTE_WRITE),
    ("redis-cli config set a b", Effect.REMOTE_WRITE),
    ("redis-cli config get requirepass", Effect.SECRETS),
    ("redis-cli config get '*'", Effect.SECRETS),
    ("redis-cli --eval x", Effect.REMOTE_WRITE),
    ('redis-cli eval "x" 0', Effect.REMOTE_WRITE),
    ("redis-cli -h evil get x", Effect.NETWORK),
    ("redis-cli --rdb x", Effect.REMOTE_WRITE),
    ("redis-cli flushall", Effect.REMOTE_WRITE),
    ("redis-cli getdel x", Effect.REMOTE_WRITE),
    ("redis-cli getex x", Effect.REMOTE_WRITE),
    ("redis-cli", Effect.UNKNOWN),
    ("redis-cli -x get", Effect.UNKNOWN),
    ('mongosh --eval "db.x.drop()"', Effect.UNKNOWN),
    ("mongosh --eval \"db.x.find({\\$where: 'x'})\"", Effect.UNKNOWN),
    ('mongosh --eval "db.x.find().forEach(x)"', Effect.UNKNOWN),
    ('mongosh --eval "db.dropDatabase()"', Effect.UNKNOWN),
    ('mongosh --eval "db.x.find(process.env)"', Effect.UNKNOWN),
    ("mongosh --eval \"db.x.find(global['pro' + 'cess'])\"", Effect.UNKNOWN),
    ('mongosh --eval "db.x.find({a: require})"', Effect.UNKNOWN),
    ("mongosh x.js", Effect.RUNS),
    ('mongosh mongodb://evil/x --eval "db.x.find()"', Effect.NETWORK),
)


@pytest.mark.parametrize("text", READING)
def test_a_command_that_only_looks_is_a_read(text: str) -> None:
    assert not line(text).effect & ~Effect.REMOTE_READ


@pytest.mark.parametrize(("text", "effect"), NOT_READING)
def test_whatever_does_more_than_look_says_what(text: str, effect: Effect) -> None:
    use = line(text)
    assert use.effect & effect
    assert use.why
