"""Java tools: which command lines only read, and what the others do."""

import shlex

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.jvm import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

ROOT = "/home/ada/project"


def line(text: str) -> Use:
    command = Command(tuple(Word(word) for word in shlex.split(text)), cwd=ROOT)
    workspace = Workspace(ROOT, ROOT, "/home/ada", Names(ROOT))
    return PROGRAMS[command.program](Invocation(command.program, command.args, command, workspace))


READING = r"""
java -version
java --version
javac -version
javap -c Foo.class
jar tf x.jar
mvn --version
mvn -v
gradle --version
gradle -v
sbt --version
jps -l
""".strip().splitlines()
NOT_READING = (
    ("java -jar x", Effect.RUNS),
    ("java -version -jar x", Effect.RUNS),
    ("jar xf x.jar", Effect.WRITES),
    ("jar cf x.jar y", Effect.WRITES),
    ("jar -uf x.jar y", Effect.WRITES),
    ("mvn dependency:tree", Effect.RUNS),
    ("gradle tasks", Effect.RUNS),
)
ORDINARY = """
gradle test
mvn -q verify
mvn dependency:tree
""".strip().splitlines()
FOREIGN = """
gradle -I /tmp/x.gradle test
mvn -f ../other test
""".strip().splitlines()


@pytest.mark.parametrize("text", READING)
def test_a_command_that_only_looks_is_a_read(text: str) -> None:
    assert not line(text).effect & ~Effect.REMOTE_READ


@pytest.mark.parametrize(("text", "effect"), NOT_READING)
def test_whatever_does_more_than_look_says_what(text: str, effect: Effect) -> None:
    use = line(text)
    assert use.effect & effect
    assert use.why


@pytest.mark.parametrize("text", ORDINARY)
def test_the_usual_steps_of_development_are_ordinary_but_no_reads(text: str) -> None:
    use = line(text)
    assert use.effect & Effect.DEVELOPMENT
    assert use.effect & (Effect.RUNS | Effect.WRITES)


@pytest.mark.parametrize("text", FOREIGN)
def test_code_or_settings_from_elsewhere_are_not_ordinary(text: str) -> None:
    use = line(text)
    assert not use.effect & Effect.DEVELOPMENT
    assert use.effect & ~Effect.REMOTE_READ
