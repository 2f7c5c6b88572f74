"""To whom a process prints: whether another one made its standard output and holds the other end.

A program chooses its own name, words and variables, but nobody makes a pair of sockets of which
another process holds one. A pipe proves nothing: whoever runs in the same account can open the one
that another process has. Only Linux tells; elsewhere nobody is believed to hold anything.
"""

import os
import re
import socket
import struct
from collections.abc import Iterator
from contextlib import suppress

_SOCKET = re.compile(r"socket:\[(\d+)\]")
_SOCKET_DIAGNOSIS = 4  # the protocol of the kernel's own door for questions about sockets
_BY_FAMILY = 20  # the kind of question, and of its answer
_REQUEST = 1
_ALL_STATES = 0xFFFFFFFF
_ANY_COOKIE = 0xFFFFFFFF
_SHOW_NAME, _SHOW_PEER = 1, 4
_NAME, _PEER = 0, 2  # the parts of an answer
_HEAD = struct.Struct("=IHHII")
_QUESTION = struct.Struct("=BBHIIIII")
_PART = struct.Struct("=HH")
_ANSWER_BYTES = 4096
_ANSWER_HEAD = _HEAD.size + 16
_SECONDS = 1.0


def prints_to(pid: int, reader: int) -> bool:
    """Whether `reader` itself holds the other end of the standard output of `pid`. A socket that
    somebody connected to a name proves nothing: anybody can do that."""
    with suppress(OSError, struct.error):
        found = _SOCKET.fullmatch(os.readlink(f"/proc/{pid}/fd/1"))
        other = _other_end(int(found[1])) if found is not None else None
        return other is not None and f"socket:[{other}]" in _held(reader)
    return False


def _held(pid: int) -> Iterator[str]:
    folder = f"/proc/{pid}/fd"
    for entry in os.listdir(folder):
        with suppress(OSError):
            yield os.readlink(f"{folder}/{entry}")


def _other_end(number: int) -> int | None:
    """Of a pair of sockets. None for one that has a name at either end, or none at all."""
    parts = _described(number)
    if parts is None or _NAME in parts or _PEER not in parts:
        return None
    (other,) = struct.unpack("=I", parts[_PEER])
    beyond = _described(other)
    return other if beyond is not None and _NAME not in beyond else None


def _described(number: int) -> dict[int, bytes] | None:
    """What the kernel says of a unix socket, part by part; None where there is no such one."""
    shown = _SHOW_NAME | _SHOW_PEER
    asked = _QUESTION.pack(
        *(socket.AF_UNIX, 0, 0, _ALL_STATES, number, shown), _ANY_COOKIE, _ANY_COOKIE
    )
    head = _HEAD.pack(_HEAD.size + len(asked), _BY_FAMILY, _REQUEST, 1, 0)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _SOCKET_DIAGNOSIS) as kernel:
        kernel.settimeout(_SECONDS)
        kernel.send(head + asked)
        answer = kernel.recv(_ANSWER_BYTES)
    length, kind, *_ = _HEAD.unpack_from(answer)
    return dict(_parts(answer[:length])) if kind == _BY_FAMILY else None


def _parts(answer: bytes) -> Iterator[tuple[int, bytes]]:
    place = _ANSWER_HEAD
    while place + _PART.size <= len(answer):
        length, kind = _PART.unpack_from(answer, place)
        if length < _PART.size:
            return
        yield kind, answer[place + _PART.size : place + length]
        place += (length + 3) & ~3
