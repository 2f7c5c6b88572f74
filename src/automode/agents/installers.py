"""Every agent that automode can be put in front of: one row each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from automode.agents.antigravity import install as antigravity
from automode.agents.claude_code import install as claude_code
from automode.agents.claude_code.install.launch import CLAUDE_ALONE, claude_launch
from automode.agents.claude_code.install.registered import in_claude
from automode.agents.claude_code.install.transport import Wish, chosen_transport
from automode.agents.cline.install import CLINE
from automode.agents.codex import install as codex
from automode.agents.copilot_cli.install import COPILOT_CLI
from automode.agents.cursor import install as cursor
from automode.agents.installing.agent_programs import AgentProgram, found_program
from automode.agents.installing.claude_hooks import FIRST_WITH_ON_FAILURE, Http
from automode.agents.installing.found import Registration
from automode.agents.installing.gemini_found import in_relative
from automode.agents.installing.gemini_launching import (
    GEMINI_ALONE,
    QWEN_ALONE,
    gemini_launch,
    qwen_launch,
)
from automode.agents.installing.gemini_settings import GEMINI_CLI, QWEN_CODE, Relative
from automode.agents.installing.http_place import UNKNOWN
from automode.agents.installing.launching import Launch
from automode.agents.installing.own_hooks import OwnHooks
from automode.agents.installing.plan import CannotInstall, Plan, Scope, Transport
from automode.agents.installing.receipts import Receipts
from automode.agents.installing.site import Program, Site
from automode.agents.opencode import install as opencode_plugin
from automode.agents.pi import install as pi_extension
from automode.agents.pi.install import PI_ALONE, in_pi, pi_launch


@dataclass(frozen=True, slots=True)
class Order:
    """What a person asked for. `http` says where hooks over HTTP find the daemon."""

    scope: Scope
    transport: Transport | None
    site: Site
    program: Program
    receipts: Receipts
    http: Callable[[], Http]


Launches: TypeAlias = Callable[[Sequence[str], Site, Program, AgentProgram], Launch]


@dataclass(frozen=True, slots=True)
class Installer:
    """`alone`: words of a command line with which nobody is there. All may raise CannotInstall."""

    install: Callable[[Order], Plan]
    uninstall: Callable[[Scope, Site, Receipts], Plan]
    registered: Callable[[Site, Program, Http | None], tuple[Registration, ...]]
    launch: Launches
    alone: tuple[str, ...] = ()


def registered(
    agent: str, site: Site, program: Program, http: Http | None = None
) -> tuple[Registration, ...]:
    """Every place, the person's own first. `http`: where the daemon listens, if that is known. A
    file that cannot be read is a place with something wrong: the agent may read it."""
    return INSTALLERS[agent].registered(site, program, http)


def without_transport(order: Order, agent: str) -> None:
    """For agents that can be asked in one way only."""
    if order.transport is not None:
        raise CannotInstall(f"there is no --transport for {agent}", "leave it out")


def _claude(order: Order) -> Plan:
    site = order.site
    wish = Wish(order.scope, order.transport, found_program("claude-code", site.environment))
    chosen, why = chosen_transport(wish, site)
    http = order.http() if chosen is Transport.HTTP else None
    plan = claude_code.plan_install(wish, site, order.program, http, order.receipts)
    said = [f"hooks by {chosen}: {why}"]
    if http == UNKNOWN:
        said.append("the port is chosen when it is installed")
    return Plan(plan.agent, plan.scope, plan.changes, (*said, *plan.notes), plan.secrets)


def _claude_launch(
    arguments: Sequence[str], site: Site, program: Program, found: AgentProgram
) -> Launch:
    closes = found.version >= FIRST_WITH_ON_FAILURE
    return claude_launch(arguments, site, program, closes=closes)


def _pi(order: Order) -> Plan:
    without_transport(order, "pi")
    return pi_extension.plan_install(order.scope, order.site, order.program, order.receipts)


def _opencode(order: Order) -> Plan:
    without_transport(order, "opencode")
    return opencode_plugin.plan_install(order.scope, order.site, order.program, order.receipts)


def _relative(relative: Relative, order: Order) -> Plan:
    without_transport(order, relative.agent)
    return relative.plan_install(order.scope, order.site, order.program, order.receipts)


def _codex(order: Order) -> Plan:
    without_transport(order, "codex")
    return codex.plan_install(order.scope, order.site, order.program, order.receipts)


def _antigravity(order: Order) -> Plan:
    without_transport(order, "antigravity")
    return antigravity.plan_install(order.scope, order.site, order.program, order.receipts)


def _cursor(order: Order) -> Plan:
    without_transport(order, "cursor")
    return cursor.plan_install(order.scope, order.site, order.program, order.receipts)


def _own_hooks(hooks: OwnHooks) -> Installer:
    def install(order: Order) -> Plan:
        without_transport(order, hooks.agent)
        return hooks.plan_install(order.scope, order.site, order.program)

    return Installer(
        install,
        hooks.plan_uninstall,
        lambda site, program, _: hooks.registered(site, program),
        lambda words, site, program, _: hooks.launch(words, site, program),
        hooks.alone,
    )


INSTALLERS: Mapping[str, Installer] = {
    "antigravity": Installer(
        _antigravity,
        antigravity.plan_uninstall,
        lambda site, program, _: antigravity.registered(site, program),
        lambda words, site, program, _: antigravity.launch(words, site, program),
        antigravity.ALONE,
    ),
    "claude-code": Installer(
        _claude, claude_code.plan_uninstall, in_claude, _claude_launch, CLAUDE_ALONE
    ),
    "cline": _own_hooks(CLINE),
    "codex": Installer(
        _codex,
        codex.plan_uninstall,
        lambda site, program, _: codex.in_codex(site, program),
        codex.codex_launch,
        codex.ALONE,
    ),
    "copilot-cli": _own_hooks(COPILOT_CLI),
    "cursor": Installer(
        _cursor,
        cursor.plan_uninstall,
        lambda site, program, _: cursor.registered(site, program),
        lambda words, site, program, _: cursor.launch(tuple(words), site, program),
        cursor.ALONE,
    ),
    "gemini-cli": Installer(
        partial(_relative, GEMINI_CLI),
        GEMINI_CLI.plan_uninstall,
        lambda site, program, _: in_relative(GEMINI_CLI, site, program),
        lambda words, site, program, _: gemini_launch(words, site, program),
        GEMINI_ALONE,
    ),
    "opencode": Installer(
        _opencode,
        opencode_plugin.plan_uninstall,
        lambda site, program, _: opencode_plugin.registered(site, program),
        lambda words, site, program, _: opencode_plugin.launch(words, site, program),
        opencode_plugin.ALONE,
    ),
    "pi": Installer(
        _pi,
        pi_extension.plan_uninstall,
        lambda site, program, _: in_pi(site, program),
        lambda words, site, program, _: pi_launch(words, site, program),
        PI_ALONE,
    ),
    "qwen-code": Installer(
        partial(_relative, QWEN_CODE),
        QWEN_CODE.plan_uninstall,
        lambda site, program, _: in_relative(QWEN_CODE, site, program),
        lambda words, site, program, _: qwen_launch(words, site, program),
        QWEN_ALONE,
    ),
}
