"""What nobody uses goes back to the system, and nothing is done for a daemon that does nothing."""

import ctypes
import subprocess
import sys
import time
import weakref

import pytest

from automode.daemon.unused_memory import QUIET_SECONDS, UnusedMemory

CAN = hasattr(ctypes.CDLL(None), "malloc_trim")


@pytest.mark.skipif(not CAN, reason="this C library keeps what is free: it has no `malloc_trim`")
def test_it_is_given_back_each_time_something_was_done() -> None:
    memory = UnusedMemory()
    assert [memory.give_back(last_used) for last_used in (1.0, 2.0, 3.0)] == [False, True, True]


def test_a_daemon_that_did_nothing_since_the_last_time_is_left_alone() -> None:
    memory = UnusedMemory()
    assert [memory.give_back(last_used) for last_used in (1.0, 1.0, 1.0)] == [False] * 3


def test_a_library_without_it_is_no_error() -> None:
    assert not UnusedMemory(_last_used=1.0, _trim=None, _looked=True).give_back(last_used=2.0)


def test_a_python_that_was_built_without_ctypes_is_no_error() -> None:
    """In a process of its own: what is loaded cannot be unloaded here."""
    program = (
        "import sys; sys.modules['_ctypes'] = None\n"
        "from automode.daemon.unused_memory import UnusedMemory\n"
        "memory = UnusedMemory()\n"
        "print([memory.give_back(one) for one in (1.0, 2.0)])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("[False, False]", "")


def test_all_that_lives_is_searched_once_in_each_quiet_while() -> None:
    memory, now = UnusedMemory(), time.monotonic()
    first, second = now - 3 * QUIET_SECONDS, now - 2 * QUIET_SECONDS

    assert [memory.search(one) for one in (first, first, second, now)] == [True, False, True, False]


def test_the_search_finds_what_only_holds_itself() -> None:
    class Circle:
        """Nobody else's."""

    circle = Circle()
    circle.own = circle  # type: ignore[attr-defined]
    gone = weakref.ref(circle)
    del circle

    UnusedMemory().search(time.monotonic() - 2 * QUIET_SECONDS)

    assert gone() is None
