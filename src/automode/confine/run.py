"""Runs one command as its order says: `python -I -S run.py ORDER TEXT`. Where anything is not as it
should be, the command does not run, and the exit status is 126."""

import json
import os
import sys
from contextlib import suppress

REFUSED = 126
_ROOM = 65_536
_PACKAGES = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def main(words: list[str]) -> int:
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number, which is this one
    # Of the standard library and this package alone, whatever else is installed.
    library = os.path.dirname(os.__file__)
    sys.path[:] = [one for one in sys.path if one in (library, f"{library}/lib-dynload")]
    sys.path.append(_PACKAGES)
    try:
        return _run(*words)
    except Exception as error:  # noqa: BLE001 (nothing runs unconfined, whatever happened)
        told = str(error) if type(error).__name__ == "BadOrder" else type(error).__name__
        _say(f"automode: not run: {told}")
        return REFUSED


def _run(path: str, text: str) -> int:
    from dataclasses import replace

    from automode.confine.environment import kept, led_into
    from automode.confine.launch import Job, run
    from automode.confine.profile import BadOrder, digest, read_order
    from automode.confine.proof import Guard, proved
    from automode.confine.traps import NAMES, NETWORK

    order = read_order(path)
    if digest(os.fsencode(text)) != order.sha256:
        raise BadOrder("the command is not the one that was decided")
    folder = os.path.dirname(path)
    guard = proved(folder)
    if not isinstance(guard, Guard):
        raise BadOrder(guard.reason)
    profile = order.profile
    environment = {**kept(os.environ), **profile.environment}
    environment["AUTOMODE_CONFINED"] = guard.name
    traps = path.removesuffix(".json") + ".traps"
    end = _reserve(path)
    os.close(_create_beside(path, ".begun"))
    held = led_into(os.environ, (profile.workspace, *profile.writable), order.folder)
    profile = replace(profile, read_only=(*profile.read_only, *held))
    job = Job(profile, order.folder, (order.shell, "-c", text), environment, traps)
    ended = run(guard.name, guard.program, job)
    refused = [{"kind": one.kind, "what": one.what} for one in ended.refused]
    found = {"status": ended.status, "guard": guard.name, "refused": refused}
    try:
        _write(end, json.dumps(found))
    except OSError as error:
        _say(f"automode: this ran confined, but its end could not be kept: {error.strerror}")
    if ended.status or any(one.kind != NETWORK for one in ended.refused):
        network = "only loopback" if profile.loopback else "none"
        tried = ", ".join(f"{NAMES[one.kind]} ({one.what})" for one in ended.refused)
        _say(
            f"automode: this ran confined and ended with {ended.status}."
            f"{f' Refused: {tried}.' if tried else ''} It could write in"
            f" {profile.workspace} and its temporary folder, not in protected files;"
            f" network: {network}; credentials hidden."
            " If that was the reason, make the same call again: a person is asked then."
        )
    return ended.status


def _reserve(path: str) -> int:
    """The file that tells the gate how the command ended, with its room on the disk: a command that
    fills the disk hides nothing. Raises OSError."""
    found = _create_beside(path, ".end.json")
    os.posix_fallocate(found, 0, _ROOM)
    return found


def _create_beside(path: str, ending: str) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.open(path.removesuffix(".json") + ending, flags, 0o600)


def _write(file: int, content: str) -> None:
    """Raises OSError."""
    left, place = content.encode(), 0
    while left:
        written = os.pwrite(file, left, place)
        left, place = left[written:], place + written
    os.ftruncate(file, place)
    os.close(file)


def _say(line: str) -> None:
    with suppress(OSError):
        os.write(2, (line + "\n").encode("utf-8", "replace"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
