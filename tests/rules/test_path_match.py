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
from tests.rows import each_row, rows, texts

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

FOUND = rows("rules", "path-match-found")

NOT_FOUND = rows("rules", "path-match-not-found")

COVERED = [
    ("src/**", "/w/src/a"),
    ("src/**", "../src/a"),
    ("src/", "/w/src/a"),
    ("**", "/w/a/b"),
    ("~/notes/**", "~/notes/x"),
    ("/data/*", "/data/x"),
    (None, "/anywhere/x"),
]

NOT_COVERED = [
    ("src/*", "/w/src/a/b"),
    ("src", "/w/src/a"),
    ("SRC/**", "/w/src/a"),
    (".env", "/w/deep/.env"),
    ("out/**", "/w/out/passwd"),
    ("/etc/**", "/w/out/passwd"),
    ("loop/**", "/w/loop/x"),
    (None, "/w/loop/x"),
    ("src/**", "/w/src/../.git/config"),
    ("**", "/etc/passwd"),
    ("src/**", "@src/a"),
    ("src/**", "x" * 20_000),
]


@each_row("glob, path", FOUND)
def test_a_rule_that_tightens_finds_the_typed_or_the_resolved_path(glob: str, path: str) -> None:
    assert path_match(glob, path, WORKSPACE) is Match.YES


@pytest.mark.parametrize(("glob", "path"), NOT_FOUND)
def test_other_paths_are_left_alone(glob: str, path: str) -> None:
    assert path_match(glob, path, WORKSPACE) is Match.NO


@pytest.mark.parametrize("path", ["/w/loop/x", "x" * 20_000])
def test_a_path_that_cannot_be_followed_could_be_any(path: str) -> None:
    assert path_match("src/**", path, WORKSPACE) is Match.COULD


@pytest.mark.parametrize(("glob", "path"), COVERED)
def test_a_rule_that_allows_covers_what_it_names(glob: str | None, path: str) -> None:
    assert path_covered(glob, path, WORKSPACE)


@each_row("glob, path", NOT_COVERED)
def test_a_rule_that_allows_covers_nothing_else(glob: str | None, path: str) -> None:
    assert not path_covered(glob, path, WORKSPACE)


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
