"""The senses of a running desk: patterns, switches, instruction files, agents' own records."""

import os
from collections.abc import Mapping, Sequence

from automode.config.trust import trusts_in
from automode.facts.claude_record import calls_since_prompt, marked_prompts
from automode.facts.gemini_record import made_by_commands
from automode.facts.instruction_files import instruction_files
from automode.facts.switch import Switch
from automode.facts.switches import stamp_around, switches
from automode.sessions.senses import Senses, Suspicion, Switched

MOST_SWITCHES_TOLD = 3
_KEEPS_A_RECORD = "claude-code"


def live_senses(
    home: str, *, system: str = "/etc", trust_file: str = "", installed: Sequence[str] = ()
) -> Senses:
    """Agents keep their own settings in `home` and `system`, or beside the files that automode was
    `installed` into. `trust_file` says what a person has looked at."""
    trusts = trusts_in(trust_file)
    environment = moved_folders(installed)

    def switched(folder: str, agent: str) -> Switched:
        off = switches(
            folder, home=home, agent=agent, environment=environment, system=system, trusts=trusts
        )
        found = sorted(off, key=lambda one: not one.blinds)
        blinds, asks = any(one.blinds for one in off), any(one.asks for one in off)
        return Switched(switch_text(found), blinds, asks)

    def stamp(folder: str, agent: str) -> str:
        return stamp_around(folder, home=home, agent=agent, environment=environment)

    known = (probed, switched, recorded_calls, instruction_files, recorded_prompts)
    return Senses(*known, stamp)


def moved_folders(installed: Sequence[str]) -> Mapping[str, str]:
    """Where Claude Code keeps its own files, where that is not below the home folder."""
    folders = (os.path.split(path) for path in installed)
    found = [folder for folder, name in folders if name == "settings.json" and "claude" in folder]
    return {"CLAUDE_CONFIG_DIR": found[0]} if found else {}


def probed(result: str, tool: str) -> Suspicion | None:
    # Loading the patterns takes its time, and a process that decides one call needs none of them.
    from automode.sessions.probing import suspicion

    return suspicion(result, tool)


def recorded_calls(agent: str, record: str) -> tuple[str, ...] | None:
    """By the file in which the agent itself keeps the session, where it is one that can be read."""
    return calls_since_prompt(record) if agent == _KEEPS_A_RECORD else None


def recorded_prompts(agent: str, record: str, prompts: Sequence[str]) -> Mapping[str, bool] | None:
    match agent:
        case "claude-code":
            return marked_prompts(record, prompts)
        case "gemini-cli":
            return made_by_commands(record, prompts)
        case _:
            return None


def switch_text(found: Sequence[Switch]) -> str:
    """What leads around the gate, and the way out; empty where nothing does."""
    told = [f"`{one.path}`: {one.what}; {one.fix}" for one in found[:MOST_SWITCHES_TOLD]]
    more = len(found) - len(told)
    rest = [f"and {more} more, see `automode doctor`"] if more > 0 else []
    return "; ".join((*told, *rest))
