"""Path patterns: typed and resolved, strict and wide."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.paths import normal
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.rules.path_match import inside, path_covered, path_match, unprotected
from automode.rules.pattern import Match
from tests.rows import each_row, rows


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
