"""All checks in their order, and those of each agent. What cannot be checked is never an ok."""

import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from automode.agents.catalog import ADAPTERS, INSTALLED
from automode.agents.installing.installer import installer_of
from automode.agents.installing.plan import Scope
from automode.agents.installing.site import (
    CLIENT,
    HOOK_MARGIN_SECONDS,
    TIMEOUT_SECONDS,
    AgentProgram,
    Program,
    Registration,
    found_program,
    is_ours,
)
from automode.config.json_edit import parse_json
from automode.config.jsonc import content
from automode.config.trust import trusts_in
from automode.core.errors import AutomodeError, BadSettings
from automode.daemon.placement import UNKNOWN, newer, own_version
from automode.doctor.finding import AGENTS, Case, Finding, checks_of, fine, problem, warning
from automode.doctor.machine import (
    check_confinement,
    check_daemon,
    check_judge,
    check_own,
    check_settings,
    check_store,
)
from automode.facts.switches import switches


def examine(case: Case) -> list[Finding]:
    found = [
        *_look("automode", lambda: check_own(case)),
        *_look("settings", lambda: check_settings(case)),
        *_look("daemon", lambda: check_daemon(case)),
        *_look("records", lambda: check_store(case)),
        *_look("confined calls", lambda: check_confinement(case)),
    ]
    absent: list[str] = []
    for agent in case.agents:
        told = _look(agent, partial(check_agent, agent, case))
        # A named agent is always reported; of the others only those that are installed.
        if not told and case.agents == AGENTS:
            absent.append(agent)
        else:
            found += told or [check_program(agent, None)]
    # Last: an agent that was started has started the daemon as well.
    found += _look("judge", lambda: check_judge(case))
    if not absent:
        return found
    says = f"neither on PATH nor registered: {', '.join(absent)}"
    if len(absent) < len(case.agents):
        return [*found, fine("other agents", says)]
    return [*found, problem("agents", f"{says}; no agent asks automode", "automode install AGENT")]


@dataclass(frozen=True, slots=True)
class Gated:
    """Where an agent's settings name automode; `sound` where at least one of them is whole."""

    where: str
    sound: bool


def gated_agents(case: Case) -> dict[str, Gated]:
    """The agents that ask automode, as far as their settings say."""
    found: dict[str, Gated] = {}
    for agent in AGENTS:
        try:
            places = [
                (f"{one.scope}, broken" if one.wrong else one.scope.value, not one.wrong)
                for one in case.registrations(agent)
            ]
        except AutomodeError:
            places = [("cannot be read", False)]
        places += [("plugin", True)] if checks_of(agent).by_plugin(case) else []
        if places:
            where = "; ".join(text for text, _ in places)
            found[agent] = Gated(where, any(sound for _, sound in places))
    return found


def check_agent(agent: str, case: Case) -> list[Finding]:
    """Nothing of an agent that is neither there nor registered."""
    program = found_program(agent, case.site.environment)
    own = checks_of(agent)
    plugin = own.by_plugin(case)
    places: Sequence[Registration] = ()
    unread: list[Finding] = []
    try:
        places = case.registrations(agent)
    except AutomodeError as error:
        says = f"could not be looked at: {error}"
        unread = [warning(f"{agent}: registered", says, error.hint)]
    if program is None and not places and not plugin:
        return [check_program(agent, None), *unread] if unread else []
    found = [check_program(agent, program), *unread]
    if not unread:
        found += check_registered(agent, places, by_plugin=plugin)
        hold = case.loaded.settings.asks.hold
        found += _look(f"{agent}: asks", lambda: check_hold(agent, places, hold))
    if plugin:
        found += check_plugin(agent, own.plugin, case, hooks=bool(places))
    found += _look(f"{agent}: switches", lambda: check_switches(agent, case))
    found += _look(f"{agent}: modes", lambda: own.modes(case))
    found += _look(f"{agent}: others", lambda: check_others(agent, case))
    if program is not None:
        scopes = [one.scope for one in places]
        found += _look(f"{agent}: fires", lambda: [check_firing(agent, case, program.path, scopes)])
    return found


def _look(check: str, look: Callable[[], Iterable[Finding]]) -> list[Finding]:
    try:
        return list(look())
    except AutomodeError as error:
        return [warning(check, f"could not be looked at: {error}", error.hint)]
    except (OSError, ValueError) as error:
        says = f"could not be looked at ({type(error).__name__})"
        return [warning(check, says, "automode status")]


_RELEASE = re.compile(r"\d+(?:\.\d+)+")


