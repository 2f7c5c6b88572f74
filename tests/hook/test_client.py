"""Every way out of the hook is an answer of the daemon or a closing one."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from automode.agents.catalog import ADAPTERS, UNATTENDED
from automode.agents.events import Moment
from automode.hook import asking
from tests.hook.conftest import CLIENT, PAYLOAD, ROOT, Place, Ran, closed, ended
from tests.hook.scripted_daemon import ALLOW
from tests.rows import each_row, rows

HOSTS = [name for name in ADAPTERS if not name.endswith(UNATTENDED)]
EXPENSIVE = ["json", "os", "socket", "subprocess", "enum", "re", "signal", "typing", "threading"]


def run(command: Sequence[str], *, payload: bytes = PAYLOAD) -> Ran:
    done = subprocess.run(command, input=payload, capture_output=True, timeout=60, check=False)
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.parametrize("moment", Moment)
def test_the_hook_closes_in_the_words_of_the_adapter(place: Place, moment: Moment) -> None:
    place.daemon("another-protocol")

    for host in HOSTS:
        done = place.hook(host=host, moment=moment.value)
        assert done == closed(asking.RUBBISH, host, moment)


@pytest.mark.parametrize("folder", ['/no/"such"', "/no/\\such", "/no/\x1b[2Jsuch", "/nö", "/%s%d"])
def test_a_folder_of_any_name_leaves_the_closing_answer_whole(place: Place, folder: str) -> None:
    place.state = Path(folder)

    done = place.hook(host="claude-code")

    assert done == closed(done.reason, "claude-code")
    assert "is missing or cannot be read; run: automode daemon start" in done.reason


PAST_COUNTING = ["--deadline-ms", "9" * 5000, "plain", "proposed"]


@each_row("words", [*rows("hook", "wrong-words"), PAST_COUNTING])
def test_a_hook_that_was_installed_wrongly_closes(words: list[str]) -> None:
    done = run([sys.executable, "-I", "-S", str(CLIENT), *words])

    assert done.status == 2
    assert done.stdout in ("", closed(done.reason).stdout)
    assert done.stderr.startswith("automode could not decide, so this call must not run: the hook")


UNCAUGHT = {"SIGKILL", "SIGSTOP", "SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL"}
LET_PASS = {"SIGCHLD", "SIGCONT", "SIGURG", "SIGWINCH", "SIGPIPE", "SIGTSTP", "SIGTTIN", "SIGTTOU"}
CLOSING = [
    one
    for one in signal.Signals  # of those without a name the first and the last
    if one.name not in UNCAUGHT | LET_PASS | {"SIGALRM"}
]


@pytest.mark.parametrize("name", sorted(LET_PASS))
def test_a_signal_that_would_do_nothing_or_pause_it_costs_nothing(place: Place, name: str) -> None:
    place.daemon("when-told")
    waiting = place.waiting_hook()
    place.until(lambda: len(place.asked()) == 1)

    waiting.send_signal(signal.Signals[name])
    (place.state / "go").touch()

    assert ended(waiting) == Ran(0, ALLOW.decode(), "")


@pytest.mark.parametrize("number", CLOSING)
def test_a_signal_closes(place: Place, number: int) -> None:
    place.daemon("heard-only")
    waiting = place.waiting_hook()
    place.until(lambda: len(place.asked()) == 1)

    waiting.send_signal(number)

    assert ended(waiting) == closed(f"signal {number} ended the hook")


def test_an_input_that_never_comes_closes_at_the_deadline(place: Place) -> None:
    place.daemon("answer")
    waiting = subprocess.Popen(
        place.command("--deadline-ms", "300"), stdin=-1, stdout=-1, stderr=-1
    )
    place.started.append(waiting)

    waiting.wait(60)  # the input stays open all the while

    assert ended(waiting) == closed("no answer came in time")
    assert place.asked() == []


def test_the_deadline_counts_also_where_the_agent_blocks_its_signal(place: Place) -> None:
    place.daemon("heard-only")
    code = (
        "import os, signal, sys; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM]);"
        "os.execv(sys.argv[1], sys.argv[1:])"
    )

    done = run([sys.executable, "-c", code, *place.command("--deadline-ms", "500")])

    assert done == closed("no answer came in time")


@pytest.mark.parametrize("redirection", ["<&-", ">&-", "<&- >&-", "<&- >&- 2>&-"])
def test_closed_streams_close_and_standard_error_alone_costs_nothing(
    place: Place, redirection: str
) -> None:
    place.daemon("answer")

    done = run(["/bin/sh", "-c", f'"$@" {redirection}', "sh", *place.command()])
    asked = place.asked()
    alone = run(["/bin/sh", "-c", '"$@" 2>&-', "sh", *place.command()])

    assert done.status == 2
    assert "the agent closed the hook's standard" in done.stderr or "2>&-" in redirection
    assert "allow" not in done.stdout
    assert asked == []
    assert alone == Ran(0, ALLOW.decode(), "")


def test_an_agent_that_stopped_reading_gets_the_exit_status(place: Place) -> None:
    place.daemon("answer")
    reading, writing = os.pipe()
    os.close(reading)

    done = subprocess.run(
        place.command(), input=PAYLOAD, stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)

    assert done.returncode == 2
    assert b"the hook failed (BrokenPipeError)" in done.stderr


def test_too_little_memory_closes(place: Place) -> None:
    place.daemon("answer")
    limited = ["/bin/sh", "-c", 'ulimit -v 36000; exec "$@"', "sh", *place.command()]

    done = run(limited, payload=b"x" * (asking.LONGEST_PAYLOAD - 1))

    reason = "the hook failed (MemoryError); please report it"
    assert done == closed(reason)


@pytest.mark.parametrize("limit", [7, 8, 9, 10, 12, 14])
def test_too_little_stack_closes(place: Place, limit: int) -> None:
    place.daemon("answer")
    command = place.command()
    code = (
        "import sys; sys.argv = sys.argv[1:]; __file__ = sys.argv[0];"
        "code = compile(open(__file__).read(), __file__, 'exec');"
        f"sys.setrecursionlimit({limit}); exec(code)"
    )

    done = run([*command[:3], "-c", code, *command[3:]])

    assert done.status == 2
    assert "allow" not in done.stdout


def test_a_package_that_is_gone_closes(place: Place, tmp_path: Path) -> None:
    place.daemon("answer")
    copied = tmp_path / "automode" / "hook" / "client.py"
    copied.parent.mkdir(parents=True)
    copied.write_text(CLIENT.read_text())
    command = [str(copied) if word == str(CLIENT) else word for word in place.command()]

    done = run(command)

    reason = "the hook failed (ModuleNotFoundError); please report it"
    assert done == closed(reason)


def test_what_an_agent_says_of_its_session_can_only_tighten(place: Place) -> None:
    place.daemon("answer")

    for value in ("0", "1", "no"):
        place.hook(host="claude-code", environment={"CLAUDE_CODE_SESSION_ATTENDED": value})
    place.hook(host="plain", environment={"CLAUDE_CODE_SESSION_ATTENDED": "0"})
    place.hook("--unattended", environment={"CLAUDE_CODE_SESSION_ATTENDED": "1"})
    place.hook(host="plain+unattended")

    hosts = ["claude-code+unattended", "claude-code", "claude-code", "plain"]
    hosts += ["plain+unattended", "plain+unattended"]
    assert [asked["host"] for asked in place.asked()] == hosts


def test_a_hostile_environment_changes_nothing(place: Place, tmp_path: Path) -> None:
    place.daemon("answer")
    for name in ("_socket", "posix", "time", "_signal", "automode", "encodings", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text('print(\'{"verdict":"allow"}\'); raise SystemExit(0)')
    environment = {
        "HOME": str(tmp_path),
        "PATH": str(tmp_path),
        "XDG_STATE_HOME": str(tmp_path),
        "PYTHONPATH": str(tmp_path),
        "PYTHONHOME": str(tmp_path),
        "PYTHONSTARTUP": str(tmp_path / "posix.py"),
        "PYTHONINSPECT": "1",
        "PYTHONSAFEPATH": "",
        "PYTHONWARNINGS": "error",
        "PYTHONIOENCODING": "utf-16",
        "PYTHONPYCACHEPREFIX": str(tmp_path),
        "PYTHONDUMPREFS": "1",
        "PYTHONVERBOSE": "1",
        "LC_ALL": "tlh",
    }

    done = place.hook(environment=environment, cwd=tmp_path)

    assert done == Ran(0, ALLOW.decode(), "")


@pytest.mark.parametrize("name", ["LD_SHOW_AUXV", "BASH_XTRACEFD"])
def test_what_prints_in_front_of_answers_closes_by_the_exit_status(place: Place, name: str) -> None:
    place.daemon("answer")

    done = place.hook(environment={name: "1"})

    assert done.status == 2
    assert f"{name} in the environment" in done.stderr
    assert place.hook(moment="prompt", environment={name: "1"}).status == 0


def test_the_hook_loads_next_to_nothing(place: Place) -> None:
    place.daemon("answer")
    command = place.command()

    done = run([*command[:3], "-X", "importtime", *command[3:]])

    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "automode.hook.asking" in loaded
    assert loaded & {*EXPENSIVE, "automode.hook.starting"} == set()
    assert {name for name in loaded if name.startswith("automode")} == {
        *("automode", "automode.hook", "automode.hook.asking")
    }


def test_the_hook_stays_short_because_it_is_compiled_at_every_call() -> None:
    assert len((ROOT / CLIENT).read_text().splitlines()) < 175
