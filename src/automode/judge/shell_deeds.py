"""Which deeds a command of a script is: by the rows of its program, its files and its code."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from automode.core.workspace import Workspace
from automode.judge import file_deeds, network
from automode.judge.code_deeds import INLINE, STEERS, inline_deeds
from automode.judge.deeds import Weight, deeds
from automode.programs.call_facts import CommandFacts
from automode.programs.deeds import always_undescribed
from automode.programs.table import programs
from automode.shell.script import HOLE, Assignment, Command

_VALUED = frozenset(
    "-C -c --git-dir --work-tree --filter -F --prefix -w --workspace --context -n --namespace"
    " --profile --region -f --file --project-directory -p --project-name --cwd --dir --host -H"
    " --repo -R --kubeconfig --package -q --quiet-level".split()
)
# Between the plain words and the options of a command.
_MARK = " ¦ "


@dataclass(frozen=True, slots=True)
class Usual:
    """Names that need nobody's word: verbs and targets, words beside them, a project's own
    programs, programs of packages, commands of frameworks, and images."""

    verbs: frozenset[str]
    targets: frozenset[str]
    beside: frozenset[str]
    programs: frozenset[str]
    tools: frozenset[str]
    commands: frozenset[str]
    images: frozenset[str]


@dataclass(frozen=True, slots=True)
class Table:
    """`text`: which deeds a script is that is not read."""

    text: tuple[tuple[str, re.Pattern[str]], ...]
    usual: Usual


@lru_cache(maxsize=1)
def table() -> Table:
    given = tomllib.loads(files("automode.judge").joinpath("shell_deeds.toml").read_text("utf-8"))
    return Table(
        _rows(given["text"]["rows"]),
        Usual(**{name: frozenset(listed.split()) for name, listed in given["usual"].items()}),
    )


def _rows(text: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """One row per line: the deed, then a pattern."""
    found = (line.split(None, 1) for line in text.splitlines() if line)
    return tuple((deed, re.compile(pattern)) for deed, pattern in found)


_INTERPRETERS = frozenset(
    "python python3 python2 node deno bun ruby perl php lua osascript pwsh powershell Rscript"
    " tsx ts-node py".split()
)
DATABASES = frozenset(
    "psql mysql mariadb mongosh mongo redis-cli cqlsh clickhouse-client duckdb sqlcmd"
    " sqlite3".split()
)
_SHELLS = frozenset("sh bash zsh dash ksh fish".split())
_RUNNERS = _SHELLS | _INTERPRETERS
_LINE_COUNTS = _INTERPRETERS | network.CLIENTS
_SOCKETS = ("/dev/tcp/", "/dev/udp/")
_GLOB = re.compile(r"[*?\[]")
_USUAL_PLACES = ("/usr/", "/bin/", "/sbin/", "/opt/homebrew/", "/opt/local/")


LONGEST_WORD = 80
MOST_WORDS = 60


def line_of(command: Command) -> str:
    """What follows the program: its plain words, a mark, its options. Long words are cut: options
    are short, and a message of a commit must not cost more than its script."""
    plain: list[str] = []
    options: list[str] = []
    skipped = False
    for word in command.args:
        text = word.text[:LONGEST_WORD].replace(HOLE, "?").replace("¦", "?").replace("\n", " ")
        if skipped:
            skipped = False
            options.append(text)
        elif text.startswith("-") and len(text) > 1:
            options.append(text)
            skipped = not plain and text in _VALUED
        else:
            plain.append(text)
    return " ".join(plain[:MOST_WORDS]) + _MARK + " ".join(options[:MOST_WORDS])


def is_heavy(known: CommandFacts) -> bool:
    """Whether the rows say of the command what needs a user's word."""
    return any(deeds()[deed].weight >= Weight.LASTING for deed in known.deeds)


def runs_inline(name: str, command: Command, line: str) -> bool:
    """Whether an interpreter is given code, and no file."""
    return name in _INTERPRETERS and (command.fed is not None or INLINE.search(line) is not None)


def deeds_of(known: CommandFacts) -> Iterator[str]:
    """Names in `DEEDS`, the same one perhaps more than once."""
    command, workspace = known.command, known.workspace
    yield from file_deeds.of_redirects(command, workspace)
    if command.elevated:
        yield "elevates"
    if any(one.target.text.startswith(_SOCKETS) for one in command.redirects):
        yield "listens"
    if command.program == "time":
        yield from file_deeds.reported(command, workspace)
    if not command.words or command.transparent:
        return
    name = command.program.removesuffix(".exe")
    line = line_of(command) if name in _LINE_COUNTS else ""
    here = name in network.CLIENTS and network.stays_here(command)
    yield from ["sends-here" if here and deed == "sends" else deed for deed in known.deeds]
    yield from _always(name)
    yield from file_deeds.deeds_of(name, command, workspace)
    yield from _about_code(name, command, line, workspace)
    if any(_steers(one) for one in command.assignments):
        yield "computes-program"
    yield from _about_network(name, line, command, here=here)
    if name in DATABASES and any(one.op == "<" for one in command.redirects):
        yield "changes-database"


