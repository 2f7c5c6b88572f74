"""Whatever is wrong with an order, the machine or the call: the command does not run."""

import json
import os
import signal
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from automode.confine import guard as guards
from automode.confine import landlock
from automode.confine.guard import Guard, Unavailable, choose, proved, remember
from automode.confine.profile import (
    BadOrder,
    Order,
    Profile,
    digest,
    from_json,
    open_unmoved,
    to_json,
)
from automode.confine.seatbelt import seatbelt
from automode.confine.seccomp import UnknownMachine, filter_program
from tests.confine.conftest import World

TEXT = "touch src/ran"
PROFILE = Profile(
    workspace="/w",
    writable=("/c",),
    read_only=("/w/.git",),
    hidden=("/home/me/.ssh",),
    readable=(),
    watched=(),
    services=(),
    temporary="/t",
    loopback=True,
    processes=10,
    memory_bytes=1000,
    environment={"GOCACHE": "/c/go"},
)
ORDER = Order(PROFILE, "/w", "/bin/bash", digest(TEXT))


def test_an_order_is_the_same_after_writing_and_reading() -> None:
    assert from_json(to_json(ORDER)) == ORDER


BAD_ORDERS: dict[str, Callable[[dict[str, object], dict[str, object]], object]] = {
    "a key is missing": lambda order, _: order.pop("shell"),
    "a key is unknown": lambda order, _: order.update(more=1),
    "another version": lambda order, _: order.update(version=1),
    "a key of the profile is missing": lambda _, profile: profile.pop("hidden"),
    "a key of the profile is unknown": lambda _, profile: profile.update(network=True),
    "a relative path": lambda _, profile: profile.update(writable=["c"]),
    "a path that is not normal": lambda _, profile: profile.update(hidden=["/a/../b"]),
    "a list that is a text": lambda _, profile: profile.update(hidden="/a"),
    "a list of numbers": lambda _, profile: profile.update(hidden=[1]),
    "a flag that is a number": lambda _, profile: profile.update(loopback=1),
    "a number that is a flag": lambda _, profile: profile.update(processes=True),
    "no processes": lambda _, profile: profile.update(processes=0),
    "a variable that is none": lambda _, profile: profile.update(environment={"A=B": "c"}),
    "variables that are a list": lambda _, profile: profile.update(environment=["A"]),
    "a temporary folder that calls can replace": (
        lambda _, profile: profile.update(temporary="/c/tmp")
    ),
    "an empty path": lambda _, profile: profile.update(workspace=""),
}


@pytest.mark.parametrize("what", BAD_ORDERS)
def test_a_damaged_order_is_not_read(what: str) -> None:
    order = json.loads(to_json(ORDER))
    BAD_ORDERS[what](order, order["profile"])
    with pytest.raises(BadOrder):
        from_json(json.dumps(order))


@pytest.mark.parametrize("text", ["", "[]", "null", "{", '{"version": 1, "version": 1}', "\0"])
def test_what_is_no_order_is_not_read(text: str) -> None:
    with pytest.raises(BadOrder):
        from_json(text)


def _break_folder(world: World, order: Path) -> None:
    os.chmod(world.orders, 0o777)


def _break_mode(world: World, order: Path) -> None:
    os.chmod(order, 0o622)


def _break_link(world: World, order: Path) -> None:
    order.rename(world.home / "elsewhere.json")
    order.symlink_to(world.home / "elsewhere.json")


def _break_second_name(world: World, order: Path) -> None:
    os.link(order, world.home / "second")


def _break_text(world: World, order: Path) -> None:
    order.write_text(order.read_text()[:-5])


def _break_digest(world: World, order: Path) -> None:
    order.write_text(order.read_text().replace(digest(TEXT), digest("true")))


def _break_absence(world: World, order: Path) -> None:
    order.unlink()


def _break_pipe(world: World, order: Path) -> None:
    order.unlink()
    os.mkfifo(order)


def _break_proof(world: World, order: Path) -> None:
    (world.orders / "guard.json").unlink()


def _break_machine(world: World, order: Path) -> None:
    proof = json.loads((world.orders / "guard.json").read_text())
    (world.orders / "guard.json").write_text(json.dumps({**proof, "machine": "another"}))


def _break_shell(world: World, order: Path) -> None:
    order.write_text(order.read_text().replace("/bin/bash", "/no/shell"))


def _break_workspace(world: World, order: Path) -> None:
    world.workspace.rename(world.home / "moved")


FAULTS = {name: value for name, value in globals().items() if name.startswith("_break_")}


