"""Talks to the daemon from an ordinary program: one request, is it there.

Blocking and bounded in time. Hooks do not use it: they have a faster one of their own.
"""

import json
import socket
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass

from automode.core.errors import AutomodeError
from automode.daemon.frames import JSON, BadFrame, Replies, Reply, Request, Right, token_of
from automode.daemon.peers import peer_of
from automode.store.folder import StateFolder

SECONDS = 10.0
HEARD_SECONDS = 2.0
"""A daemon that works says at once that it has heard."""

_CHUNK = 65_536


class NoDaemon(AutomodeError):
    """Nobody listens on the socket, or the daemon has ended: commands do without one."""


class NotAnswering(AutomodeError):
    """A daemon listens and does not answer in time. It has the store, so no second one may start.
    `pid` None: unknown. `heard`: it has taken the question."""

    def __init__(self, pid: int | None, *, heard: bool = False) -> None:
        who = "the daemon" if pid is None else f"the daemon, pid {pid},"
        says = f"{who} has not answered in time" if heard else f"{who} does not answer"
        super().__init__(says, f"{'if that lasts, ' if heard else ''}run `automode daemon restart`")
        self.pid = pid


class VerbFailed(AutomodeError):
    """The daemon's own error, with its hint."""


@dataclass(frozen=True, slots=True)
class Status:
    """What the daemon says of itself."""

    pid: int
    version: str
    started: float  # seconds since the epoch
    http_port: int | None
    settings: frozenset[str] = frozenset()  # the words for what it serves; none: it does not say

    def serves_others(self, words: frozenset[str]) -> bool:
        """Whether its settings are not those of `words`; see `Placement.settings_words`."""
        return bool(self.settings) and self.settings.isdisjoint(words)


def daemon_problem(folder: StateFolder, root: str) -> str | None:
    """Why the daemon cannot have a call at `root` judged by the chosen model; empty when it can,
    None without a daemon that tells."""
    try:
        told = request(folder, "judge", {"root": root})
    except AutomodeError:
        return None
    return str(told.get("problem") or "")


def request(
    folder: StateFolder,
    verb: str,
    data: Mapping[str, object] | None = None,
    *,
    token: str = Right.DECIDE,
    seconds: float = SECONDS,
) -> dict[str, object]:
    """The answer of one verb. `token` names the file: `decide`, `prompt` or `person`. Raises
    NoDaemon, NotAnswering, and VerbFailed, also for a wrong token or an agent above the caller."""
    with closing(_connect(folder)) as connection:
        return _answer(connection, folder, {**(data or {}), "do": verb}, Right(token), seconds)


def running(folder: StateFolder) -> Status | None:
    """The daemon that answers on this folder's socket; None when none does."""
    try:
        return present(folder)
    except NotAnswering:
        return None


def present(folder: StateFolder) -> Status | None:
    """The daemon of this folder; None where nobody listens. Raises NotAnswering."""
    try:
        return _status(request(folder, "ping"))
    except NoDaemon:
        return None


def _connect(folder: StateFolder) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(HEARD_SECONDS)
    try:
        connection.connect(folder.socket)
    except (BlockingIOError, TimeoutError):
        # The kernel's queue of connections is full.
        connection.close()
        raise NotAnswering(None) from None
    except OSError as error:
        connection.close()
        raise NoDaemon(
            f"no daemon listens at `{folder.socket}` ({error.strerror or type(error).__name__})",
            "start one with `automode daemon start`",
        ) from None
    peer = peer_of(connection)
    if peer is None or not peer.ours:
        connection.close()
        raise NoDaemon(f"`{folder.socket}` belongs to another account", "name a --state-folder")
    return connection


def _answer(
    connection: socket.socket,
    folder: StateFolder,
    asked: Mapping[str, object],
    right: Right,
    seconds: float,
) -> dict[str, object]:
    payload = json.dumps(asked).encode("ascii")
    whole = Request(
        JSON, payload, token_of(folder, right), deadline_ms=int(seconds * 1000)
    ).encode()
    replies = Replies()
    deadline = time.monotonic() + seconds
    try:
        with suppress(BrokenPipeError, ConnectionResetError):  # it may have said why and hung up
            connection.sendall(whole)
        while (reply := replies.next()) is None:
            left = deadline - time.monotonic() if replies.heard else HEARD_SECONDS
            connection.settimeout(max(left, 0.001))
            replies.feed(_receive(connection))
    except TimeoutError:
        peer = peer_of(connection)
        raise NotAnswering(None if peer is None else peer.pid, heard=replies.heard) from None
    return _read_reply(reply)


def _receive(connection: socket.socket) -> bytes:
    try:
        data = connection.recv(_CHUNK)
    except TimeoutError:
        raise
    except OSError as error:
        raise NoDaemon(f"the daemon went away ({error.strerror or type(error).__name__})") from None
    if not data:
        raise NoDaemon("the daemon went away", "hooks start another, or `automode daemon start`")
    return data


def _read_reply(reply: Reply) -> dict[str, object]:
    answer = _object(reply.stdout)
    if reply.exit == 0:
        return answer
    match answer:
        case {"error": str(sentence), "hint": str(hint)}:
            raise VerbFailed(sentence, hint)
        case {"error": str(sentence)}:
            raise VerbFailed(sentence)
        case _:
            raise VerbFailed("the daemon failed and does not say why")


def _object(line: bytes) -> dict[str, object]:
    try:
        found: object = json.loads(line)
    except ValueError as error:
        raise BadFrame("the daemon's answer is not JSON") from error
    if not isinstance(found, dict):
        raise BadFrame("the daemon's answer is not a JSON object")
    return found


def _status(facts: Mapping[str, object]) -> Status:
    match facts:
        case {"pid": int(pid), "version": str(version), "started": float(started)}:
            port = facts.get("http_port")
            known = port if isinstance(port, int) else None
            return Status(pid, version, started, known, _words(facts.get("settings")))
        case _:
            raise BadFrame("the daemon does not say who it is")


def _words(told: object) -> frozenset[str]:
    match told:
        case [*words]:
            return frozenset(word for word in words if isinstance(word, str))
        case _:
            return frozenset()