def check_program(agent: str, found: AgentProgram | None) -> Finding:
    """Where the agent's program is, which release, and whether that one was measured."""
    check, known = f"{agent}: program", INSTALLED[agent]
    if found is None:
        says = f"`{known.command}` is not on PATH: it could not be looked at"
        return warning(check, says, f"install {agent}, then: automode install {agent}")
    if not found.version:
        says = f"{found.path} does not say which release it is"
        return warning(check, says, f"{found.path} --version")
    where = f"{found.path}, release {found.says}"
    if newer(known.oldest, found.says):
        says = f"{where}: older than {known.oldest}, the oldest that automode was tried with"
        return warning(check, says, known.update)
    measured = _RELEASE.findall(ADAPTERS[agent].abilities.tested)
    if not measured:
        return fine(check, where)
    near = [one for one in measured if one.partition(".")[0] == found.says.partition(".")[0]]
    if not near:
        says = f"{where}: automode was measured with {measured[0]}, not with this generation"
        return warning(check, says, f"automode doctor {agent}")
    return fine(check, f"{where}; measured with {near[0]}")


def check_registered(
    agent: str, found: Sequence[Registration], *, by_plugin: bool = False
) -> list[Finding]:
    """Where automode is registered with the agent, by which release, and what is wrong with it."""
    check, install = f"{agent}: registered", f"automode install {agent}"
    if not found and by_plugin:
        return [fine(check, "by the plugin")]
    if not found:
        return [problem(check, "not registered: its calls run without being decided", install)]
    return [one for place in found for one in _place(check, place, install)]


def check_hold(agent: str, places: Sequence[Registration], hold: int) -> Iterator[Finding]:
    """Whether an ask can wait as long as the settings say."""
    check, longest = f"{agent}: asks", INSTALLED[agent].abilities.hook_seconds
    for place in places if hold else ():
        with open(place.path, encoding="utf-8", errors="replace") as file:
            waits = Program.written_seconds(file.read())
        wanted = min(hold + TIMEOUT_SECONDS, max(longest, TIMEOUT_SECONDS)) - HOOK_MARGIN_SECONDS
        if waits < wanted:
            says = f"{place.path}: its hook waits {waits} seconds, less than `autoMode.asks.hold`"
            yield warning(check, f"{says} needs", f"automode install {agent} --{place.scope}")
        elif wanted < hold:
            yield fine(check, f"an ask waits less than {wanted} seconds: so long the agent waits")
        else:
            yield fine(check, f"an ask waits up to {hold} seconds for an answer from elsewhere")


def _place(check: str, place: Registration, install: str) -> list[Finding]:
    where, fix = f"{place.path} ({place.scope})", f"{install} --{place.scope}"
    if place.wrong:
        return [problem(check, f"{where}: {sentence}", fix) for sentence in place.wrong]
    mine = own_version()
    if place.version != mine and mine != UNKNOWN:
        says = f"{where}: written by release {place.version or 'unknown'}, this one is {mine}"
        return [warning(check, says, fix)]
    return [fine(check, f"{where}, over {place.transport}, release {place.version}")]


SYSTEM_PROGRAMS = (
    "/opt/homebrew/bin/automode",
    "/usr/local/bin/automode",
    "/usr/bin/automode",
)
"""Where plugins look for automode after `~/.local/bin/automode`; each has the same list. A project
can move `PATH` and `HOME`, so they look at neither."""


def check_plugin(agent: str, what: str, case: Case, *, hooks: bool) -> list[Finding]:
    """`what`: the agent's word for it. `hooks`: `automode install` put automode in as well. It
    looks in the account's home."""
    check, folder = f"{agent}: {what}", f"{case.account_home}/.local/bin"
    found = _find_command(folder)
    if found is None:
        make = f"mkdir -p {folder} && ln -s {case.program} {folder}/automode"
        says = "it is on, but finds no automode where it looks: every call is denied"
        return [problem(check, says, make if case.program else "pipx install FOLDER_OF_AUTOMODE")]
    both = f"by `automode install` and by the {what}: every call is decided twice"
    twice = [warning(check, both, f"automode uninstall {agent}")] if hooks else []
    return [fine(check, f"on; it finds {found}"), *twice]


def _find_command(folder: str) -> str | None:
    places = (f"{folder}/automode", *SYSTEM_PROGRAMS)
    return next((one for one in places if os.path.isfile(one) and os.access(one, os.X_OK)), None)


LEFT = "`automode audit list` shows that session and its denied call"
"""Nobody should wonder later who wanted to approve something."""


