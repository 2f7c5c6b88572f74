"""Where automode and its agents are on this machine, and what of ours is registered there."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TypeAlias

import automode
from automode.agents.catalog import AGENTS, INSTALLED
from automode.agents.events import Moment
from automode.agents.installing.plan import CannotInstall, Scope, Transport
from automode.config.load import load
from automode.config.settings import Builtins
from automode.daemon.frames import Right, token_of
from automode.daemon.placement import Placement, http_port, own_version
from automode.facts.place import home_folder
from automode.store.folder import BadFolder, StateFolder

ACCOUNTS_STATE, ACCOUNTS_CONFIG = "~/.local/state/automode", "~/.config/automode"
CLOSING = " || exit 2"
CLOSING_WITH_WORDS = " || { echo automode: undecided, so the call must not run >&2; exit 2; }"
"""For agents that take the exit status 2 for a yes where nothing stands on standard error, whoever
ended with it: Python itself does where it cannot open the client."""


@dataclass(frozen=True, slots=True)
class Site:
    """The machine as the person's terminal shows it. Agents look at `HOME` and at variables of
    their own, so this does too."""

    home: str
    environment: Mapping[str, str]
    project: str
    system: str = "/etc"
    macos: bool = sys.platform == "darwin"

    def managed_file(self, agent: str, name: str, variable: str = "") -> str:
        """The administrator's settings of an agent, as it looks for them on this system; `variable`
        is its own that names another file."""
        moved = self.environment.get(variable, "")
        folder = INSTALLED[agent].system_folder(self.system, macos=self.macos)
        return moved if os.path.isabs(moved) else os.path.join(folder, name)

    def folder(self, variable: str, *usual: str) -> str:
        """The folder that an agent's own variable names, or the usual one below the home."""
        return self.folder_in(variable) or os.path.join(self.home, *usual)

    def folder_in(self, variable: str) -> str:
        value = self.environment.get(variable, "")
        if not value:
            return ""
        if value.startswith("~"):
            value = self.home + value[1:]
        if not os.path.isabs(value):
            raise CannotInstall(
                f"{variable} is the relative path `{value}`: the agent may look anywhere",
                "set it to an absolute path, or unset it",
            )
        return os.path.normpath(value)


def site_of(environment: Mapping[str, str], account_home: str, project: str) -> Site:
    home = environment.get("HOME", "")
    return Site(home if os.path.isabs(home) else account_home, environment, project)


TIMEOUT_SECONDS = 60
HOOK_MARGIN_SECONDS = 5
_USUAL_SECONDS = TIMEOUT_SECONDS - HOOK_MARGIN_SECONDS
_DEADLINES = re.compile(r"(?:--deadline-ms |&deadline=)(\d{1,6})")
_HOLDS = re.compile(r'"hold": (\d{1,6})')
"""So much sooner than the agent gives up the hook says no: most agents take its silence for a
yes."""


