"""What nobody uses goes back to the system, and nothing is done for a daemon that does nothing."""

import ctypes
import time

import pytest

from automode.daemon.unused_memory import EVERY_SECONDS, UnusedMemory

CAN = hasattr(ctypes.CDLL(None), "malloc_trim")
LONG_AGO = time.monotonic() - 10 * EVERY_SECONDS


@pytest.mark.skipif(not CAN, reason="this C library keeps what is free: it has no `malloc_trim`")
def test_it_is_given_back_once_something_was_done() -> None:
    memory = UnusedMemory(_given=LONG_AGO)
    assert memory.give_back(last_used=1.0)


def test_nothing_is_done_twice_within_a_short_while() -> None:
    memory = UnusedMemory(_given=LONG_AGO)
    memory.give_back(last_used=1.0)
    assert not memory.give_back(last_used=2.0)


def test_a_daemon_that_did_nothing_since_the_last_time_is_left_alone() -> None:
    assert not UnusedMemory(_last_used=1.0, _given=LONG_AGO).give_back(last_used=1.0)


def test_a_library_without_it_is_no_error() -> None:
    memory = UnusedMemory(_given=LONG_AGO, _trim=None, _looked=True)
    assert not memory.give_back(last_used=1.0)
