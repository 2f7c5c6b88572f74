"""`automode approve`: a person's yes to one denied call, and to nothing else."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import Result

from automode.adapters.seam import CallProposed, Speaker
from automode.assemble import build_service
from automode.cli.surroundings import NOWHERE
from automode.core.decision import Decision, Verdict
from automode.core.record import SessionKey
from automode.store.chain import Chain
from automode.store.changes import Approval
from automode.store.folder import StateFolder, secret
from automode.store.open import reading
from automode.store.retention import purge_session
from automode.store.tables import approvals
from automode.store.writer import Writer
from tests.cli.recorded import keep, needs_a_person, state_folder, writable
from tests.cli.records import kept_session, record

Run = Callable[..., Result]
OWN = SessionKey("cli", "cli-2026-11-16")
DENIED = replace(
    record(2, verdict=Verdict.DENY, source="classifier.deliberate", action="git push --force"),
    clearable=True,
)


@pytest.fixture
def state(tmp_path: Path) -> StateFolder:
    folder = state_folder(tmp_path)
    needs_a_person(folder)
    keep(folder, DENIED)
    return folder


def given(state: StateFolder) -> list[Approval]:
    with reading(state) as db:
        return approvals(db)


def test_a_yes_counts_once_and_for_ten_minutes(automode: Run, state: StateFolder) -> None:
    before = time.time()

    result = automode("approve", "r0000")

    assert result.exit_code == 0, result.output
    assert "approved: one retry, until" in result.stdout
    assert "git push --force" in result.stdout
    [approval] = given(state)
    assert (approval.record, approval.once, approval.consumed) == (DENIED.id, True, None)
    assert approval.expires is not None
    assert before + 600 <= approval.expires <= time.time() + 600


def test_a_yes_may_hold_for_the_session(automode: Run, state: StateFolder) -> None:
    data = json.loads(automode("approve", DENIED.id, "--session", "--json").stdout)

    [approval] = given(state)
    assert (data["record"], data["once"], data["expires"]) == (DENIED.id, False, None)
    assert (approval.once, approval.expires) == (False, None)


def test_a_session_that_has_ended_is_said_to_have(automode: Run, state: StateFolder) -> None:
    keep(state, kept_session(DENIED.session, ended=DENIED.at + 1))

    result = automode("approve", DENIED.id, "--session")

    assert "has ended" in result.stdout
    assert "--resume" in result.stdout
    assert f"automode denials --propose {DENIED.id}" in result.stdout
    assert "Tell the agent" not in result.stdout


def decided(state: StateFolder, project: Path) -> str:
    """What a running system says to `bash deploy.sh` of an agent with nobody there."""
    speaker = Speaker("s1", str(project), attended=False)
    event = CallProposed(speaker, "bash", {"command": "bash deploy.sh"})

    async def asked() -> Decision | None:
        async with Writer(state) as writer:
            desk = build_service(
                writer,
                places=lambda project: NOWHERE,
                key=secret(state.signing_key),
                account="me",
                environment={},
                judged=False,
            )
            try:
                return (await desk.decide(event, "plain")).decision
            finally:
                await desk.close()

    decision = asyncio.run(asked())
    assert decision is not None
    return f"{decision.verdict.word} {decision.source}"


def test_an_approved_call_runs_once_and_only_as_it_was(
    automode: Run, state: StateFolder, project: Path
) -> None:
    script = project / "deploy.sh"
    script.write_text("echo one")
    denied = decided(state, project)
    listed = json.loads(automode("denials", "--json").stdout)
    automode("approve", listed[0]["id"])

    script.write_text("echo two")
    changed = decided(state, project)
    script.write_text("echo one")
    approved, again = decided(state, project), decided(state, project)

    assert denied == "deny gate.undecided"
    assert (changed, approved, again) == (denied, "allow approval", denied)


REFUSED = {
    "rules.deny": ("a deny rule is about it, and nothing lifts one", "change the rule"),
    "floor.delete-root": ("the floor denied it", "for a person to do by hand"),
    "classifier.deliberate": ("a `hard_deny` rule", "autoMode.hard_deny"),
}


@pytest.mark.parametrize("source", REFUSED)
def test_what_nobody_may_permit_is_refused_with_what_to_do_instead(
    automode: Run, state: StateFolder, source: str
) -> None:
    keep(state, record(5, verdict=Verdict.DENY, source=source))

    result = automode("approve", "r00000005")

    why, instead = REFUSED[source]
    assert result.exit_code == 2
    assert why in result.stderr
    assert instead in result.stderr
    assert given(state) == []


def test_what_was_allowed_needs_no_yes(automode: Run, state: StateFolder) -> None:
    keep(state, record(6))

    result = automode("approve", "r00000006")

    assert result.exit_code == 2
    assert "it was allowed" in result.stderr


def test_what_the_command_line_was_asked_waits_for_no_retry(
    automode: Run, state: StateFolder
) -> None:
    asked = record(7, verdict=Verdict.DENY, source="classifier.local", session=OWN)
    keep(state, replace(asked, clearable=True))

    result = automode("approve", "r00000007")

    assert result.exit_code == 2
    assert "no approval counts" in result.stderr
    assert "automode denials --propose r00000007" in result.stderr
    assert given(state) == []


def test_what_was_purged_cannot_be_approved(automode: Run, state: StateFolder) -> None:
    with writable(state) as db, db.transaction():
        purge_session(db, Chain.of(state), DENIED.session, time.time())

    result = automode("approve", DENIED.id)

    assert result.exit_code == 2
    assert "was purged" in result.stderr


def test_an_unknown_record_is_named(automode: Run, state: StateFolder) -> None:
    result = automode("approve", "nothing")

    assert result.exit_code == 2
    assert "no record has the id `nothing`" in result.stderr


def test_an_agent_cannot_approve(state: StateFolder, config: Path, project: Path) -> None:
    command = [sys.executable, "-m", "automode", "--config-folder", str(config)]
    command += ["--state-folder", state.path, "approve", DENIED.id]

    result = subprocess.run(
        command, env=os.environ | {"CLAUDECODE": "1"}, capture_output=True, text=True, cwd=project
    )

    assert result.returncode == 2
    assert "only a person may do this" in result.stderr
    assert given(state) == []
