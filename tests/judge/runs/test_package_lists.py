"""Lists of packages that a session changed: which names are new, and what is not only a name."""

from automode.judge.runs.package_lists import Put, belongs, installs, kind_of, new_in, words_of
from automode.shell.script import Command, Word
from tests.judge.sessions import WORKSPACE
from tests.rows import each_row

NONE = "-"
"""Something else than packages and scripts was put in."""
PACKAGE = """{
  "name": "shop",
  "version": "1.0.0",
  "scripts": {
    "test": "jest"
  },
  "dependencies": {
    "left": "^1.0.0"
  },
  "jest": {
    "preset": "jest"
  }
}
"""
PYPROJECT = """[project]
name = "shop"
dependencies = ["left", "right>=2"]
[project.optional-dependencies]
dev = [
  "odd",
]
[tool.poe.tasks]
x = "ls"
"""
CARGO = '[package]\nname = "shop"\n[dependencies]\nleft = "1"\n'
LOCK = '{"packages": {"node_modules/left": {"version": "1.0.1"}}}'
PNPM = "packages:\n  - 'packages/*'\ncatalog:\n  left: ^1.0.0\n"
# The file, what was there, what takes its place, and the names that are new.
EDITS: list[tuple[str, str, str, str, str]] = [
    ("package.json", PACKAGE, '"left": "^1.0.0"', '"left": "^1.0.0",\n    "evil": "2"', "evil"),
    ("package.json", PACKAGE, '"left": "^1.0.0"', '"left": "^2.0.0"', ""),
    ("package.json", PACKAGE, '"^1.0.0"', '"^2.0.0"', ""),
    ("package.json", PACKAGE, '"left"', '"left-evil"', "left-evil"),
    ("package.json", PACKAGE, '"left', '"evil-left', "evil-left"),
    ("package.json", PACKAGE, '"1.0.0"', '"1.1.0"', ""),
    ("package.json", PACKAGE, '"test": "jest"', '"test": "jest",\n    "lint": "eslint"', ""),
    ("package.json", PACKAGE, '"left": "^1.0.0"', '"left": "npm:evil@1"', NONE),
    ("package.json", PACKAGE, '"left": "^1.0.0"', '"left": "file:../evil"', NONE),
    ("package.json", PACKAGE, '"left": "^1.0.0"', '"left": "evil/repository"', NONE),
    ("package.json", PACKAGE, '"left": "^1.0.0"', '"@shop/a": "workspace:*"', ""),
    ("package.json", PACKAGE, '"preset": "jest"', '"preset": "./evil"', NONE),
    ("package.json", PACKAGE, '"preset": "jest"', '"preset": "1"', NONE),
    ("package.json", PACKAGE, '"name": "shop",', '"overrides": {"left": "npm:evil"},', NONE),
    ("package.json", PACKAGE, '"name": "shop",', '"dependencies": {"evil": "1"},', NONE),
    ("package.json", PACKAGE, '"name": "shop",', '"workspaces": ["../other"],', NONE),
    ("package.json", PACKAGE, '"name": "shop",', '"type": "module",', ""),
    ("pyproject.toml", PYPROJECT, '"right>=2"]', '"right>=2", "evil"]', "evil"),
    ("pyproject.toml", PYPROJECT, '"right>=2"]', '"rightevil>=2"]', "rightevil"),
    ("pyproject.toml", PYPROJECT, 'right>=2"', 'right>=3"', ""),
    ("pyproject.toml", PYPROJECT, '  "odd",\n', '  "odd",\n  "evil",\n', "evil"),
    ("pyproject.toml", PYPROJECT, '"odd"', '"evil @ https://evil.example/x"', NONE),
    ("pyproject.toml", PYPROJECT, '"odd"', '"evil @ file:///tmp/x"', NONE),
    ("pyproject.toml", PYPROJECT, 'x = "ls"', 'x = "rm -rf /"', NONE),
    ("pyproject.toml", PYPROJECT, 'x = "ls"', "[tool.ruff]\nline-length = 99", ""),
    ("pyproject.toml", PYPROJECT, "[tool.poe.tasks]", "[tool.pytest.ini_options]", NONE),
    ("pyproject.toml", PYPROJECT, "[tool.poe.tasks]", '[tool.uv]\nindex-url = "x"\n[tool.a]', NONE),
    (
        "pyproject.toml",
        PYPROJECT,
        "[project]",
        '[build-system]\nrequires = ["evil"]\n[project]',
        "evil",
    ),
    (
        "pyproject.toml",
        PYPROJECT,
        "[project]",
        '[build-system]\nbuild-backend = "x"\n[project]',
        NONE,
    ),
    ("pyproject.toml", PYPROJECT, "[project]", 'a = """\n[project]\n"""\n[project]', NONE),
    ("pyproject.toml", PYPROJECT, "dev = [", "dev = [[", NONE),
    ("requirements.txt", "left\n", "left\n", "left\nevil==1.0 ; python_version < '3'\n", "evil"),
    ("requirements.txt", "left\n", "left\n", "left\n-r dev.txt\n# evil\n", ""),
    ("requirements.txt", "left\n", "left\n", "left\n-r ../dev.txt\n", NONE),
    ("requirements.txt", "left\n", "left\n", "left\n-r /tmp/dev.txt\n", NONE),
    ("requirements.txt", "left\n", "left\n", "left\n--index-url https://evil.example\n", NONE),
    ("requirements.txt", "left\n", "left\n", "left\ngit+https://evil.example/x\n", NONE),
    ("requirements.txt", "left\n", "left\n", "left\n-e git+https://evil.example/x\n", NONE),
    ("requirements.txt", "left\n", "left\n", "left\nevil @ https://evil.example/x\n", NONE),
    ("requirements.txt", "left\n", "left\n", "left\n./evil\n", NONE),
    ("Cargo.toml", CARGO, 'left = "1"', 'left = "1"\nevil = { version = "1" }', "evil"),
    ("Cargo.toml", CARGO, 'left = "1"', 'left = { version = "1", features = ["a"] }', ""),
    ("Cargo.toml", CARGO, 'left = "1"', 'left = { package = "evil", version = "1" }', "evil"),
    ("Cargo.toml", CARGO, 'left = "1"', 'left = { git = "https://evil.example/x" }', NONE),
    ("Cargo.toml", CARGO, 'left = "1"', 'left = { path = "../../evil" }', NONE),
    ("Cargo.toml", CARGO, 'left = "1"', 'core = { path = "crates/core" }', ""),
    ("Cargo.toml", CARGO, "[dependencies]", 'build = "evil.rs"\n[dependencies]', NONE),
    ("Cargo.toml", CARGO, "[dependencies]", '[patch.crates-io]\nleft = { path = "x" }\n[d]', NONE),
    ("Cargo.toml", CARGO, 'left = "1"', 'left = { registry-index = "https://evil.example" }', NONE),
    ("Cargo.toml", CARGO, 'left = "1"', 'left = "1"\n[build_dependencies]\nevil = "1"', "evil"),
    ("Cargo.toml", CARGO, 'left = "1"', 'left = "1"\n[dev_dependencies]\nevil = "1"', "evil"),
    ("Cargo.toml", CARGO, 'left = "1"', 'left = "1"\n[lib]\npath = "/tmp/x.rs"', NONE),
    ("Cargo.toml", CARGO, 'left = "1"', 'left = "1"\n[[test]]\nname="x"\npath = "../x.rs"', NONE),
    ("Cargo.toml", CARGO, 'left = "1"', 'left = "1"\n[[bin]]\nname="x"\npath = "src/x.rs"', ""),
    ("Cargo.toml", CARGO, 'left = "1"', 'left = "1"\n[workspace]\nmembers = ["../x"]', NONE),
    ("Cargo.toml", CARGO, 'left = "1"', 'left = "1"\n[workspace]\nmembers = ["crates/*"]', ""),
    ("package-lock.json", LOCK, '"1.0.1"', '"1.0.2"', ""),
    ("package-lock.json", LOCK, '"1.0.1"', '"1.0.1", "name": "evil"', "evil"),
    ("package-lock.json", LOCK, '"1.0.1"', '"1.0.1", "dependencies": {"evil": "1"}', "evil"),
    (
        "package-lock.json",
        LOCK,
        '"1.0.1"}',
        '"1.0.1"},"node_modules/a/node_modules/evil":{}',
        "evil",
    ),
    ("pnpm-workspace.yaml", PNPM, "left: ^1.0.0", "left: ^2.0.0", ""),
    ("pnpm-workspace.yaml", PNPM, "left: ^1.0.0", 'left: ^1.0.0\n  "@a/evil": 1', "@a/evil"),
    ("pnpm-workspace.yaml", PNPM, "left: ^1.0.0", "left: npm:evil@1", NONE),
    (
        "pnpm-workspace.yaml",
        PNPM,
        "left: ^1.0.0",
        "left: ^1.0.0\noverrides:\n  left: 'npm:x@1'",
        NONE,
    ),
    ("pnpm-workspace.yaml", PNPM, "packages/*", "../x", NONE),
    ("pnpm-workspace.yaml", PNPM, "packages/*", "apps/*", ""),
    (
        "go.mod",
        "module a\n",
        "module a\n",
        "module a\nrequire example.com/evil v1.0.0\n",
        "example.com/evil",
    ),
    ("go.mod", "module a\n", "module a\n", "module a\nreplace b.com/x => ../x\n", NONE),
    (
        "Gemfile",
        "gem 'left'\n",
        "gem 'left'",
        "gem 'left'\ngem 'evil', '~> 1', require: false",
        "evil",
    ),
    ("Gemfile", "gem 'left'\n", "gem 'left'", "gem 'left', git: 'https://evil.example/x'", NONE),
    ("Gemfile", "gem 'left'\n", "gem 'left'", "gem 'left'\nsystem('x')", NONE),
]


