"""Paths as text: one form for each, whatever way it is written."""

import posixpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.paths import absolute, normal

PATHS = st.text("ab./~ \0\n", max_size=12)


@given(PATHS)
def test_a_path_that_is_normal_already_is_told_at_once_and_rightly(path: str) -> None:
    clean = posixpath.normpath(path) if path else "."

    assert normal(path) == (clean[1:] if clean.startswith("//") else clean)


@given(PATHS, PATHS.map(lambda text: f"/{text}"))
def test_a_path_is_placed_as_the_system_would_join_it(path: str, base: str) -> None:
    assert absolute(path, base) == normal(posixpath.join(normal(base), path))


@pytest.mark.parametrize(
    ("path", "base", "expected"),
    [
        ("C:\\Users\\x", "/w", "/c/Users/x"),
        ("x", "C:\\Users", "/c/Users/x"),
        ("", "/w", "/w"),
        ("", "/", "/"),
        ("..", "/", "/"),
        ("a//b/./c/", "/w", "/w/a/b/c"),
    ],
)
def test_odd_paths_have_one_form_too(path: str, base: str, expected: str) -> None:
    assert absolute(path, base) == expected


def test_a_hole_does_not_end_a_path_on_any_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.11.0 to 3.11.4 ended paths there."""
    whole = posixpath.normpath
    monkeypatch.setattr(posixpath, "normpath", lambda path: whole(path.partition("\0")[0]))

    assert absolute("/tmp/\0/../../etc/shadow", "/") == "/etc/shadow"
    assert absolute("\0/a", "/w") == "/w/\0/a"
