"""Checks of commands that run a program or a script: the tools of the trade and the project's own
scripts are ordinary, anything else is just run."""

import re
from collections.abc import Collection
from dataclasses import replace

from automode.programs.development import FOREIGN, ordinary, script_file
from automode.programs.touch import Given
from automode.programs.use import READS, Effect, Invocation, Use, runs
from automode.shell.options import Spec, arguments

_NODE = frozenset(
    "tsc vue-tsc svelte-check eslint prettier biome stylelint oxlint xo standard jest vitest mocha"
    " ava playwright cypress c8 nyc tap jasmine karma tsx ts-node vite webpack rollup esbuild swc"
    " tsup turbo nx lerna next nuxt astro remix gatsby ng expo storybook tailwindcss postcss sass"
    " typedoc markdownlint markdownlint-cli2 commitlint lint-staged knip depcheck madge size-limit"
    " publint attw api-extractor changeset cspell remark dprint htmlhint concurrently".split()
)
_PYTHON = frozenset(
    "pytest py.test tox nox mypy pyright ruff black isort flake8 pylint bandit coverage pre-commit"
    " python python3 sphinx-build mkdocs alembic uvicorn gunicorn flask django-admin celery ipython"
    " basedpyright ty poe invoke behave hypothesis twine cdk".split()
)
_RUBY = frozenset("rspec rake rubocop rails standardrb cucumber jekyll srb brakeman".split())
_PHP = frozenset("phpunit pest phpstan psalm phpcs pint".split())
_NODE_FOREIGN = frozenset(
    "--rulesdir --resolve-plugins-relative-to --require -r --import --loader --experimental-loader"
    " --package -p -c --call --yes -y --ui --remote".split()
)
_SCRIPT = re.compile(
    r"(build|dev|test|tests|lint|format|fmt|check|checks|typecheck|types|tsc|start|serve|preview|watch"
    r"|generate|gen|codegen|e2e|unit|integration|coverage|docs|storybook|ci|validate|verify|prettier"
    r"|eslint|biome|compile|bundle|bench|prepare|lint-fix|fix)([:._-][\w.:-]+)?|[\w.-]+:[\w.:-]+"
)
_BEFORE_TOOL = Spec(long_flags=("--no-install", "--no", "--offline"), stops_at_operand=True)


def script(given: Given) -> Use:
    """`php x.php`: the script must be one of the workspace."""
    looks = given.options.has(*given.row.reads_with) and not given.options.unclear
    return READS if looks else objection(script_file(given.inner))


def objection(use: Use) -> Use:
    return READS if Effect.DEVELOPMENT in use.effect else use


def package_program(given: Given) -> Use:
    """`npx TOOL`, `npm exec TOOL`: a tool every project has, or code from the registry."""
    found = arguments(given.args, _BEFORE_TOOL)
    if found.unclear or not found.operands or found.operands[0].value is None:
        return runs("it runs a package's program, fetched where it is missing")
    rest = replace(given.invocation, args=found.operands[1:])
    return _node_tool(rest, found.operands[0].text)


def node_script(given: Given) -> Use:
    """`pnpm build` runs the project's script of that name, or a program found on the path."""
    verb = given.verb
    if _SCRIPT.fullmatch(verb) and ordinary(given.inner):
        return READS
    return _node_tool(given.inner, verb)


def _node_tool(rest: Invocation, tool: str) -> Use:
    return READS if tool in _NODE and ordinary(rest, _NODE_FOREIGN) else runs(FOREIGN)


def python_tool(given: Given) -> Use:
    return _tool(given, _PYTHON)


def ruby_tool(given: Given) -> Use:
    return _tool(given, _RUBY)


def php_tool(given: Given) -> Use:
    return _tool(given, _PHP)


def _tool(given: Given, tools: Collection[str]) -> Use:
    """`uv run TOOL`, `bundle exec TOOL`: the row stops at the tool, what follows is its own."""
    tool = given.operands[0].value if given.operands else None
    known = tool is not None and (tool in tools or tool.endswith(".py"))
    inline = any(word.value in ("-c", "-e", "--eval") for word in given.operands)
    return READS if known and not given.options.unclear and not inline else runs(FOREIGN)
