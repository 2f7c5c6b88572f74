"""The agents that the scenarios start are pinned, and no registry is named."""

import json
import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rows import each_row

ROOT = Path(__file__).parents[2]
NODE_AGENTS = sorted(file.parent for file in (ROOT / "e2e" / "programs").glob("*/package.json"))


@each_row("folder", NODE_AGENTS)
def test_node_packages_are_pinned_by_hash_and_come_from_nowhere_in_particular(folder: Path) -> None:
    locked = json.loads((folder / "package-lock.json").read_text())["packages"]
    packages = {name: one for name, one in locked.items() if name and not one.get("inBundle")}

    assert packages
    assert [name for name, one in packages.items() if "resolved" in one] == []
    assert [name for name, one in packages.items() if "integrity" not in one] == []


@each_row("folder", NODE_AGENTS)
def test_the_lock_is_that_of_the_version_that_is_wanted(folder: Path) -> None:
    wanted = json.loads((folder / "package.json").read_text())["dependencies"]
    locked = json.loads((folder / "package-lock.json").read_text())["packages"]

    for name, version in wanted.items():
        assert locked[f"node_modules/{name}"]["version"] == version


@each_row("folder", NODE_AGENTS)
def test_a_lock_is_whole_so_that_it_can_be_installed_from(folder: Path) -> None:
    """`npm ci` refuses a lock that misses a package of any platform."""
    locked = json.loads((folder / "package-lock.json").read_text())["packages"]

    absent = [
        (place, wanted)
        for place, package in locked.items()
        for kind in ("dependencies", "optionalDependencies")
        for wanted in package.get(kind, {})
        if not any(above in locked for above in seen_from(place, wanted))
    ]

    assert absent == []


def seen_from(place: str, wanted: str) -> Iterator[str]:
    """Where Node looks for a package, the nearest first."""
    while place:
        yield f"{place}/node_modules/{wanted}"
        place = place.rpartition("node_modules/")[0].removesuffix("/")
    yield f"node_modules/{wanted}"


NPM_SAID = """\
npm warn config something is old
npm error code EUSAGE
npm error
npm error `npm ci` can only install packages when both are in sync.
npm error
npm error Missing: one-platform@1.0.0 from lock file
npm error
npm error Run "npm help ci" for more info
npm error A complete log of this run can be found in: somewhere
"""
PIP_SAID = """\
WARNING: Retrying after connection broken
ERROR: Could not find a version that satisfies the requirement a==1
ERROR: No matching distribution found for a==1
"""


@pytest.mark.parametrize(
    ("said", "named"),
    [(NPM_SAID, "Missing: one-platform@1.0.0"), (PIP_SAID, "No matching distribution")],
)
def test_what_an_installer_complains_of_is_told(said: str, named: str) -> None:
    told = runpy.run_path(str(ROOT / "e2e" / "programs" / "install.py"))["telling"](said)

    assert named in told
    assert "WARNING" not in told
    assert "complete log" not in told