@pytest.mark.real
@pytest.mark.parametrize("fault", FAULTS)
def test_with_a_fault_nothing_runs(fault: str, world: World) -> None:
    words = world.words(TEXT)
    FAULTS[fault](world, world.orders / "1.json")
    done = subprocess.run(
        words, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    assert done.returncode in ((126, 127) if fault == "_break_shell" else (126,)), done
    assert not list(world.home.rglob("ran"))
    assert done.stderr.startswith(("automode: ", "bwrap: ", "/usr/bin/env: "))
    assert "Traceback" not in done.stderr


@pytest.mark.real
def test_other_words_run_nothing(world: World) -> None:
    words = world.words(TEXT)
    for wrong in (words[:-1], [*words, "more"], [*words[:-1], TEXT + " "], words[:4]):
        done = subprocess.run(
            wrong, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
        )
        assert done.returncode == 126, done
    assert not (world.workspace / "src/ran").exists()


@pytest.mark.real
def test_a_stream_that_leads_outside_is_refused(world: World) -> None:
    for path in (world.home / "other", world.home / "other/file"):
        stream = os.open(path, os.O_RDONLY)
        done = subprocess.run(world.words(TEXT), stdin=stream, capture_output=True, check=False)
        os.close(stream)
        assert done.returncode in (1, 126)  # Python itself does not start on a folder
    assert not (world.workspace / "src/ran").exists()


@pytest.mark.real
def test_closed_streams_do_no_harm(world: World) -> None:
    words = " ".join(f"'{word}'" for word in world.words(TEXT))
    subprocess.run(["/bin/bash", "-c", f"{words} <&- >&- 2>&-"], check=True)
    assert (world.workspace / "src/ran").exists()


@pytest.mark.real
def test_what_mounts_cannot_hold_is_refused(wrapped: World) -> None:
    (wrapped.workspace / "CLAUDE.md").symlink_to("src/x")
    linked = wrapped.with_profile(read_only=(str(wrapped.workspace / "CLAUDE.md"),))
    assert "symbolic link" in linked.run(TEXT).stderr
    os.link(wrapped.workspace / ".git/config", wrapped.workspace / "src/second")
    assert "second name" in wrapped.run(TEXT).stderr
    assert not (wrapped.workspace / "src/ran").exists()


@pytest.mark.real
def test_a_confined_call_inside_a_confined_call_is_refused(world: World) -> None:
    inner = " ".join(f"'{word}'" for word in world.words(TEXT))
    done = world.run(f"{inner}; echo $?")
    assert done.stdout == "126\n"
    assert not (world.workspace / "src/ran").exists()


@pytest.mark.real
def test_a_read_only_file_system_needs_no_placeholder(wrapped: World) -> None:
    """As a mount inside another confined world, where `run.py` finds it."""
    script = f'mount -t tmpfs -o ro none {wrapped.workspace} && exec "$@"'
    done = subprocess.run(
        ["unshare", "-rm", "/bin/bash", "-c", script, "x", *wrapped.words("touch a; echo $?")],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if "unshare" in done.stderr or "mount:" in done.stderr:
        pytest.skip("namespaces cannot be made here")
    assert done.stdout == "1\n", done


def test_without_bubblewrap_and_landlock_there_is_no_guard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guards, "SEARCHED", str(tmp_path))
    monkeypatch.setattr(landlock, "version", lambda: 0)
    found = choose(str(tmp_path))
    assert found == Unavailable("bubblewrap: not installed; landlock: the kernel has none")
    assert isinstance(proved(str(tmp_path)), Unavailable)


@pytest.mark.real
def test_where_bubblewrap_can_make_no_namespace_landlock_is_taken(
    landlocked: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on systems that keep user namespaces from ordinary accounts."""
    folder = landlocked.home / "proofs"
    folder.mkdir(mode=0o700)
    sham = tmp_path / "bwrap"
    sham.write_text(
        "#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2\nexit 1\n"
    )
    sham.chmod(0o755)
    monkeypatch.setattr(guards, "SEARCHED", str(tmp_path))

    assert choose(str(folder)) == Guard("landlock", "")

    monkeypatch.setattr(landlock, "version", lambda: 0)
    (folder / "guard.json").unlink()
    found = choose(str(folder))
    assert isinstance(found, Unavailable)
    assert "No permissions" in found.reason


@pytest.mark.parametrize("version", [1, 2, 3, 4, 5])
def test_an_older_landlock_says_what_it_cannot_hold(
    version: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guards, "SEARCHED", str(tmp_path))
    monkeypatch.setattr(landlock, "version", lambda: version)
    found = choose(str(tmp_path))
    assert isinstance(found, Unavailable)
    assert "signals to other processes" in found.reason
    assert ("emptying files outside" in found.reason) is (version < 3)


def test_another_system_has_no_guard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "freebsd14")
    assert choose(str(tmp_path)) == Unavailable("there is no guard for `freebsd14`")
    monkeypatch.setattr("sys.platform", "darwin")
    assert "never run" in str(choose(str(tmp_path)))


def test_the_seatbelt_profile_says_the_strictest_last() -> None:
    lines = seatbelt(PROFILE).splitlines()
    order = [
        '(allow file-write* (subpath "/w"))',
        '(deny file-write* (subpath "/w/.git"))',
        '(deny file-read* file-write* (subpath "/home/me/.ssh"))',
    ]
    assert [line for line in lines if line in order] == order
    assert '(allow network-outbound (remote ip "localhost:*"))' in lines
    assert '"a\\"b"' in seatbelt(replace(PROFILE, hidden=('/a"b',))).replace("/a", "a")


@pytest.mark.real
def test_a_guard_that_holds_nothing_is_found_out(wrapped: World, tmp_path: Path) -> None:
    """A program that runs the command and guards nothing."""
    sham = tmp_path / "bwrap"
    sham.write_text(
        "#!/usr/bin/env python3\n"
        "import os, sys\n"
        "words = sys.argv[sys.argv.index('--') + 1 :]\n"
        "given = os.pread(int(sys.argv[2]), 99999, 0).split(b'\\0')\n"
        "tell = int(given[given.index(b'--json-status-fd') + 1])\n"
        "status = os.spawnv(os.P_WAIT, words[0], words)\n"
        "os.write(tell, b'{\"exit-code\": %d}\\n' % status)\n"
        "sys.exit(status)\n"
    )
    sham.chmod(0o755)
    fault = guards.prove(Guard("bubblewrap", str(sham)), str(wrapped.home))
    for way in ("made outside", "hidden file", "local service", "signal", "namespace", "typed"):
        assert way in fault


@pytest.mark.real
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_before_the_command_begins_ends_the_call(
    number: signal.Signals, wrapped: World
) -> None:
    sham = wrapped.home / "slow"
    sham.write_text(
        "#!/usr/bin/env python3\nimport os, sys, time\n"
        "given = open(int(sys.argv[2]), 'rb').read().split(b'\\0')\n"
        "tell = int(given[given.index(b'--json-status-fd') + 1])\n"
        "os.write(tell, b'{\"child-pid\": %d}\\n' % os.getpid())\n"
        "print('there', flush=True)\ntime.sleep(100)\n"
    )
    sham.chmod(0o755)
    remember(str(wrapped.orders), Guard("bubblewrap", str(sham)))
    with subprocess.Popen(
        wrapped.words(TEXT), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"there\n"
        process.send_signal(number)
    assert process.returncode == 137
    assert not (wrapped.workspace / "src/ran").exists()


def test_an_unknown_processor_has_no_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = os.uname_result(("Linux", "x", "6.0", "1", "riscv64"))
    monkeypatch.setattr(os, "uname", lambda: machine)
    with pytest.raises(UnknownMachine):
        filter_program(families=(), own_namespaces=True)


@pytest.mark.parametrize(
    ("faults", "taken"),
    [
        (["its test ended with 1: bwrap: x", ""], True),
        (["its test ended with 1: bwrap: x", "its test ended with 1: bwrap: x"], False),
        (["it wrote outside", ""], False),
    ],
)
def test_only_a_test_that_did_not_run_is_tried_again(
    faults: list[str], taken: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = iter(faults)
    only = Guard("bubblewrap", "/usr/bin/bwrap")
    monkeypatch.setattr(guards, "_candidates", lambda _: iter([only]))
    monkeypatch.setattr(guards, "prove", lambda *_: next(told))
    monkeypatch.setattr(guards, "remember", lambda *_: None)  # there may be no bubblewrap here

    assert (choose(str(tmp_path)) == only) is taken


@pytest.mark.real
def test_this_machine_proves_a_guard_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = world.home / "proofs"
    folder.mkdir(mode=0o700)
    found = choose(str(folder))
    assert isinstance(found, Guard), found
    monkeypatch.setattr(guards, "prove", lambda *_: pytest.fail("tried again"))
    assert choose(str(folder)) == proved(str(folder)) == found
    assert os.listdir(folder) == ["guard.json"]


@pytest.mark.parametrize("name", ["link", "link/inner"])
def test_what_was_replaced_by_a_link_is_not_opened(name: str, tmp_path: Path) -> None:
    """Where a call that runs at the same time has put it there after it was looked at."""
    (tmp_path / "home/inner").mkdir(parents=True)
    (tmp_path / "link").symlink_to("home")
    os.close(open_unmoved(str(tmp_path / "home/inner")))

    with pytest.raises(BadOrder, match="replaced"):
        open_unmoved(str(tmp_path / name))
