"""node, npx, deno, tsc and friends: what runs JavaScript, and what chooses the version of node."""

import re
from collections.abc import Mapping
from dataclasses import replace

from automode.core.files import Kind
from automode.core.paths import located
from automode.programs.development import FOREIGN, ORDINARY, develops, inside, ordinary
from automode.programs.use import READS, Effect, Invocation, Judge, Use, runs, unknown
from automode.programs.verbs import (
    Verbs,
    always,
    asks_only,
    bare_or,
    blurred,
    many,
    prints,
    reads,
    remote,
    spec,
    words,
)
from automode.shell.options import Spec, arguments

_TOOLS = words(
    "tsc vue-tsc svelte-check eslint prettier biome stylelint oxlint xo standard jest vitest mocha"
    " ava playwright cypress c8 nyc tap jasmine karma tsx ts-node vite webpack rollup esbuild swc"
    " tsup turbo nx lerna next nuxt astro remix gatsby ng expo storybook tailwindcss postcss sass"
    " typedoc markdownlint markdownlint-cli2 commitlint lint-staged knip depcheck madge size-limit"
    " publint attw api-extractor changeset cspell remark dprint htmlhint concurrently"
)
_SCRIPT = re.compile(
    r"(build|dev|test|tests|lint|format|fmt|check|checks|typecheck|types|tsc|start|serve|preview|watch"
    r"|generate|gen|codegen|e2e|unit|integration|coverage|docs|storybook|ci|validate|verify|prettier"
    r"|eslint|biome|compile|bundle|bench|prepare|lint-fix|fix)([:._-][\w.:-]+)?|[\w.-]+:[\w.:-]+"
)
_TOOL_FOREIGN = words(
    "--rulesdir --resolve-plugins-relative-to --require -r --import --loader"
    " --experimental-loader --package -p -c --call --yes -y --ui --remote"
)


def _tool(invocation: Invocation, program: str) -> Use:
    bare = program.split("@")[0]
    if bare in _TOOLS and bare == program and ordinary(invocation, _TOOL_FOREIGN):
        return Use(Effect.DEVELOPMENT | Effect.RUNS, ORDINARY)
    return Use(Effect.RUNS, FOREIGN)


def package_program(invocation: Invocation) -> Use:
    """`npx TOOL`, `npm exec TOOL`: a tool every project has, or code from the registry."""
    if asks_only(invocation, "--version", "-v", "--help", "-h"):
        return READS
    options = Spec(long_flags=("--no-install", "--no", "--offline"), stops_at_operand=True)
    given = arguments(invocation.args, options)
    if given.unclear or not given.operands or given.operands[0].value is None:
        return runs("it runs a package's program, fetched where it is missing")
    return _tool(replace(invocation, args=given.operands[1:]), given.operands[0].text)


def script_or_program(invocation: Invocation) -> Use:
    """`pnpm build` runs the project's script of that name, or a program found on the path."""
    first = invocation.args[0].text
    rest = replace(invocation, args=invocation.args[1:])
    if _SCRIPT.fullmatch(first) and ordinary(rest):
        return Use(Effect.DEVELOPMENT | Effect.RUNS, ORDINARY)
    return _tool(rest, first)


_PROPERTY = r"(\.[A-Za-z_]\w*|\[(\d+|'[^'\\]*'|\"[^\"\\]*\")\])*"
_VALUE = rf"(process\.(version|versions|platform|arch){_PROPERTY}|\d+([+*/-]\d+)*)"
_JSON_FILE = rf"require\((?P<quote>['\"])(?P<file>\.{{1,2}}/[\w./-]+\.json)(?P=quote)\){_PROPERTY}"
_SIMPLE = re.compile(rf"(console\.log\()?({_VALUE}|{_JSON_FILE})\)?;?")


def _simple_code(invocation: Invocation, code: str) -> bool:
    """A version, or a field of a JSON file that exists: without the file, node would look for
    code of a similar name."""
    found = _SIMPLE.fullmatch(code.strip())
    if not found or code.count("(") != code.count(")"):
        return False
    cwd, file = invocation.command.cwd, found["file"]
    if file is None:
        return True
    return (
        cwd is not None
        and invocation.workspace.files.kind(located(file, cwd, invocation.workspace.files))
        is Kind.FILE
    )


