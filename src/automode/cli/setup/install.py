"""`automode install`, `uninstall` and `run`: an agent with automode in front of its tools."""

import difflib
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

import click

from automode.agents.catalog import INSTALLED
from automode.agents.claude_code.launching import named_plugins
from automode.agents.installing.installer import InstallRequest, Start, installer_of, nobody_there
from automode.agents.installing.own_files import folders_named_in
from automode.agents.installing.plan import (
    CannotInstall,
    Change,
    Plan,
    Receipts,
    Scope,
    Transport,
    apply,
)
from automode.agents.installing.site import (
    UNKNOWN,
    AgentProgram,
    Program,
    Site,
    agent_named,
    found_program,
    http_place,
    known_http_place,
    site_of,
    version_of,
)
from automode.agents.pi.install import loose_extension
from automode.cli.daemon import note_ignored, placement_of, refuse_agents
from automode.cli.options import Surroundings, json_option, settings_options, workspace_at
from automode.cli.printing import (
    confirm,
    count_text,
    faint,
    note,
    paragraph,
    say,
    say_json,
    say_more,
    wants_json,
    warn,
)
from automode.cli.sessions import known_sessions
from automode.config.places import RUN_VARIABLE, replace_file
from automode.config.trust import trust_folders, trusts_in
from automode.core.decision import Verdict
from automode.core.errors import BadCall
from automode.core.paths import within
from automode.daemon import lifecycle
from automode.daemon.client import running
from automode.daemon.frames import Tokens
from automode.daemon.placement import Placement
from automode.facts.agent_settings import Switch, Trusts, without_trusted
from automode.facts.claude_mods import CLAUDE, found_mods
from automode.facts.place import home_folder
from automode.facts.project_files import foreign
from automode.facts.switches import switches

MOST_FILES = 5
"""So many are summed up by name."""
LONGEST_NEW_FILE = 200
"""Lines of a file that is shown whole when it is made or goes."""
Function = TypeVar("Function", bound=Callable[..., object])


