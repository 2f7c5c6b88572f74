"""Where agents keep their settings, and how their hooks reach automode: every path absolute."""

import os
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace

import automode
from automode.agents.installing.plan import CannotInstall, Scope
from automode.daemon.placement import own_version

ACCOUNTS_STATE, ACCOUNTS_CONFIG = "~/.local/state/automode", "~/.config/automode"


@dataclass(frozen=True, slots=True)
class Site:
    """The machine as the person's terminal shows it. Agents look at `HOME` and at variables of
    their own, so this does too: the person stands where their agents will stand."""

    home: str
    environment: Mapping[str, str]
    project: str
    system: str = "/etc"

    def folder(self, variable: str, *usual: str) -> str:
        """The folder that an agent's own variable names, or the usual one below the home."""
        return self.named(variable) or os.path.join(self.home, *usual)

    def settings(self, agent: str, folder: str, scope: Scope) -> str:
        """Of an agent that has `settings.json` in its folder, in a project's, and in the system's
        folder of the agent's name."""
        if scope is Scope.PROJECT:
            raise CannotInstall(
                f"{agent} keeps a project's settings in a file that is checked in",
                f"install it for your account: automode install {agent} --user",
            )
        place = folder if scope is Scope.USER else os.path.join(self.system, agent)
        return os.path.join(place, "settings.json")

    def named(self, variable: str) -> str:
        value = self.environment.get(variable, "")
        if not value:
            return ""
        if value.startswith("~"):
            value = self.home + value[1:]
        if not os.path.isabs(value):
            raise CannotInstall(
                f"{variable} is `{value}`, which means another folder wherever the agent starts",
                "set it to an absolute path, or unset it",
            )
        return os.path.normpath(value)


def site_of(environment: Mapping[str, str], account_home: str, project: str) -> Site:
    home = environment.get("HOME", "")
    return Site(home if os.path.isabs(home) else account_home, environment, project)


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

    @classmethod
    def here(cls, state: str, config: str) -> "Program":
        package = os.path.dirname(os.path.abspath(automode.__file__))
        return cls(state, config, sys.executable, _bare_python(), package, own_version())

    @property
    def client(self) -> str:
        return os.path.join(self.package, "hook", "client.py")

    def hook_words(self, host: str, moment: str) -> list[str]:
        words = [self.hook_python, "-I", "-S", self.client, "--python", self.python]
        return [*words, "--state", self.state, "--config", self.config, host, moment]

    def status_line_words(self) -> list[str]:
        """The quick way to what `automode status-line` prints: agents ask after every message."""
        bar = os.path.join(self.package, "cli", "bar.py")
        return [self.hook_python, "-I", "-S", bar, "--state", self.state]

    def for_every_account(self) -> "Program":
        """With folders that the hook looks for below the home of whoever runs the agent."""
        return replace(self, state=ACCOUNTS_STATE, config=ACCOUNTS_CONFIG)

    def signed(self, words: list[str], ending: str = "") -> str:
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
