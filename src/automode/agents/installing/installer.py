"""What every installer does: plans in and out, finds itself again, starts the agent guarded."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

from automode.agents.agent import Agent
from automode.agents.catalog import AGENTS
from automode.agents.installing.plan import CannotInstall, Plan, Receipts, Scope, Transport
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


def refuse(arguments: Sequence[str], refused: Sequence[str], what: str) -> None:
    for word in options(arguments):
        if word.partition("=")[0] in refused:
            raise CannotInstall(
                f"with `{word}` the agent runs no {what}, and so it would not be guarded",
                "leave it out, or start the agent itself",
            )


def options(arguments: Sequence[str]) -> list[str]:
    """What stands behind `--` is a prompt."""
    words = list(arguments)
    return words[: words.index("--")] if "--" in words else words


def taken(arguments: Sequence[str], option: str) -> tuple[list[str], list[str]]:
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


def is_whole(one: Registration) -> bool:
    return not one.wrong and one.scope is not Scope.PROJECT


def refuse_where_switched_off(agent: str, site: Site) -> None:
    """Also with a person there: they would work without a gate. Raises CannotInstall."""
    known = switches(os.getcwd(), home=site.home, agent=agent, environment=site.environment)
    found = [one for one in known if not one.digest]  # who trusts others is asked elsewhere
    if found:
        said = "; ".join(f"{one.path}: {one.what}" for one in found)
        raise CannotInstall(f"hooks are switched off here: {said}", found[0].fix)


@dataclass(frozen=True, slots=True)
class Order:
    """What a person asked for. `http` says where hooks over HTTP find the daemon."""

    scope: Scope
    transport: Transport | None
    site: Site
    program: Program
    receipts: Receipts
    http: Callable[[], Http]


@dataclass(frozen=True, slots=True)
class Installer:
    """Of one agent, by its name. Whatever cannot be done raises CannotInstall."""

    agent: str

    @property
    def about(self) -> Agent:
        return AGENTS[self.agent]

    @property
    def title(self) -> str:
        return self.about.title

    def install(self, order: Order) -> Plan:
        if order.transport is not None:
            raise CannotInstall(f"there is no --transport for {self.agent}", "leave it out")
        return self.plan_install(order.scope, order.site, order.program, order.receipts)

    def plan_install(self, scope: Scope, site: Site, program: Program, receipts: Receipts) -> Plan:
        raise NotImplementedError

    def plan_uninstall(self, scope: Scope, site: Site, receipts: Receipts) -> Plan:
        """Nothing to change: nothing of ours is there."""
        raise NotImplementedError

    def registered(
        self, site: Site, program: Program, http: Http | None = None
    ) -> tuple[Registration, ...]:
        """Every place, the person's own first. `http`: where the daemon listens, if that is known.
        A file that cannot be read is a place with something wrong: the agent may read it."""
        raise NotImplementedError

    def launch(
        self,
        arguments: Sequence[str],
        site: Site,
        program: Program,
        found: AgentProgram | None = None,
    ) -> Launch:
        """For an agent whose command line takes no hooks, and where nothing that a person may set
        outranks a project's settings: a project that switches hooks off is not entered."""
        self.refuse_disarmed(arguments, site)
        if not any(not one.wrong for one in self.registered(site, program)):
            raise CannotInstall(
                f"automode's hooks are missing or incomplete in {self.title},"
                " and its command line takes no hooks",
                f"run: automode install {self.agent}",
            )
        refuse_where_switched_off(self.agent, site)
        return Launch(tuple(arguments))

    def refuse_disarmed(self, arguments: Sequence[str], site: Site) -> None:
        """No words and no variables with which the agent would not ask automode."""
        runs = self.about.runs
        refuse(arguments, self.about.refused, runs)
        for name in self.about.disarming.silencing:
            if site.environment.get(name, "") not in ("", "0", "false"):
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