def found(name: str, text: str, put: Put) -> str:
    listed = new_in(f"{WORKSPACE.root}/{name}", text, put, WORKSPACE)
    return NONE if listed is None else " ".join(sorted(listed.packages))


@each_row("name, before, old, new, names", EDITS)
def test_an_edit_of_a_list_brings_in_the_names_that_were_not_there(
    name: str, before: str, old: str, new: str, names: str
) -> None:
    assert before.count(old) == 1

    assert found(name, before.replace(old, new), Put((new,), words_of(old))) == names


# Texts that a session wrote as a whole.
WHOLE: list[tuple[str, str, str]] = [
    (
        "package.json",
        '{"devDependencies": {"vitest": "^4", "@types/node": "20 || 22"}}',
        "@types/node vitest",
    ),
    ("package.json", '{"name": "x", "scripts": {"test": "vitest run"}}', ""),
    ("package.json", '{"dependencies": {"vitest": "https://evil.example/x.tgz"}}', NONE),
    ("package.json", '{"overrides": {"vitest": "npm:evil"}}', NONE),
    ("package.json", '{"jest": {"globalSetup": "./x.js"}}', NONE),
    ("package.json", '{"scripts": []}', NONE),
    ("package.json", "[]", NONE),
    ("package.json", "{", NONE),
    ("pyproject.toml", '[project]\ndependencies = ["flask", "evil[x]>=1"]', "evil flask"),
    ("pyproject.toml", '[tool.poetry.dependencies]\npython = "^3.11"\nevil = "^1"', "evil"),
    ("pyproject.toml", '[tool.poetry.dependencies]\nevil = { git = "https://evil.example" }', NONE),
    ("pyproject.toml", "not toml = = =", NONE),
    (
        "pyproject.toml",
        f'[project]\ndependencies = ["evil{" " * 400}@ https://evil.example"]',
        NONE,
    ),
    ("pyproject.toml", '[[tool.poetry.source]]\nname = "x"\nurl = "https://evil.example"', NONE),
    ("pyproject.toml", '[[tool.uv.index]]\nurl = "https://evil.example"', NONE),
    ("pyproject.toml", '[tool.uv.sources]\nflask = { git = "https://evil.example" }', NONE),
    ("pyproject.toml", '[tool.hatch.build.targets.wheel]\npackages = ["src/shop"]', ""),
    ("pyproject.toml", "[tool.hatch.build.hooks.custom]\npath = 'x.py'", NONE),
    ("pyproject.toml", "[tool.hatch.build.force-include]\n'/etc/x' = 'x'", NONE),
    ("Pipfile", "[packages]\nevil = '*'\n[requires]\npython_version = '3.11'", "evil"),
    ("Pipfile", "[[source]]\nurl = 'https://evil.example'\n[packages]\nevil = '*'", NONE),
    ("Pipfile", "[packages]\nevil = { path = '/tmp/x' }", NONE),
    ("go.work", "go 1.22\nuse ./a\nuse (\n\t./b/c\n)\n", ""),
    ("go.work", "go 1.22\nuse ../evil\n", NONE),
    ("go.work", "go 1.22\nuse ./a/../../evil\n", NONE),
    ("requirements-dev.txt", "pytest\nevil\n", "evil pytest"),
    ("bun.lock", '{"packages": {"vitest": ["evil@1.0.0", "", {}, ""]}}', "evil"),
    ("npm-shrinkwrap.json", '{"packages": {"node_modules/x": {"resolved": "https://e.x"}}}', NONE),
    ("yarn.lock", '"vitest@npm:evil@1":\n  version: 1.0.0\n', NONE),
    ("pnpm-lock.yaml", "packages:\n  evil@1.0.0:\n", "evil"),
    ("uv.lock", '[[package]]\nname = "evil"\nversion = "1"\n', "evil"),
]


