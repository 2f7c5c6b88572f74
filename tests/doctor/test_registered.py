"""Where automode is registered."""

from dataclasses import dataclass

import pytest

from automode.daemon.version import own_version
from automode.doctor.finding import Level
from automode.doctor.registered import check_registered


@dataclass(frozen=True, slots=True)
class Place:
    scope: str = "user"
    path: str = "/home/kim/.claude/settings.json"
    version: str = own_version()
    transport: str = "http"
    wrong: tuple[str, ...] = ()


INSTALL = "automode install claude-code"
PLACES = {
    "nowhere": ([], False, [(Level.PROBLEM, INSTALL)]),
    "by the plugin": ([], True, [(Level.OK, "")]),
    "as it should be": ([Place()], False, [(Level.OK, "")]),
    "by an older release": (
        [Place(version="0.0.1")],
        False,
        [(Level.WARNING, f"{INSTALL} --user")],
    ),
    "by nobody knows whom": ([Place(version="")], False, [(Level.WARNING, f"{INSTALL} --user")]),
    "each fault is told": (
        [Place(wrong=("the hook is gone", "another state folder"))],
        False,
        [(Level.PROBLEM, f"{INSTALL} --user"), (Level.PROBLEM, f"{INSTALL} --user")],
    ),
    "one place is fine, one is not": (
        [Place(), Place(scope="project", wrong=("no hook for PreToolUse",))],
        False,
        [(Level.OK, ""), (Level.PROBLEM, f"{INSTALL} --project")],
    ),
}


@pytest.mark.parametrize(("places", "plugin", "expected"), PLACES.values(), ids=PLACES.keys())
def test_a_registration_is_told_with_what_mends_it(
    places: list[Place], plugin: bool, expected: list[tuple[Level, str]]
) -> None:
    found = check_registered("claude-code", places, by_plugin=plugin)

    assert [(one.level, one.fix) for one in found] == expected
