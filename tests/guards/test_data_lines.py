"""Manifests and files of variables: an edit that adds data alone, and one that adds more."""

from automode.guards.protected import adds_only_data
from tests.rows import each_row

MANIFEST, VARIABLES = "/w/.claude-plugin/plugin.json", "/w/api/.env"
WHOLE = (
    '{\n  "name": "x",\n  "author": {\n    "name": "y"\n  },\n  "keywords": [\n    "a b"\n  ]\n}\n'
)

ROWS: list[tuple[str, dict[str, object], bool]] = [
    (MANIFEST, {"old_string": '"version": "0.1"', "new_string": '"version": "0.2"'}, True),
    (MANIFEST, {"content": WHOLE}, True),
    (MANIFEST, {"content": WHOLE.replace("keywords", "commands")}, False),
    (MANIFEST, {"old_string": "x", "new_string": '"hooks": "./hooks.json",'}, False),
    (MANIFEST, {"old_string": "x", "new_string": '"version": "1", "hooks": "./h.json",'}, False),
    (MANIFEST, {"old_string": "x", "new_string": '"./evil.md"'}, False),
    (MANIFEST, {"old_string": "x", "new_string": '"source": "github:mallory/x",'}, False),
    (MANIFEST, {"content": WHOLE, "more": "x"}, False),
    (MANIFEST, {"old_string": "a", "new_string": '"version": "1",\n'}, False),
    (MANIFEST, {"old_string": "x", "new_string": '"skills": "./skills/"'}, True),
    (MANIFEST, {"old_string": "x", "new_string": '"skills": "./../../elsewhere/"'}, False),
    ("/w/.entire/settings.json", {"content": '{\n  "enabled": false\n}\n'}, True),
    ("/w/.entire/settings.json", {"content": '{\n  "command": "x"\n}\n'}, False),
    ("/w/.markdownlint-cli2.yaml", {"old_string": "x", "new_string": "  MD024: false"}, True),
    ("/w/.markdownlint-cli2.yaml", {"content": "customRules:\n  - ./x.js\n"}, False),
    (VARIABLES, {"content": "# x\n\nAPP_NAME=x\nVITE_API_URL=http://localhost:1\n"}, True),
    (VARIABLES, {"content": "NODE_OPTIONS=--require ./x.js\n"}, False),
    (VARIABLES, {"content": "IPFS_URL=http://localhost:1,http://127.0.0.1:2/a\n"}, True),
    (VARIABLES, {"content": "PIP_INDEX_URL=http://x\n"}, False),
    (VARIABLES, {"content": "PIP_INDEX_URL=http://localhost.evil.com\n"}, False),
    (VARIABLES, {"content": "APP_NAME=$(touch pwned)\n"}, False),
    (VARIABLES, {"content": "source ./x.sh\n"}, False),
    (VARIABLES + "rc", {"content": "APP_NAME=x\n"}, False),
    ("/w/.helix/languages.toml", {"content": ""}, False),
]


@each_row("path, given, expected", ROWS)
def test_only_lines_that_are_data_pass(path: str, given: dict[str, object], expected: bool) -> None:
    assert adds_only_data(path, given, "") is expected
