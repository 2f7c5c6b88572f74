"""Settings of a project: only those that are known to be harmless leave a look a look."""

import shlex
from pathlib import Path

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Disk
from automode.programs.table import programs
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

PACKAGE = '{"name": "x", "packageManager": "%s"}'

# A command, a file above its folder, and a text of it.
HARMLESS = [
    ("npm view react", ".npmrc", "# ours\nsave-exact=true\n"),
    ("npm ls", ".npmrc", "public-hoist-pattern[]=*types*\nengine-strict = true"),
    ("yarn why react", ".yarnrc.yml", "nodeLinker: node-modules\nenableTelemetry: false\n"),
    ("yarn list", ".yarnrc", '# x\nsave-prefix "^"'),
    ("yarn -v", "package.json", PACKAGE % "yarn@4.1.0+sha224.abc"),
    (
        "pnpm list",
        "pnpm-workspace.yaml",
        "packages:\n  - 'apps/*'\n  - '!**/test'\ncatalog:\n  a: 1",
    ),
    ("cargo --version", ".cargo/config.toml", '[alias]\nxtask = "run"\n[net]\nretry = 3\n'),
    ("go version", "go.mod", "module x\n\ngo 1.23\n\ntoolchain go1.23.4\n"),
    (
        "ruff check .",
        "pyproject.toml",
        '[tool.ruff]\nline-length = 99\n[tool.ruff.lint]\nselect=["E"]',
    ),
    ("ruff check .", "ruff.toml", 'target-version = "py311"'),
    ("mise ls", ".tool-versions", "nodejs 20.1.0 18.0.0 # both\npython 3.12\n"),
    ("poetry show", "poetry.toml", "[virtualenvs]\nin-project = true\n"),
    ("dotnet --version", "global.json", '{"sdk": {"version": "8.0.100"}}'),
    ("codespell", "pyproject.toml", "[tool.other]\nx = 1"),
    ("cargo pkgid", "Cargo.toml", '[package]\nname = "x"\n[dependencies]\nserde = "1"\n'),
    ("cargo --version", "Cargo.toml", '[workspace]\nmembers = ["a"]\n'),
    ("yarn why react", "package.json", '{"dependencies": {"a": "^1.2", "b": "npm:c@~2"}}'),
    ("yarn --version", "package.json", '{"dependencies": {"a": "git+ssh://x"}}'),
    ("ruff format --check .", "ruff.toml", "line-length = 99"),
    ("just --list", "justfile", "test:\n    pytest\n"),
    ("shellcheck a.sh", ".shellcheckrc", "# ours\ndisable=SC1091,SC2034\nshell=bash"),
    ("yamllint .", ".yamllint", "extends: default\nrules:\n  line-length: disable\n"),
    (
        "docker compose ps",
        "compose.yaml",
        "x-a: &a\n  restart: always\nservices:\n  web:\n    <<: *a\n    image: x:${V:-1}\n"
        '    ports:\n      - "80:80"\n    test: ["CMD", "x"]\nvolumes:\n  data:\n',
    ),
    (
        "docker compose -f packages/two/c.yml ps",
        "packages/two/c.yml",
        "services:\n  a:\n    image: x",
    ),
]
HARMFUL = [
    ("npm view react", ".npmrc", "//registry.example/:_authToken=${NPM_TOKEN}"),
    ("npm view react", ".npmrc", "registry=https://evil.example/"),
    ("npm view react", ".npmrc", "@acme:registry=https://evil.example/"),
    ("npm --version", ".npmrc", "onload-script=./x.js"),
    ("npm ls", ".npmrc", "node-options=--require=./x.js"),
    ("npm ls", ".npmrc", "script-shell=./x"),
    ("npm ls", ".npmrc", "loglevel=${NPM_TOKEN}"),
    ("npm install --help", ".npmrc", "viewer=./x"),
    ("npm --prefix packages/two ls", "packages/two/.npmrc", "git=./x"),
    ("yarn --version", ".yarnrc.yml", "yarnPath: .yarn/releases/yarn.cjs"),
    ("yarn why react", ".yarnrc.yml", '"yarn\\u0050ath": x.cjs'),
    ("yarn info react", ".yarnrc.yml", "plugins:\n  - ./x.cjs"),
    ("yarn info react", ".yarnrc.yml", "npmRegistryServer: https://evil.example"),
    ("yarn list", ".yarnrc.yml", "{yarnPath: x.cjs}"),
    ("yarn list", ".yarnrc.yml", " yarnPath: x.cjs"),
    ("yarn list", ".yarnrc", 'yarn-path "./x.js"'),
    ("yarn --cwd packages/two list", "packages/two/.yarnrc", 'yarn-path "./x.js"'),
    ("yarn -v", "package.json", PACKAGE % "yarn@https://evil.example/x.js"),
    ("yarn -v", "package.json", "{"),
    ("yarn -v", ".corepack.env", ""),
    ("pnpm -v", "package.json", PACKAGE % "pnpm@file:./x"),
    ("pnpm list", ".pnpmfile.cjs", ""),
    ("pnpm list", "pnpm-workspace.yaml", "packages:\n  - a\npnpmfile: x.cjs"),
    ("pnpm list", "pnpm-workspace.yaml", "configDependencies:\n  x: 1"),
    ("bun pm ls", "bunfig.toml", ""),
    ("cargo --version", "rust-toolchain.toml", '[toolchain]\npath = "./x"'),
    ("rustc --version", "rust-toolchain", "./x"),
    ("rustup show", "rust-toolchain.toml", ""),
    ("rustfmt --version", "rust-toolchain.toml", ""),
    ("cargo pkgid", ".cargo/config.toml", '[alias]\nfmt = "run --"'),
    ("cargo pkgid", ".cargo/config.toml", '[build]\nrustc = "./x"'),
    ("cargo tree --frozen", ".cargo/config", '[build]\nrustc-wrapper = "./x"'),
    ("cargo search x", ".cargo/config.toml", '[source.crates-io]\nreplace-with = "evil"'),
    ("cargo --version", ".cargo/config.toml", '"alias.x".y = 1'),
    ("go version", "go.mod", "module x\n\ntoolchain go1.23-evil\n"),
    ("go list -m", "go.work", "go 1.23\ntoolchain local-evil"),
    ("golangci-lint linters", ".golangci.yml", ""),
    ("ruff check .", "ruff.toml", "fix = true"),
    ("ruff check .", "ruff.toml", '"fix" = true\n[project]\n[tool.ruff]\n'),
    ("ruff check .", "ruff.toml", 'extend = "../x.toml"'),
    ("ruff check .", "pyproject.toml", '[tool.ruff]\nextend = "x.toml"'),
    ("ruff check .", "pyproject.toml", 'tool = { ruff = { "f\\u0069x" = true } }'),
    ("uv pip list", ".venv/bin/python", ""),
    ("poetry --version", ".poetry/plugins/x", ""),
    ("mvn -v", ".mvn/jvm.config", "-javaagent:x.jar"),
    ("gradle --version", "gradle.properties", "org.gradle.jvmargs=-javaagent:x"),
    ("composer --version", "composer.json", "{}"),
    ("phpstan --version", "vendor/autoload.php", ""),
    ("rspec --version", ".rspec", "--require ./x"),
    ("bundle --version", ".bundle/config", ""),
    ("rails --version", "bin/rails", ""),
    ("dotnet --version", "global.json", '{"sdk": {"paths": ["./x"]}}'),
    ("dotnet tool search x", "nuget.config", ""),
    ("elixir --version", ".erlang", ""),
    ("bazel --version", "tools/bazel", ""),
    ("mise ls", "mise.toml", ""),
    ("node --version", ".tool-versions", "nodejs path:./x"),
    ("mise ls", ".tool-versions", "nodejs path:./x"),
    ("mise ls", ".tool-versions", "nodejs {{exec(command='x')}}"),
    ("jest --version", "node_modules/jest/x", ""),
    ("deno lint", "deno.json", ""),
    ("codespell", "setup.cfg", "[codespell]\nwrite-changes ="),
    ("pnpm list", "package.yaml", "pnpm:\n  configDependencies:\n    x: 1"),
    ("pnpm -v", "package.json5", "{}"),
    ("bun info react", ".env", ""),
    ("bun pm whoami", ".env.production.local", ""),
    ("wrangler whoami -e other", ".env.other", ""),
    ("wrangler whoami", ".dev.vars", ""),
    ("qsv count a.csv", ".env", ""),
    ("supabase projects list", ".env.local", ""),
    ("docker compose ps", ".env", ""),
    ("clickhouse-client --query 'select 1'", "clickhouse-client.xml", ""),
    ("bundle --version", "Gemfile.lock", "BUNDLED WITH\n   9.9"),
    ("vite --version", "vite.config.ts", ""),
    ("eslint --version", ".eslintrc.js", ""),
    ("rubocop --version", ".rubocop.yml", ""),
    ("psalm --version", "psalm.xml", ""),
    ("cdk --version", "cdk.json", ""),
    ("cargo pkgid", "Cargo.toml", '[workspace]\nmembers = ["a"]\n'),
    ("cargo read-manifest", "Cargo.toml", '[dependencies]\nx = { path = "/elsewhere" }\n'),
    ("cargo metadata --no-deps", "Cargo.toml", "machine x login y"),
    ("yarn why react", "package.json", '{"dependencies": {"a": "https://x.test/a.tgz"}}'),
    ("yarn audit", "package.json", '{"devDependencies": {"a": "user/repo"}}'),
    ("yarn outdated", "package.json", '{"workspaces": ["a"]}'),
    ("ruff format --check .", "ruff.toml", 'extend = "/elsewhere/x"'),
    ("ruff check packages/two", "packages/two/sub/ruff.toml", "fix = true"),
    ("deno lint packages/two/a.ts", "packages/two/deno.json", ""),
    ("deno fmt --check packages/two", "packages/two/deno.jsonc", ""),
    ("cmake --list-presets", "CMakePresets.json", ""),
    ("just --list", "justfile", "import '/elsewhere/x'"),
    ("just --summary", "Justfile", "mod? x '/elsewhere/x'"),
    ("shellcheck a.sh", ".shellcheckrc", "external-sources=true"),
    ("yamllint .", ".yamllint", "extends: /elsewhere/x"),
    ("docker compose ps", "compose.override.yaml", "include:\n  - oci://x.test/a"),
    ("docker compose ps", "compose.yaml", "{services: {}, include: [x]}"),
    ("docker compose ps", "compose.yaml", "services: {a: {extends: {file: x}}}"),
    ("docker compose ps", "compose.yaml", 'services:\n  a:\n    "\\x65xtends": x'),
    ("docker compose ps", "compose.yaml", "services:\n  a:\n    ? extends\n    : x"),
    ("docker compose ps", "compose.yaml", "services:\n  a:\n    !!str extends: x"),
    ("docker compose ps", "compose.yaml", "name: x\rinclude: [x]"),
    ("docker compose ps", "docker-compose.yml", "services:\n  a:\n    env_file: /elsewhere/x"),
    ("docker compose -f packages/two/c.yml ps", "packages/two/c.yml", "include: [x]"),
]


