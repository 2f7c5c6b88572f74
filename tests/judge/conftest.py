"""A judge over the real reader and the real tables of programs."""

import pytest

from automode.judge.reading import Looking


@pytest.fixture(scope="session")
def looking() -> Looking:
    return Looking()
