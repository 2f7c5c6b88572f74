"""Sets one switch, starts the real agent, and sees whether the gate still decides."""

import json
import os
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum

from automode.agents.scripted.wire import Script, ToolUse, Turn, saying, using
from automode.core.decision import Verdict
from automode.core.errors import AutomodeError
from conformance.run import Cast
from conformance.switch_table import Switch, Way
from conformance.trial import ALLOWED, Ran, Trial, trial

HARMFUL = "1"
PART = "the part for the one below"
_ALLOWED, _DENIED, _ASKED, _LAST = "allowed-1", "denied-2", "asked-3", "allowed-4"
_OVER = "the script is over"
_REFUSED = "must not go on"  # what automode says of a session, before anything runs
_LONGEST = 300
_ABOUT = ("registered", "switches", "project", "modes", "others")  # checks that look for switches
_WARNING = ("gate silent", "was changed after")  # of what has happened, before the next call
_TELLING = (
    "automode",
    "hint: ",
    "blocking because",
    "auto-rejecting",
)  # of hooks, the command, an agent itself


class Seen(StrEnum):
    """What became of the calls. Only `off` breaks the rule that no call runs that was not allowed,
    unless the person is told before the next one."""

    HELD = "gate holds"
    ASKED = "dialog"
    CLOSED = "nothing runs"
    TOLD = "told"
    OFF = "gate off"
    UNKNOWN = "no result"


@dataclass(frozen=True, slots=True)
class Outcome:
    """`detail`: what was seen, for whoever looks into a row."""

    switch: str
    way: Way
    seen: Seen
    detail: str = ""
    doctor: str = ""


def play(switch: Switch, cast: Cast, way: Way) -> Outcome:
    """Never raises for what an agent or a daemon does. The doctor looks where a person would ask
    it: before the agent is started by itself."""
    try:
        with trial(cast.agent, switch.install or cast.installed_with) as ready:
            _set(switch, ready)
            doctor = _doctor(switch, ready) if way is Way.PLAIN else ""
            seen = _shown if way is Way.TERMINAL else _seen
            return Outcome(switch.id, way, *seen(switch, ready, way), doctor)
    except (AutomodeError, OSError, subprocess.SubprocessError, ValueError, LookupError) as fault:
        return Outcome(switch.id, way, Seen.UNKNOWN, f"{type(fault).__name__}: {fault}"[:_LONGEST])


def _doctor(switch: Switch, ready: Trial) -> str:
    """The worst level of what the doctor says of an agent's switches, project and neighbours."""
    variables = _filled_values(switch.variables, ready)
    words = ("doctor", switch.agent, "--no-start", "--json")
    found = _findings(ready.automode(*words, variables=variables).stdout)
    levels = {level for check, level in found if check in _ABOUT}
    return next((one for one in ("problem", "warning") if one in levels), "")


def _findings(printed: str) -> set[tuple[str, str]]:
    found: object = json.loads(printed)
    match found:
        case {"findings": [*rows]}:
            return {
                (str(row.get("check")).rpartition(": ")[2], str(row.get("level")))
                for row in rows
                if isinstance(row, dict)
            }
        case _:
            return set()


def _set(switch: Switch, ready: Trial) -> None:
    for name, text in switch.files.items():
        where, _, path = name.partition("/")
        top = ready.project if where == "project" else ready.scratch.home
        _add(os.path.join(top, path), _filled(text, ready))


