"""Confined commands: what they can and cannot do, with the real guards of this machine."""

import json
import os
import pty
import shlex
import signal
import subprocess
import termios
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.confine.conftest import World

pytestmark = [pytest.mark.real]
PYTHON = "/usr/bin/env python3 -I -S -c"

HELD = {
    "write beside the workspace": "echo x > ../other/new",
    "append to a file outside": "echo x >> ../other/file",
    "empty a file outside": "truncate -s 0 ../other/file",
    "remove a file outside": "rm -f ../other/file; test ! -e ../other/file",
    "rename a file outside": "mv ../other/file ../other/b",
    "move a file of the workspace out": "touch src/a; mv src/a ../other/a",
    "link a file outside into the workspace, and write": "ln ../other/file src/l && echo x > src/l",
    "write through a symbolic link": "ln -s ../../other/file src/s && echo x > src/s",
    "change a protected file": "echo x >> .git/config",
    "remove a protected file": "rm -f .git/config && test ! -e .git/config",
    "add to a protected folder": "echo x > .git/hooks/pre-commit",
    "rename a protected folder": "mv .git/hooks .git/h",
    "rename the folder that holds a protected path": "mv .git .g && mkdir -p .git/hooks",
    "swap the folder that holds a protected path": "mv .git src/g",
    "replace a protected file": "echo x > src/c; mv -f src/c .git/config && grep x .git/config",
    "link over a protected file": "echo x > src/c; ln -f src/c .git/config && grep x .git/config",
    "make a protected path": "mkdir .ci && echo x > .ci/run",
    "make a protected path in a placeholder": "mkdir -p .ci; echo x > .ci/run",
    "remove the placeholder": "rmdir .ci && mkdir .ci && echo x > .ci/run",
    "rename to a protected one": "mkdir src/d && touch src/d/run && mv -T src/d .ci && cat .ci/run",
    "read a hidden file": "grep -q secret ../token",
    "read a file in a hidden folder": "grep -q secret ../secrets/key",
    "read a hidden file through a link": "ln -s ../../token src/t && grep -q secret src/t",
    "read the order": "cat ../orders/*.json",
    "unmount what hides": "umount ../token && cat ../token",
    "see a hidden file through /proc": "grep -q secret /proc/1/root$PWD/../token",
    "reach the network": "exec 3<>/dev/tcp/192.0.2.1/9",
    "gain privileges": "su -c true nobody || sudo -n true",
    "mount": "mount -t tmpfs none src",
    "make a user namespace": "unshare -U true",
    "change the clock or the kernel": "echo x > /proc/sys/kernel/hostname",
    "read raw memory or disks": "head -c 1 /dev/mem || head -c 1 /dev/vda || head -c 1 /dev/sda",
    "see a process outside": "kill -0 $OUTSIDE || cat /proc/$OUTSIDE/environ",
}


@pytest.mark.parametrize("what", HELD)
def test_a_confined_command_cannot(what: str, world: World) -> None:
    with subprocess.Popen(["sleep", "100"], start_new_session=True) as outside:
        text = HELD[what].replace("$OUTSIDE", str(outside.pid))
        # In a subshell, so that a failing redirection ends nothing but the attempt.
        done = world.run(f"( {text} ) && echo out")
        outside.kill()
    assert "out" not in done.stdout.split(), done
    assert "secret" not in done.stdout
    assert (world.home / "other/file").read_text() == "mine"
    assert not (world.home / "other/new").exists()
    assert (world.workspace / ".git/config").read_text() == "[core]\n"
    assert list((world.workspace / ".git/hooks").iterdir()) == []
    assert not (world.workspace / ".ci").exists()


def test_it_works_inside_the_workspace(world: World) -> None:
    done = world.run(
        "echo hello > src/a && mv src/a src/b && cat src/b && echo x > $TMPDIR/t; exit 5"
    )
    assert (done.returncode, done.stdout) == (5, "hello\n")
    assert (world.workspace / "src/b").read_text() == "hello\n"
    assert "this ran confined and ended with 5" in done.stderr
    end = json.loads((world.orders / "1.end.json").read_text())
    assert (world.orders / "1.begun").exists()
    assert end == {"status": 5, "guard": world.guard.name, "refused": []}


def test_a_good_end_is_quiet(world: World) -> None:
    done = world.run("true")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_loopback_of_its_own_works_under_bubblewrap(wrapped: World) -> None:
    code = (
        "import socket; s=socket.create_server(('127.0.0.1',0));"
        "socket.create_connection(s.getsockname()); print('reached')"
    )
    assert wrapped.run(f'{PYTHON} "{code}"').stdout == "reached\n"
    without = wrapped.with_profile(loopback=False)
    assert without.run(f'{PYTHON} "{code}"').stdout == ""


