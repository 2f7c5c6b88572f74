"""What the scenarios showed is kept, and a page is made of it."""

from pathlib import Path

from conformance.results import Shown, of, page, read, write
from conformance.run import End, Played
from conformance.scenarios import SCENARIOS

ALL = frozenset(one.id for one in SCENARIOS)
WHOLE = Shown("1.2.3", ALL, frozenset(), {})
ASKS_NOBODY = Shown(
    "0.1",
    ALL - {"ask-yes", "ask-no", "status-line"},
    frozenset(),
    dict.fromkeys(("ask-yes", "ask-no", "status-line"), "it cannot"),
)
BROKEN = Shown("0.2", ALL - {"daemon-killed"}, frozenset({"daemon-killed"}), {})


def row(text: str, label: str) -> list[str]:
    line = next(line for line in text.splitlines() if line.startswith(f"| `{label}` |"))
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_what_was_played_is_kept_and_read_again(tmp_path: Path) -> None:
    path = str(tmp_path / "results.json")
    played = [
        Played("pi", "allow-runs", End.PASSED),
        Played("pi", "deny-blocks", End.FAILED, "it ran"),
        Played("pi", "child-gated", End.SKIPPED, "pi has no sub-agents"),
        Played("codex", "allow-runs", End.SKIPPED, "codex is not installed"),
    ]

    found = of(played, {"pi": "0.87.1"})
    write(path, found)

    assert read(path) == found
    assert found == {
        "pi": Shown(
            "0.87.1",
            frozenset({"allow-runs"}),
            frozenset({"deny-blocks"}),
            {"child-gated": "pi has no sub-agents"},
        )
    }


def test_the_page_says_what_an_agent_can_do_and_what_not() -> None:
    text = page({"claude-code/http": WHOLE, "codex": ASKS_NOBODY, "pi-old": BROKEN})

    assert row(text, "claude-code/http")[1:] == [
        *("1.2.3", "yes", "yes", "yes", "in front", "yes", "ends", "yes", "yes"),
    ]
    assert row(text, "codex")[1:] == [
        *("0.1", "yes", "denied", "yes", "in front", "no", "denies all", "yes", "yes"),
    ]
    assert row(text, "pi-old")[-2] == "**fails**"
    assert "| `codex` | `ask-yes` | it cannot |" in text
