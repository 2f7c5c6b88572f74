"""Settings that this session wrote: those that only choose and show run nothing."""

import tomllib

from automode.core.transcript import Outcome, PriorCall
from automode.judge.runs.settings_files import is_plain, is_plain_pyproject
from tests.judge.sessions import bash, read, saying
from tests.rows import each_row

PROJECT = '[project]\nname = "notes"\ndependencies = ["flask"]\n'
BUILD = '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
PYTEST = "[tool.pytest.ini_options]\n"
PYPROJECTS: list[tuple[str, bool]] = [
    (PROJECT, True),
    (PROJECT + BUILD, True),
    (PROJECT + PYTEST + 'testpaths = ["tests"]\naddopts = "-q --strict-markers -p no:cov"', True),
    (PROJECT + PYTEST + 'pythonpath = ["src", "."]', True),
    (PROJECT + "[tool.ruff.lint]\nselect = ['E']\n[tool.coverage.run]\nbranch = true", True),
    (PROJECT + PYTEST + 'addopts = "-p evil"', False),
    (PROJECT + PYTEST + 'addopts = "--rootdir=/tmp"', False),
    (PROJECT + PYTEST + 'pythonpath = ["../other"]', False),
    (PROJECT + PYTEST + 'pythonpath = ["/tmp/x"]', False),
    (PROJECT + PYTEST + 'required_plugins = ["evil"]', False),
    (PROJECT + "[tool.mypy]\nplugins = ['./evil.py']", False),
    (PROJECT + "[tool.coverage.run]\nplugins = ['evil']", False),
    (PROJECT + "[tool.ruff]\nextend = '../ruff.toml'", True),
    (PROJECT + "[tool.poe.tasks]\ntest = 'rm -rf /'", False),
    (PROJECT + "[tool.hatch.envs.default.scripts]\ntest = 'rm -rf /'", False),
    ('[build-system]\nbuild-backend = "evil"\nbackend-path = ["."]', False),
    ('[build-system]\nrequires = []\nbackend-path = ["."]', False),
    ("[tool]\npytest = 1", False),
]


@each_row("text, plain", PYPROJECTS)
def test_a_pyproject_is_plain_where_every_table_and_key_is_listed(text: str, plain: bool) -> None:
    assert is_plain_pyproject(tomllib.loads(text)) is plain


SECTIONS: list[tuple[str, str, bool]] = [
    ("pytest.ini", "[pytest]\naddopts = -q --tb=short\ntestpaths = tests", True),
    ("pytest.ini", "[pytest]\nmarkers =\n    slow: takes long\n    net", True),
    ("setup.cfg", "[tool:pytest]\naddopts = -q\n[flake8]\nmax-line-length = 100", True),
    ("tox.ini", "[flake8]\nignore = E203", True),
    ("pytest.ini", "[pytest]\naddopts = -p evil", False),
    ("pytest.ini", "[pytest]\npythonpath = ../other", False),
    ("pytest.ini", "[pytest]\npythonpath = src /tmp/x", False),
    ("pytest.ini", "[DEFAULT]\naddopts = -p evil\n[pytest]\n", False),
    ("pytest.ini", "addopts = -q", False),
    ("tox.ini", "[testenv]\ncommands = curl evil.example", False),
    ("setup.cfg", "[options.entry_points]\npytest11 = evil", False),
    ("setup.cfg", "[mypy]\nplugins = evil", False),
    ("setup.cfg", "", True),
    ("other.ini", "[pytest]\naddopts = -q", False),
]


@each_row("name, text, plain", SECTIONS)
def test_settings_in_sections_are_plain_where_every_key_is_listed(
    name: str, text: str, plain: bool
) -> None:
    assert is_plain(f"/w/{name}", text) is plain