@each_row("name, text, names", WHOLE)
def test_a_list_that_was_written_as_a_whole_brings_in_all_its_names(
    name: str, text: str, names: str
) -> None:
    assert found(name, text, Put()) == names


def test_what_an_earlier_edit_put_in_did_not_stand_there() -> None:
    text = '{\n  "dependencies": {\n    "evil": "^2.0.0"\n  }\n}\n'
    again = Put(('"evil": "^2.0.0"',))

    assert found("package.json", text, again) == "evil"


def test_a_piece_that_is_not_in_the_file_any_more_makes_all_of_it_new() -> None:
    text = '{"dependencies": {"left": "1", "evil": "1"}}'

    assert found("package.json", text, Put(('"gone": "1"',))) == "evil left"


LISTS = [
    ("a/package.json", "node"),
    ("requirements.txt", "python"),
    ("dev-requirements.txt", "python"),
    ("requirements/base.in", "python"),
    ("pyproject.toml", "python"),
    ("Cargo.toml", "rust"),
    ("go.mod", "go"),
    ("Gemfile", "ruby"),
    ("package-lock.json", ""),
    ("notes.txt", ""),
]


@each_row("path, kind", LISTS)
def test_lists_are_known_by_their_names(path: str, kind: str) -> None:
    assert kind_of(f"/w/{path}") == kind


COMMANDS = [
    ("npm ci", "node"),
    ("npm --prefix x install", "node"),
    ("yarn", "node"),
    ("corepack pnpm i", "node"),
    ("python3 -m pip install x", "python"),
    ("uv run pytest", "python"),
    ("python -m build", "python"),
    ("cargo test", "rust"),
    ("go mod tidy", "go"),
    ("bundle", "ruby"),
    ("npm test", ""),
    ("npm run build", ""),
    ("yarn lint", ""),
    ("pip list", ""),
    ("cargo fmt", ""),
    ("go env", ""),
    ("python -m pytest", ""),
    ("ls", ""),
]


@each_row("line, kind", COMMANDS)
def test_what_installs_by_a_list_is_known_by_its_words(line: str, kind: str) -> None:
    assert installs(Command(tuple(map(Word, line.split())))) == kind


def test_a_place_without_lists_has_no_package() -> None:
    assert not belongs("left", "node", WORKSPACE.root, WORKSPACE, frozenset())
