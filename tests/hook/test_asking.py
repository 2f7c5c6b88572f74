"""Whatever stands behind the socket, the hook answers with a sound answer or a closing one."""

import os
import signal
import socket
import subprocess
from importlib.metadata import version
from threading import Thread

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from automode.daemon import frames
from automode.facts.place import home_folder
from automode.hook import asking
from tests.hook.conftest import PAYLOAD, TOKENS, Place, Ran, closed, ended
from tests.hook.scripted_daemon import ALLOW
from tests.rows import rows

BROKE_OFF = "the daemon broke off again and again; see daemon.log in the state folder"
LATE = "no answer came in time"
FAULTS = {
    # what the daemon does     what the agent and the person are told
    "nothing": asking.STUCK,
    "heard-only": LATE,
    "no-end": asking.RUBBISH,
    "hangs-up": BROKE_OFF,
    "hangs-up-after-heard": BROKE_OFF,
    "breaks-off": BROKE_OFF,
    "another-protocol": asking.RUBBISH,
    "binary": asking.RUBBISH,
    "empty-lines": asking.RUBBISH,
    "more-than-promised": asking.RUBBISH,
    "too-large": asking.RUBBISH,
    "far-too-large": asking.RUBBISH,
    "negative": asking.RUBBISH,
    "exit-1": asking.RUBBISH,
    "exit-256": asking.RUBBISH,
    "no-json": asking.RUBBISH,
}


@pytest.mark.parametrize(("behaviour", "reason"), FAULTS.items(), ids=FAULTS)
def test_a_daemon_that_fails_is_no_permission(place: Place, behaviour: str, reason: str) -> None:
    place.daemon(behaviour)

    done = place.hook("--deadline-ms", "4000", host="claude-code")

    assert done == closed(reason, "claude-code")
    assert "git status" not in done.stdout + done.stderr  # the payload stays out of it


@pytest.mark.parametrize("behaviour", ["answer", "piecemeal", "second-time"])
def test_a_sound_answer_is_printed_as_it_is(place: Place, behaviour: str) -> None:
    place.daemon(behaviour)

    done = place.hook(host="claude-code")

    assert done == Ran(0, ALLOW.decode(), "")


def test_the_daemon_gets_the_payload_untouched_with_its_token_and_version(place: Place) -> None:
    place.daemon("answer")
    payload = PAYLOAD + b" \n\xff\x00"

    place.hook("--deadline-ms", "9000", payload=payload, host="claude-code")
    place.hook("--unattended", moment="prompt")

    decide, prompt = place.asked()
    assert decide["payload"] == payload.decode("utf-8", "replace")
    assert (decide["host"], decide["moment"]) == ("claude-code", "proposed")
    assert (decide["token"], prompt["token"]) == (TOKENS["decide"], TOKENS["prompt"])
    assert decide["version"] == version("automode")
    assert 1 < int(str(decide["deadline_ms"])) < 9000
    assert [one["settings"] for one in (decide, prompt)] == ["-", "-"]
    assert (prompt["host"], prompt["moment"]) == ("plain+unattended", "prompt")


@pytest.mark.parametrize("given", ["/home/x/.config/automode", "/home/x/.config/automode/"])
def test_the_daemon_learns_whose_settings_the_hook_wants(place: Place, given: str) -> None:
    place.daemon("answer")

    place.hook("--config", given)

    assert place.asked()[0]["settings"] == frames.settings_word("/home/x/.config/automode")


def test_a_payload_goes_through_up_to_what_the_wire_allows(place: Place) -> None:
    place.daemon("answer")

    done = place.hook(payload=b"x" * asking.LONGEST_PAYLOAD)
    larger = place.hook(payload=b"x" * (asking.LONGEST_PAYLOAD + 1))

    assert done == Ran(0, ALLOW.decode(), "")
    assert larger == closed(f"the call is larger than {asking.LONGEST_PAYLOAD} bytes")
    assert [one["length"] for one in place.asked()] == [frames.LONGEST_PAYLOAD]


