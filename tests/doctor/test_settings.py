"""The settings and the model, as the doctor sees them."""

import json
import socket

import pytest

from automode.agents.scripted.model_server import JUDGE, ModelServer
from automode.doctor.finding import Level
from automode.doctor.settings import check_settings
from tests.doctor.conftest import Machine

SETTINGS: dict[str, tuple[object, dict[str, Level]]] = {
    "none": (None, {"mode": Level.OK, "settings": Level.OK, "model": Level.OK}),
    "off": ({"autoMode": {"enabled": False}}, {"mode": Level.WARNING}),
    "shadow": ({"autoMode": {"mode": "shadow"}}, {"mode": Level.WARNING}),
    "an unknown key": ({"autoMode": {"modus": 1}}, {"mode": Level.OK, "settings": Level.PROBLEM}),
    "a deny rule that cannot be read": (
        {"permissions": {"deny": [7]}},
        {"settings": Level.PROBLEM},
    ),
}


@pytest.mark.parametrize(("settings", "expected"), SETTINGS.values(), ids=SETTINGS.keys())
def test_what_is_wrong_with_settings_is_told(
    machine: Machine, settings: object, expected: dict[str, Level]
) -> None:
    if settings is not None:
        machine.file("c/config.json", json.dumps(settings))

    found = check_settings(machine.case())

    assert {one.check: one.level for one in found} | expected == {
        one.check: one.level for one in found
    }
    assert all(one.fix for one in found if one.level is not Level.OK)


def judged_by(address: str) -> str:
    own = {"own": {"api": "anthropic", "baseUrl": f"{address}{JUDGE}"}}
    return json.dumps({"autoMode": {"classifierModel": "own/m", "providers": own}})


def test_a_model_is_asked_only_where_that_is_wanted(machine: Machine) -> None:
    with ModelServer() as server:
        machine.file("c/config.json", judged_by(server.address))

        quiet = {one.check: one for one in check_settings(machine.case())}
        asked_before = len(server.judged)
        online = {one.check: one for one in check_settings(machine.case(online=True))}

        assert asked_before == 0
        assert len(server.judged) == 1
    assert (quiet["model"].level, quiet["model"].fix) == (
        Level.WARNING,
        "automode doctor --online",
    )
    assert online["model"].level is Level.OK


def test_a_model_that_does_not_answer_is_a_problem(machine: Machine) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        machine.file("c/config.json", judged_by(f"http://127.0.0.1:{nobody.getsockname()[1]}"))

        found = {one.check: one for one in check_settings(machine.case(online=True))}

    assert found["model"].level is Level.PROBLEM
    assert found["model"].fix == "automode model --test"


def test_many_faults_do_not_flood(machine: Machine) -> None:
    machine.file("c/config.json", json.dumps({f"key{n}": n for n in range(60)}))

    found = [one for one in check_settings(machine.case()) if one.check == "settings"]

    assert len(found) == 11
    assert found[-1].says == "and 50 more"
