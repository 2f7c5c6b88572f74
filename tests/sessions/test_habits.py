"""What was asked twice and always answered yes, and nothing that anybody ever said no to."""

from dataclasses import replace
from pathlib import Path

import pytest

from automode.assemble import READER
from automode.core.decision import Verdict
from automode.core.record import Record
from automode.sessions.habits import always_yes
from automode.store.changes import Change, Heard
from automode.store.folder import StateFolder
from automode.store.open import reading
from tests.cli.stored import keep, record

Rows = list[tuple[str, int, int]]


def ask(number: int, command: str, digest: str = "") -> Record:
    made = record(number, verdict=Verdict.ASK, action=command, source="classifier.local")
    given = f'{{"command": "{command}"}}'
    return replace(made, input=given, digest=digest or f"d{number}", cwd="/", root="/")


def answered(number: int, source: str, verdict: Verdict, digest: str) -> Record:
    return replace(record(number, verdict=verdict, source=source), digest=digest)


def ran(number: int, command: str, *, approved: bool) -> tuple[Change, ...]:
    session = record().session
    yes = ',"approved":true' if approved else ""
    call = f'"id":"c{number}","tool":"Bash","input":{{"command":"{command}"}}'
    return (
        Heard(session, f'{{"heard":"call",{call}}}'),
        Heard(session, f'{{"heard":"finished","id":"c{number}","outcome":"ok"{yes}}}'),
    )


PUSH = "git push origin topic"
YES_TWICE: list[Change | Record] = [
    ask(1, PUSH, "a"),
    answered(2, "approval", Verdict.ALLOW, "a"),
    ask(3, PUSH, "b"),
    *ran(3, PUSH, approved=True),
]
CASES: dict[str, tuple[list[Change | Record], Rows]] = {
    "approved, and run after the agent's dialog": (YES_TWICE, [(f"bash({PUSH})", 2, 0)]),
    "one yes is no habit": (YES_TWICE[:2], []),
    "one no ends it": ([*YES_TWICE, answered(4, "person.decline", Verdict.DENY, "b")], []),
    "what merely ran was not answered": (
        [ask(1, PUSH), *ran(1, PUSH, approved=False), ask(2, PUSH)],
        [],
    ),
    "a yes to another call says nothing": (
        [ask(1, PUSH), *ran(1, "git push origin main", approved=True), ask(2, PUSH)],
        [],
    ),
}


@pytest.mark.parametrize(("changes", "found"), CASES.values(), ids=CASES)
def test_only_what_was_always_answered_yes_is_a_habit(
    tmp_path: Path, changes: list[Change | Record], found: Rows
) -> None:
    folder = StateFolder(str(tmp_path / "state"))
    keep(folder, *changes)

    with reading(folder) as db:
        habits = always_yes(db, READER, since=0.0)

    assert [(one.rule, one.yes, one.unknown) for one in habits] == found