def change_options(command: Function) -> Function:
    """What `install` and `uninstall` have in common."""
    scopes = (
        (Scope.USER, "For you, in every project (the default)."),
        (Scope.PROJECT, "For you, in this project alone."),
        (Scope.MANAGED, "In the administrator's settings; needs root."),
    )
    options = [
        click.option(f"--{scope}", is_flag=True, expose_value=False, callback=_choose, help=text)
        for scope, text in scopes
    ]
    options += [
        click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing."),
        click.option("--diff", is_flag=True, help="Show every line that changes, not a summary."),
        click.option("--yes", is_flag=True, help="Do not ask; needed when nobody is there."),
        json_option,
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _choose(context: click.Context, option: click.Parameter, given: bool) -> None:  # noqa: FBT001 - click's own shape
    """Becomes the parameter `scope`. Of two that were named either would be a guess."""
    before = context.params.setdefault("scope", None)
    if given and before not in (None, option.name):
        raise BadCall(f"--{before} and --{option.name} exclude each other", "leave one of them out")
    if given:
        context.params["scope"] = option.name


@click.command(
    epilog=f"Agents: {', '.join(INSTALLED)}.",
)
@click.argument("agent", metavar="AGENT")
@click.option(
    "--transport",
    type=click.Choice([Transport.HTTP.value, Transport.COMMAND.value]),
    help="How Claude Code asks: over HTTP, or by a command per call. Default: what fits it best.",
)
@change_options
@settings_options
@click.pass_obj
def install(
    surroundings: Surroundings,
    agent: str,
    transport: str | None,
    scope: str | None,
    *,
    dry_run: bool,
    diff: bool,
    yes: bool,
) -> None:
    """Put automode in front of the tools of AGENT.

    Sums up what would change and asks. Everything else in the agent's files stays as it is, and
    `automode uninstall` gives them back to the byte. Run it again to repair or update. This command
    is for people: an agent that calls it is denied.
    """
    name, wanted = agent_named(agent), Scope(scope or Scope.USER)
    placement = placement_of(surroundings)
    refuse_agents(placement.state)
    note_ignored(surroundings)
    if wanted is Scope.MANAGED and (surroundings.state_folder or surroundings.config_folder):
        note("managed hooks use the folders of each account; yours only keeps the receipt")
    program = program_for(wanted, placement)
    receipts, by = Receipts.of(placement.state.path), transport and Transport(transport)

    def plan(*, making: bool) -> Plan:
        """`making`: the port and the token may be made; else made-up ones stand in their place."""
        find = http_place if making else known_http_place
        site = site_here()
        order = InstallRequest(
            scope=wanted,
            site=site,
            program=program,
            receipts=receipts,
            http=lambda: find(placement.state) or UNKNOWN,
            transport=by or None,
            found=found_program(name, site.environment),
        )
        return installer_of(name).install(order)

    carry_out(plan, placement, "installed", dry_run=dry_run, diff=diff, yes=yes)


def program_for(scope: Scope, placement: Placement) -> Program:
    """Managed settings are one file for all accounts, so each hook looks for its account's own."""
    program = Program.here(placement.state.path, placement.config)
    return program.for_every_account() if scope is Scope.MANAGED else program


def site_here() -> Site:
    return site_of(dict(os.environ), home_folder(), workspace_at(None).root)


def carry_out(
    make_plan: Callable[..., Plan],
    placement: Placement,
    done: str,
    *,
    dry_run: bool,
    diff: bool,
    yes: bool,
) -> None:
    plan = make_plan(making=False)
    # The agents that these files are for may be known to another folder than the one named.
    refuse_agents(placement.state, *folders_named_in(plan))
    if plan.scope is Scope.MANAGED and os.geteuid() != 0:
        raise CannotInstall("only root may change the administrator's settings", "use sudo")
    if not wants_json():
        _show(plan, done, diff=diff)
    if plan.changes and not dry_run:
        if not yes:
            confirm("Change it like this?", "look at it with --dry-run, then pass --yes")
        Tokens.of(placement.state.prepared())  # hooks make none: they close without them
        plan = make_plan(making=True)
        before = {one.real for one in _switches(placement, plan.agent)}
        apply(plan, Receipts.of(placement.state.path))
        if plan.scope is Scope.PROJECT:
            _trust_own(plan, placement, before)
    if wants_json():
        say_json(_data(plan, applied=bool(plan.changes) and not dry_run))
    elif plan.changes and not dry_run:
        say(f"{done}: {plan.agent} ({plan.scope})")
        if done == "installed":
            _say_how_to_go_on(plan, placement)


def _say_how_to_go_on(plan: Plan, placement: Placement) -> None:
    if running(placement.state) is not None:
        say("Restart the daemon so that it protects these files: automode daemon restart")
    _warn_of(_switches(placement, plan.agent))  # nobody would notice them later
    say(f"Restart the agent, then check that it works: automode doctor {plan.agent}")


def _warn_of(found: Sequence[Switch]) -> None:
    for one in found:
        warn(f"{one.path}: {one.what}", one.fix)


def _switches(placement: Placement, agent: str) -> tuple[Switch, ...]:
    site, trusts = site_here(), trusts_in(placement.places(None).trust_file)
    return switches(
        os.getcwd(), home=site.home, agent=agent, environment=site.environment, trusts=trusts
    )


def _trust_own(plan: Plan, placement: Placement, before: set[str]) -> None:
    """The files of a project that hold nothing to look at but what was just shown and written."""
    changed = [os.path.realpath(one.path) for one in plan.changes]
    digests = {
        one.real: one.digest
        for one in foreign(os.getcwd(), home=site_here().home, agent=plan.agent)
        if one.digest and one.real not in before and any(within(path, one.real) for path in changed)
    }
    if digests:
        trust_folders(placement.places(None).trust_file, digests)


def _show(plan: Plan, done: str, *, diff: bool) -> None:
    if diff:
        for change in plan.changes:
            _show_diff(change, plan.secrets)
    else:
        for change in plan.changes[:MOST_FILES]:
            say(f"  {change.path}: {_summary(change)}")
        say_more(len(plan.changes), MOST_FILES)
        if plan.changes:
            verb = done.removesuffix("ed")
            say(faint(f"  `automode {verb} {plan.agent} --diff` shows every line"))
    for remark in plan.notes:
        paragraph(f"note: {remark}")
    if not plan.changes:
        say(f"nothing to change: {plan.agent} ({plan.scope}) is {done} already")


def _show_diff(change: Change, secrets: tuple[str, ...]) -> None:
    if change.before == change.after:
        say(f"{change.path}: {_summary(change)}")
    for line in shown_diff(change, secrets):
        colour = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1])
        say(click.style(line, fg=colour) if colour else line)
    say()


