"""Checks of commands that run a program or a script: the tools of the trade and the project's own
scripts are ordinary, anything else is just run."""

import re
from collections.abc import Collection
from dataclasses import replace
from functools import partial

from automode.core.paths import absolute
from automode.core.word_lists import word_sets
from automode.core.workspace import Kind
from automode.programs.development import (
    FOREIGN,
    inside,
    ordinary,
    plain_file,
    project_code,
    script_file,
)
from automode.programs.row import Given
from automode.programs.use import READS, Effect, Invocation, Use, network, runs, writes
from automode.shell.options import Spec, arguments

WORDS = word_sets("automode.programs")

_NODE = WORDS["node-tools"]
_NODE_FOREIGN = WORDS["node-foreign"]
_SCRIPT = re.compile(
    r"(build|dev|test|tests|lint|format|fmt|check|checks|typecheck|types|tsc|start|serve|preview|watch"
    r"|generate|gen|codegen|e2e|unit|integration|coverage|docs|storybook|ci|validate|verify|prettier"
    r"|eslint|biome|compile|bundle|bench|prepare|lint-fix|fix)([:._-][\w.:-]+)?|[\w.-]+:[\w.:-]+"
)
_OWN_FLAKE = re.compile(r"\.(?:#[\w.-]+)?")
_FLAKE_OPTIONS = frozenset(
    "--quiet --offline -L --print-build-logs --no-update-lock-file --no-build --all-systems"
    " --keep-going --no-link --dry-run".split()
)
_FETCHES = Effect.RUNS | Effect.WRITES | Effect.NETWORK
_BEFORE_TOOL = Spec(long_flags=("--no-install", "--no", "--offline"), stops_at_operand=True)


def script(given: Given) -> Use:
    """`php x.php`: the script must be one of the workspace."""
    looks = given.options.has(*given.row.reads_with) and not given.options.unclear
    return READS if looks else objection(script_file(given.inner))


def behind_dashes(given: Given) -> Use:
    """`mise exec -- go test`: tools of the project's versions, and a command that is read by
    itself."""
    found = len(given.args) > 1 and given.args[0].value == "--"
    return READS if found else runs("it installs and runs another version")


def own_flake(given: Given) -> Use:
    """`nix develop .#ci -c make`: what stands before the command is the project's own flake."""
    texts = [word.text for word in given.args]
    ends = [at for at, text in enumerate(texts) if text in ("-c", "--command")]
    before = texts[: ends[0]] if ends else texts
    own = all(text in _FLAKE_OPTIONS or _OWN_FLAKE.fullmatch(text) for text in before)
    return READS if own else Use(_FETCHES, "the flake is not the project's")


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


def _tool(given: Given, tools: Collection[str]) -> Use:
    """`uv run TOOL`, `bundle exec TOOL`: the row stops at the tool, what follows is its own."""
    tool = given.operands[0].value if given.operands else None
    known = tool is not None and (tool in tools or tool.endswith(".py"))
    inline = any(word.value in ("-c", "-e", "--eval") for word in given.operands)
    return READS if known and not given.options.unclear and not inline else runs(FOREIGN)


python_tool = partial(_tool, tools=WORDS["python-tools"])
ruby_tool = partial(_tool, tools=WORDS["ruby-tools"])
php_tool = partial(_tool, tools=WORDS["php-tools"])


_PROPERTY = r"(\.[A-Za-z_]\w*|\[(\d+|'[^'\\]*'|\"[^\"\\]*\")\])*"
_VALUE = rf"(process\.(version|versions|platform|arch){_PROPERTY}|\d+([+*/-]\d+)*)"
_JSON_FILE = rf"require\((?P<quote>['\"])(?P<file>\.{{1,2}}/[\w./-]+\.json)(?P=quote)\){_PROPERTY}"
_SIMPLE = re.compile(rf"(console\.log\()?({_VALUE}|{_JSON_FILE})\)?;?")
_LOOKS = ("--check", "-c", "-p", "-e", "--print", "--eval")
_PRELOADS = frozenset(("--require", "-r", "--import", "--loader", "--experimental-loader"))


def node(given: Given) -> Use:
    if given.options.has(*_LOOKS):
        return READS if _looks(given) else runs("it runs code")
    if given.args and given.args[0].value == "--test":
        return READS if ordinary(given.inner, _PRELOADS) else runs(FOREIGN)
    return script(given)


def _looks(given: Given) -> bool:
    match [word.value for word in given.args]:
        case ["--check" | "-c", str(file)]:
            return not file.startswith("-")
        case ["-p" | "-e" | "--print" | "--eval" | "-pe", str(code)]:
            return _simple_code(given, code)
        case _:
            return False


def _simple_code(given: Given, code: str) -> bool:
    """A version, or a field of a JSON file that exists: without the file, node would look for
    code of a similar name, and behind a link it goes by the name that the link leads to."""
    found = _SIMPLE.fullmatch(code.strip())
    if not found or code.count("(") != code.count(")"):
        return False
    cwd, file = given.invocation.command.cwd, found["file"]
    if file is None:
        return True
    if cwd is None or not plain_file(given.invocation, file):
        return False
    return given.invocation.workspace.files.kind(absolute(file, cwd)) is Kind.FILE


_HOSTS = (
    *("github.com/", "gitlab.com/", "bitbucket.org/", "golang.org/", "google.golang.org/"),
    *("gopkg.in/", "go.uber.org/", "k8s.io/", "sigs.k8s.io/", "cloud.google.com/"),
)
_ASKS = ("-u", "-versions", "-retracted")


def go_list(given: Given) -> Use:
    """Listing packages asks git for the version of the folder; a module may lie on any host."""
    mode = given.options.value("-mod")
    if given.options.has("-mod") and (mode is None or mode.value not in ("readonly", "vendor")):
        return writes("`-mod` lets it change `go.mod`")
    vcs = given.options.value("-buildvcs")
    if not given.options.has("-m") and (vcs is None or vcs.value != "false"):
        return project_code(given.invocation, READS, "it asks git about the folder")
    if any(word.text == "all" for word in given.operands) and mode is None:
        return network("modules that are missing are fetched")
    asks = given.options.has(*_ASKS)
    for word in given.operands:
        away = "@" in word.text or (asks and word.text not in ("all", "./..."))
        if away and not word.text.startswith(_HOSTS):
            return network(f"`{word.text}` may name another server")
    return READS


_ITSELF = re.compile(r"\.(\[[\w,-]+\])?")
_CONFIG = ("--config", "-c", "--settings-path", "--sp", "--settings-file", "--config-file")


def pip_install(given: Given) -> Use:
    """From the project's own requirement files, or the project itself: ordinary."""
    declared = given.options.has("-r", "--requirement", "-e", "--editable")
    project = all(_ITSELF.fullmatch(word.text) for word in given.operands)
    if project and (declared or given.operands) and not given.options.unclear:
        return READS
    return runs("it installs packages, which may run their code")


def own_config(given: Given) -> Use:
    """The configuration that is named must be the project's own. Settings may also be written out
    in the value: `--config fix=true`."""
    for option in given.options.options:
        value = option.value
        if option.name not in _CONFIG or (value is None and option.name == "-c"):
            continue
        if value is None or "=" in value.text or not inside(given.invocation, value.text):
            return runs("its configuration is not the project's own")
    return READS