def _node(invocation: Invocation) -> Use:
    texts = [word.value for word in invocation.args]
    if asks_only(
        invocation, "--version", "-v", "--help", "-h", "--v8-options", "--completion-bash"
    ):
        return READS
    match texts:
        case ["--check" | "-c", str(file)] if not file.startswith("-"):
            return READS
        case ["-p" | "-e" | "--print" | "--eval" | "-pe", str(code)] if _simple_code(
            invocation, code
        ):
            return READS
        case ["--test", *_]:
            return develops("--require -r --import --loader --experimental-loader")(invocation)
        case _:
            return script_file(invocation)


def script_file(invocation: Invocation) -> Use:
    """Running a script of the workspace is ordinary; any other code is just run."""
    first = invocation.args[0] if invocation.args else None
    if first is None or first.value is None or blurred(invocation) or first.text[:1] == "-":
        return runs("it runs code")
    if "://" in first.text or not inside(invocation, first.text) or invocation.command.elevated:
        return runs("it runs a script that is not known to be the project's own")
    return Use(Effect.DEVELOPMENT | Effect.RUNS, ORDINARY)


def _typescript(invocation: Invocation) -> Use:
    if asks_only(invocation, "--version", "-v", "--help", "-h", "--all", "--showConfig"):
        return READS
    return develops()(invocation)


def _runner(invocation: Invocation) -> Use:
    if asks_only(invocation, "--version", "-v", "--help", "-h"):
        return READS
    return script_file(invocation)


def _deno_format(invocation: Invocation) -> Use:
    given = arguments(invocation.args, spec("--check --quiet -q --ext= --ignore= --unstable"))
    if given.has("--check") and not given.unclear:
        return READS
    return develops("--config -c", Effect.WRITES)(invocation)


_DENO_RUN = develops("--config -c --import-map --preload --reload -r --allow-all -A")
_DENO: dict[str, Judge] = {
    "fmt": _deno_format,
    "lint": reads("--quiet -q --json --compact --rules --ignore= --rules-tags="),
    **many("types help", reads()),
    "info": reads("--json --no-remote", operands=0),
    "task": bare_or(prints, _DENO_RUN),
    **many("test check bench", _DENO_RUN),
    **many("run eval repl serve x", always(Effect.RUNS, "it runs code")),
    **many(
        "install add remove uninstall cache upgrade compile publish",
        always(Effect.RUNS | Effect.WRITES | Effect.NETWORK, "it installs or publishes"),
    ),
}

_CHANGES = always(Effect.WRITES | Effect.NETWORK, "it installs or selects a version")
_NVM: dict[str, Judge] = {
    **many("ls list", reads("--no-colors --no-alias")),
    **many("current version which cache help --version -v --help", reads("--silent")),
    **many("ls-remote list-remote version-remote", remote("--lts[=] --no-colors")),
    "alias": reads("--no-colors", operands=1),
    **many("install uninstall use unalias reinstall-packages set-colors", _CHANGES),
    **many("run exec", always(Effect.RUNS, "it runs a program")),
}
_FNM: dict[str, Judge] = {
    **many("list ls current help", reads()),
    **many("list-remote ls-remote", remote("--lts --filter= --sort= --latest")),
    **many("install uninstall use default alias unalias", _CHANGES),
    "exec": always(Effect.RUNS, "it runs a program"),
}
_VOLTA: dict[str, Judge] = {
    **many("list ls", reads("--current -c --default -d --format=")),
    **many("which help", reads()),
    **many("install uninstall pin fetch setup", _CHANGES),
    "run": always(Effect.RUNS, "it runs a program"),
}


def _corepack(invocation: Invocation) -> Use:
    if asks_only(invocation, "--version", "-v", "--help", "-h"):
        return READS
    return unknown("it installs or runs a package manager")


PROGRAMS: Mapping[str, Judge] = {
    **many("npx bunx", package_program),
    **many("node nodejs", _node),
    **many("tsx ts-node", _runner),
    "tsc": _typescript,
    "deno": Verbs(_DENO, spec("--version -V --help -h --quiet -q")),
    "corepack": _corepack,
    "nvm": Verbs(_NVM),
    "fnm": Verbs(_FNM, spec("--version -V --help -h --log-level=")),
    "volta": Verbs(_VOLTA, spec("--version -v --help -h --quiet --verbose")),
}
