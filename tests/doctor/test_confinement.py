"""The guard of confined calls, as the doctor sees it."""

import json

import pytest

from automode.confine.guard import Guard, Unavailable
from automode.doctor import confinement
from automode.doctor.confinement import check_confinement
from automode.doctor.finding import Level
from tests.doctor.conftest import Machine


def _switched_on(machine: Machine) -> Machine:
    machine.file("c/config.json", json.dumps({"autoMode": {"confine": "unproved"}}))
    return machine


def test_a_setting_that_is_off_is_one_quiet_line(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.file("c/config.json", json.dumps({"autoMode": {"confine": "off"}}))
    monkeypatch.setattr(confinement, "choose", lambda _: pytest.fail("was tried"))
    (found,) = check_confinement(machine.case())
    assert (found.level, "off" in found.says) == (Level.OK, True)


@pytest.mark.parametrize(
    ("guard", "fault", "level", "says"),
    [
        (Guard("bubblewrap", "/b"), "", Level.OK, "bubblewrap holds"),
        (Guard("landlock", ""), "", Level.OK, "no sockets at all"),
        (Guard("bubblewrap", "/b"), "a hidden file was read", Level.PROBLEM, "hidden file"),
        (Unavailable("bubblewrap: not installed"), "", Level.WARNING, "not installed"),
    ],
)
def test_what_the_guard_holds_is_told(
    machine: Machine,
    monkeypatch: pytest.MonkeyPatch,
    guard: Guard | Unavailable,
    fault: str,
    level: Level,
    says: str,
) -> None:
    monkeypatch.setattr(confinement, "choose", lambda _: guard)
    monkeypatch.setattr(confinement, "prove", lambda *_: fault)
    (found,) = check_confinement(_switched_on(machine).case())
    assert found.level is level
    assert says in found.says
    assert bool(found.fix) is (level is not Level.OK)
