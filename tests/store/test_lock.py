"""One process at a time may write, and a dead one holds nothing."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from automode.store.database import Ailment, Trouble
from automode.store.folder import StateFolder
from automode.store.lock import WriterLock

HOLD = (
    "import sys; from automode.store.folder import StateFolder;"
    "from automode.store.lock import WriterLock;"
    "WriterLock(StateFolder(sys.argv[1])).acquire(); print('held', flush=True); sys.stdin.read()"
)

# The newborn ends, and lets go of what it inherited, when somebody closes its standard input; at
# once, because it is waited for no longer than a moment.
KILLED_WHILE_IT_STARTS_ANOTHER = (
    "import os, sys; from automode.store.folder import StateFolder;"
    "from automode.store.lock import WriterLock;"
    "WriterLock(StateFolder(sys.argv[1])).acquire();"
    "newborn = os.fork() == 0;"
    "print('held', flush=True) if newborn else os._exit(0);"
    "sys.stdin.read(); os._exit(0)"
)


def test_it_is_held_until_it_is_released(folder: StateFolder) -> None:
    lock = WriterLock(folder)

    lock.acquire()
    lock.acquire()
    held = lock.held
    lock.release()
    lock.release()

    assert (held, lock.held) == (True, False)


def test_of_two_only_one_gets_it(folder: StateFolder) -> None:
    first, second = WriterLock(folder), WriterLock(folder)
    first.acquire()

    with pytest.raises(Trouble, match=rf"another process \(pid {os.getpid()}\)") as caught:
        second.acquire(0.1)
    first.release()
    second.acquire()

    assert caught.value.ailment is Ailment.LOCKED
    assert (first.held, second.held) == (False, True)
    second.release()


def test_the_kernel_takes_it_from_a_process_that_was_killed(folder: StateFolder) -> None:
    lock = WriterLock(folder)
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, folder.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(Trouble, match=f"pid {holder.pid}"):
            lock.acquire()
        holder.kill()

    lock.acquire(10)

    assert lock.held
    lock.release()


def test_what_a_dead_holder_left_to_a_newborn_is_waited_for(folder: StateFolder) -> None:
    lock = WriterLock(folder)
    with subprocess.Popen(
        [sys.executable, "-c", KILLED_WHILE_IT_STARTS_ANOTHER, folder.path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == b"held\n"
        holder.wait()
        letting_go = threading.Timer(0.1, holder.stdin.close)
        letting_go.start()

        lock.acquire()

        letting_go.join()
    assert lock.held
    lock.release()


def test_whoever_waits_gets_it_when_it_is_free(folder: StateFolder) -> None:
    lock = WriterLock(folder)
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, folder.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == b"held\n"
        holder.stdin.close()

        lock.acquire(30)

    assert lock.held
    lock.release()


def test_without_a_folder_it_cannot_be_had(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match="cannot be opened: No such file"):
        WriterLock(StateFolder(str(tmp_path / "nowhere"))).acquire()


def test_a_link_in_its_place_is_refused(folder: StateFolder, tmp_path: Path) -> None:
    os.symlink(tmp_path / "elsewhere", folder.writer_lock)

    with pytest.raises(Trouble, match="cannot be opened"):
        WriterLock(folder).acquire()
