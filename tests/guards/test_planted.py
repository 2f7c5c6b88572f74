"""What an edit puts into files that tools run, and what it leaves of them."""

import pytest

from automode.guards.workspace_edits import is_planted, replaces_all
from tests.rows import each_row, rows

PLANTED = rows("guards", "planted-planted")
ORDINARY = rows("guards", "planted-ordinary")


@each_row("path, text", PLANTED)
def test_code_that_reaches_further_is_seen(path: str, text: str) -> None:
    assert is_planted(f"/w/{path}", {"content": text}, "")
    assert is_planted(f"/w/{path}", {"edits": [{"old_string": "a", "new_string": text}]}, "")


@each_row("path, text", PLANTED)
def test_what_was_there_before_is_no_news(path: str, text: str) -> None:
    assert not is_planted(f"/w/{path}", {"content": f"{text}\n# more"}, text)
    assert not is_planted(f"/w/{path}", {"old_string": text, "new_string": f"{text}\n"}, "")


@each_row("path, text", ORDINARY)
def test_ordinary_steps_and_files_that_nothing_runs_pass(path: str, text: str) -> None:
    assert not is_planted(f"/w/{path}", {"content": text}, "")


BEFORE = "\n".join(f"line number {number}" for number in range(10))


@pytest.mark.parametrize("text", ["", "something else\n", "x\n" * 50])
def test_a_text_that_leaves_no_line_replaces_all(text: str) -> None:
    assert replaces_all({"content": text}, BEFORE)


@pytest.mark.parametrize(("given", "before"), rows("guards", "planted-edit-keeps-something-does"))
def test_an_edit_that_keeps_something_does_not(given: dict[str, object], before: str) -> None:
    assert not replaces_all(given, before)