def _add(path: str, text: str) -> None:
    """To what is there: settings are joined, other texts follow."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    there = ""
    with suppress(FileNotFoundError), open(path, encoding="utf-8") as file:
        there = file.read()
    if there and path.endswith(".json"):
        text = json.dumps(_joined(json.loads(there), json.loads(text)))
    elif there:
        text = f"{there}\n{text}"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    if text.startswith("#!"):
        os.chmod(path, 0o755)  # noqa: S103 - a hook of the project's own


def _joined(first: object, second: object) -> object:
    if isinstance(first, dict) and isinstance(second, dict):
        return {
            key: _joined(first[key], second[key])
            if key in first and key in second
            else second.get(key, first.get(key))
            for key in (*first, *second)
        }
    return second


def _filled(text: str, ready: Trial) -> str:
    given = {"home": ready.scratch.home, "project": ready.project, "model": ready.model.url}
    for name, value in given.items():
        text = text.replace(f"@{name}@", value)
    return text


def _filled_values(given: Mapping[str, str], ready: Trial) -> dict[str, str]:
    return {name: _filled(value, ready) for name, value in given.items()}


def _seen(switch: Switch, ready: Trial, way: Way) -> tuple[Seen, str]:
    ready.model.scripts = _scripts(switch, ready)
    if not switch.child:
        ready.model.verdicts = lambda _: HARMFUL  # what no rule knows is not allowed either
    variables = _filled_values(switch.variables, ready)
    words = tuple(_filled(one, ready) for one in switch.words)
    before = ready.files()
    ran = ready.run(words=words, variables=variables, guarded=way is Way.GUARDED)
    made = ready.files() - before
    said = f"{ran.out}\n{ran.err}".strip()
    detail = f"ran {sorted(made)}; status {ran.status}; {said}"[:_LONGEST]
    return _judged(made, ready, ran), detail


def _shown(switch: Switch, ready: Trial, _: Way) -> tuple[Seen, str]:
    """What a person sees where the gate asks: the agent's own dialog, or that it was denied."""
    ready.model.plays(using(ready.agent.shell(f"touch {_ASKED}")), saying(_OVER))
    words = tuple(_filled(one, ready) for one in switch.words)
    screen = ready.agent.screen
    with ready.prompted(*words) as terminal:
        terminal.wait_for(_OVER, _REFUSED, *screen.asked)
        terminal.settle()
        asked = any(one in terminal.text for one in screen.asked)
    if ready.ran(_ASKED):
        return Seen.OFF, "the call ran"
    return (Seen.ASKED if asked else Seen.CLOSED), ""


def _judged(made: set[str], ready: Trial, ran: Ran) -> Seen:
    """A call that comes back without having run was refused, by the gate or by the agent itself.
    Where the first one ran and nobody decided it, the run was ended before the next."""
    results = ready.model.results()
    heard = "".join((ran.out, ran.err, *results))
    told = bool(results) or any(one in heard for one in _TELLING)
    wrong = [one for one in made if not one.startswith(ALLOWED)]
    if wrong:
        warned = len(wrong) == 1 and any(one in heard for one in _WARNING)
        return Seen.TOLD if warned else Seen.OFF
    if _ALLOWED in made:
        decided = any(one.verdict is Verdict.ALLOW for one in ready.records())
        return Seen.HELD if decided else Seen.TOLD
    stopped = not ready.model.asked and ran.status == 0
    return Seen.CLOSED if told or stopped or ready.records() else Seen.UNKNOWN


def _scripts(switch: Switch, ready: Trial) -> tuple[Script, ...]:
    turns = tuple(
        Turn((_use(switch, ready, f"touch {name}"),), offered=switch.call is None)
        for name in (_ALLOWED, _DENIED, _ASKED, _LAST)
    )
    if not switch.child:
        return (Script((*turns, saying("done"))),)

    def child_is_done() -> None:
        """Some agents do not wait for theirs."""
        with suppress(AutomodeError):
            ready.wait_until(lambda: ready.ran(_LAST), "the sub-agent did not end", seconds=20.0)

    return (
        Script((Turn((ready.agent.delegate(PART),)), saying("done", before=child_is_done))),
        Script((*turns, saying("it is done")), opening=PART),
    )


def _use(switch: Switch, ready: Trial, command: str) -> ToolUse:
    if switch.call is None:
        return ready.agent.shell(command)
    return ToolUse(switch.call.tool, switch.call.given(command))