def check_firing(agent: str, case: Case, program: str, scopes: Sequence[Scope]) -> Finding:
    """Whether the agent really asks automode: it is started on a scripted model that makes a call.
    Only what is in the account's own settings can be taken along to where it is started."""
    check = f"{agent}: fires"
    untried = f"NOT TRIED whether {agent} really asks automode"
    if not case.starts or case.fires is None:
        return warning(check, f"{untried}: it was not started", f"automode doctor {agent}")
    if Scope.USER not in scopes:
        says = f"{untried}: it is not registered in the account's own settings"
        return warning(check, says, f"automode install {agent}")
    found = case.fires(agent, program)
    if not found.ok:
        says = f"started on a scripted model: {found.detail}"
        return problem(check, says, f"automode install {agent}")
    return fine(check, f"{found.detail}; {LEFT}")


UNSET = ("", "0", "false")


def check_switches(agent: str, case: Case) -> list[Finding]:
    """What in this project or account takes the gate out of the agent's way."""
    check, site = f"{agent}: switches", case.site
    trusts = trusts_in(case.placement.places(None).trust_file)
    found = [
        (warning if one.asks else problem)(
            check, f"{one.path}: {one.what}", f"{_edit(one.path)}  # {one.fix}"
        )
        for one in switches(
            case.start, home=site.home, agent=agent, environment=site.environment, trusts=trusts
        )
    ]
    found += [
        problem(check, f"{name} is set: {agent} runs no hooks", f"unset {name}")
        for name in INSTALLED[agent].disarming.silencing
        if site.environment.get(name, "") not in UNSET
    ]
    clear = f"nothing in {case.start} or this account switches the gate off"
    return found or [fine(check, clear)]


def _edit(path: str) -> str:
    return f"${{EDITOR:-vi}} {shlex.quote(path)}"


LARGEST_BYTES = 1 << 20
MOST_SHOWN = 10
_DOES = {
    "proposed": "can rewrite a call after it was decided",
    "sought": "can answer in the person's place what automode asks them",
}


def check_others(agent: str, case: Case) -> list[Finding]:
    """Hooks and extensions of others that answer when the agent proposes a call."""
    check, installer = f"{agent}: others", installer_of(agent)
    path = installer.hooks_file(case.site)
    events = INSTALLED[agent].events.items()
    does = {event: _DOES[kind] for event, kind in events if kind in _DOES}
    found = list(_hooks(path, does) if path else _files(installer.hooks_folder(case.site)))
    if not found:
        return [fine(check, "no other program answers in this account")]
    left = len(found) - MOST_SHOWN
    more = [warning(check, f"and {left} more")] if left > 0 else []
    return [warning(check, says, fix) for says, fix in found[:MOST_SHOWN]] + more


def _hooks(path: str, events: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The project's own are found with the switches."""
    try:
        with open(path, "rb") as file:
            settings = content(parse_json(file.read(LARGEST_BYTES).decode() or "{}"))
    except FileNotFoundError:
        return
    except (OSError, ValueError, BadSettings):
        yield f"{path} cannot be read, so it is unknown who else answers", _edit(path)
        return
    for event, does in events.items():
        for handler in _handlers(settings, event):
            match handler:
                case {"command": str(text)} | {"url": str(text)}:
                    who = " ".join(text.split())
                case _:
                    who = "of an unknown kind"
            if not is_ours(handler):
                short = who if len(who) <= 60 else f"{who[:59]}…"
                yield f"{path}: another hook at {event} ({short}) {does}", _edit(path)


def _handlers(settings: object, event: str) -> Iterator[object]:
    match settings:
        case {"hooks": {**events}}:
            groups = events.get(event)
        case _:
            return
    for group in groups if isinstance(groups, list) else ():
        match group:
            case {"hooks": [*handlers]}:
                yield from handlers
            case {"command": _}:  # Cursor has no groups
                yield group
            case _:
                continue


def _files(folder: str) -> Iterator[tuple[str, str]]:
    try:
        names = sorted(os.listdir(folder))
    except FileNotFoundError:
        return
    except OSError as error:
        yield f"{folder} cannot be read ({error.strerror})", f"ls -ld {shlex.quote(folder)}"
        return
    for name in names:
        path = os.path.join(folder, name)
        if not name.startswith((".", "automode.")) and not _calls_automode(path):
            says = f"{path} is another extension: it can rewrite a call after it was decided"
            yield says, _edit(path)


def _calls_automode(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return CLIENT.encode() in file.read(LARGEST_BYTES)
    except OSError:
        return False
