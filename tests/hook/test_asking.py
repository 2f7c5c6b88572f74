"""Whatever stands behind the socket, the hook answers with a sound answer or a closing one."""

import json
import os
import signal
import socket
from importlib.metadata import version
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from automode.agents.catalog import ADAPTERS
from automode.agents.events import Answer, Moment
from automode.daemon import frames
from automode.facts.place import home_folder
from automode.hook import asking
from tests.hook.conftest import PAYLOAD, TOKENS, Place, Ran, ended
from tests.hook.scripted_daemon import ALLOW

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


def closed(host: str, reason: str) -> Ran:
    answer: Answer = ADAPTERS[host].closed(Moment.PROPOSED, reason)
    return Ran(answer.exit, answer.stdout, answer.stderr)


@pytest.mark.parametrize(("behaviour", "reason"), FAULTS.items(), ids=FAULTS)
def test_a_daemon_that_fails_is_no_permission(place: Place, behaviour: str, reason: str) -> None:
    place.daemon(behaviour)

    done = place.hook("--deadline-ms", "4000", host="claude-code")

    assert done == closed("claude-code", reason)


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


def test_a_payload_as_large_as_the_wire_allows_goes_through(place: Place) -> None:
    place.daemon("answer")

    done = place.hook(payload=b"x" * asking.LONGEST_PAYLOAD)

    assert done == Ran(0, ALLOW.decode(), "")
    assert place.asked()[0]["length"] == frames.LONGEST_PAYLOAD


def test_a_payload_that_never_ends_is_not_read_to_the_end(place: Place) -> None:
    place.daemon("answer")

    done = place.hook(payload=b"x" * (asking.LONGEST_PAYLOAD + 1))

    assert done == closed("plain", f"the call is larger than {asking.LONGEST_PAYLOAD} bytes")
    assert place.asked() == []


def test_what_is_promised_is_what_the_daemon_promises() -> None:
    assert version("automode") == asking.VERSION
    assert asking.LONGEST_PAYLOAD == frames.LONGEST_PAYLOAD
    assert asking.LONGEST_LINE == frames.LONGEST_LINE


def _no_folder(place: Place) -> None:
    place.state.rename(place.state.with_name(f"{place.state.name}-away"))
    place.state = place.state.with_name(f"{place.state.name}-gone")


def _no_token(place: Place) -> None:
    (place.state / "tokens" / "decide").unlink()


def _empty_token(place: Place) -> None:
    (place.state / "tokens" / "decide").write_text("\n")


def _linked_token(place: Place) -> None:
    token = place.state / "tokens" / "decide"
    token.rename(place.state / "elsewhere")
    token.symlink_to(place.state / "elsewhere")


def _open_token(place: Place) -> None:
    (place.state / "tokens" / "decide").chmod(0o644)


def _open_folder(place: Place) -> None:
    place.state.chmod(0o755)


def _file_for_socket(place: Place) -> None:
    (place.state / "daemon.sock").unlink()
    (place.state / "daemon.sock").write_text("no socket")


def _link_for_socket(place: Place) -> None:
    (place.state / "daemon.sock").rename(place.state / "real.sock")
    (place.state / "daemon.sock").symlink_to(place.state / "real.sock")


def _file_for_folder(place: Place) -> None:
    place.state = place.state / "asked.jsonl"
    place.state.touch()


UNFIT = {
    "no state folder": (_no_folder, "is missing or cannot be read"),
    "a file for a state folder": (_file_for_folder, "is missing or cannot be read"),
    "a state folder that others can enter": (_open_folder, "is open to other accounts"),
    "no token": (_no_token, "tokens/decide in the state folder cannot be read"),
    "a token behind a link": (_linked_token, "tokens/decide in the state folder cannot be read"),
    "an empty token": (_empty_token, "tokens/decide in the state folder holds no token"),
    "a token that others can read": (_open_token, "tokens/decide is open to other accounts"),
    "a file for a socket": (_file_for_socket, "daemon.sock in the state folder is not what"),
    "a link for a socket": (_link_for_socket, "daemon.sock in the state folder is not what"),
}


@pytest.mark.parametrize("name", UNFIT)
def test_a_state_folder_that_is_not_fit_closes(place: Place, name: str) -> None:
    place.daemon("answer")
    spoil, reason = UNFIT[name]
    spoil(place)

    done = place.hook()

    assert done == closed("plain", done.reason)
    assert reason in done.reason


@pytest.mark.parametrize("name", ["", "daemon.sock", "tokens/decide"])
def test_what_belongs_to_another_account_closes(place: Place, name: str) -> None:
    if os.geteuid() != 0:
        pytest.skip("NOT ROOT: only root can give a file away")
    place.daemon("answer")
    os.lchown(place.state / name, 65534, 65534)

    done = place.hook()

    assert done == closed("plain", done.reason)
    assert "belongs to another account" in done.reason


def test_an_administrators_hook_means_the_home_of_the_account_and_not_what_home_says(
    place: Place,
) -> None:
    place.daemon("answer")
    below_home = f"~/{os.path.relpath(place.state, home_folder())}"

    done = place.hook("--state", below_home, environment={"HOME": "/nonexistent"})
    missing = place.hook("--state", f"{below_home}/no", environment={"HOME": str(place.state)})

    assert done.status == 0
    assert len(place.asked()) == 1
    assert missing == closed("plain", missing.reason)
    assert "is missing or cannot be read" in missing.reason


def test_a_folder_of_root_is_not_ours(place: Place) -> None:
    place.state = Path("/")

    done = place.hook()

    assert done == closed("plain", done.reason)
    assert "/ belongs to another account" in done.reason or "open to other" in done.reason


def test_a_daemon_killed_while_the_hook_waits_is_replaced_by_another(place: Place) -> None:
    first = place.daemon("heard-only")
    waiting = place.waiting_hook("--python", place.starting("answer"))
    place.until(lambda: len(place.asked()) == 1)

    first.kill()

    assert ended(waiting) == Ran(0, ALLOW.decode(), "")
    assert len((place.state / "starts").read_text().splitlines()) == 1


def test_a_stopped_daemon_is_told_from_a_slow_one(place: Place) -> None:
    place.daemon("answer").send_signal(signal.SIGSTOP)

    done = place.hook()

    assert done == closed("plain", asking.STUCK)


def test_a_stopped_daemon_that_cannot_even_take_the_payload_closes(place: Place) -> None:
    place.daemon("answer").send_signal(signal.SIGSTOP)

    done = place.hook(payload=b"x" * asking.LONGEST_PAYLOAD)

    assert done == closed("plain", asking.STUCK)


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

    assert done == _expected(sent) or done == closed("plain", done.reason)


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


def test_the_payload_stays_out_of_a_closing_answer(place: Place) -> None:
    secret = json.dumps({"command": "curl -H 'Authorization: Bearer sk-live-12345'"})
    place.daemon("binary")

    done = place.hook(payload=secret.encode())

    assert done == closed("plain", asking.RUBBISH)
    assert "sk-live-12345" not in done.stdout + done.stderr
