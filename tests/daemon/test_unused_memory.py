"""What nobody uses goes back to the system, and nothing is done for a daemon that does nothing."""

import ctypes

import pytest

from automode.daemon.unused_memory import UnusedMemory

CAN = hasattr(ctypes.CDLL(None), "malloc_trim")


@pytest.mark.skipif(not CAN, reason="this C library keeps what is free: it has no `malloc_trim`")
def test_it_is_given_back_each_time_something_was_done() -> None:
    memory = UnusedMemory()
    assert [memory.give_back(last_used) for last_used in (1.0, 2.0)] == [True, True]


def test_a_daemon_that_did_nothing_since_the_last_time_is_left_alone() -> None:
    memory = UnusedMemory()
    memory.give_back(last_used=1.0)
    assert not memory.give_back(last_used=1.0)


def test_a_library_without_it_is_no_error() -> None:
    assert not UnusedMemory(_trim=None, _looked=True).give_back(last_used=1.0)
