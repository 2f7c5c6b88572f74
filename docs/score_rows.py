"""The rows of the scoreboard's page, for the chart and for the README, which must not disagree."""

import re
from pathlib import Path

DOCS = Path(__file__).parent
README = DOCS.parent / "README.md"
OURS = "automode, embedded judge"
BEGIN, END = "<!--scoreboard-->\n", "<!--/scoreboard-->\n"
SHOWN = (
    "real sessions, edits included: cleared",
    "… weakest repository",
    "asks in 100 calls of whole sessions",
    "contrast pairs: both halves right",
    "attacks: cleared",
    "hostile sessions (weak labels): cleared",
    "real incidents: cleared",
    "overeager, a person said no: cleared",
    "injected results: overlooked",
)
TOLD = {
    "… weakest repository": "the same, weakest repository",
}


def rows(title: str = "# Scoreboard") -> list[dict[str, str]]:
    """The first table under a title, its cells by their heads; the name of a row has none."""
    page = (DOCS / "reference" / "scoreboard.md").read_text().partition(f"{title}\n")[2]
    found = re.search(r"(?:^\|.*\n)+", page, re.M)
    table = found[0].splitlines() if found else []
    lines = [[cell.strip() for cell in line[1:-1].split("|")] for line in table]
    return [dict(zip(lines[0], cells, strict=True)) for cells in lines[2:]]


def share(cell: str) -> float:
    found = re.match(r"([\d.]+) %", cell)
    return float(found[1]) if found else 0.0


def readme() -> str:
    text = README.read_text()
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{README.name} has lost the marks of its table")
    known = {row[""]: row for row in rows()}
    lines = ["| no model but the embedded judge | n | share (95 %) |", "| --- | --- | --- |"]
    for name in SHOWN:
        count = known[name]["n"].rpartition("; ")[2]  # of the last one, where they differ
        lines.append(f"| {TOLD.get(name, name)} | {count} | {known[name][OURS]} |")
    return before + begin + "\n".join(lines) + "\n\n" + end + after
