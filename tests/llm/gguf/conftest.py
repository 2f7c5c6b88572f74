"""A real model file, and real processes that do not behave."""

import asyncio
import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PATIENT = 120.0


@pytest.fixture(scope="session")
def checksum(weights: Path) -> str:
    return hashlib.sha256(weights.read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.Runner]:
    """One event loop for a module: loading a model takes seconds."""
    with asyncio.Runner() as runner:
        yield runner


def process(script: str) -> tuple[str, ...]:
    """A process that says what `script` prints, in place of a worker."""
    return (sys.executable, "-I", "-u", "-c", script)
