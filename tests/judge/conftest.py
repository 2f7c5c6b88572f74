"""A judge over the real reader and the real tables of programs."""

import pytest

from automode.judge.reading import CallReader


@pytest.fixture(scope="session")
def reader() -> CallReader:
    return CallReader()
