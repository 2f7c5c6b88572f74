"""Starts a command under a guard, hands signals on, and leaves none of its processes behind."""

import json
import os
import resource
import signal
import stat
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from automode.confine import bubblewrap, landlock
from automode.confine.profile import BadOrder, Profile
from automode.confine.traps import WAKES, Refused, Traps

BUBBLEWRAP, LANDLOCK = "bubblewrap", "landlock"
_HANDED_ON = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)
_AWAITED = (signal.SIGCHLD, WAKES, *_HANDED_ON)
SIGNALLED = 128
_ENV = "/usr/bin/env"


@dataclass(frozen=True, slots=True)
class Job:
    profile: Profile
    folder: str
    command: Sequence[str]
    environment: Mapping[str, str]
    traps: str
    """A folder that is not there, for what tells of attempts."""


@dataclass(frozen=True, slots=True)
class Ended:
    """`status` as a shell says it."""

    status: int
    refused: tuple[Refused, ...] = ()


def run(guard: str, program: str, job: Job) -> Ended:
    """How the command ended. Raises BadOrder or OSError where the guard could not be set up; the
    command has not run then."""
    _check_streams()
    temporary = _make_temporary(job.profile.temporary)
    job = replace(job, profile=replace(job.profile, temporary=temporary))
    landlock.adopt_orphans()
    signal.pthread_sigmask(signal.SIG_BLOCK, _AWAITED)
    placeholders, traps = bubblewrap.Placeholders(), Traps(job.traps)
    try:
        if guard == BUBBLEWRAP:
            return _run_bubblewrap(program, job, placeholders, traps)
        if guard == LANDLOCK:
            return Ended(_run_landlock(job))
        raise BadOrder(f"there is no guard `{guard}`")
    finally:
        _end_all()
        placeholders.release()
        traps.remove()
        _remove_temporary(temporary)


def _run_bubblewrap(
    program: str, job: Job, placeholders: bubblewrap.Placeholders, traps: Traps
) -> Ended:
    mounted: list[int] = []
    options = bubblewrap.options(
        job.profile, job.folder, placeholders, traps.set(job.profile), mounted
    )
    reading, writing = os.pipe2(os.O_CLOEXEC)
    waiting, go = os.pipe2(os.O_CLOEXEC)
    calls = _in_memory(bubblewrap.call_filter(job.profile))
    options += ["--seccomp", str(calls), "--json-status-fd", str(writing)]
    options += ["--block-fd", str(waiting)]
    words = _in_memory(b"".join(os.fsencode(word) + b"\0" for word in options))
    # bwrap and its first process inside ignore the signals, so that the command alone heeds them.
    heeded = [one for one in _HANDED_ON if signal.getsignal(one) != signal.SIG_IGN]
    names = ",".join(one.name.removeprefix("SIG") for one in heeded)
    restore = [_ENV, f"--default-signal={names}"] if names else []
    command = [program, "--args", str(words), "--", *restore, *job.command]

    def prepare() -> None:
        for one in heeded:
            signal.signal(one, signal.SIG_IGN)
        _limit(job.profile)

    environment = {**job.environment, "TMPDIR": "/tmp"}  # noqa: S108 (its own)
    child = _fork(command, environment, prepare, (calls, writing, waiting, words, *mounted))
    with open(reading, "rb") as status_lines:
        first_line = status_lines.readline()  # comes when there is a network to be counted
        first = _told(first_line, "child-pid")
        if first is not None:
            traps.count(first)
        with suppress(BrokenPipeError):  # bwrap has failed
            os.write(go, b"x")
        os.close(go)
        # The command itself is the first child of the first process inside.
        found = _wait(child, lambda: min(_children(first or child), default=None), traps.answer)
        os.set_blocking(reading, False)  # what has ended has told it
        code = _told(first_line + (status_lines.read() or b""), "exit-code")
    if code is None and found < SIGNALLED:
        raise BadOrder("bubblewrap could not set the confinement up")
    _end_all()
    return Ended(found, traps.sprung())


def _run_landlock(job: Job) -> int:
    def prepare() -> None:
        landlock.die_with_parent(signal.SIGKILL)
        os.chdir(job.folder)
        _limit(job.profile)
        landlock.restrict(job.profile)

    environment = {**job.environment, "TMPDIR": job.profile.temporary}
    child = _fork(job.command, environment, prepare)
    return _wait(child, lambda: child)