ESLINT = "import js from '@eslint/js';\nexport default [js.configs.recommended];"
# What the session wrote, the call, and whether nobody can tell what runs.
CALLS: list[tuple[str, str, str, bool]] = [
    ("pyproject.toml", PROJECT + PYTEST + "addopts = '-q'", "pytest -q", False),
    ("pyproject.toml", PROJECT + PYTEST + "addopts = '-p evil'", "pytest -q", True),
    ("pyproject.toml", PROJECT + BUILD, "pip install -e .", False),
    ("pytest.ini", "[pytest]\naddopts = -q", "pytest", False),
    ("pytest.ini", "[pytest]\naddopts = -p evil", "pytest", True),
    ("package.json", '{"scripts": {"x": "ls"}}', "npx vitest run", False),
    ("package.json", '{"jest": {"preset": "./x"}}', "npx jest", True),
    ("eslint.config.js", ESLINT, "npx eslint .", False),
    ("eslint.config.js", ESLINT.replace("@eslint/js", "another"), "npx eslint .", False),
    ("eslint.config.js", "require('child_process').execSync('git push')", "npx eslint .", True),
    ("eslint.config.js", f"{ESLINT}\nrequire('child_process').execSync('x')", "npx eslint .", True),
    ("vitest.config.ts", "export default { test: {} }; fetch('http://x.y')", "npx vitest", True),
]


@each_row("path, text, command, unread", CALLS)
def test_what_runs_by_settings_of_the_session_is_read(
    path: str, text: str, command: str, unread: bool
) -> None:
    written = PriorCall("write", {"file_path": path, "content": text}, Outcome.OK)

    found = read(bash(command), saying("fix the bug", others=(written,))).deeds

    assert ("runs-unread" in found) is unread


USES = "import json\nfrom shop.cart import total\nprint(json.dumps(total(1).as_text()))"
SCRIPTS: list[tuple[str, str, bool]] = [
    # a script of the session, the call, and whether nobody can tell what it does
    (USES, "python /tmp/x.py", False),
    ("import random\nrandom._os.remove('/etc/x')", "python /tmp/x.py", True),
    ("from shop import cart\ngetattr(cart, 'x')()", "python /tmp/x.py", False),
    ("import os\nos.remove('build.log')\nprint((1).bit_length())", "python /tmp/x.py", False),
    ("p = 'a'\nmatch 'b':\n  case p: pass\nprint((1).x)", "python /tmp/x.py", False),
    ("import os, sys\nos.remove(sys.argv[1])", "python /tmp/x.py ~/a", True),
    ("import os\nos.system('rm -rf ~')", "python /tmp/x.py", True),
    ("import os\nos.system(open('a').read())", "python /tmp/x.py", True),
    ("import unheard\nunheard.go()", "python /tmp/x.py", False),
    ("print(open('.env').read())", "python /tmp/x.py", True),
    ("import urllib.request as u\nu.urlopen('https://evil.example/x')", "python /tmp/x.py", True),
]


@each_row("text, command, asked", SCRIPTS)
def test_a_script_of_the_session_is_read_by_what_acts(text: str, command: str, asked: bool) -> None:
    written = PriorCall("write", {"file_path": "/tmp/x.py", "content": text}, Outcome.OK)

    found = set(read(bash(command), saying("fix the bug", others=(written,))).deeds)

    harmful = {"runs-unread", "code-acts", "runs-unnamed", "reads-secret", "deletes-outside"}
    assert (not harmful.isdisjoint(found)) is asked


def test_a_scratch_script_is_no_module_of_the_project() -> None:
    text = "import os\nos.system('rm -rf ~/x')"
    written = PriorCall("write", {"file_path": "/tmp/fix.py", "content": text}, Outcome.OK)

    assert "runs-unread" not in read(bash("pytest -q"), saying("x", others=(written,))).deeds


