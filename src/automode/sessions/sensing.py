"""The senses of a running desk: patterns, switches, instruction files, agents' own records."""

from collections.abc import Sequence

from automode.facts.claude_record import calls_since_prompt
from automode.facts.instruction_files import instruction_files
from automode.facts.switches import Switch, switches
from automode.sessions.senses import Senses, Suspicion

MOST_SWITCHES_TOLD = 3


def live_senses(home: str, *, system: str = "/etc") -> Senses:
    """Agents keep their own settings in `home` and `system`."""

    def switched(folder: str, agent: str) -> str:
        return switch_text(switches(folder, home=home, agent=agent, system=system))

    return Senses(probed, switched, recorded_calls, instruction_files)


def probed(result: str, tool: str) -> Suspicion | None:
    # Loading the patterns takes its time, and a process that decides one call needs none of them.
    from automode.sessions.probing import suspicion

    return suspicion(result, tool)


def recorded_calls(agent: str, record: str) -> tuple[str, ...] | None:
    """By the file in which the agent itself keeps the session, where it is one that can be read."""
    return calls_since_prompt(record) if agent == "claude-code" else None


def switch_text(found: Sequence[Switch]) -> str:
    """What switches hooks off, and the way out; empty where nothing does."""
    told = [f"`{one.path}`: {one.what}; {one.fix}" for one in found[:MOST_SWITCHES_TOLD]]
    more = len(found) - len(told)
    rest = [f"and {more} more, see `automode doctor`"] if more > 0 else []
    return "; ".join((*told, *rest))