def _fork(
    command: Sequence[str],
    environment: Mapping[str, str],
    prepare: Callable[[], None],
    handed: tuple[int, ...] = (),
) -> int:
    """The process of `command`, after `prepare`, with the descriptors `handed`, which are closed
    here. Raises BadOrder where any of it fails."""
    reading, writing = os.pipe2(os.O_CLOEXEC)
    child = os.fork()
    if not child:
        try:
            for one in map(int, os.listdir("/proc/self/fd")):
                if one in handed:
                    os.set_inheritable(one, True)
                elif one > 2:
                    with suppress(OSError):  # that of the list itself
                        os.set_inheritable(one, False)
            prepare()
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _AWAITED)
            os.execve(command[0], list(command), dict(environment))  # noqa: S606
        except BaseException as error:  # noqa: BLE001 (nothing may go on in this process)
            says = str(error) if isinstance(error, BadOrder | OSError) else type(error).__name__
            os.write(writing, says.encode("utf-8", "replace")[:500] or b"failed")
        finally:
            os._exit(126)
    for one in (writing, *handed):
        os.close(one)
    with open(reading, "rb") as file:
        fault = file.read()
    if fault:
        os.waitpid(child, 0)
        raise BadOrder(fault.decode("utf-8", "replace"))
    return child


def _wait(
    child: int, command: Callable[[], int | None], woken: Callable[[], None] | None = None
) -> int:
    """Hands signals of other processes on to `command`. Those of a terminal it has got itself.
    Where it has not begun, it never will."""
    while True:
        came = signal.sigwaitinfo(_AWAITED)
        if came.si_signo == WAKES:
            if woken is not None:
                woken()
            continue
        if came.si_signo != signal.SIGCHLD:
            if came.si_code <= 0:
                begun = command()
                with suppress(ProcessLookupError):
                    os.kill(begun or child, came.si_signo if begun else signal.SIGKILL)
            continue
        while True:
            ended, status = os.waitpid(-1, os.WNOHANG)
            if ended == child:
                code = os.waitstatus_to_exitcode(status)
                return code if code >= 0 else SIGNALLED - code
            if not ended:
                break


def _end_all() -> None:
    """Kills what the command has left, and whatever that starts meanwhile."""
    while True:
        for one in _children(os.getpid()):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(one, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _children(process: int) -> list[int]:
    try:
        with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def _told(lines: bytes, key: str) -> int | None:
    for line in lines.splitlines():
        found = json.loads(line).get(key)
        if isinstance(found, int):
            return found
    return None


def _in_memory(content: bytes) -> int:
    found = os.memfd_create("automode", os.MFD_CLOEXEC)
    os.write(found, content)
    os.lseek(found, 0, os.SEEK_SET)
    return found


def _limit(profile: Profile) -> None:
    """The kernel counts all processes of the account: so many more than there are at most now."""
    with open("/proc/loadavg", encoding="ascii") as file:
        present = int(file.read().split()[3].partition("/")[2])
    for kind, most in (
        (resource.RLIMIT_NPROC, profile.processes + present),
        (resource.RLIMIT_DATA, profile.memory_bytes),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (least, least))


def _check_streams() -> None:
    """A descriptor of something outside leads there, whatever is mounted."""
    for number in (0, 1, 2):
        mode = os.fstat(number).st_mode
        if stat.S_ISDIR(mode) or (number == 0 and stat.S_ISREG(mode)):
            raise BadOrder("standard input is a file or a folder; hand it over through a pipe")


def _make_temporary(folder: str) -> str:
    """A folder for this call alone. Raises BadOrder and OSError."""
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    state = os.lstat(folder)
    if not stat.S_ISDIR(state.st_mode) or state.st_uid != os.geteuid():
        raise BadOrder(f"the temporary folder `{folder}` is not ours")
    found = os.path.join(os.path.realpath(folder), os.urandom(8).hex())
    os.mkdir(found, 0o700)
    return found


def _remove_temporary(path: str) -> None:
    try:
        os.rmdir(path)
    except OSError:
        from shutil import rmtree  # takes milliseconds to load

        rmtree(path, ignore_errors=True)
