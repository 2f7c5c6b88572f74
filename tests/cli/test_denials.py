"""`automode denials`: what was denied lately, and what would clear it."""

import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import Result

from automode.core.decision import Verdict
from automode.core.record import SessionKey
from automode.store.changes import Approved
from automode.store.folder import StateFolder
from tests.cli.recorded import keep, state_folder
from tests.cli.records import record

Run = Callable[..., Result]
OTHER = SessionKey("codex", "7f00")
DENIED = replace(
    record(2, verdict=Verdict.DENY, source="classifier.deliberate", action="git push --force"),
    clearable=True,
    reason="nobody asked for a push",
    at=time.time() - 5.5 * 86_400,
)


@pytest.fixture
def state(tmp_path: Path) -> StateFolder:
    folder = state_folder(tmp_path)
    floor = record(3, verdict=Verdict.DENY, source="floor.delete-root", session=OTHER)
    halted = record(4, verdict=Verdict.HALT, source="breaker.total")
    keep(folder, record(1), DENIED, floor, replace(halted, clearable=True))
    return folder


def listed(result: Result) -> list[dict[str, object]]:
    assert result.exit_code == 0, result.output
    found: list[dict[str, object]] = json.loads(result.stdout)
    return found


def test_denials_are_listed_newest_first(automode: Run, state: StateFolder) -> None:
    found = listed(automode("denials", "--json"))

    assert [one["id"] for one in found] == ["r00000004", "r00000003", "r00000002"]
    assert [one["kind"] for one in found] == ["setup", "hard-deny", "classifier"]
    assert [one["approvable"] for one in found] == [True, False, True]


def test_one_session_and_so_many(automode: Run, state: StateFolder) -> None:
    assert [
        one["id"] for one in listed(automode("denials", "--session", "codex/7f00", "--json"))
    ] == ["r00000003"]
    assert len(listed(automode("denials", "--limit", "1", "--json"))) == 1


def test_a_denial_says_who_why_and_what_would_clear_it(automode: Run, state: StateFolder) -> None:
    said = " ".join(automode("denials").stdout.split())

    for part in (
        "r00000002 deny classifier.deliberate, 5 d ago",
        "action Bash git push --force",
        "reason nobody asked for a push",
        "`automode approve r00000002`",
        "`automode denials --propose r00000002`",
        "the floor denied it (`floor.delete-root`), and nobody may permit that",
    ):
        assert part in said


def test_for_what_the_command_line_was_asked_no_approval_is_offered(
    automode: Run, tmp_path: Path
) -> None:
    asked = replace(DENIED, session=SessionKey("cli", "cli-2026-11-16"))
    keep(state_folder(tmp_path), asked)

    said = " ".join(automode("denials").stdout.split())
    (one,) = listed(automode("denials", "--json"))

    assert "automode approve" not in said
    assert "it was asked on the command line" in said
    assert f"`automode denials --propose {asked.id}`" in said
    assert one["approvable"] is False
    assert "command line" in str(one["refusal"])


def test_a_number_that_is_none_is_named(automode: Run, state: StateFolder) -> None:
    result = automode("denials", "--limit", "x")

    assert result.exit_code == 2
    assert "`x` is not a valid whole number" in result.stderr


def approval(**changed: object) -> Approved:
    now = time.time()
    key = DENIED.session
    made = Approved("a1", now, key, DENIED.id, "d", once=True, expires=now + 86_400)
    return replace(made, **changed)  # type: ignore[arg-type]  # fields of Approved


STATES = {
    "waiting": (approval(), "approved until"),
    "for the session": (approval(once=False, expires=None), "for the rest of the session"),
    "expired": (approval(expires=1.0), "`automode approve r00000002`"),
}


@pytest.mark.parametrize(("given", "said"), STATES.values(), ids=STATES.keys())
def test_an_approval_is_shown_as_long_as_it_counts(
    automode: Run, state: StateFolder, given: Approved, said: str
) -> None:
    keep(state, given)

    text = " ".join(automode("denials").stdout.split())
    [found] = [one for one in listed(automode("denials", "--json")) if one["id"] == DENIED.id]

    assert said in text
    assert found["approval"] == {"once": given.once, "expires": given.expires, "consumed": None}


def test_no_denial_is_said_in_words(automode: Run, tmp_path: Path) -> None:
    keep(state_folder(tmp_path), record(1))

    assert automode("denials").stdout == "nothing was denied\n"


@pytest.mark.parametrize("words", [["--write"], ["--choice", "1"]])
def test_only_a_proposal_can_be_written(
    automode: Run, state: StateFolder, words: list[str]
) -> None:
    result = automode("denials", *words)

    assert result.exit_code == 2
    assert "--propose" in result.stderr
