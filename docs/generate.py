"""Writes the pages that are made from the code; `--check` only says which are out of date."""

import sys
from pathlib import Path

from automode.config.schema import page
from automode.guards.pages import guard_pages
from automode.programs.pages import program_pages
from automode.testing import results, switch_results, switch_table

DOCS = Path(__file__).parent
KIT = DOCS.parent / "e2e"
SHOWN = KIT / "results.json"


def pages() -> dict[Path, str]:
    found = {DOCS / "reference" / "config.md": page()}
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
            print(f"out of date: {path.relative_to(DOCS)}; run `make docs`")
        return bool(stale)
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(pages()[path])
    return 0


if __name__ == "__main__":
    sys.exit(main())
