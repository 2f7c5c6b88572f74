"""Which of some files a command would execute: by name, or because its program picks them up."""

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase, translate
from functools import cache
from typing import TypeAlias

from automode.core.paths import located
from automode.core.workspace import Workspace
from automode.guards.guard import bare_name, words
from automode.shell.script import HOLE, Command, Word

_SOURCING = frozenset({".", "source"})
_SHELLS = words("bash sh zsh dash ksh mksh fish pwsh powershell csh tcsh")
_INTERPRETERS = _SHELLS | words(
    "node nodejs deno bun tsx ts-node ruby irb perl php lua luajit rscript julia tclsh wish expect"
    " osascript groovy kotlin scala java jshell swift dart elixir escript guile racket sbcl go"
    " cargo make gmake pypy pypy3 ipython streamlit gunicorn uvicorn flask celery ansible-playbook"
)
_TESTERS = words("pytest py.test nose2 jest vitest mocha ava rspec phpunit bats playwright cypress")
_LAUNCHERS = words(
    "npx bunx pnpx uv uvx poetry pipenv pdm hatch rye bundle npm pnpm yarn bun mise direnv coverage"
    " nodemon watchexec entr"
)
_LOOKING = words(
    "ruff black isort autopep8 yapf mypy pyright flake8 pylint bandit py_compile compileall ast"
    " json.tool tokenize prettier eslint biome stylelint tsc markdownlint rubocop"
)
"""Formatters and checkers: to hand one a file is not to execute it."""

_LAUNCHING = words("run exec x tool dlx")
_DATA_ENDINGS = (
    *(".json", ".jsonl", ".csv", ".tsv", ".txt", ".md", ".rst", ".log", ".yaml", ".yml", ".toml"),
    *(".xml", ".html", ".css", ".svg", ".png", ".jpg", ".pdf", ".lock", ".db", ".sqlite", ".out"),
)
"""Files that a script is given to work on: to name one after the script is not to execute it."""

_NODE = ("package.json", ".npmrc", ".yarnrc.yml", ".pnpmfile.cjs")
_NODE_CONFIG = ("package.json", "*.config.js", "*.config.ts", "*.config.mjs", "*.config.cjs")
_NODE_TESTS = (*_NODE_CONFIG, "*.test.*", "*.spec.*", "*/__tests__/*", "*.setup.js", "*.setup.ts")
_PYTEST = ("conftest.py", "test_*.py", "*_test.py", "pytest.ini", "setup.cfg", "pyproject.toml")
_GRADLE = ("build.gradle*", "settings.gradle*", "init.gradle*", "gradle-wrapper.*")
_COMPOSE = ("dockerfile*", "*.dockerfile", "docker-compose*", "compose.y*ml")

_PICKED_UP: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(words("make gmake"), ("makefile", "gnumakefile", "*.mk")),
    **dict.fromkeys(words("npm pnpm yarn bun"), _NODE),
    **dict.fromkeys(words("jest vitest mocha ava playwright cypress"), _NODE_TESTS),
    **dict.fromkeys(
        words("vite webpack rollup esbuild next nuxt astro eslint prettier tailwindcss postcss"),
        (*_NODE_CONFIG, ".eslintrc*", ".prettierrc*"),
    ),
    **dict.fromkeys(words("pytest py.test"), (*_PYTEST, "tox.ini")),
    **dict.fromkeys(words("python python3 unittest nose2"), ("sitecustomize.py",)),
    "tox": ("tox.ini", "pyproject.toml", "setup.cfg", *_PYTEST),
    "nox": ("noxfile.py", *_PYTEST),
    **dict.fromkeys(words("pip pip3 build"), ("setup.py", "setup.cfg", "pyproject.toml")),
    "invoke": ("tasks.py",),
    "just": ("justfile", ".justfile", "*.just"),
    **dict.fromkeys(words("task go-task"), ("taskfile.y*ml",)),
    "rake": ("rakefile", "*.rake"),
    **dict.fromkeys(words("bundle rspec"), ("gemfile", "*_spec.rb", "spec_helper.rb", ".rspec")),
    "cargo": ("build.rs", "*/.cargo/config*"),
    "go": ("*_test.go",),
    **dict.fromkeys(words("gradle gradlew"), _GRADLE),
    **dict.fromkeys(words("mvn mvnw"), ("pom.xml", "*/.mvn/*")),
    **dict.fromkeys(words("cmake ctest"), ("cmakelists.txt", "*.cmake", "cmakepresets.json")),
    **dict.fromkeys(words("ninja meson bazel"), ("build.ninja", "meson.build", "build.bazel")),
    **dict.fromkeys(words("docker podman docker-compose buildah"), _COMPOSE),
    "vagrant": ("vagrantfile",),
    **dict.fromkeys(words("pre-commit lefthook husky"), (".pre-commit-config*", "lefthook.y*ml")),
    "git": ("*/.git/hooks/*", "*/.husky/*", ".pre-commit-config*", "lefthook.y*ml"),
    "direnv": (".envrc",),
}
"""Files that a program looks for by itself and runs code of; a pattern with `/` is of the path."""

_HOOKED = words(
    "commit push pull merge rebase checkout switch am cherry-pick revert clone worktree fetch gc"
    " stash reset update-ref hook submodule"
)
"""Commands of git that may run a hook."""

_Fits: TypeAlias = Callable[[str], re.Match[str] | None]

Paths: TypeAlias = Mapping[str, str]
"""Absolute paths without regard to case, each with the path as people know it."""


class Sorted(Mapping[str, str]):
    """Paths that are sorted by who picks them up."""

    @abstractmethod
    def picked_up(self, program: str) -> Iterator[str]: ...


