"""How findings read, and that they cannot flood or steer a terminal."""

import pytest

from automode.config.settings import (
    MOST_PER_FILE,
    Diagnostic,
    Findings,
    Level,
    Source,
    excerpt,
    printable,
)

SENTENCES = {
    "config.json:12: permissions.deny[3]: expected a pattern, found: 42": Diagnostic(
        Level.ERROR, "config.json", "permissions.deny[3]", 12, "expected a pattern, found: 42"
    ),
    "config.json: cannot be read (check it)": Diagnostic(
        Level.ERROR, "config.json", "", None, "cannot be read", "check it"
    ),
    "a\\x1bb:1: k\\n: m": Diagnostic(Level.NOTE, "a\x1bb", "k\n", 1, "m"),
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_finding_reads_as_one_line(sentence: str) -> None:
    assert str(SENTENCES[sentence]) == sentence


@pytest.mark.parametrize(
    ("text", "shown"),
    [("plain é 😀", "plain é 😀"), ("\x1b[2J", "\\x1b[2J"), ("\u202e", "\\u202e")],
)
def test_what_could_steer_a_terminal_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_long_text_is_cut() -> None:
    assert excerpt("x" * 1000) == "x" * 60 + "…"


def test_a_flood_is_counted_but_the_first_that_closes_is_kept() -> None:
    findings = Findings(Source.SHARED, "f")
    for _ in range(MOST_PER_FILE + 5):
        findings.add(Level.ERROR, "k", 1, "unknown key")
    findings.add(Level.ERROR, "permissions.deny[0]", 2, "wrong", closes=True)
    findings.add(Level.ERROR, "permissions.deny[1]", 2, "wrong", closes=True)

    found = findings.all()

    assert len(found) == MOST_PER_FILE + 2
    assert [one.key for one in found if one.closes] == ["permissions.deny[0]"]
    assert found[-1].message == "and 6 more findings in this file"