def test_what_is_promised_is_what_the_daemon_promises() -> None:
    assert version("automode") == asking.VERSION
    assert asking.LONGEST_PAYLOAD == frames.LONGEST_PAYLOAD
    assert asking.LONGEST_LINE == frames.LONGEST_LINE


@pytest.mark.parametrize(("spoil", "reason"), rows("hook", "unfit-folders"))
def test_a_state_folder_that_is_not_fit_closes(place: Place, spoil: str, reason: str) -> None:
    place.daemon("answer")
    subprocess.run(["/bin/sh", "-c", spoil], cwd=place.state, check=True)

    done = place.hook()

    assert done == closed(done.reason)
    assert reason in done.reason


@pytest.mark.parametrize("name", ["", "daemon.sock", "tokens/decide"])
def test_what_belongs_to_another_account_closes(place: Place, name: str) -> None:
    if os.geteuid() != 0:
        pytest.skip("NOT ROOT: only root can give a file away")
    place.daemon("answer")
    os.lchown(place.state / name, 65534, 65534)

    done = place.hook()

    assert done == closed(done.reason)
    assert "belongs to another account" in done.reason


def test_an_administrators_hook_means_the_home_of_the_account_and_not_what_home_says(
    place: Place,
) -> None:
    place.daemon("answer")
    below_home = f"~/{os.path.relpath(place.state, home_folder())}"

    done = place.hook("--state", below_home, environment={"HOME": "/nonexistent"})
    missing = place.hook("--state", f"{below_home}/daemon.sock/no")

    assert done.status == 0
    assert len(place.asked()) == 1
    assert missing == closed(missing.reason)
    assert "is missing or cannot be read" in missing.reason


def test_a_daemon_killed_while_the_hook_waits_is_replaced_by_another(place: Place) -> None:
    first = place.daemon("heard-only")
    waiting = place.waiting_hook("--python", place.starting("answer"))
    place.until(lambda: len(place.asked()) == 1)

    first.kill()

    assert ended(waiting) == Ran(0, ALLOW.decode(), "")
    assert len((place.state / "starts").read_text().splitlines()) == 1


@pytest.mark.parametrize("payload", [PAYLOAD, b"x" * asking.LONGEST_PAYLOAD], ids=["", "large"])
def test_a_stopped_daemon_is_told_from_a_slow_one(place: Place, payload: bytes) -> None:
    place.daemon("answer").send_signal(signal.SIGSTOP)

    assert place.hook(payload=payload) == closed(asking.STUCK)


@given(st.binary(max_size=80) | st.from_regex(rb"AM1 [0-9 ]{1,12}\n[{}a-z]{0,20}", fullmatch=True))
@example(b"AM1 0 0 0\n")
@example(b"AM1 2 2 0\n{}")
def test_no_bytes_but_a_whole_reply_become_an_answer(place: Place, sent: bytes) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        (place.state / "daemon.sock").unlink(missing_ok=True)
        listening.bind(str(place.state / "daemon.sock"))
        listening.listen()
        server = Thread(target=_twice, args=(listening, frames.HEARD + sent))
        server.start()
        done = place.hook("--python", "/nonexistent")
        listening.shutdown(socket.SHUT_RDWR)
        server.join()

    assert done == _expected(sent) or done == closed(done.reason)


def _twice(listening: socket.socket, sent: bytes) -> None:
    """Serves until it is shut down."""
    while True:
        try:
            line, _ = listening.accept()
        except OSError:
            return
        with line:
            line.recv(65536)
            line.sendall(sent)


def _expected(sent: bytes) -> Ran | None:
    """What the daemon's own reader makes of it."""
    replies = frames.Replies()
    replies.feed(sent)
    try:
        reply = replies.next()
    except (frames.BadFrame, frames.Refused):
        return None
    if reply is None or replies.waiting or reply.exit not in (0, 2):
        return None
    if reply.stdout and not reply.stdout.startswith(b"{"):
        return None
    return Ran(reply.exit, reply.stdout.decode("latin-1"), reply.stderr.decode("latin-1"))
