"""Manifests and files of variables: an edit that adds data alone, and one that adds more."""

from automode.guards.protected import adds_only_data
from tests.rows import each_row, rows

MANIFEST, VARIABLES = "/w/.claude-plugin/plugin.json", "/w/api/.env"
WHOLE = (
    '{\n  "name": "x",\n  "author": {\n    "name": "y"\n  },\n  "keywords": [\n    "a b"\n  ]\n}\n'
)

ROWS = rows("guards", "data-lines-rows")


@each_row("path, given, expected", ROWS)
def test_only_lines_that_are_data_pass(path: str, given: dict[str, object], expected: bool) -> None:
    assert adds_only_data(path, given, "") is expected
