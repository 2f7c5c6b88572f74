"""A service for each test: a home, a project, a state folder."""

from pathlib import Path

import pytest

from tests.sessions.service_setup import Setup


@pytest.fixture
def setup(tmp_path: Path) -> Setup:
    return Setup(tmp_path)
