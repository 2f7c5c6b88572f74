"""A judge over the real reader and the real tables of programs."""

import pytest

from automode.assemble import READER
from automode.judge.reading import Looking
from automode.programs.catalog import PROGRAMS


@pytest.fixture(scope="session")
def looking() -> Looking:
    return Looking(READER, PROGRAMS)
