"""A home, a project and a state folder on disk, and an automode to be installed there."""

from pathlib import Path

import pytest

from automode.agents.installing.plan import Receipts
from automode.agents.installing.site import Program, Site


@pytest.fixture
def site(tmp_path: Path) -> Site:
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir(mode=0o700)
    (project / ".git").mkdir(parents=True)
    return Site(str(home), {}, str(project), str(tmp_path / "etc"))


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Its interpreter and its client are there."""
    return Program.here(str(tmp_path / "state"), str(tmp_path / "config"))


@pytest.fixture
def receipts(tmp_path: Path) -> Receipts:
    return Receipts.of(str(tmp_path / "state"))
