"""`automode doctor`: looks whether automode really stands between agents and their tools."""

import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import click

from automode.agents.installing.agent_programs import agent_named
from automode.agents.installing.claude_hooks import Http
from automode.agents.installing.installer import installer_of
from automode.agents.installing.site import Program, site_of
from automode.agents.scripted.firing import fires
from automode.cli.daemon import placement_of
from automode.cli.printing import columns, one_line, say, say_json
from automode.cli.status_report import parsers
from automode.cli.surroundings import Surroundings, workspace_at
from automode.doctor.case import AGENTS, Case
from automode.doctor.daemon import kept_port
from automode.doctor.examine import Eyes, examined
from automode.doctor.finding import Finding, Level, sound
from automode.facts.place import home_folder
from automode.store.folder import StateFolder

EXIT_PROBLEM = 1
HOOK_RIGHT = "http"  # the right of hooks over HTTP, and the name of its file
_COMMAND = "automode"
_MARKS = {Level.OK: "ok", Level.WARNING: "WARN", Level.PROBLEM: "PROBLEM"}
_COLOURS = {Level.OK: "green", Level.WARNING: "yellow", Level.PROBLEM: "red"}


def run_doctor(
    surroundings: Surroundings,
    agent: str | None,
    cwd: str | None,
    *,
    starts: bool,
    online: bool,
    as_json: bool,
) -> int:
    """Prints what was found; returns the exit status."""
    agents = AGENTS if agent is None else (agent_named(agent),)
    case = case_of(surroundings, agents, cwd, starts=starts, online=online)
    found = [typed(one, surroundings) for one in examined(case, eyes_of(case))]
    if as_json:
        say_json(findings_data(found))
    else:
        show(found)
    return 0 if sound(found) else EXIT_PROBLEM


def case_of(
    surroundings: Surroundings,
    agents: tuple[str, ...],
    cwd: str | None,
    *,
    starts: bool,
    online: bool,
) -> Case:
    workspace = workspace_at(cwd)
    project = workspace.root
    return Case(
        placement=placement_of(surroundings),
        loaded=surroundings.load(project),
        site=site_of(dict(os.environ), home_folder(), project),
        agents=agents,
        parsers=parsers(),
        starts=starts,
        online=online,
        cwd=workspace.cwd,
    )


def eyes_of(case: Case) -> Eyes:
    placement = case.placement
    program = Program.here(placement.state.path, placement.config)
    http = _http(placement.state)
    return Eyes(
        registered=lambda agent: installer_of(agent).registered(case.site, program, http),
        fires=partial(fires, environment=case.site.environment),
        program=shutil.which(sys.argv[0]) or "",
        account_home=home_folder(),
    )


def _http(folder: StateFolder) -> Http | None:
    """What hooks over HTTP should name; None before there is a port, or a token for it."""
    port = kept_port(folder)
    try:
        with open(folder.token(HOOK_RIGHT), encoding="ascii") as file:
            token = file.read(256).strip()
    except (OSError, UnicodeDecodeError):
        return None
    return Http(port, token) if port is not None and token else None


def typed(finding: Finding, surroundings: Surroundings) -> Finding:
    """The command that mends it has to mean the folders that were looked at."""
    named = (
        ("--state-folder", surroundings.state_folder),
        ("--config-folder", surroundings.config_folder),
    )
    options = [word for name, given in named if given for word in (name, os.path.abspath(given))]
    if not options or not finding.fix.startswith(f"{_COMMAND} "):
        return finding
    words = finding.fix.removeprefix(_COMMAND)
    return replace(finding, fix=f"{_COMMAND} {shlex.join(options)}{words}")


def findings_data(found: Sequence[Finding]) -> dict[str, object]:
    rows = [
        {"check": one.check, "level": one.level.value, "says": one.says, "fix": one.fix or None}
        for one in found
    ]
    return {"sound": sound(found), "findings": rows}


def show(found: Sequence[Finding]) -> None:
    wide = max(len(mark) for mark in _MARKS.values())
    for one in found:
        mark = _MARKS[one.level].ljust(wide)
        start = click.style(mark, fg=_COLOURS[one.level], bold=one.level is not Level.OK)
        say(f"{start}  {one.check}")
        columns([("", one.says)], indent=wide)
        if one.fix:
            # One line, however long: people copy it.
            say(f"{' ' * (wide + 2)}fix:  {one_line(one.fix)}")
    say()
    say(summary(found))


def summary(found: Sequence[Finding]) -> str:
    problems, warnings = (
        sum(one.level is level for one in found) for level in (Level.PROBLEM, Level.WARNING)
    )
    if not problems and not warnings:
        return "everything is in order"
    return f"{_counted(problems, 'problem')}, {_counted(warnings, 'warning')}"


def _counted(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"
