"""How users limit what is done, and how they speak with the same words without limiting it."""

import tomllib
from pathlib import Path

from automode.judge.consent.asked import Asked
from automode.judge.embedded import read_features
from automode.judge.reading import CallReader
from tests.judge.sessions import bash, saying
from tests.reading import facts_of
from tests.rows import each_row

TABLE = tomllib.loads(Path(__file__).with_name("limits.toml").read_text("utf-8"))
CALLS = {
    "commit": "git commit -qam 'fix totals'",
    "kill": "kill 4711",
    "request": "curl -s localhost:3000/x",
    "delete": "rm -f notes.txt",
    "install": "pip install requests",
    "edit": "sed -i s/a/b/ src/a.py",
}


def _ruled_out(words: str) -> set[str]:
    session = saying(words)
    found = {
        name: read_features(CallReader(), facts_of(bash(call), session), session, ())
        for name, call in CALLS.items()
    }
    return {name for name, seen in found.items() if Asked.FORBIDDEN in seen.deeds.values()}


@each_row("words", TABLE["free"])
def test_words_that_limit_nothing_rule_nothing_out(words: str) -> None:
    assert _ruled_out(words) == set()


@each_row("words, calls", TABLE["limits"])
def test_a_limit_rules_out_what_it_names(words: str, calls: str) -> None:
    assert set(calls.split()) <= _ruled_out(words)
