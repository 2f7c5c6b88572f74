"""Writes the pages that are made from the code; `--check` only says which are out of date."""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from api_page import api_page
from guard_pages import guard_pages
from man_page import man_page
from pictures import pictures
from program_pages import program_pages
from score_rows import README, readme

from automode.agents.agent import Agent
from automode.agents.catalog import ADAPTERS, AGENTS
from automode.agents.events import Adapter, Moment
from automode.agents.shared.wording import undecided_text, unscreened_text
from automode.config.keys import ROWS, Row, Rules
from automode.config.settings import Source

DOCS = Path(__file__).parent
KIT = DOCS.parent / "e2e"
sys.path.append(str(KIT))

from conformance import results, switch_results, switch_table

ROOT = DOCS.parent
CLIENT = ROOT / "src/automode/hook/client.py"
BEGIN = "each agent as its own folder describes it: `make docs` writes these tables.\n"
END = "# Up to here.\n"
LONGEST_LINE = 100
SETTINGS = DOCS / "reference" / "config.md"
FIRST_TABLE = "| key | holds | default | environment | meaning |\n| --- | --- | --- | --- | --- |"
EARLIER = """
## Earlier spellings

These are understood and applied, with a finding that names the key to write.

| written | means |
| --- | --- |"""
SHOWN = KIT / "results.json"


def hook_tables(agents: Iterable[Agent]) -> str:
    """What the hook has to know of each agent before it may import anything."""
    known = sorted(agents, key=lambda one: one.name)
    adapters = {one.name: ADAPTERS[one.name] for one in known}
    unread = unscreened_text("@")
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
                if (shape := one.closing_answer(Moment.FINISHED, "@").stdout.replace(unread, "%s"))
            },
        ),
        "DENIALS": (
            "denies a call with a sentence",
            {
                name: one.closing_answer(Moment.PROPOSED, "@").stdout.replace(
                    undecided_text("@"), "%s"
                )
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


def settings_page() -> str:
    """The page as it is, with its two tables made anew."""
    before = SETTINGS.read_text().partition(FIRST_TABLE)[0]
    earlier = [f"| `{one}` | `{row.key}` |" for row in ROWS for one in _earlier_spellings(row)]
    return "\n".join([f"{before}{FIRST_TABLE}", *map(_settings_line, ROWS), EARLIER, *earlier, ""])


def _earlier_spellings(row: Row) -> tuple[str, ...]:
    words = row.key.split("_")
    camel = "".join([words[0], *(word.capitalize() for word in words[1:])])
    return (*row.spellings, *([] if camel == row.key else [camel]))


def _settings_line(row: Row) -> str:
    default = row.absent or f"`{json.dumps(row.default)}`"
    if isinstance(row.kind, Rules):
        default = "the built-in entries" if row.kind.built_in else "`[]`"
    cells = (f"`{row.key}`", row.kind.expects, default, _environment(row), row.meaning)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _environment(row: Row) -> str:
    if Source.ENVIRONMENT not in row.sources:
        return "no"
    if not isinstance(row.kind, Rules):
        return row.order.words
    if not row.kind.tightens:
        return "no"
    return "adds entries" + (", the built-in ones stay" if row.kind.built_in else "")


def pages() -> dict[Path, str]:
    found = {SETTINGS: settings_page(), CLIENT: hook_client(), README: readme()}
    found[DOCS / "reference" / "agents.md"] = results.page(results.read(str(SHOWN)))
    found[DOCS / "reference" / "python-api.md"] = api_page()
    switches = switch_table.read(str(KIT / "switches.toml"))
    seen = switch_results.read(str(KIT / "switches.json"))
    found[DOCS / "reference" / "switches.md"] = switch_results.page(switches, seen)
    for name, text in (guard_pages() | program_pages()).items():
        found[DOCS / "reference" / name] = text
    return found | pictures() | man_page()


def main() -> int:
    made = pages()
    stale = [path for path, text in made.items() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv:
        for path in stale:
            print(f"out of date: {path.relative_to(ROOT)}; run `make docs`")
        return bool(stale)
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(made[path])
    return 0


if __name__ == "__main__":
    sys.exit(main())