def _summary(change: Change) -> str:
    """What becomes of a file, in a few words."""
    before, after = _lines(change.before, ()), _lines(change.after, ())
    if change.before == change.after:
        return "unchanged; leftovers of an interrupted installation are removed"
    if change.before is None:
        return f"new file, {count_text(len(after), 'line')}"
    if change.after is None:
        return f"deleted, {count_text(len(before), 'line')}"
    signs = [line[0] for line in difflib.unified_diff(before, after, n=0, lineterm="")][2:]
    return f"{count_text(signs.count('+'), 'line')} added, {signs.count('-'):,} removed"


def shown_diff(change: Change, secrets: tuple[str, ...]) -> Iterator[str]:
    """As a person reads it: no token, nothing that moves a terminal's cursor."""
    before, after = _lines(change.before, secrets), _lines(change.after, secrets)
    whole = change.before is None or change.after is None
    if whole and len(before) + len(after) > LONGEST_NEW_FILE:
        what = "new file" if change.before is None else "goes"
        yield f"{change.path}: {what}, {len(before) + len(after)} lines"
        return
    old = change.path if change.before is not None else os.devnull
    new = change.path if change.after is not None else os.devnull
    yield from difflib.unified_diff(before, after, old, new, lineterm="")


def _lines(data: bytes | None, secrets: tuple[str, ...]) -> list[str]:
    text = (data or b"").decode("utf-8", "replace")
    for secret in secrets:
        text = text.replace(secret, "…")
    lines = text.expandtabs(4).splitlines()
    return ["".join(one if one.isprintable() else "?" for one in line) for line in lines]


def _data(plan: Plan, *, applied: bool) -> dict[str, object]:
    return {
        "agent": plan.agent,
        "scope": plan.scope.value,
        "applied": applied,
        "changes": [
            {"path": change.path, "diff": list(shown_diff(change, plan.secrets))}
            for change in plan.changes
        ],
        "notes": list(plan.notes),
    }


@click.command(
    epilog=f"Agents: {', '.join(INSTALLED)}.",
)
@click.argument("agent", metavar="AGENT")
@change_options
@settings_options
@click.pass_obj
def uninstall(
    surroundings: Surroundings,
    agent: str,
    scope: str | None,
    *,
    dry_run: bool,
    diff: bool,
    yes: bool,
) -> None:
    """Take automode out of AGENT again.

    A file that nobody touched since is given back to the byte; from one that somebody did exactly
    automode's entries go. Records, settings and tokens stay. This command is for people: an agent
    that calls it is denied.
    """
    name, wanted = agent_named(agent), Scope(scope or Scope.USER)
    placement = placement_of(surroundings)
    refuse_agents(placement.state)
    receipts = Receipts.of(placement.state.path)

    def plan(*, making: bool) -> Plan:
        return installer_of(name).plan_uninstall(wanted, site_here(), receipts)

    carry_out(plan, placement, "uninstalled", dry_run=dry_run, diff=diff, yes=yes)


@click.command(hidden=True)
@click.argument("agent", type=click.Choice(["pi"]))
@settings_options
@click.pass_obj
def extension(surroundings: Surroundings, agent: str) -> None:
    """Write automode's extension for AGENT into the state folder, and print its path.

    Pi's package loads it from there whenever Pi starts.
    """
    placement = placement_of(surroundings)
    Tokens.of(placement.state.prepared())
    path, data = loose_extension(Program.here(placement.state.path, placement.config))
    replace_file(path, data)
    say(path)


