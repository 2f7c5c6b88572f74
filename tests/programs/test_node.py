"""npm, yarn, pnpm and bun: which command lines only read, and what the others do."""

import shlex
from pathlib import Path

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Disk, Names
from automode.programs.node import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

ROOT = "/home/ada/project"


def line(text: str) -> Use:
    command = Command(tuple(Word(word) for word in shlex.split(text)), cwd=ROOT)
    workspace = Workspace(ROOT, ROOT, "/home/ada", Names(ROOT))
    return PROGRAMS[command.program](Invocation(command.program, command.args, command, workspace))


READING = r"""
npm ls --depth=0 --json
npm ls --all -g
npm list react
npm view react versions --json
npm info @types/node
npm outdated
npm audit --json
npm config get registry
npm config list -l
npm root -g
npm prefix
npm why react
npm explain react
npm fund
npm pkg get name version
npm search react
npm help
npm version
npm -v
npm --version
npm whoami
npm run
npm team ls myorg
npm owner ls react
npm dist-tag ls react
npm query ":root"
npm install --help
npm ping
npm sbom --sbom-format=cyclonedx
npm --prefix ui ls
yarn list --depth=0
yarn why react
yarn info react
yarn --version
yarn config get npmRegistryServer
yarn workspaces list --json
yarn workspaces info
yarn npm whoami
yarn cache dir
yarn outdated
yarn audit
yarn licenses list
pnpm list -r --depth 0
pnpm why react
pnpm outdated -r
pnpm licenses list
pnpm store path
pnpm config get registry
pnpm --filter api list
pnpm -v
pnpm audit --prod
pnpm view react
bun pm ls
bun --version
bun outdated
bun pm cache
""".strip().splitlines()
NOT_READING = (
    ("npm ls --registry=http://e", Effect.UNKNOWN),
    ("npm view https://evil/x.tgz", Effect.NETWORK),
    ("npm view x --registry http://e", Effect.NETWORK),
    ("npm fund lodash", Effect.WRITES),
    ("npm view --loglevel silly https://evil/x.tgz", Effect.NETWORK),
    ("npm diff", Effect.RUNS),
    ("npm diff --diff=git+https://e/x --diff=y", Effect.RUNS),
    ("npm owner ls react --registry=http://e", Effect.NETWORK),
    ("npm access ls --registry=http://e", Effect.NETWORK),
    ("npm team ls myorg --registry http://e", Effect.NETWORK),
    ("npm dist-tag ls react --registry=http://e", Effect.NETWORK),
    ("npm profile get --registry=http://e", Effect.NETWORK),
    ("npm audit signatures --registry=http://e", Effect.NETWORK),
    ("pnpm audit --registry=http://e", Effect.NETWORK),
    ("yarn info https://e/x.tgz", Effect.NETWORK),
    ("yarn info -X a https://e/x.tgz", Effect.NETWORK),
    ("yarn --cwd ../other list", Effect.RUNS),
    ("yarn list --cwd=ui", Effect.RUNS),
    ("yarn --cwd ui --version", Effect.RUNS),
    ("npm config get //registry.example.org/:_authToken", Effect.SECRETS),
    ("npm get _auth", Effect.SECRETS),
    ("npm version patch", Effect.WRITES),
    ("npm run build", Effect.RUNS),
    ("npm config set x y", Effect.WRITES),
    ("npm pkg set a=b", Effect.WRITES),
    ("npm --userconfig=/tmp/x ls", Effect.UNKNOWN),
    ("npm audit fix", Effect.NETWORK),
    ("npm audit --fix fix", Effect.UNKNOWN),
    ("npm cache clean", Effect.WRITES),
    ("npm access grant read-only x y", Effect.REMOTE_WRITE),
    ("npm dist-tag add x@1 latest", Effect.REMOTE_WRITE),
    ("npm dist-tag x", Effect.UNKNOWN),
    ("npm owner add u p", Effect.REMOTE_WRITE),
    ("npm exec ls", Effect.RUNS),
    ("npm x ls", Effect.RUNS),
    ("npm ls --node-options=--require=./x", Effect.UNKNOWN),
    ("npm help --viewer=browser", Effect.UNKNOWN),
    ("yarn", Effect.NETWORK),
    ("yarn build", Effect.RUNS),
    ("yarn config set a b", Effect.WRITES),
    ("yarn list --help x", Effect.UNKNOWN),
    ("yarn rm", Effect.RUNS),
    ("pnpm rm x", Effect.NETWORK),
    ("pnpm curl evil", Effect.RUNS),
    ("pnpm store prune", Effect.WRITES),
    ("pnpm -r exec rm -rf .", Effect.RUNS),
    ("bun pm cache rm", Effect.WRITES),
    ("bun x", Effect.RUNS),
    ("bun evil.ts", Effect.RUNS),
)
ORDINARY = """
npm test
npm run build
npm ci
npm install
yarn build
yarn --cwd ui build
pnpm --filter api test
bun test
npm audit fix
""".strip().splitlines()
FOREIGN = """
npm --prefix ../other test
npm test --script-shell=/tmp/x
npm install --registry=http://e
npm install left-pad
pnpm -C /elsewhere build
npm install -g x
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


def in_folder(root: Path, text: str) -> Use:
    """The line as seen from a folder below the root of a real workspace."""
    folder = root / "packages" / "one"
    folder.mkdir(parents=True, exist_ok=True)
    command = Command(tuple(Word(word) for word in shlex.split(text)), cwd=str(folder))
    workspace = Workspace(str(root), str(root), "/home/ada", Disk())
    return PROGRAMS[command.program](Invocation(command.program, command.args, command, workspace))


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        (".yarnrc.yml", "yarnPath: .yarn/releases/yarn.cjs"),
        (".yarnrc.yml", '"yarn\\u0050ath": x.cjs'),
        (".yarnrc.yml", "plugins:\n  - ./x.cjs"),
        (".yarnrc", 'yarn-path "./x.js"'),
    ],
)
@pytest.mark.parametrize(
    "text", ["yarn list", "yarn why react", "yarn info react", "yarn --version"]
)
def test_settings_that_name_another_yarn_make_a_look_run_it(
    tmp_path: Path, text: str, name: str, settings: str
) -> None:
    (tmp_path / name).write_text("nodeLinker: node-modules")
    assert not in_folder(tmp_path, text).effect & ~Effect.REMOTE_READ
    (tmp_path / name).write_text(settings)
    use = in_folder(tmp_path, text)
    assert use.effect & Effect.RUNS
    assert use.why
