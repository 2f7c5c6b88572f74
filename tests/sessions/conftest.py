"""An office for each test: a home, a project, a state folder."""

from pathlib import Path

import pytest

from tests.sessions.offices import Office


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path)
