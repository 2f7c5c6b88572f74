"""Pi's extension as it is shipped: one file, without a build, that any version of Pi can load."""

import re
from pathlib import Path

import automode

TEXT = (Path(automode.__file__).parent / "install" / "pi" / "automode.ts").read_text()
IMPORT = re.compile(r'^import (type )?.* from "([^"]+)";$', re.MULTILINE)


def test_there_is_one_place_for_what_the_installer_fills_in() -> None:
    assert TEXT.count("const INSTALLED = {/*automode:installed*/};") == 1
    assert TEXT.count("INSTALLED") == 2


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
    assert "[NO, YES]" in TEXT
    assert "ui.confirm" not in TEXT
