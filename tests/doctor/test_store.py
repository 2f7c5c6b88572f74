"""The store, as the doctor sees it."""

from pathlib import Path

from automode.doctor.finding import Level
from automode.doctor.store import check_store
from tests.doctor.conftest import Machine


def test_a_store_that_is_not_there_yet_is_empty(machine: Machine) -> None:
    (found,) = check_store(machine.case())

    assert found.level is Level.OK
    assert "empty so far" in found.says


def test_a_store_that_cannot_be_read_is_a_problem(machine: Machine) -> None:
    machine.state.prepared()
    Path(machine.state.database).write_bytes(b"no database" * 1000)

    (found,) = check_store(machine.case())

    assert found.level is Level.PROBLEM
    assert found.fix


def test_a_head_file_that_is_gone_is_a_problem(machine: Machine) -> None:
    folder = machine.state.prepared()
    Path(folder.signing_key).write_text("ab" * 32)
    Path(folder.signing_key).chmod(0o600)
    Path(folder.chain).write_text("c1\n")
    Path(folder.chain).chmod(0o600)

    (found,) = check_store(machine.case())

    assert found.level is Level.PROBLEM
    assert "head file" in found.says
