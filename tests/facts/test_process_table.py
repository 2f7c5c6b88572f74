"""Processes as the system shows them: real ones, by `/proc` and by `ps`."""

import os
import subprocess
import sys

import pytest

from automode.facts.process_table import Process, ProcessTable, ProcFolder, PsProgram, this_system

linux = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="NO /proc: another system")
root = pytest.mark.skipif(os.getuid() != 0, reason="NOT ROOT: nobody else's process can be started")
TABLES = [pytest.param(ProcFolder(), marks=linux, id="proc"), pytest.param(PsProgram(), id="ps")]
SLEEPER = "import sys; print('up', flush=True); sys.stdin.read()"


@pytest.mark.parametrize("table", TABLES)
def test_this_very_process_is_seen(table: ProcessTable) -> None:
    found = table.process(os.getpid())

    assert found is not None
    assert (found.pid, found.parent, found.uid) == (os.getpid(), os.getppid(), os.getuid())
    assert found == table.process(os.getpid())
    assert "PATH" in (table.variables(os.getpid()) or ())
    assert "PATH" in (table.started_with(os.getpid()) or ("PATH",))


def test_words_of_a_command_line_are_no_variables() -> None:
    words = [sys.executable, "-c", SLEEPER, "PROJECT=1"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={}) as process:
        assert process.stdout is not None
        process.stdout.readline()
        exact = this_system().started_with(process.pid)
        printed = PsProgram().started_with(process.pid)
        process.communicate()

    assert "PROJECT" not in (exact or ())
    assert printed is None or "PROJECT" in printed


@pytest.mark.parametrize("table", TABLES)
def test_a_process_that_is_not_there_is_not_seen(table: ProcessTable) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()

    assert table.process(process.pid) is None
    assert not table.variables(process.pid)


@linux
def test_a_name_with_brackets_blanks_and_lines_is_read() -> None:
    code = "import ctypes, sys; ctypes.CDLL(None).prctl(15, b'a) R (b\\nc'); print(1, flush=True);"
    with subprocess.Popen(
        [sys.executable, "-c", code + "sys.stdin.read()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        found = this_system().process(process.pid)
        process.communicate()

    assert found is not None
    assert (found.name, found.parent) == ("a) R (b?c", os.getpid())


@linux
def test_the_time_now_compares_with_when_a_process_started() -> None:
    table = this_system()
    before = table.now()
    with subprocess.Popen([sys.executable, "-c", SLEEPER], stdin=subprocess.PIPE) as process:
        found = table.process(process.pid)
        process.communicate()
    own = table.process(os.getpid())

    assert found is not None
    assert own is not None
    assert not found.older_than(before)
    assert not found.came_after(table.now())
    assert not own.came_after(before)


def test_ps_tells_the_time_as_a_number_too() -> None:
    """To the second, and on Linux not even that: only that the two can be compared is looked at."""
    own = PsProgram().process(os.getpid())

    assert own is not None
    assert own.started.isdigit()
    assert not own.came_after(str(int(PsProgram().now()) + 60))


def test_an_age_that_nobody_can_compare_is_neither_older_nor_innocent() -> None:
    odd = Process(5, 1, "some day", 0, "a", terminal=False, leader=False)

    assert not odd.older_than("7")
    assert odd.came_after("7")
    assert odd.came_after("")


@pytest.mark.parametrize("table", TABLES)
def test_only_another_accounts_process_can_be_hidden(table: ProcessTable) -> None:
    assert not table.hidden(os.getpid())
    assert not table.hidden(10**7)


@root
def test_another_accounts_process_is_there_even_where_nothing_is_shown_of_it() -> None:
    looks = (
        "import os; os.setuid(65534)\n"
        "try: os.kill(os.getppid(), 0)\n"
        "except PermissionError: print('there')"
    )

    done = subprocess.run([sys.executable, "-c", looks], capture_output=True, text=True, check=True)

    assert done.stdout == "there\n"
