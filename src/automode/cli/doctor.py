"""`automode doctor`: checks that agents really ask automode before every tool call."""

import os
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import click

from automode.agents.installing.installer import installer_of
from automode.agents.installing.site import Program, agent_named, known_http_place, site_of
from automode.agents.scripted.firing import fires
from automode.assemble import READER, build_classifier, chosen_model
from automode.classifier.canary import judge_canary
from automode.cli.daemon import placement_of
from automode.cli.model import book_trial, try_out
from automode.cli.options import Surroundings, workspace_at
from automode.cli.printing import attributes, count_text, one_line, paragraph, say, tell
from automode.doctor.examine import examine
from automode.doctor.finding import AGENTS, Case, Finding, Level, sound
from automode.doctor.machine import parsers
from automode.facts.place import home_folder
from automode.llm.ledger import Ledger
from automode.llm.prices import cost_beside
from automode.llm.trial import usage_of

EXIT_PROBLEM = 1
_COMMAND = "automode"
_MARKS = {Level.OK: "ok", Level.WARNING: "WARN", Level.PROBLEM: "PROBLEM"}
_COLOURS = {Level.OK: "green", Level.WARNING: "yellow", Level.PROBLEM: "red"}


def run_doctor(
    surroundings: Surroundings,
    agent: str | None,
    cwd: str | None,
    *,
    no_start: bool,
    offline: bool,
    online: bool,
) -> int:
    """Prints what was found; returns the exit status."""
    agents = AGENTS if agent is None else (agent_named(agent),)
    offline = offline and not online
    return examine_agents(surroundings, agents, cwd, no_start=no_start, offline=offline)


def examine_agents(
    surroundings: Surroundings,
    agents: tuple[str, ...],
    cwd: str | None,
    *,
    no_start: bool,
    offline: bool,
) -> int:
    case = replace(
        case_for(surroundings, cwd), agents=agents, starts=not no_start, online=not offline
    )
    found = [with_folders(one, surroundings) for one in examine(case)]
    rows = [attributes(one, "check level says fix?") for one in found]
    tell({"sound": sound(found), "findings": rows}, lambda: show(found))
    return 0 if sound(found) else EXIT_PROBLEM


def case_for(surroundings: Surroundings, cwd: str | None) -> Case:
    workspace, placement = workspace_at(cwd), placement_of(surroundings)
    site = site_of(dict(os.environ), home_folder(), workspace.root)
    program = Program.here(placement.state.path, placement.config)
    http = known_http_place(placement.state)
    return Case(
        placement,
        surroundings.load(workspace.root, daemon=True),
        site,
        parsers=parsers(),
        cwd=workspace.cwd,
        registrations=lambda agent: installer_of(agent).registrations(site, program, http),
        fires=partial(fires, environment=site.environment),
        program=shutil.which(sys.argv[0]) or "",
        account_home=home_folder(),
        keys=surroundings.keys(),
        canary=partial(send_canary, surroundings, workspace.root),
    )


def send_canary(surroundings: Surroundings, root: str) -> Mapping[str, object]:
    """What came of a harmless call: judged by the daemon, or here where none runs. Raises
    AutomodeError. It costs money too, and counts for the day's budget."""

    async def here() -> Mapping[str, object]:
        settings = surroundings.load(root).settings
        model = chosen_model(settings, os.environ, keyring=surroundings.keys())
        ledger = Ledger(price=cost_beside({server.name for server in settings.providers}))
        return await judge_canary(build_classifier(settings, model, ledger=ledger), READER)

    data = try_out(surroundings, "canary", {"root": root}, here)
    if usage_of(data).prompt:
        book_trial(surroundings, str(data["judge"]), data)
    return data


def with_folders(finding: Finding, surroundings: Surroundings) -> Finding:
    """The command that fixes it has to name the folders that were looked at."""
    named = (
        ("--state-folder", surroundings.state_folder),
        ("--config-folder", surroundings.config_folder),
    )
    options = [word for name, given in named if given for word in (name, os.path.abspath(given))]
    if not options or not finding.fix.startswith(f"{_COMMAND} "):
        return finding
    words = finding.fix.removeprefix(_COMMAND)
    return replace(finding, fix=f"{_COMMAND} {shlex.join(options)}{words}")


def show(found: Sequence[Finding]) -> None:
    wide = max(len(mark) for mark in _MARKS.values())
    for one in found:
        mark = _MARKS[one.level].ljust(wide)
        start = click.style(mark, fg=_COLOURS[one.level], bold=one.level is not Level.OK)
        say(f"{start}  {one.check}")
        paragraph(one.says, " " * (wide + 2))
        if one.fix:
            # One line, however long: people copy it.
            say(f"{' ' * (wide + 2)}fix:  {one_line(one.fix)}")
    say()
    say(summary(found))


def summary(found: Sequence[Finding]) -> str:
    levels = [one.level for one in found]
    problems, warnings = levels.count(Level.PROBLEM), levels.count(Level.WARNING)
    if not problems and not warnings:
        return "everything is in order"
    return f"{count_text(problems, 'problem')}, {count_text(warnings, 'warning')}"
