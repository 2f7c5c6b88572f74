"""The pictures: calls of the demo in a terminal, a chart of one table, how a call is decided."""

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path

from click.testing import CliRunner
from score_rows import rows, share

from automode.cli.main import cli

DOCS = Path(__file__).parent
SHOWN = (2, 8, 9, 11, 14, 15)  # the calls of the demo that the picture shows
MOST_LINES = 5  # of one call
LINE = 19
WIDTH = 860
COLOURS = {"allow": "#3fb950", "ask": "#d29922", "deny": "#f85149", "warning": "#d29922"}
GATES = {
    "real sessions, shell calls: cleared": "good commands asked or denied",
    "attacks: cleared": "bad commands let through",
}
"""The rows of the scoreboard that the chart shows, and how it calls them."""

STEPS = (
    ("#57606a", "agent", "proposes a tool call, by a hook, over HTTP or from an extension"),
    (
        "#57606a",
        "read once",
        "two parsers, the disk, git: the commands, their files, their effects",
    ),
    ("#cf222e", "can only stop", "deny rules, ask rules, the floor: the strictest answer wins"),
    (
        "#1a7f37",
        "can only allow",
        "allow rules, proved reads, workspace edits: the first answer wins",
    ),
    ("#0969da", "weighs the rest", "the model that you chose, or the embedded judge"),
    ("#9a6700", "nobody answered", "ask; unattended, every ask becomes a deny"),
    ("#57606a", "record", "the breaker counts, the audit chain keeps the decision"),
    ("#57606a", "agent", "runs the call, asks you, or reads why not and what to do instead"),
)


def pictures() -> dict[Path, str]:
    return {
        DOCS / "pictures" / "demo.svg": terminal(demo_lines()),
        DOCS / "pictures" / "gates.svg": chart(gates()),
        DOCS / "pictures" / "decision.svg": flow(STEPS),
    }


def gates() -> list[tuple[str, float, float]]:
    """Each gate with the share of good commands that it stops, and of bad ones that it lets
    through."""
    known = {row[""]: row for row in rows("## Other gates, on shell commands alone")}
    good, bad = (known[name] for name in GATES)
    names = [name for name in good if name not in ("", "better", "n")]
    return [(name, 100 - share(good[name]), share(bad[name])) for name in names]


def demo_lines() -> list[str]:
    printed = CliRunner().invoke(cli, ["demo"], catch_exceptions=False).stdout
    before, *calls = re.split(r"^(?= ?\d+\. )", printed, flags=re.MULTILINE)
    lines, said = ["$ automode demo"], ""
    for number, call in enumerate(calls, 1):
        words = re.findall(r"^user says .*", before, re.MULTILINE)
        said, before = (words[-1] if words else said), call
        if number in SHOWN:
            lines += ["", *([said] if said not in lines else [])]
            lines += call.partition("\n\n")[0].splitlines()[:MOST_LINES]
    return lines


def terminal(lines: Sequence[str]) -> str:
    height = LINE * (len(lines) + 2)
    rows = [
        f'<text x="20" y="{LINE * (index + 2)}" fill="{_colour(line)}">{escape(line)}</text>'
        for index, line in enumerate(lines)
    ]
    return _svg(height, "#0d1117", rows, 'font-family="ui-monospace,Menlo,Consolas,monospace"')


def _colour(line: str) -> str:
    word = line.split(maxsplit=1)[0] if line.strip() else ""
    if word in COLOURS:
        return COLOURS[word]
    return "#e6edf3" if word.rstrip(".").isdigit() or word in ("$", "user") else "#9da7b3"


def chart(gates: Sequence[tuple[str, float, float]]) -> str:
    """Two bars a row, in per cent: bad commands let through, good commands stopped or asked."""
    drawn = [
        '<text x="20" y="28" fill="#1f2328" font-weight="bold">real shell calls, attacks</text>'
    ]
    good, bad = GATES.values()
    for column, (colour, words) in enumerate((("#cf222e", bad), ("#0969da", good))):
        left = 240 + column * 260
        drawn.append(f'<rect x="{left}" y="18" width="12" height="12" fill="{colour}"/>')
        drawn.append(f'<text x="{left + 18}" y="28" fill="#1f2328">{words}</text>')
    for index, (name, stopped, missed) in enumerate(gates):
        top = 52 + index * 44
        drawn.append(f'<text x="20" y="{top + 19}" fill="#1f2328">{escape(name)}</text>')
        for offset, colour, value in ((0, "#cf222e", missed), (16, "#0969da", stopped)):
            long, low = round(value * 4.6, 1), top + offset + 11
            drawn.append(
                f'<rect x="300" y="{top + offset}" width="{long}" height="13" fill="{colour}"/>'
            )
            drawn.append(f'<text x="{308 + long}" y="{low}" fill="#1f2328">{value:.2g} %</text>')
    return _svg(60 + 44 * len(gates), "#ffffff", drawn, 'font-family="sans-serif"')


def flow(steps: Sequence[tuple[str, str, str]]) -> str:
    """One step below the other."""
    drawn = [f'<path d="M110 40V{40 + 50 * (len(steps) - 1)}" stroke="#8c959f" stroke-width="2"/>']
    for index, (colour, name, words) in enumerate(steps):
        top = 20 + index * 50
        drawn += [
            f'<rect x="20" y="{top}" width="180" height="36" rx="6" fill="{colour}"/>',
            f'<text x="110" y="{top + 23}" fill="#fff" text-anchor="middle">{escape(name)}</text>',
            f'<text x="220" y="{top + 23}" fill="#1f2328">{escape(words)}</text>',
        ]
    return _svg(20 + 50 * len(steps), "#ffffff", drawn, 'font-family="sans-serif"')


def _svg(height: int, background: str, rows: Sequence[str], font: str) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'font-size="14" {font}><style>text{{white-space:pre}}</style>'
    )
    paper = f'<rect width="{WIDTH}" height="{height}" rx="8" fill="{background}"/>'
    return "\n".join([head, paper, *rows, "</svg>", ""])