@click.command(
    epilog=f"Agents: {', '.join(INSTALLED)}.",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.option(
    "--program",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="The agent's program, where it is not on the PATH.",
)
@settings_options
@click.argument("agent", metavar="AGENT")
@click.argument("arguments", metavar="[ARGS]...", nargs=-1, type=click.UNPROCESSED)
@click.pass_obj
def run(
    surroundings: Surroundings, agent: str, arguments: tuple[str, ...], program: str | None
) -> None:
    """Start AGENT with ARGS, guarded.

    Works where automode is not installed, too. A project that switches hooks off does not get its
    way: with nobody there the agent is not started at all; nor with you there, where something
    could answer in automode's place and nobody has looked (`automode trust --project`). With
    nobody there a halt is printed, and the exit status is 30. This command is for people: an
    agent that calls it is denied.
    """
    name = agent_named(agent)
    placement = placement_of(surroundings)
    refuse_agents(placement.state)  # it might name settings of its own
    site = site_here()
    found = _program(name, program, site)
    own = Program.here(placement.state.path, placement.config)
    installer = installer_of(name)
    launch = installer.launch(Start(tuple(arguments), site, own, found))
    terminal = sys.stdin is not None and sys.stdin.isatty()
    alone = nobody_there(installer.about.alone, arguments, terminal=terminal)
    found_here = _switches(placement, name)
    if name == CLAUDE:
        trusts = trusts_in(placement.places(None).trust_file)
        found_here = (*_plugins(arguments, site, trusts), *found_here)
    _refuse_or_warn(found_here, alone=alone)
    lifecycle.start_detached(placement)
    if launch.file is not None:
        replace_file(*launch.file)
    sys.stdout.flush()
    environment = {**os.environ, **dict(launch.variables)}
    words = [found.path, *launch.words]
    if not alone:
        os.execve(found.path, words, environment)  # noqa: S606 - that is the task
    sys.exit(_run_alone(surroundings, words, environment))


def _run_alone(
    surroundings: Surroundings, words: Sequence[str], environment: Mapping[str, str]
) -> int:
    """The exit status of an agent that nobody watches; that of a halt, with the reason, where a
    session of it was halted: most agents then end as if all were well."""
    run = secrets.token_hex(16)
    child = subprocess.Popen(words, env={**environment, RUN_VARIABLE: run})  # noqa: S603 - the task

    def hand_on(number: int, _frame: object) -> None:
        child.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, hand_on)
    for number in (signal.SIGINT, signal.SIGQUIT):  # the terminal sends them to the agent, too
        signal.signal(number, lambda *_: None)
    status = child.wait()
    for one in known_sessions(surroundings):
        if one.halted and one.fields.get("run") == run and not one.text("parent"):
            warn(
                f"automode halted this run: {one.text('lastReason')}",
                f"see `automode status --session {one.name}`",
            )
            from automode.cli.calls.deciding import EXIT_STATUS

            return EXIT_STATUS[Verdict.HALT]
    return status if status >= 0 else 128 - status


def _program(agent: str, named: str | None, site: Site) -> AgentProgram:
    if named is not None:
        path = os.path.abspath(named)
        if not os.access(path, os.X_OK):
            raise CannotInstall(f"no such program: `{path}`", "name another --program")
        return AgentProgram(path, version_of((path,), site.environment))
    found = found_program(agent, site.environment)
    if found is None:
        raise CannotInstall(
            f"no `{INSTALLED[agent].command}` is on the PATH",
            "install it, or name it with --program",
        )
    return found


def _plugins(arguments: Sequence[str], site: Site, trusts: Trusts) -> Iterator[Switch]:
    """Plug-ins that the command line names, as far as anybody can look into them."""
    for one in named_plugins(arguments, site.environment):
        if not os.path.isdir(one):
            what = "a plug-in that cannot be inspected before it is loaded"
            yield Switch(CLAUDE, one, what, "unpack it into a folder, and name that")
        yield from without_trusted(found_mods((), (os.path.abspath(one),)), trusts)


def _refuse_or_warn(found: Sequence[Switch], *, alone: bool) -> None:
    stops = found if alone else [one for one in found if one.blinds]
    if stops:
        listed = "; ".join(f"{one.path}: {one.what}" for one in stops)
        raise CannotInstall(f"automode can be led around here: {listed}", stops[0].fix)
    _warn_of(found)