def test_no_process_lives_on(world: World) -> None:
    alive = world.workspace / "src/alive"
    done = world.run(
        f"(setsid nohup bash -c 'exec 9>{alive}; flock 9; sleep 100' >/dev/null 2>&1 &);"
        f" until test -e {alive}; do sleep 0.01; done"
    )
    assert done.returncode == 0, done
    assert subprocess.run(["flock", "-n", str(alive), "true"], check=False).returncode == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_reaches_the_command(number: signal.Signals, world: World) -> None:
    name = number.name.removeprefix("SIG")
    text = f"trap 'echo heard; exit 9' {name}; echo ready; sleep 100 & wait"
    with subprocess.Popen(
        world.words(text),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(number)
        assert process.stdout.read() == b"heard\n"
    assert process.returncode == 9


def test_it_runs_in_a_terminal_and_ctrl_c_reaches_the_command_once(world: World) -> None:
    text = "trap 'echo heard' INT; test -t 0 && test -t 1 && echo ready; sleep 100; exit 9"
    process, terminal = pty.fork()
    if not process:
        words = world.words(text)
        os.execv(words[0], words)
    printed = b""
    while b"ready" not in printed:
        printed += os.read(terminal, 4096)
    os.write(terminal, b"\x03")
    with suppress(OSError):  # how the end of a terminal is told
        while more := os.read(terminal, 4096):
            printed += more
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 9
    assert printed.count(b"heard") == 1, printed
    os.close(terminal)


def test_a_terminal_has_its_size_and_tells_of_another_one(world: World) -> None:
    text = "trap 'stty size; exit 9' WINCH; stty size; echo ready; sleep 100 & wait"
    process, terminal = pty.fork()
    if not process:
        termios.tcsetwinsize(0, (11, 22))
        words = world.words(text)
        os.execv(words[0], words)
    printed = b""
    while b"ready" not in printed:
        printed += os.read(terminal, 4096)
    termios.tcsetwinsize(terminal, (33, 44))
    with suppress(OSError):
        while more := os.read(terminal, 4096):
            printed += more
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 9
    assert b"11 22" in printed
    assert b"33 44" in printed
    os.close(terminal)


def test_the_terminal_cannot_be_typed_into(world: World) -> None:
    code = "import fcntl; fcntl.ioctl(0, 0x5412, b'x')"
    process, terminal = pty.fork()
    if not process:
        words = world.words(f'{PYTHON} "{code}"')
        os.execv(words[0], words)
    printed = b""
    with suppress(OSError):
        while more := os.read(terminal, 4096):
            printed += more
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 1
    assert b"PermissionError" in printed
    os.close(terminal)


def test_a_protected_path_is_held_however_deep_it_lies(world: World) -> None:
    deep = world.workspace.joinpath(*["d"] * 120)
    (deep / ".git/hooks").mkdir(parents=True)
    nested = world.with_profile(read_only=(str(deep / ".git/hooks"),))
    done = nested.run("echo x > .git/hooks/a; mv ../d ../e; mv ../../d ../../e; pwd", deep)
    assert done.stdout.strip() == str(deep)
    assert list((deep / ".git/hooks").iterdir()) == []


def test_processes_within_processes_end_with_the_call(world: World) -> None:
    alive = world.workspace / "src/alive"
    text = f"exec 9>{alive}; flock 9; sleep 100 & disown; echo deep"
    for _ in range(8):
        text = f"bash -c {shlex.quote(text)}"
    assert world.run(text).stdout == "deep\n"
    assert subprocess.run(["flock", "-n", str(alive), "true"], check=False).returncode == 0


def test_a_killed_wrapper_takes_the_command_along(wrapped: World) -> None:
    alive = wrapped.workspace / "src/alive"
    text = f"exec 9>{alive}; flock 9; echo ready; sleep 100"
    with subprocess.Popen(
        wrapped.words(text), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.kill()
        assert process.stdout.read() == b""  # all that held the pipe have ended
    for _ in range(100):
        if subprocess.run(["flock", "-n", str(alive), "true"], check=False).returncode == 0:
            break
        time.sleep(0.05)
    else:
        pytest.fail("the command lives on")
    # What the killed call left is removed by the next one.
    assert (wrapped.workspace / ".ci").exists()
    assert wrapped.run("true").returncode == 0
    assert not (wrapped.workspace / ".ci").exists()


def test_credentials_in_the_environment_are_dropped(world: World) -> None:
    done = world.run(
        "env",
        AWS_SECRET_ACCESS_KEY="secret",
        GITHUB_TOKEN="secret",
        SSH_AUTH_SOCK="secret",
        DOCKER_HOST="secret",
        DATABASE_URL="secret",
        NODE_OPTIONS="--x=https://me:secret@host/",
        BASH_ENV="/secret",
        LC_ALL="C",
        VIRTUAL_ENV="/v",
    )
    assert "secret" not in done.stdout
    assert {"LC_ALL=C", "VIRTUAL_ENV=/v"} <= set(done.stdout.split())


def test_hidden_paths_may_lie_in_each_other(world: World) -> None:
    hidden = (*world.profile.hidden, str(world.home / "secrets/key"))
    done = world.with_profile(hidden=hidden).run("cat ../secrets/key; echo done")
    assert done.stdout == "done\n"


def test_two_calls_at_once_share_a_placeholder(wrapped: World) -> None:
    first = (
        "until test -e src/go; do sleep 0.01; done; (mkdir .ci || echo x > .ci/run) 2>&-; echo $?"
    )
    with subprocess.Popen(
        wrapped.words(first), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    ) as process:
        while not (wrapped.workspace / ".ci").exists():
            time.sleep(0.01)
        assert wrapped.run("true").returncode == 0
        assert wrapped.run("touch src/go").returncode == 0
        assert process.stdout is not None
        assert process.stdout.read() == b"1\n"
    assert not (wrapped.workspace / ".ci").exists()


def test_the_longer_of_two_paths_wins(world: World) -> None:
    base = world.workspace
    (base / "modules/cache/keep").mkdir(parents=True)
    (base / "modules/a").mkdir()
    nested = world.with_profile(
        writable=(str(base / "modules/cache"),),
        read_only=tuple(
            str(base / one) for one in ("modules", "modules/a/b", "modules/cache/keep")
        ),
    )
    nested.run("touch modules/cache/x modules/y modules/a/y modules/a/b modules/cache/keep/y")
    made = {str(path.relative_to(base / "modules")) for path in (base / "modules").rglob("*")}
    # Landlock makes nothing in a folder on the way to a protected path.
    own = {"cache/x"} if world.guard.name == "bubblewrap" else set()
    assert made == {"a", "cache", "cache/keep", *own}


def test_a_folder_above_a_nested_writable_one_cannot_be_renamed(world: World) -> None:
    base = world.workspace
    (base / "a/b/.git/hooks").mkdir(parents=True)
    nested = world.with_profile(
        writable=(str(base / "a/b"),), read_only=(str(base / "a/b/.git/hooks"),)
    )
    nested.run("mv a c; mkdir -p a/b/.git/hooks; touch a/b/.git/hooks/x")
    assert list((base / "a/b/.git/hooks").iterdir()) == []
    assert not (base / "c").exists()


def test_a_link_in_the_workspace_makes_nothing_writable(world: World) -> None:
    (world.workspace / "src/cache").symlink_to(world.home / "other")
    linked = world.with_profile(writable=(str(world.workspace / "src/cache"),))
    linked.run("touch src/cache/new")
    assert [path.name for path in (world.home / "other").iterdir()] == ["file"]


def test_a_symlinked_workspace_is_its_target(world: World, tmp_path: Path) -> None:
    link = world.home / "link"
    link.symlink_to("workspace")
    moved = world.with_profile(
        workspace=str(link), read_only=(str(link / ".git/hooks"), str(link / ".ci/run"))
    )
    done = moved.run("echo x > src/a; pwd; echo x > .git/hooks/a; mkdir .ci", link)
    assert (world.workspace / "src/a").exists()
    assert list((world.workspace / ".git/hooks").iterdir()) == []
    assert not (world.workspace / ".ci").exists()
    assert done.returncode


def test_each_call_has_a_temporary_folder_of_its_own_that_is_gone_afterwards(world: World) -> None:
    """One call could put a link in the place of a folder that the next one mounts."""
    text = "ls -A $TMPDIR; mkdir $TMPDIR/a && touch $TMPDIR/a/b && ls -A $TMPDIR"

    assert [world.run(text).stdout for _ in range(2)] == ["a\n", "a\n"]
    assert os.listdir(world.profile.temporary) == []


def test_without_room_for_its_end_a_command_does_not_run(world: World) -> None:
    words = shlex.join(world.words("touch src/ran"))

    done = subprocess.run(
        ["/bin/bash", "-c", f"ulimit -f 1; exec {words}"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, "not run" in done.stderr) == (126, True), done
    assert not (world.workspace / "src/ran").exists()


def test_an_end_is_reserved_before_the_run_and_left_unread_by_a_killed_wrapper(
    world: World,
) -> None:
    with subprocess.Popen(
        world.words("echo begun; sleep 60"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    ) as wrapper:
        assert wrapper.stdout is not None
        assert wrapper.stdout.readline() == b"begun\n"
        wrapper.kill()

    end = (world.orders / "1.end.json").read_bytes()
    assert len(end) > 10_000
    assert not end.strip(b"\0")
    assert (world.orders / "1.begun").exists()
