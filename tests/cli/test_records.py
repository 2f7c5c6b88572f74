"""What is said of decisions that are not written yet."""

from pathlib import Path

import pytest

from automode.cli.records import note_waiting
from automode.store.folder import StateFolder


def test_decisions_of_an_outage_are_said_to_be_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = StateFolder(str(tmp_path)).prepared()
    note_waiting(folder)
    before = capsys.readouterr().err
    Path(folder.outage).write_text("{}")

    note_waiting(folder)

    assert before == ""
    assert "are not written yet" in capsys.readouterr().err