@dataclass(frozen=True, slots=True)
class Program:
    """This automode, as a hook has to name it. Its folders are always named: the environment of an
    agent, and so `XDG_*`, may be anybody's."""

    state: str
    config: str
    python: str
    """Starts the daemon: knows the packages that automode needs."""
    hook_python: str
    """Starts the hook, which needs no package."""
    package: str
    version: str
    hold: int = 0
    """Seconds that an ask waits for an answer from elsewhere, by the person's own settings."""

    @classmethod
    def here(cls, state: str, config: str) -> "Program":
        package = os.path.dirname(os.path.abspath(automode.__file__))
        places = Placement(StateFolder(state), config).places(None)
        hold = load(places, Builtins()).settings.asks.hold
        return cls(state, config, sys.executable, _bare_python(), package, own_version(), hold)

    def hook_seconds(self, host: str, moment: str = Moment.PROPOSED) -> int:
        """How long the agent is told to wait for a hook: longer where an ask may wait, as far as
        the agent does."""
        if not self.hold or moment != Moment.PROPOSED:
            return TIMEOUT_SECONDS
        longest = AGENTS[host].abilities.hook_seconds
        return max(TIMEOUT_SECONDS, min(TIMEOUT_SECONDS + self.hold, longest))

    @staticmethod
    def written_seconds(text: str) -> int:
        """How long a registration waits at least, whoever wrote it, for a call to be decided."""
        found = [int(one) // 1000 for one in _DEADLINES.findall(text)]
        found += [_USUAL_SECONDS + int(one) for one in _HOLDS.findall(text)]
        return min(found, default=_USUAL_SECONDS)

    def deadline_ms(self, host: str, moment: str = Moment.PROPOSED) -> int:
        """When the hook itself says no; 0: as usual."""
        seconds = self.hook_seconds(host, moment)
        return 0 if seconds == TIMEOUT_SECONDS else (seconds - HOOK_MARGIN_SECONDS) * 1000

    @property
    def client(self) -> str:
        return os.path.join(self.package, "hook", "client.py")

    def hook_words(self, host: str, moment: str) -> list[str]:
        words = [self.hook_python, "-I", "-S", self.client, "--python", self.python]
        if millis := self.deadline_ms(host, moment):
            words += ["--deadline-ms", str(millis)]
        return [*words, "--state", self.state, "--config", self.config, host, moment]

    def status_line_words(self) -> list[str]:
        """The quick way to what `automode status-line` prints: agents ask after every message."""
        bar = os.path.join(self.package, "cli", "bar.py")
        return [self.hook_python, "-I", "-S", bar, "--state", self.state]

    def for_every_account(self) -> "Program":
        """With folders that the hook looks for below the home of whoever runs the agent."""
        return replace(self, state=ACCOUNTS_STATE, config=ACCOUNTS_CONFIG)

    def hook_command(self, host: str, moment: str, closing: str = CLOSING) -> str:
        """The command line of a hook; `closing` ends it where a call waits for its answer."""
        words = self.hook_words(host, moment)
        return self.sign(words, closing if moment == Moment.PROPOSED else "")

    def sign(self, words: list[str], ending: str = "") -> str:
        """A line for a shell. The comment tells who wrote it: people, `doctor` and `uninstall`."""
        return f"{shlex.join(words)}{ending} # automode {self.version}"


def _bare_python() -> str:
    """The interpreter behind a virtual environment. The hook runs without site packages and brings
    its own, so the environment's link to it is one more thing that can be moved or rewritten. If
    either of the two goes, the client, which lies in the environment, goes as well or stays with an
    interpreter that works: a hook without one of them ends in `|| exit 2`."""
    # Python says it nowhere else.
    found: object = getattr(sys, "_base_executable", None)
    real = os.path.realpath(found) if isinstance(found, str) and found else ""
    return real if os.access(real, os.X_OK) else sys.executable


ASKING_SECONDS = 20.0
_NUMBERS = re.compile(r"\d+(?:\.\d+)+")

Version: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AgentProgram:
    """`version` is empty where the program does not tell it."""

    path: str
    version: Version = ()

    @property
    def says(self) -> str:
        return ".".join(map(str, self.version)) or "unknown"


def agent_named(word: str) -> str:
    """The agent that a person means. Raises CannotInstall."""
    for name, agent in INSTALLED.items():
        if word in (name, *agent.also_called):
            return name
    raise CannotInstall(f"unknown agent: `{word}`", f"one of: {', '.join(INSTALLED)}")


def found_program(agent: str, environment: Mapping[str, str]) -> AgentProgram | None:
    """The program that this person would start, with its version; None where there is none."""
    path = shutil.which(INSTALLED[agent].command, path=environment.get("PATH"))
    if path is None:
        return None
    return AgentProgram(os.path.abspath(path), version_of((path,), environment))


def version_of(
    words: Sequence[str], environment: Mapping[str, str], seconds: float = ASKING_SECONDS
) -> Version:
    """What a program says of itself; empty where it says nothing, or does not start. `words` are
    the start of its command line."""
    try:
        done = subprocess.run(  # noqa: S603 - the program that the person is about to start anyway
            (*words, "--version"),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
            env=dict(environment),
        )
    except (OSError, subprocess.SubprocessError):
        return ()
    # Pi prints it on standard error.
    said = (done.stdout or done.stderr).decode("utf-8", "replace")
    numbers = _NUMBERS.search(said)
    return tuple(int(part) for part in numbers[0].split(".")) if numbers else ()


@dataclass(frozen=True, slots=True)
class Registration:
    """One place in which an agent is told to ask automode."""

    agent: str
    scope: Scope
    path: str
    version: str = ""
    """The release that wrote it; empty where it does not say."""
    transport: Transport = Transport.COMMAND
    wrong: tuple[str, ...] = ()
    """Sentences; none where the hooks are whole and lead to this automode."""


CLIENT = "/automode/hook/client.py"


def command_faults(command: str, program: Program) -> Iterator[str]:
    """Where the command line of a hook does not lead to this automode."""
    try:
        words = shlex.split(command, comments=True)
    except ValueError:
        words = []
    named = dict(pairwise(words))
    client = next((word for word in words if word.endswith(CLIENT)), "")
    known = {"python": words[0] if words else "", "client": client}
    yield from path_faults(
        {**known, "state": named.get("--state"), "config": named.get("--config")}, program
    )


def path_faults(known: Mapping[str, object], program: Program) -> Iterator[str]:
    """The same for the paths that a hook or an extension knows."""
    for what, name in (("interpreter", "python"), ("hook", "client")):
        path = known.get(name)
        if not isinstance(path, str) or not os.path.exists(path):
            yield f"the {what} `{path}` is gone"
        elif name == "client" and path != program.client:
            yield f"the hooks are those of another automode: `{path}`"
    state, config = known.get("state"), known.get("config")
    if _of_this_account(state) != program.state:
        yield f"another state folder: `{state}` instead of `{program.state}`"
    if _of_this_account(config) != program.config:
        yield f"another settings folder: `{config}` instead of `{program.config}`"


def _of_this_account(folder: object) -> object:
    """An administrator's hooks mean a folder of whoever runs the agent."""
    if isinstance(folder, str) and folder.startswith("~/"):
        return os.path.join(home_folder(), folder[2:])
    return folder


@dataclass(frozen=True, slots=True)
class Http:
    """Where the daemon listens, and the token that has calls decided there and nothing else."""

    port: int
    token: str = field(repr=False)

    @property
    def known(self) -> bool:
        """Whether there is a port already."""
        return self.port != 0


UNKNOWN = Http(0, "0" * 64)
"""For showing what would be written while nothing may be made."""


def http_place(folder: StateFolder) -> Http:
    """Made on the first call, then always the same. Raises BadFolder."""
    return Http(http_port(folder), token_of(folder, Right.HTTP))


def known_http_place(folder: StateFolder) -> Http | None:
    """The same where it has been made; None where it has not, or cannot be read."""
    if not all(map(os.path.lexists, (folder.http_port, folder.token(Right.HTTP.value)))):
        return None
    try:
        return http_place(folder)
    except BadFolder:
        return None


_COMMAND = re.compile(
    r"/automode/hook/client\.py'? .* [a-z][a-z-]+ (?:proposed|finished|prompt|session)\b"
)
_STATUS_LINE = re.compile(r"/automode/cli/bar\.py'? --state | -m automode status-line ")
_SIGNED_END = re.compile(r"# automode \S+$")
_URL = re.compile(r"http://127\.0\.0\.1:(\d+)/hook/claude-code/")
_VERSION = re.compile(r"(?:# automode |\"X-Automode-Version\": \")([^\s\"':,]+)")


def is_ours(value: object) -> bool:
    """A hook, or a group of hooks, of any agent. Also what another version or another installation
    of automode wrote."""
    match value:
        case {"hooks": [*handlers]}:
            return bool(handlers) and all(map(is_ours, handlers))
        case {"type": "http", "url": str(url)}:
            return _URL.match(url) is not None
        case {"command": str(command)}:
            return _COMMAND.search(command) is not None
        case _:
            return False


def is_our_status_line(value: object) -> bool:
    match value:
        case {"type": "command", "command": str(command)}:
            return bool(_STATUS_LINE.search(command) and _SIGNED_END.search(command))
        case _:
            return False


def version_in(text: str) -> str:
    """Which automode wrote a hook; empty where it does not say."""
    found = _VERSION.search(text)
    return found[1] if found else ""
