"""`automode denials` and `approve`: what was denied, what would clear it, a person's yes."""

import asyncio
import json
import time
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import Result

from automode.agents.events import CallProposed, SessionRef
from automode.agents.scripted import CANARY
from automode.assemble import build_service
from automode.cli.options import NOWHERE
from automode.core.decision import Decision, Verdict
from automode.core.record import SessionKey
from automode.store.chain import Chain
from automode.store.changes import Approved
from automode.store.folder import StateFolder, secret
from automode.store.open import reading
from automode.store.retention import purge_session
from automode.store.tables import approvals
from automode.store.writer import Writer
from tests.cli.conftest import Run, words_of
from tests.cli.stored import keep, kept_session, record, writable
from tests.rows import each_row

OTHER = SessionKey("codex", "7f00")
DENIED = replace(
    record(2, verdict=Verdict.DENY, source="classifier.deliberate", action="git push --force"),
    clearable=True,
    reason="nobody asked for a push",
    at=time.time() - 5.5 * 86_400,
)


@pytest.fixture
def store(state: StateFolder) -> StateFolder:
    floor = record(3, verdict=Verdict.DENY, source="floor.delete-root", session=OTHER)
    halted = record(4, verdict=Verdict.HALT, source="breaker.total")
    keep(state, record(1), DENIED, floor, replace(halted, clearable=True))
    return state


def listed(result: Result) -> list[dict[str, object]]:
    assert result.exit_code == 0, result.output
    found: list[dict[str, object]] = json.loads(result.stdout)
    return found


def test_denials_are_listed_newest_first(automode: Run, store: StateFolder) -> None:
    found = listed(automode("denials", "--json"))
    one_session = listed(automode("denials", "--session", "codex/7f00", "--json"))

    assert [one["id"] for one in found] == ["r00000004", "r00000003", "r00000002"]
    assert [one["kind"] for one in found] == ["setup", "hard-deny", "classifier"]
    assert [one["approvable"] for one in found] == [True, False, True]
    assert [one["id"] for one in one_session] == ["r00000003"]
    assert len(listed(automode("denials", "--limit", "1", "--json"))) == 1


def test_a_denial_says_who_why_and_what_would_clear_it(automode: Run, store: StateFolder) -> None:
    said = words_of(automode("denials").stdout)

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
    automode: Run, state: StateFolder
) -> None:
    keep(state, record(1), record(2, verdict=Verdict.DENY, action=CANARY))
    nothing = automode("denials").stdout
    asked = replace(DENIED, id="r00000003", session=SessionKey("cli", "cli-2026-11-16"))
    keep(state, asked)

    said = words_of(automode("denials").stdout)
    (one,) = listed(automode("denials", "--json"))

    assert nothing == "nothing was denied\n"  # the doctor's canary is none
    assert "automode approve" not in said
    assert "it was asked on the command line" in said
    assert f"`automode denials --propose {asked.id}`" in said
    assert one["approvable"] is False
    assert "command line" in str(one["refusal"])


def approval(**changed: object) -> Approved:
    now = time.time()
    key = DENIED.session
    made = Approved("a1", now, key, DENIED.id, "d", once=True, expires=now + 86_400)
    return replace(made, **changed)  # type: ignore[arg-type]  # fields of Approved


@each_row(
    "given, said",
    [
        (approval(expires=1.0), "`automode approve r00000002`"),
        (approval(), "approved until"),
        (approval(once=False, expires=None), "for the rest of the session"),
    ],
)
def test_an_approval_is_shown_as_long_as_it_counts(
    automode: Run, store: StateFolder, given: Approved, said: str
) -> None:
    keep(store, replace(given, id=f"a{given.expires}"))

    text = words_of(automode("denials").stdout)
    [found] = [one for one in listed(automode("denials", "--json")) if one["id"] == DENIED.id]

    assert said in text
    assert found["approval"] == {"once": given.once, "expires": given.expires, "consumed": None}


@pytest.fixture
def approvable(state: StateFolder, a_person: None) -> StateFolder:
    keep(state, DENIED)
    return state


def given(approvable: StateFolder) -> list[Approved]:
    with reading(approvable) as db:
        return approvals(db)


def test_a_yes_counts_once_and_for_ten_minutes(automode: Run, approvable: StateFolder) -> None:
    before = time.time()

    result = automode("approve", "r0000")

    assert result.exit_code == 0, result.output
    assert "approved: one retry, until" in result.stdout
    assert "git push --force" in result.stdout
    [approval] = given(approvable)
    assert (approval.record, approval.once, approval.consumed) == (DENIED.id, True, None)
    assert approval.expires is not None
    assert before + 600 <= approval.expires <= time.time() + 600


def test_a_yes_may_hold_for_the_session(automode: Run, approvable: StateFolder) -> None:
    data = json.loads(automode("approve", DENIED.id, "--session", "--json").stdout)

    [approval] = given(approvable)
    assert (data["record"], data["once"], data["expires"]) == (DENIED.id, False, None)
    assert (approval.once, approval.expires) == (False, None)


def test_a_session_that_has_ended_is_said_to_have(automode: Run, approvable: StateFolder) -> None:
    keep(approvable, kept_session(DENIED.session, ended=DENIED.at + 1))

    result = automode("approve", DENIED.id, "--session")

    assert "has ended" in result.stdout
    assert "--resume" in result.stdout
    assert f"automode approve {DENIED.id} --always" in result.stdout
    assert "Tell the agent" not in result.stdout


def decided(approvable: StateFolder, project: Path) -> str:
    """What a running system says to `bash deploy.sh` of an agent with nobody there."""
    ref = SessionRef("s1", str(project), attended=False)
    event = CallProposed(ref, "bash", {"command": "bash deploy.sh"})

    async def asked() -> Decision | None:
        async with Writer(approvable) as writer:
            service = build_service(
                writer,
                places=lambda project: NOWHERE,
                key=secret(approvable.signing_key),
                account="me",
                environment={},
                judged=False,
            )
            try:
                return (await service.decide(event, "plain")).decision
            finally:
                await service.close()

    decision = asyncio.run(asked())
    assert decision is not None
    return f"{decision.verdict.word} {decision.source}"


def test_an_approved_call_runs_once_and_only_as_it_was(
    automode: Run, approvable: StateFolder, project: Path
) -> None:
    script = project / "deploy.sh"
    script.write_text("echo one")
    denied = decided(approvable, project)
    listed = json.loads(automode("denials", "--json").stdout)
    automode("approve", listed[0]["id"])

    script.write_text("echo two")
    changed = decided(approvable, project)
    script.write_text("echo one")
    approved, again = decided(approvable, project), decided(approvable, project)

    assert denied == "deny gate.undecided"
    assert (changed, approved, again) == (denied, "allow approval", denied)


def test_what_was_purged_cannot_be_approved(automode: Run, approvable: StateFolder) -> None:
    with writable(approvable) as db, db.transaction():
        purge_session(db, Chain.of(approvable), DENIED.session, time.time())

    result = automode("approve", DENIED.id)

    assert result.exit_code == 2
    assert "was purged" in result.stderr
