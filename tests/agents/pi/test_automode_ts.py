"""Pi's extension as it is shipped: one file, without a build, that any version of Pi can load."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from automode.agents.installing.own_files import whole_text
from automode.agents.pi.install import TEMPLATE
from tests.agents.conftest import TYPESCRIPT

TEXT = whole_text(TEMPLATE)
IMPORT = re.compile(r'^import (type )?.* from "([^"]+)";$', re.MULTILINE)


def test_only_types_come_from_pi_and_all_else_from_node_itself() -> None:
    found = IMPORT.findall(TEXT)

    loaded = {module for types, module in found if not types}
    assert len(found) == TEXT.count("\nimport ")
    assert loaded == {"node:child_process", "node:fs", "node:net"}
    assert "require(" not in TEXT
    assert not re.search(r"\bimport\(", TEXT)


def test_every_word_of_the_command_is_there() -> None:
    words = "status on off reload reset defaults config denials model approve".split()

    assert [word for word in words if f'case "{word}":' not in TEXT] == []
    assert '["automode", "auto-mode"]' in TEXT


def test_no_dialog_has_yes_first() -> None:
    assert TEXT.count("ui.select(question, [NO, YES,") == 1
    assert TEXT.count("[BACK, ...lines, OTHER]") == 1
    assert "ui.confirm" not in TEXT


SHOWING = """
const found = JSON.parse(readFileSync(0, "utf8"));
const told = { call: () => callShown(found.tool, found.input), before: () => remembered(found) };
process.stdout.write(JSON.stringify(told[process.argv[2]]()));
"""


def told(node: str, folder: Path, what: str, given: object) -> object:
    script = folder / "automode.mts"
    script.write_text(TEXT + SHOWING)
    done = subprocess.run(
        (node, *TYPESCRIPT, str(script), what),
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer: object = json.loads(done.stdout)
    return answer


def call_shown(node: str, folder: Path, tool: str, given: dict[str, object]) -> str:
    answer = told(node, folder, "call", {"tool": tool, "input": given})
    assert isinstance(answer, str)
    return answer


def test_a_person_is_shown_what_would_be_written(node: str, tmp_path: Path) -> None:
    edits = [{"oldText": "one", "newText": "two"}]

    write = call_shown(node, tmp_path, "write", {"content": "rm -rf ~", "path": "/p/x"})
    edit = call_shown(node, tmp_path, "edit", {"path": "/p/x", "edits": edits})
    other = call_shown(node, tmp_path, "fly", {"to": {"the": "moon"}})

    assert write == "write: /p/x\ncontent: rm -rf ~"
    assert edit == 'edit: /p/x\nedits: [{"oldText":"one","newText":"two"}]'
    assert other == 'fly\nto: {"the":"moon"}'


HIDING = {
    "blanks": "echo hi;" + " " * 5_000 + "rm -rf ~",
    "lines": "echo hi;" + "\n" * 5_000 + "rm -rf ~",
    "odd blanks": "echo hi;" + "\u2800\u3164\u00a0\u200b" * 2_000 + "rm -rf ~",
    "a comment": "echo hi #" + "x" * 5_000 + "\nrm -rf ~",
    "a cursor": "echo hi;\x1b[2J\x1b[1A\u202erm -rf ~",
}


@pytest.mark.parametrize("name", HIDING)
def test_nothing_hides_the_end_of_a_command(node: str, tmp_path: Path, name: str) -> None:
    said = call_shown(node, tmp_path, "bash", {"command": HIDING[name]})

    assert said.startswith("bash: echo hi")
    assert said.endswith("rm -rf ~")
    assert len(said) < 1_400
    assert said.replace("\n", "").isprintable()


def test_a_value_cannot_pass_for_another_field(node: str, tmp_path: Path) -> None:
    given = {
        "command": "make\ntimeout: 5\n\nNo",
        "two\nlines": "x",
        **{f"f{n}": n for n in range(9)},
    }

    lines = call_shown(node, tmp_path, "bash", given).split("\n")

    assert [line for line in lines if not line.startswith("    ")] == [
        "bash: make",
        "two lines: x",
        *(f"f{n}: {n}" for n in range(7)),
        "and 2 more fields",
    ]


def test_a_session_file_brings_numbers_into_the_status_line_and_nothing_else(
    node: str, tmp_path: Path
) -> None:
    hostile = {"allowed": "\x1b[2J", "denied": -3, "classifierAllowed": 4, "more": "x", "on": "no"}
    hostile |= {"usd": 1e300}
    counted = {"allowed": 0, "denied": 0, "classifierAllowed": 4, "classifierDenied": 0}

    plain = {"enabled": None, "on": True, "standsIn": False, "usd": 0}
    assert told(node, tmp_path, "before", hostile) == plain | counted
