"""node, npx, deno and tsc: which command lines only read, and what the others do."""

import shlex
from pathlib import Path

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Disk, Names
from automode.programs.node_run import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

ROOT = "/home/ada/project"


def line(text: str) -> Use:
    command = Command(tuple(Word(word) for word in shlex.split(text)), cwd=ROOT)
    workspace = Workspace(ROOT, ROOT, "/home/ada", Names(ROOT))
    return PROGRAMS[command.program](Invocation(command.program, command.args, command, workspace))


READING = r"""
npx --version
node --version
node -v
node --check a.js
node -p process.version
node -e "console.log(process.versions.node)"
tsc --version
tsx --version
deno --version
deno lint
deno fmt --check
deno info
nvm ls
nvm current
nvm ls-remote --lts
fnm list
volta list all
corepack --version
""".strip().splitlines()
NOT_READING = (
    ("npx cowsay", Effect.RUNS),
    ("npx -y tsc", Effect.RUNS),
    ("node -e 1+alert", Effect.RUNS),
    ('node -p "process.version.x(1)"', Effect.RUNS),
    ("node -p \"require('./package.json').version\"", Effect.RUNS),
    ("node -r ./x --version", Effect.RUNS),
    ("node --check -r ./x", Effect.RUNS),
    ("tsc", Effect.RUNS),
    ("deno run x", Effect.RUNS),
    ("deno fmt", Effect.RUNS),
    ("deno info https://x", Effect.WRITES),
    ("tsx x.ts", Effect.RUNS),
    ("corepack enable", Effect.UNKNOWN),
    ("volta install x", Effect.NETWORK),
    ("nvm use 1", Effect.NETWORK),
)
ORDINARY = """
npx tsc --noEmit
npx playwright test
node scripts/x.mjs
tsc --noEmit
npx eslint src
""".strip().splitlines()
FOREIGN = """
npx -y tsc
npx --package evil tsc
node /tmp/x.js
node ../x.js
npx eslint --rulesdir /tmp/r .
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


def test_a_json_file_is_read_only_under_its_own_name(tmp_path: Path) -> None:
    code = "require('./data.json').version"
    command = Command((Word("node"), Word("-p"), Word(code)), cwd=str(tmp_path))
    workspace = Workspace(str(tmp_path), str(tmp_path), "/home/ada", Disk())
    invocation = Invocation("node", command.args, command, workspace)
    (tmp_path / "data.json").write_text("{}")
    assert PROGRAMS["node"](invocation).effect is Effect.NONE
    (tmp_path / "data.json").unlink()
    (tmp_path / "code.js").write_text("")
    (tmp_path / "data.json").symlink_to("code.js")  # node runs what the link leads to
    assert PROGRAMS["node"](invocation).effect & Effect.RUNS