def in_folder(root: Path, text: str) -> Use:
    """The line as seen from a folder below the root of a real workspace."""
    folder = root / "packages" / "one"
    folder.mkdir(parents=True, exist_ok=True)
    words = tuple(Word(word) for word in shlex.split(text.replace("packages/two", "../two")))
    command = Command(words, cwd=str(folder))
    workspace = Workspace(str(root), str(root), "/home/ada", Disk())
    return programs()[command.program](
        Invocation(command.program, command.args, command, workspace)
    )


def write(root: Path, name: str, text: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)


@pytest.mark.parametrize(("line", "name", "text"), HARMLESS)
def test_known_settings_leave_a_look_a_look(
    tmp_path: Path, line: str, name: str, text: str
) -> None:
    write(tmp_path, name, text)

    assert not in_folder(tmp_path, line).effect & ~Effect.REMOTE_READ


@pytest.mark.parametrize(("line", "name", "text"), HARMFUL)
def test_other_settings_make_a_look_run_the_project(
    tmp_path: Path, line: str, name: str, text: str
) -> None:
    assert not in_folder(tmp_path, line).effect & ~Effect.REMOTE_READ
    write(tmp_path, name, text)
    use = in_folder(tmp_path, line)

    assert use.effect & Effect.RUNS
    assert use.effect & Effect.DEVELOPMENT
    assert use.why


def test_json_that_node_requires_must_be_there(tmp_path: Path) -> None:
    line = "node -p \"require('./package.json').version\""
    assert in_folder(tmp_path, line).effect & Effect.RUNS
    write(tmp_path, "packages/one/package.json", "{}")

    assert in_folder(tmp_path, line).effect is Effect.NONE