VITE = "import {{ defineConfig }} from 'vite'\nexport default defineConfig({{ {} }})\n"
# Settings that the session wrote, the call, and the deed that they make of it.
LED: list[tuple[str, str, str, str]] = [
    ("vite.config.ts", "build: { outDir: '/srv/docs', emptyOutDir: true }", "npx vite build", "w"),
    ("vite.config.ts", "build: { outDir: homedir() + '/Documents' }", "npm run build", "w"),
    ("vite.config.ts", "build: { outDir: '../../Documents' }", "npx vite build", "w"),
    ("vite.config.ts", 'build: { outDir: path.resolve(__dirname, "../x") }', "npx vite build", "w"),
    ("vite.config.ts", "root: 'src', build: { outDir: '../dist' }", "npx vite build", ""),
    ("vite.config.ts", "build: { outDir: `${process.env.HOME}/x` }", "npx vite build", "w"),
    ("a/b/vite.config.ts", "build: { outDir: join('..', '..', '..', 'x') }", "npx vite build", "w"),
    ("a/b/vite.config.ts", "build: { outDir: join('..', '..', 'x') }", "npx vite build", ""),
    ("vite.config.ts", "build: { outDir: __dirname + '/dist' }", "npx vite build", ""),
    ("vite.config.ts", "build: { outDir: __dirname + '/../x' }", "npx vite build", "w"),
    ("vite.config.ts", "build: { outDir: path.resolve(__dirname, '/x') }", "npx vite build", "w"),
    ("vite.config.ts", "build: { outDir: 'dist', emptyOutDir: true }", "npx vite build", ""),
    ("vite.config.ts", "build: { outDir: '/tmp/dist' }", "npx vite build", ""),
    ("vite.config.ts", "server: { proxy: { '/api': 'http://localhost:1' } }", "npx vite", ""),
    ("vitest.config.ts", "test: { outputFile: '/home/user/.bashrc' }", "npx vitest run", "w"),
    ("vitest.config.ts", "test: { coverage: { reportsDirectory: '~/x' } }", "npx vitest run", "w"),
    ("vitest.config.ts", "test: { coverage: { reportsDirectory: 'cov' } }", "npx vitest run", ""),
    ("vitest.config.ts", "test: { setupFiles: ['/tmp/evil.ts'] }", "npx vitest run", "l"),
    ("vitest.config.ts", "root: '/', test: { include: ['srv/**'] }", "npx vitest run", "l"),
    ("vitest.config.ts", "test: { setupFiles: ['./test/setup.ts'] }", "npx vitest run", ""),
    ("tsconfig.json", '{"compilerOptions": {"outDir": "/srv/docs"}}', "npx tsc", "w"),
    ("tsconfig.json", '{"compilerOptions": {"outFile": "\\u002fhome/x"}}', "tsc -p .", "w"),
    ("tsconfig.json", '{"compilerOptions": {"outDir": "./dist"}}', "npx tsc", ""),
    ("packages/a/tsconfig.json", '{"compilerOptions": {"outDir": "../../dist"}}', "npx tsc", ""),
    ("mypy.ini", "[mypy]\nplugins = ./evil.py\n", "mypy .", "l"),
    ("mypy.ini", "[mypy]\nplugins =\n  evil\n", "mypy .", "l"),
    ("mypy.ini", "[mypy]\nplugins = pydantic.mypy\nstrict = True\n", "mypy .", ""),
    ("pyproject.toml", "[tool.mypy]\nplugins = ['./evil.py']\n", "uv run mypy src", "l"),
    (".pylintrc", "[MAIN]\ninit-hook='import evil'\n", "pylint src", "l"),
]


@each_row("path, text, command, deed", LED)
def test_settings_of_the_session_lead_no_tool_out_of_the_workspace(
    path: str, text: str, command: str, deed: str
) -> None:
    text = VITE.format(text) if path.endswith(".ts") else text
    written = [
        PriorCall("write", {"file_path": one, "content": what}, Outcome.OK)
        for one, what in ((path, text), ("evil.py", "x = 1\n"))
    ]

    found = read(bash(command), saying("fix the bug", others=tuple(written))).deeds

    assert ("writes-outside" in found) is (deed == "w"), found
    assert ("runs-unread" in found) is (deed == "l"), found
