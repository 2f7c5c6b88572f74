"""A daemon that behaves as its first argument says, in a process of its own. Not a test.

`scripted_daemon.py BEHAVIOUR FOLDER [SECONDS]` listens in FOLDER and writes down what it is asked,
one JSON line each, in FOLDER/asked.jsonl. It ends by itself.
"""

import json
import os
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from automode.daemon.frames import HEARD, Request, Requests

ALLOW = b'{"hookSpecificOutput":{"permissionDecision":"allow"}}\n'
SECONDS = 60.0


def framed(out: bytes, err: bytes = b"", status: bytes = b"0") -> bytes:
    return b"AM1 %s %d %d\n" % (status, len(out), len(err)) + out + err


def answer(line: socket.socket, served: int) -> None:
    line.sendall(HEARD + framed(ALLOW))


def nothing(line: socket.socket, served: int) -> None:
    time.sleep(SECONDS)


def heard_only(line: socket.socket, served: int) -> None:
    line.sendall(HEARD)
    time.sleep(SECONDS)


def when_told(line: socket.socket, served: int) -> None:
    line.sendall(HEARD)
    while not Path("go").exists():
        time.sleep(0.01)
    line.sendall(framed(ALLOW))


def second_time(line: socket.socket, served: int) -> None:
    line.sendall(HEARD + framed(ALLOW) if served > 1 else HEARD)


def no_end(line: socket.socket, served: int) -> None:
    for _ in range(64):
        line.sendall(b"AM1 " * 4096)


def piecemeal(line: socket.socket, served: int) -> None:
    for place in range(len(whole := HEARD + framed(ALLOW))):
        line.sendall(whole[place : place + 1])
        time.sleep(0.001)


def sending(data: bytes) -> Callable[[socket.socket, int], None]:
    return lambda line, served: line.sendall(data)


BEHAVIOURS: dict[str, Callable[[socket.socket, int], None]] = {
    "answer": answer,
    "piecemeal": piecemeal,
    "nothing": nothing,
    "heard-only": heard_only,
    "when-told": when_told,
    "second-time": second_time,
    "no-end": no_end,
    "hangs-up": sending(b""),
    "hangs-up-after-heard": sending(HEARD),
    "breaks-off": sending(HEARD + framed(ALLOW)[:-7]),
    "another-protocol": sending(b"HTTP/1.1 200 OK\r\n\r\nallow"),
    "binary": sending(bytes(range(256))),
    "empty-lines": sending(b"\n\n\n"),
    "more-than-promised": sending(HEARD + framed(ALLOW) + b"{}"),
    "too-large": sending(HEARD + b"AM1 0 9999999 0\n"),
    "far-too-large": sending(HEARD + b"AM1 0 " + b"9" * 300 + b" 0\n"),
    "negative": sending(HEARD + b"AM1 0 -1 0\n"),
    "exit-1": sending(HEARD + framed(ALLOW, status=b"1")),
    "exit-256": sending(HEARD + framed(ALLOW, status=b"256")),
    "no-json": sending(HEARD + framed(b"go ahead\n")),
    "refuses": sending(b"AM1 refused the token is not known\n"),
}


def serve(behaviour: str, folder: Path, seconds: float) -> None:
    os.chdir(folder)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    # A socket that has its name already but does not listen yet is taken for a dead daemon's.
    listening.bind(f"daemon.sock.{os.getpid()}")
    listening.listen(64)
    os.replace(f"daemon.sock.{os.getpid()}", "daemon.sock")
    listening.settimeout(seconds)
    served = 0
    while True:
        line, _ = listening.accept()
        served += 1
        request = _read(line)
        with Path("asked.jsonl").open("a") as file:
            file.write(json.dumps(_written(request)) + "\n")
        with line, suppress(BrokenPipeError, ConnectionResetError):
            BEHAVIOURS[behaviour](line, served)


def _read(line: socket.socket) -> Request:
    requests = Requests()
    while (request := requests.next()) is None:
        requests.feed(line.recv(65536))
    return request


def _written(request: Request) -> dict[str, object]:
    return {
        "op": request.op,
        "host": request.host,
        "moment": request.moment,
        "token": request.token,
        "deadline_ms": request.deadline_ms,
        "version": request.version,
        "settings": request.settings,
        "payload": request.payload[:1000].decode("utf-8", "replace"),
        "length": len(request.payload),
    }


if __name__ == "__main__":
    try:
        serve(sys.argv[1], Path(sys.argv[2]), float((*sys.argv, "60")[3]))
    except TimeoutError:
        sys.exit(0)
