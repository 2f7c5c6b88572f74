"""Path patterns: typed and resolved, strict and wide."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.decision import Decision, Verdict
from automode.core.paths import normal
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.facts.place import live_workspace
from automode.rules.input_match import inside, path_covered, path_match, unprotected
from automode.rules.layer import Rules
from automode.rules.pattern import Match, Rule
from tests.reading import facts_of
from tests.rows import each_row, either, rows, texts

RULES = ("read(plan.md)", "edit(package.json)", "write(infra/**)", "read(secrets/**)")
SHELL = [
    (command, verdict)
    for verdict, table in ((Verdict.DENY, "denied"), (Verdict.ASK, "asked"), (None, "passed"))
    for command in texts("rules", f"file-match-{table}")
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name in ("plan.md", "README.md", "package.json", "src/a.py", "secrets/k", "infra/x.tf"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")
    return root


def _verdict(project: Path, command: str, kind: Verdict = Verdict.DENY) -> Verdict | None:
    layer = Rules(kind, [Rule(text) for text in RULES])
    session = Session("s", live_workspace(str(project)))
    facts = facts_of(tool_call("bash", {"command": command}), session)
    answer = asyncio.run(layer(facts, session, ()))
    return answer.verdict if isinstance(answer, Decision) else None


@each_row("command, verdict", SHELL)
def test_a_denied_file_cannot_be_reached_through_the_shell_and_an_unknown_one_is_asked_about(
    project: Path, command: str, verdict: Verdict | None
) -> None:
    assert _verdict(project, command) is verdict


def test_an_ask_rule_asks_and_a_link_to_a_denied_file_is_that_file(project: Path) -> None:
    (project / "other.md").symlink_to("plan.md")

    assert _verdict(project, "cat plan.md", Verdict.ASK) is Verdict.ASK
    assert _verdict(project, "cat other.md") is Verdict.DENY


class Linked(Names):
    """`/w/out` leads to `/etc`, `/w/loop` nowhere, and the project is reached through `/link`."""

    def resolve(self, path: str) -> str | None:
        path = normal(path)
        if path.startswith("/w/loop"):
            return None
        for name, place in (("/w/out", "/etc"), ("/link", "/w"), ("/tmp", "/private/tmp")):
            if path == name or path.startswith(name + "/"):
                return place + path[len(name) :]
        return path


WORKSPACE = Workspace("/w", "/w/sub", "/home/u", Linked("/w"))
THROUGH_LINK = Workspace("/link", "/link", "/home/u", Linked("/w"))

UNFOLLOWED = [("src/**", "/w/loop/x"), ("src/**", "x" * 20_000)]


@each_row("glob, path, found", either("rules", "path-match-found", "path-match-not-found"))
def test_a_rule_that_tightens_finds_the_typed_or_the_resolved_path_and_no_other(
    glob: str, path: str, found: bool
) -> None:
    assert path_match(glob, path, WORKSPACE) is (Match.YES if found else Match.NO)


@each_row("glob, path", UNFOLLOWED)
def test_a_path_that_cannot_be_followed_could_be_any(glob: str, path: str) -> None:
    assert path_match(glob, path, WORKSPACE) is Match.COULD


COVERED = [
    (None, "/anywhere/x", True),
    (None, "/w/loop/x", False),
    ("src/**", "x" * 20_000, False),
]


@each_row("glob, path, covered", [*rows("rules", "path-covered"), *COVERED])
def test_a_rule_that_allows_covers_what_it_names_and_nothing_else(
    glob: str | None, path: str, covered: bool
) -> None:
    assert path_covered(glob, path, WORKSPACE) is covered


def test_a_project_reached_through_a_link_is_still_the_project() -> None:
    assert path_covered("src/**", "src/a", THROUGH_LINK)
    assert path_match("src/**", "/w/src/a", THROUGH_LINK) is Match.YES
    assert inside("/link/x", THROUGH_LINK)
    assert not inside("/w/loop", WORKSPACE)


def test_protection_holds_for_both_ends_of_a_link() -> None:
    assert not unprotected("../out/x", WORKSPACE, lambda path: path.startswith("/etc"))
    assert not unprotected("/w/out/x", WORKSPACE, lambda path: path.startswith("/w/out"))
    assert not unprotected("/w/loop", WORKSPACE, lambda path: False)
    assert unprotected("/w/a", WORKSPACE, lambda path: path.startswith("/etc"))


@given(st.text(max_size=20), st.text(max_size=20))
def test_what_is_covered_would_also_be_found(glob: str, path: str) -> None:
    if glob and path_covered(glob, path, WORKSPACE):
        assert path_match(glob, path, WORKSPACE) is Match.YES