def may_execute(command: Command) -> bool:
    """Whether it is worth asking which files: a look at the program alone."""
    if command.remote or not command.words:
        return False
    name = bare_name(command)
    if name == "git" and _HOOKED.isdisjoint(word.text for word in command.args):
        return False
    return "/" in command.words[0].text or _runs_code(name) or name in _PICKED_UP or _paths(command)


def executed(
    command: Command, script: Sequence[Command], files: Paths, workspace: Workspace
) -> Iterator[str]:
    """Those of `files` that the command executes, or may execute where a word is not known."""
    if not may_execute(command):
        return
    first, name = command.words[0], bare_name(command)
    if "/" in first.text:
        yield from _named(first, command, files, workspace)
    elif _paths(command):
        yield from (shown for path, shown in files.items() if path.endswith(f"/{name}"))
    if _runs_code(name) and not _only_looks(name, command):
        for word in _scripts(command, script):
            yield from _named(word, command, files, workspace)
    for program in _programs(name, command):
        if program in _PICKED_UP:
            yield from _picked_up(program, files)


def picking_programs(path: str) -> tuple[str, ...]:
    """The programs that look for a file of this name by themselves."""
    return tuple(program for program in _PICKED_UP if _picks(program, path))


def _picked_up(program: str, files: Paths) -> Iterator[str]:
    """Who keeps many files knows the answer: a project may have thousands of them."""
    if isinstance(files, Sorted):
        return files.picked_up(program)
    return (shown for path, shown in files.items() if _picks(program, path))


def _picks(program: str, path: str) -> bool:
    by_name, by_path = _picking(program)
    return bool(by_name(path.rsplit("/", 1)[-1]) or by_path(path))


def named(word: Word, command: Command, files: Paths, workspace: Workspace) -> tuple[str, ...]:
    """Those of `files` that a word names for sure."""
    sure = word.value is not None
    return tuple(_named(word, command, files, workspace)) if sure else ()


def _runs_code(name: str) -> bool:
    return (
        name in _INTERPRETERS
        or name in _SOURCING
        or name in _TESTERS
        or name in _LAUNCHERS
        or name.startswith("python")
    )


def _only_looks(name: str, command: Command) -> bool:
    """`npx prettier x.js`, `uv run ruff check x.py`, `python -m black x.py`."""
    texts = [word.text for word in command.args]
    if name.startswith("python"):
        return texts[:1] == ["-m"] and texts[1:2] != [] and texts[1] in _LOOKING
    started = next((t for t in texts if t not in _LAUNCHING and not t.startswith("-")), "")
    return name in _LAUNCHERS and started in _LOOKING


def _paths(command: Command) -> bool:
    """Whether programs are looked for in folders that the script itself chose."""
    return any(one.name == "PATH" for one in (*command.assignments, *command.environment))


def _programs(name: str, command: Command) -> Iterator[str]:
    """The program, and what a launcher or `python -m` starts in its place."""
    yield name
    if name in _LAUNCHERS or name.startswith(("python", "pypy")):
        yield from (word.text.casefold() for word in command.args if word.value is not None)


def _scripts(command: Command, script: Sequence[Command]) -> Iterator[Word]:
    """The words that may be code: the first operand, what comes before it, and what follows it
    unless it is plainly data; a module; what is fed in."""
    seen = False
    for index, word in enumerate(command.args):
        text = word.text
        operand = not text.startswith("-")
        if word.value is None and (seen or not operand):
            continue
        if not seen or not text.casefold().endswith(_DATA_ENDINGS):
            yield from _parts(word)
        if index and command.args[index - 1].value == "-m":
            yield from _module(text)
        seen = seen or operand
    yield from (one.target for one in command.redirects if one.op == "<")
    if command.position and not seen:
        yield from _fed(command, script)


def _parts(word: Word) -> Iterator[Word]:
    """`x.py`, `--require=./x.js`, `test_x.py::test_a`."""
    yield word
    if word.value is None:
        return
    name, equals, value = word.text.partition("=")
    if equals and name.startswith("-"):
        yield Word(value)
    if "::" in word.text:
        yield Word(word.text.split("::", 1)[0])


def _module(text: str) -> Iterator[Word]:
    path = text.replace(".", "/")
    yield from (Word(f"{path}{ending}") for ending in (".py", "/__main__.py", "/__init__.py"))


def _fed(command: Command, script: Sequence[Command]) -> Iterator[Word]:
    """`cat x.sh | bash`: what the pipe before an interpreter without a script names."""
    for one in script:
        if one.pipeline == command.pipeline and one.position < command.position:
            yield from (word for word in one.args if word.value is not None)
            yield from (redirect.target for redirect in one.redirects if redirect.op == "<")


def _named(word: Word, command: Command, files: Paths, workspace: Workspace) -> Iterator[str]:
    text = word.text
    if word.value is None or command.cwd is None:
        pattern = text.replace(HOLE, "*").casefold()
        rooted = pattern if pattern.startswith(("/", "*")) else f"*/{pattern.removeprefix('./')}"
        yield from (shown for path, shown in files.items() if fnmatchcase(path, rooted))
        return
    path = located(text, command.cwd, workspace.files)
    resolved = workspace.files.resolve(path) or path
    for one in dict.fromkeys((path.casefold(), resolved.casefold())):
        if one in files:
            yield files[one]


@cache
def _picking(program: str) -> tuple[_Fits, _Fits]:
    patterns = _PICKED_UP[program]
    return (
        _any_of(one for one in patterns if "/" not in one),
        _any_of(one for one in patterns if "/" in one),
    )


def _any_of(patterns: Iterable[str]) -> _Fits:
    # Without any pattern it fits nothing.
    return re.compile("|".join(map(translate, patterns)) or r"(?!)").match
