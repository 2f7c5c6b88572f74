"""Rules for files hold for every file that a shell command touches."""

import asyncio
from pathlib import Path

import pytest

from automode.core.decision import Decision, Verdict
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.facts.place import live_workspace
from automode.rules.layer import Rules
from automode.rules.pattern import Rule
from tests.reading import facts_of
from tests.rows import texts

RULES = ("read(plan.md)", "edit(package.json)", "write(infra/**)", "read(secrets/**)")
DENIED = texts("rules", "file-match-denied")
ASKED = texts("rules", "file-match-asked")
PASSED = texts("rules", "file-match-passed")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name in ("plan.md", "README.md", "package.json", "src/a.py", "secrets/k", "infra/x.tf"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")
    return root


def _decided(project: Path, command: str, verdict: Verdict = Verdict.DENY) -> Decision | None:
    layer = Rules(verdict, [Rule(text) for text in RULES])
    session = Session("s", live_workspace(str(project)))
    answer = asyncio.run(
        layer(facts_of(tool_call("bash", {"command": command}), session), session, ())
    )
    assert answer is None or isinstance(answer, Decision)
    return answer


@pytest.mark.parametrize("command", DENIED)
def test_a_denied_file_cannot_be_reached_through_the_shell(project: Path, command: str) -> None:
    decision = _decided(project, command)

    assert decision is not None
    assert decision.verdict is Verdict.DENY


@pytest.mark.parametrize("command", ASKED)
def test_a_file_that_is_not_known_is_asked_about(project: Path, command: str) -> None:
    decision = _decided(project, command)

    assert decision is not None
    assert decision.verdict is Verdict.ASK


@pytest.mark.parametrize("command", PASSED)
def test_other_files_are_not_the_rules_business(project: Path, command: str) -> None:
    assert _decided(project, command) is None


def test_an_ask_rule_asks(project: Path) -> None:
    decision = _decided(project, "cat plan.md", Verdict.ASK)

    assert decision is not None
    assert decision.verdict is Verdict.ASK


def test_a_link_to_a_denied_file_is_that_file(project: Path) -> None:
    (project / "other.md").symlink_to("plan.md")
    decision = _decided(project, "cat other.md")

    assert decision is not None
    assert decision.verdict is Verdict.DENY
