"""What is said of decisions that are not written yet."""

import pytest

from automode.cli.records import note_waiting
from automode.store.changes import Decided
from automode.store.spool import spool
from tests.cli.daemons import Place
from tests.cli.records import record


def told(place: Place, capsys: pytest.CaptureFixture[str]) -> str:
    """A daemon may have written it before anybody looks: then once more."""
    for number in range(20):
        spool(place.state, [Decided(record(number))])
        note_waiting(place.state)
        if said := capsys.readouterr().err:
            return said
    return ""


def test_without_a_daemon_it_is_said_what_to_do(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    place.state.prepared()
    note_waiting(place.state)
    before = capsys.readouterr().err

    assert (before, "`automode daemon start` writes them" in told(place, capsys)) == ("", True)


def test_a_daemon_that_runs_need_not_be_started(
    served: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    said = told(served, capsys)

    assert "the daemon does it in a few seconds" in said
    assert "daemon start" not in said
