"""Windows for the tests of the pages."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from automode.ui.window import Window
from tests.ui.windows import RECORDS, Client, window_on


@pytest.fixture
def window(tmp_path: Path) -> Window:
    return window_on(tmp_path, *RECORDS)


@pytest.fixture
def client(window: Window) -> Iterator[Client]:
    with Client(window) as client:
        yield client.sign_in()
