"""Writes the pages that are made from the code; `--check` only says which are out of date."""

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from program_pages import program_pages

from automode.agents.agent import Agent
from automode.agents.catalog import ADAPTERS, AGENTS
from automode.agents.events import Adapter, Moment
from automode.agents.shared.wording import undecided, unseen
from automode.config.schema import page
from automode.guards.floor.pages import guard_pages

DOCS = Path(__file__).parent
KIT = DOCS.parent / "e2e"
sys.path.append(str(KIT))

from conformance import results, switch_results, switch_table

ROOT = DOCS.parent
CLIENT = ROOT / "src/automode/hook/client.py"
BEGIN = "each agent as its own folder describes it: `make docs` writes these tables.\n"
END = "# Up to here.\n"
LONGEST_LINE = 100
SHOWN = KIT / "results.json"


def hook_tables(agents: Iterable[Agent]) -> str:
    """What the hook has to know of each agent before it may import anything."""
    known = sorted(agents, key=lambda one: one.name)
    adapters = {one.name: ADAPTERS[one.name] for one in known}
    tables: dict[str, tuple[str, dict[str, object]]] = {
        "NOBODY_THERE": (
            "with which nobody is there",
            {
                one.name: tuple(text.encode() for text in one.unattended_variable)
                for one in known
                if one.unattended_variable
            },
        ),
        "BY_TERMINAL": (
            "their terminal is looked at; words for one prompt with nobody there",
            {
                one.name: tuple(text.encode() for text in one.unattended_options)
                for one in known
                if one.unattended_options
            },
        ),
        "UNSEEN": (
            "puts a sentence beside a result that nobody could look at",
            {
                name: shape
                for name, one in adapters.items()
                if (shape := one.closed(Moment.FINISHED, "@").stdout.replace(unseen("@"), "%s"))
            },
        ),
        "DENIALS": (
            "denies a call with a sentence",
            {
                name: one.closed(Moment.PROPOSED, "@").stdout.replace(undecided("@"), "%s")
                for name, one in adapters.items()
            },
        ),
    }
    return "".join(_table(name, *table) for name, table in tables.items()) + _deadlines(adapters)


def _deadlines(adapters: Mapping[str, Adapter]) -> str:
    times = {name: one.abilities.deadline_ms for name, one in adapters.items()}
    usual = Counter(times.values()).most_common(1)[0][0]
    others = "".join(f', "{name}": {ms:_}' for name, ms in times.items() if ms != usual)
    return f"DEADLINES_MS = {{**dict.fromkeys(DENIALS, {usual:_}){others}}}\n"


def _table(name: str, about: str, rows: dict[str, object]) -> str:
    """Agents with the same row share a line, where it is short enough."""
    sharing: dict[object, list[str]] = {}
    for agent, row in rows.items():
        sharing.setdefault(row, []).append(f'"{agent}"')
    lines: list[str] = []
    for row, agents in sharing.items():
        shared = f"**dict.fromkeys(({', '.join(agents)}), {_written(row)})"
        fits = len(agents) > 1 and len(shared) + 5 <= LONGEST_LINE
        lines += [shared] if fits else [f"{agent}: {_written(row)}" for agent in agents]
    return f"{name} = {{  # {about}\n{''.join(map(_line, lines))}}}\n"


def _line(entry: str) -> str:
    return f"    {entry},{'  # noqa: E501' if len(entry) + 5 > LONGEST_LINE else ''}\n"


def _written(row: object) -> str:
    match row:
        case tuple():
            words = (f'b"{one.decode()}"' for one in row)
            return f"({', '.join(words)})"
        case _:
            return repr(row)


def hook_client() -> str:
    before, _, rest = CLIENT.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    return f"{before}{BEGIN}{hook_tables(AGENTS.values())}{end}{after}"


def pages() -> dict[Path, str]:
    found = {DOCS / "reference" / "config.md": page(), CLIENT: hook_client()}
    found[DOCS / "reference" / "agents.md"] = results.page(results.read(str(SHOWN)))
    switches = switch_table.read(str(KIT / "switches.toml"))
    seen = switch_results.read(str(KIT / "switches.json"))
    found[DOCS / "reference" / "switches.md"] = switch_results.page(switches, seen)
    for name, text in (guard_pages() | program_pages()).items():
        found[DOCS / "reference" / name] = text
    return found


def main() -> int:
    stale = [
        path for path, text in pages().items() if not path.exists() or path.read_text() != text
    ]
    if "--check" in sys.argv:
        for path in stale:
            print(f"out of date: {path.relative_to(ROOT)}; run `make docs`")
        return bool(stale)
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(pages()[path])
    return 0


if __name__ == "__main__":
    sys.exit(main())
