"""Which deeds a command is: by its words, and by what its program is known to do with them."""

import re
from collections.abc import Iterator
from itertools import islice

from automode.core.workspace import Workspace
from automode.guards.reads.credentials import may_be_credential
from automode.judge import file_deeds, shell_deeds, tool_uses
from automode.judge.deeds import Weight, deeds
from automode.programs import sql
from automode.programs.call_facts import CommandFacts
from automode.programs.table import of_kind
from automode.programs.use import Effect
from automode.shell.script import HOLE, Command

FETCHING = frozenset("npx bunx pnpx uvx".split())
CLIENTS = of_kind("client")
_PLANS = re.compile(
    r"(?:fmt|validate|plan|init|show|output|graph|providers|version|preview|template|lint|diff|get|describe|logs|"
    r"status|list|view|config (?:get|view|list)|workspace (?:list|show)|"
    r"stack (?:ls|output|graph))\b"
)
# They say that a file is there, not what is in it.
LISTING = frozenset("ls test [ stat basename dirname realpath readlink echo printf".split())
# What a program that nobody described is told to do, in the words that all of them share.
_ACTING = re.compile(
    r"(?<![a-z])(?:push|upload|publish\w*|deploy|delete\w*|destroy|del|remove|drop|purge|wipe|prune|"
    r"forget|send|mirror|backup|install-extension|uninstall|login|exec|release|flush|reset|migrate|"
    r"shutdown|nosave|ssh|full-auto|runner|terminate|put)(?![a-z])",
    re.IGNORECASE,
)
# Their first word says what they do.
_OBEYING = CLIENTS | frozenset("git docker podman npm pnpm yarn make go cargo".split())
_NO_STARTERS = of_kind("file-tool")
# What they run is the project, wherever it lies.
_BUILDERS = frozenset(
    "go cargo rustc gcc g++ cc clang clang++ make gmake cmake ninja meson npm pnpm yarn bun"
    " deno node npx tsc vite eslint prettier jest vitest pytest tox nox ruff mypy black"
    " python python3 uv poetry hatch pdm rye pipenv celery hyperfine"
    " ruby bundle rake rails php composer mvn gradle gradlew mvnw"
    " sbt dotnet swift xcodebuild zig mix elixir dart flutter golangci-lint vale gofmt"
    " goimports buf protoc docker git-lfs pre-commit wsl open xdg-open sh bash zsh dash"
    " source .".split()
)
# Programs that an unknown one before them would only hide.
_WRAPPED = frozenset(
    "rm git gh curl wget ssh scp sh bash zsh kubectl docker terraform aws dd mkfs chmod"
    " chown".split()
)


def deeds_of(known: CommandFacts) -> Iterator[str]:
    """Names in `DEEDS`, the same one perhaps more than once."""
    command, effect, workspace = known.command, known.effect, known.workspace
    found = list(shell_deeds.deeds_of(known))
    yield from found
    yield from _of_effect(command, effect, found)
    secrets = Effect.SECRETS in effect and not command.transparent
    read = (one.target.text for one in command.redirects if one.op == "<")
    secrets = secrets or any(may_be_credential(one, workspace.home) for one in read)
    if secrets or (command.program not in LISTING and _names_secret(command, workspace)):
        yield "reads-secret"


def _of_effect(command: Command, effect: Effect, found: list[str]) -> Iterator[str]:
    """What the table of words has no row for, the table of programs may know."""
    heaviest = max([deeds()[name].weight for name in found], default=Weight.LIGHT)
    light = heaviest is Weight.LIGHT
    if command.program in FETCHING and Effect.DEVELOPMENT not in effect and not _makes(command):
        yield "runs-fetched"
    client = command.program in CLIENTS and not _PLANS.match(shell_deeds.line_of(command))
    if client and effect & ~Effect.REMOTE_READ and light:
        yield "deploys"  # of a service's own client what is not known to read may do anything
    if Effect.DEVELOPMENT in effect:
        yield "develops"
    if command.transparent:
        return
    yield from _unexplained(command, effect, found, heaviest)
    unknown = Effect.UNKNOWN in effect or "runs-own" in found
    if unknown and light:
        told = " ".join((command.program, *islice(file_deeds.plain_words(command), 3)))
        yield from ("acts-unknown",) if _ACTING.search(told) else ()


def _unexplained(
    command: Command, effect: Effect, found: list[str], heaviest: Weight
) -> Iterator[str]:
    """For each effect that no deed found so far accounts for, the deed that does."""
    if Effect.UNKNOWN in effect:
        yield "runs-unknown"
        database = command.program in shell_deeds.DATABASES and not _queries(command)
        if database and heaviest is Weight.LIGHT:
            yield "changes-database"  # what is not known to read
    if Effect.REMOTE_WRITE in effect and heaviest < Weight.SHARED and "sends-here" not in found:
        yield "acts-remotely"
    if Effect.SYSTEM in effect and heaviest is Weight.LIGHT:
        yield "services"
    if Effect.NETWORK in effect and Effect.DEVELOPMENT not in effect and not found:
        yield "fetches"
    told_elsewhere = "xargs" in command.via and command.program in _OBEYING
    if (
        (Effect.RUNS in effect and _starts_around(command, effect, found))
        or (Effect.UNKNOWN in effect and _wraps(command))
        or (told_elsewhere and all(word.could_be_flag for word in command.args))
    ):
        yield "computes-program"


_SHOWS = re.compile(r"-(?:header|column|csv|json|line|list|box|table|markdown|readonly|batch)")


def _queries(command: Command) -> bool:
    """Whether sqlite is given a file and one query that only reads."""
    words = [word.text for word in command.args if not _SHOWS.fullmatch(word.text)]
    if command.program != "sqlite3" or len(words) != 2 or HOLE in "".join(words):
        return False
    reads = re.match(r"\s*(?:select|with|explain)\b", words[1], re.IGNORECASE)
    return bool(reads) and words[0][:1] != "-" and not sql.judge(words[1], "sqlite").effect


def _makes(command: Command) -> bool:
    words = shell_deeds.line_of(command).partition(" ¦ ")[0].split()
    return tool_uses.generates(command.program, words, command)


def _starts_around(command: Command, effect: Effect, found: list[str]) -> bool:
    """Whether it starts a program where nobody would look for one."""
    if command.program in _NO_STARTERS:
        return True
    plainly = command.program in _BUILDERS or Effect.DEVELOPMENT in effect or found
    return not plainly and all(word.text != "--help" for word in command.args)


def _wraps(command: Command) -> bool:
    obeys = command.program in _OBEYING  # its own words say what it does
    words = islice(file_deeds.plain_words(command), 2)
    return not obeys and any(word in _WRAPPED for word in words)


def _names_secret(command: Command, workspace: Workspace) -> bool:
    words = file_deeds.plain_words(command)
    return any(may_be_credential(word, workspace.home) for word in words if word)
