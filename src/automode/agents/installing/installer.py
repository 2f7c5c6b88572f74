"""What every installer does: plans in and out, finds itself again, starts the agent guarded."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol

from automode.agents.agent import Agent
from automode.agents.catalog import AGENTS
from automode.agents.installing.plan import (
    CannotInstall,
    Change,
    Plan,
    Receipts,
    Scope,
    Transport,
)
from automode.agents.installing.site import AgentProgram, Http, Program, Registration, Site
from automode.facts.switches import switches

_OF_TWO_LETTERS = ("-np",)
"""Pi's for no templates of prompts: no two options in one word."""


@dataclass(frozen=True, slots=True)
class Launch:
    """`words` follow the program's name. `file`: what has to lie where before it starts."""

    words: tuple[str, ...]
    file: tuple[str, bytes] | None = None
    variables: tuple[tuple[str, str], ...] = ()


def nobody_there(alone: Sequence[str], arguments: Sequence[str], *, terminal: bool) -> bool:
    """`alone`: words of this agent's with which it asks nobody anything."""
    return not terminal or any(_means(word, alone) for word in options(arguments))


def _means(word: str, alone: Sequence[str]) -> bool:
    """Short options may be written together, and with their value: `-cp TEXT`, `-pTEXT`."""
    name = word.partition("=")[0]
    together = name[:1] == "-" != name[1:2] and name not in _OF_TWO_LETTERS
    letters = name[1:].partition(" ")[0] if together else ""
    return name in alone or any(one[1:] in letters for one in alone if len(one) == 2)


def options(arguments: Sequence[str]) -> list[str]:
    """What stands behind `--` is a prompt."""
    words = list(arguments)
    return words[: words.index("--")] if "--" in words else words


def take_option(arguments: Sequence[str], option: str) -> tuple[list[str], list[str]]:
    """The values of `option`, and the words without it."""
    given = options(arguments)
    rest = list(arguments[len(given) :])
    values: list[str] = []
    kept: list[str] = []
    words = iter(given)
    for word in words:
        name, equals, value = word.partition("=")
        if name == option:
            values.append(value if equals else next(words, ""))
        else:
            kept.append(word)
    return values, [*kept, *rest]


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallRequest:
    """What a person asked for. `found` is the agent's program. `http` says where hooks over HTTP
    find the daemon."""

    scope: Scope
    site: Site
    program: Program
    receipts: Receipts
    http: Callable[[], Http]
    transport: Transport | None = None
    found: AgentProgram | None = None


@dataclass(frozen=True, slots=True)
class Start:
    """An agent that a person starts: `arguments` follow its name, `found` is its program."""

    arguments: tuple[str, ...]
    site: Site
    program: Program
    found: AgentProgram | None = None


class AgentFile(Protocol):
    """A file of an agent's to which automode writes. Both raise CannotInstall."""

    def plan(self, receipts: Receipts) -> tuple[Change, ...]: ...
    def plan_out(self, receipts: Receipts) -> tuple[Change, ...]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Installer:
    """Of one agent, by its name. Whatever cannot be done raises CannotInstall."""

    agent: str
    scopes: tuple[Scope, ...] = (Scope.USER,)
    note: str = ""
    """What a person has to know when it is installed."""

    @property
    def about(self) -> Agent:
        return AGENTS[self.agent]

    @property
    def title(self) -> str:
        return self.about.title

    def install(self, order: InstallRequest) -> Plan:
        if order.transport is not None:
            raise CannotInstall(f"there is no --transport for {self.agent}", "leave it out")
        self.need_scope(order.scope)
        files = self.files(order.scope, order.site, order.program)
        changes = tuple(one for file in files for one in file.plan(order.receipts))
        return Plan(self.agent, order.scope, changes, (self.note,) if self.note else ())

    def plan_uninstall(self, scope: Scope, site: Site, receipts: Receipts) -> Plan:
        """Nothing to change: nothing of ours is there."""
        self.need_scope(scope)
        files = self.files(scope, site, Program.here("/", "/"))
        changes = tuple(one for file in files for one in file.plan_out(receipts))
        return Plan(self.agent, scope, changes)

    def need_scope(self, scope: Scope) -> None:
        if scope not in self.scopes:
            places = " or ".join(f"--{one}" for one in self.scopes)
            raise CannotInstall(
                f"automode can be installed into {self.title} with {places} only",
                f"run: automode install {self.agent} --user",
            )

    def files(self, scope: Scope, site: Site, program: Program) -> Sequence[AgentFile]:
        """All that belongs together, in the order in which it is written."""
        raise NotImplementedError

    def registrations(
        self, site: Site, program: Program, http: Http | None = None
    ) -> tuple[Registration, ...]:
        """Every place, the person's own first. `http`: where the daemon listens, if that is known.
        A file that cannot be read is a place with something wrong: the agent may read it."""
        found = (self.look(scope, site, program, http) for scope in self.scopes)
        return tuple(one for one in found if one is not None)

    def look(
        self, scope: Scope, site: Site, program: Program, http: Http | None
    ) -> Registration | None:
        raise NotImplementedError

    def launch(self, start: Start) -> Launch:
        """For an agent whose command line takes no hooks, and where nothing that a person may set
        outranks a project's settings: a project that switches hooks off is not entered, also with
        a person there, who would work without a gate."""
        site = start.site
        self.refuse_disarmed(start)
        if not any(not one.wrong for one in self.registrations(site, start.program)):
            raise CannotInstall(
                f"automode's hooks are missing or incomplete in {self.title},"
                " and its command line takes no hooks",
                f"run: automode install {self.agent}",
            )
        known = switches(
            os.getcwd(), home=site.home, agent=self.agent, environment=site.environment
        )
        off = [one for one in known if not one.digest]  # who trusts others is asked elsewhere
        if off:
            listed = "; ".join(f"{one.path}: {one.what}" for one in off)
            raise CannotInstall(f"hooks are switched off here: {listed}", off[0].fix)
        return Launch(start.arguments)

    def refuse_disarmed(self, start: Start) -> None:
        """No words and no variables with which the agent would not ask automode."""
        runs = self.about.runs
        for word in options(start.arguments):
            if word.partition("=")[0] in self.about.refused:
                raise CannotInstall(
                    f"with `{word}` the agent runs no {runs}, and so it would not be guarded",
                    "leave it out, or start the agent itself",
                )
        for name in self.about.disarming.silencing:
            if start.site.environment.get(name, "") not in ("", "0", "false"):
                raise CannotInstall(
                    f"{name} is set: {self.title} would run no {runs}", f"unset {name}"
                )

    def hooks_file(self, site: Site) -> str:
        """The file of the account in which others may have hooks too; empty where there is none."""
        return ""

    def hooks_folder(self, site: Site) -> str:
        """The folder of the account in which whatever lies answers too, where there is no file."""
        return ""

    def copy_trust(self, source: str, target: str) -> str:
        """Copies what makes the agent run our hooks, beside the hooks themselves, between two of
        its folders. Why there is nothing to copy, where there is not."""
        return ""


def installer_of(agent: str) -> Installer:
    """What the agent's own `install.INSTALLER` is."""
    folder = AGENTS[agent].folder
    found: object = import_module(f"automode.agents.{folder}.install").INSTALLER
    if not isinstance(found, Installer):
        raise TypeError(f"automode.agents.{folder}.install.INSTALLER is no Installer")
    return found
