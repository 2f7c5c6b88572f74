"""automode itself."""

from dataclasses import replace

import pytest

from automode.doctor.finding import Level
from automode.doctor.own import check_own
from tests.doctor.conftest import Machine


def test_a_whole_installation_is_in_order(machine: Machine) -> None:
    found = check_own(machine.case())

    assert [(one.check, one.level) for one in found] == [
        ("automode", Level.OK),
        ("hook", Level.OK),
        ("bash parsers", Level.OK),
        ("probe", Level.OK),
    ]


@pytest.mark.parametrize(
    ("parsers", "level"),
    [({"tree-sitter": True, "shfmt": False}, Level.PROBLEM), ({}, Level.WARNING)],
    ids=["one is missing", "not tried"],
)
def test_a_missing_parser_is_told(machine: Machine, parsers: dict[str, bool], level: Level) -> None:
    found = {one.check: one for one in check_own(replace(machine.case(), parsers=parsers))}

    assert found["bash parsers"].level is level
    assert found["bash parsers"].fix