_TOOLS = frozenset("CC CXX LD AR GOFLAGS MAKEFLAGS RUSTC RUSTFLAGS MAVEN_OPTS GRADLE_OPTS".split())


def _steers(given: Assignment) -> bool:
    """Whether a variable leads the program to another one: `PATH` does where it begins with a
    folder that anybody may write to."""
    value = given.value.text
    if given.name == "PATH":
        return file_deeds.SCRATCH.search(value) is not None or value[:1] not in ("/", "~", HOLE)
    if given.name in _TOOLS:
        return re.search(r"[/ ]|exec", value) is not None
    return STEERS.fullmatch(given.name) is not None


def text_deeds(text: str) -> Iterator[str]:
    """For a script in a language that is not read: what its text looks like."""
    yield from (deed for deed, pattern in table().text if pattern.search(text))


def _about_code(name: str, command: Command, line: str, workspace: Workspace) -> Iterator[str]:
    yield from _about_program(name, command, workspace)
    if name in _INTERPRETERS:
        yield from (deed for deed in _always_of_script(command) if deed == "attacks")
        inline = runs_inline(name, command, line)
        yield "runs-code" if inline else "runs-own"
        if inline:
            yield from inline_deeds(name, command, workspace)
    if name in _RUNNERS and _runs_what_comes_in(name, command):
        yield "runs-fetched"
    elif name in _SHELLS and command.args:
        yield _of_script(command, workspace)
    if command.remote:
        yield "remote-shell"


def _runs_what_comes_in(name: str, command: Command) -> bool:
    if command.position > 0 and name in _SHELLS:
        return True
    piped = command.position > 0 and not any(w.text not in ("-", "") for w in command.args)
    return piped or any("<(" in w.text for w in command.args)


def _of_script(command: Command, workspace: Workspace) -> str:
    script = next(file_deeds.plain_words(command), ".")
    place = file_deeds.where(script, command, workspace)
    return "runs-scratch" if place in ("scratch", "outside") else "runs-own"


def _about_program(name: str, command: Command, workspace: Workspace) -> Iterator[str]:
    """By where the program lies."""
    first = command.words[0].text
    if HOLE in first or _GLOB.search(first, 1) or not first.isascii():
        yield "computes-program"
    elif name in ("source", "."):
        yield "runs-own" if command.args and command.args[0].value else "computes-program"
    elif "/" in first:
        if first.startswith(_USUAL_PLACES):
            return
        outside = file_deeds.where(first, command, workspace) in ("scratch", "outside")
        yield "runs-scratch" if outside else "runs-own"


def _always_of_script(command: Command) -> tuple[str, ...]:
    """Of a script that an interpreter runs, by its name: `python laZagne.py`."""
    name = next(file_deeds.plain_words(command), "").rsplit("/", 1)[-1]
    return (*_always(name), *_always(name.rpartition(".")[0]))


def _always(name: str) -> tuple[str, ...]:
    program = programs().get(name)
    return (*always_undescribed().get(name, ()), *(program.always if program is not None else ()))


def _about_network(name: str, line: str, command: Command, *, here: bool) -> Iterator[str]:
    if name in network.CLIENTS:
        yield "sends-here" if here else "fetches"
        if network.goes_elsewhere(command):
            yield "sends"
        if here and (_CHANGING.search(line) or network.controls(command)):
            yield "acts-remotely"
        if any(one.startswith("file:") for one in network.targets(command)):
            yield "collects"
        return
    for word in command.args:
        if word.text.startswith("/dev/tcp/"):
            yield "listens"


# What goes to a server here may change what it keeps.
_CHANGING = re.compile(
    r"(?i)(?:-X|--request|--method)[ =]?(?:post|put|patch|delete)\b|"
    r"(?:^| )(?:post|put|patch|delete) |"
    r"¦.* (?:--data\S*|--json|--form\S*|--upload-file|--post-\w+|--body-\w+)(?:[ =]|$)|"
    r"¦.* (?-i:-[a-zA-Z]*[dFT])(?: |$)|¦.* (?-i:-[dFT]\S)"
)
