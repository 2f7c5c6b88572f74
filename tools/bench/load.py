"""Clients of a daemon that cost next to nothing: they share the machine with what they measure.

Every call goes through the wire as an agent sends it. A hook has a connection of its own for each
call, an agent's own extension keeps one open.
"""

import json
import random
import re
import selectors
import socket
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

HEARD = b"AM1 heard\n"
HOST = "claude-code"
SESSIONS = range(50)
DETERMINISTIC, JUDGE, UNKNOWN = "deterministic", "judge", "unknown"
_SOURCE = re.compile(r"automode \(([\w.-]+)\)")
_CHUNK = 1 << 16


@dataclass(slots=True)
class _Asked:
    """A call in flight."""

    session: int
    command: str
    due: float
    received: bytes = b""


@dataclass(slots=True)
class Load:
    door: Path
    token: str
    project: str
    verdicts: Counter[str] = field(default_factory=Counter)
    deciders: dict[str, str] = field(default_factory=dict)  # of each command, who decided it first
    _sent: int = 0
    _answers: list[tuple[bytes, str]] = field(default_factory=list)
    _times: list[float] = field(default_factory=list)
    _selector: selectors.DefaultSelector = field(default_factory=selectors.DefaultSelector)

    def all(
        self,
        commands: Sequence[str],
        sessions: Sequence[int] = SESSIONS,
        *,
        kept_open: bool = False,
    ) -> list[float]:
        """The commands in their order, dealt out to sessions that each wait for their answer and
        then send the next at once: the most that a daemon can do, and the worst wait for it."""
        waiting = iter(commands)
        for session in sessions:
            self._next(session, waiting, None)
        while self._selector.get_map():
            for line, asked in self._answered(None):
                if not kept_open:
                    self._hang_up(line)
                self._next(asked.session, waiting, line if kept_open else None)
        return self._taken()

    def offered(self, commands: Sequence[str], a_second: float) -> list[float]:
        """So many calls a second by chance, whether or not the last ones were answered; the time
        of each runs from when it was due."""
        chance, moment = random.Random(7), time.perf_counter()
        due: deque[tuple[float, int, str]] = deque()
        for number, command in enumerate(commands):
            moment += chance.expovariate(a_second)
            due.append((moment, number % len(SESSIONS), command))
        while due or self._selector.get_map():
            while due and due[0][0] <= time.perf_counter():
                moment, session, command = due.popleft()
                self._ask(session, command, moment, None)
            wait = max(due[0][0] - time.perf_counter(), 0.0) if due else None
            for line, _ in self._answered(wait):
                self._hang_up(line)
        return self._taken()

    def one_by_one(self, commands: Sequence[str]) -> list[float]:
        """One connection for all, and nobody else asks."""
        return self.all(commands, sessions=[0], kept_open=True)

    def _next(self, session: int, waiting: Iterator[str], line: socket.socket | None) -> None:
        command = next(waiting, None)
        if command is not None:
            self._ask(session, command, None, line)
        elif line is not None:
            self._hang_up(line)

    def _ask(
        self, session: int, command: str, due: float | None, line: socket.socket | None
    ) -> None:
        self._sent += 1
        request = self._request(session, self._sent, command)
        asked = _Asked(session, command, time.perf_counter() if due is None else due)
        if line is None:
            line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            line.connect(str(self.door))
            self._selector.register(line, selectors.EVENT_READ, asked)
        else:
            self._selector.modify(line, selectors.EVENT_READ, asked)
        line.sendall(request)

    def _answered(self, seconds: float | None) -> Iterator[tuple[socket.socket, _Asked]]:
        for key, _ in self._selector.select(seconds):
            line, asked = key.fileobj, key.data
            assert isinstance(line, socket.socket)
            assert isinstance(asked, _Asked)
            received = line.recv(_CHUNK)
            if not received:
                raise SystemExit(f"the daemon hung up on: {asked.command[:80]}")
            asked.received += received
            answer = _answer(asked.received)
            if answer is not None:
                self._times.append(time.perf_counter() - asked.due)
                self._answers.append((answer, asked.command))
                yield line, asked

    def _hang_up(self, line: socket.socket) -> None:
        self._selector.unregister(line)
        line.close()

    def _request(self, session: int, number: int, command: str) -> bytes:
        payload = {
            "session_id": f"bench-{session}",
            "transcript_path": "",
            "cwd": self.project,
            "permission_mode": "default",
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": command},
            "tool_use_id": f"toolu_{session}_{number}",
        }
        body = json.dumps(payload).encode()
        return f"AM1 hook {HOST} proposed {self.token} 30000 {len(body)}\n".encode() + body

    def _taken(self) -> list[float]:
        """The times, and the answers counted: not before now, because that takes time as well."""
        for answer, command in self._answers:
            self._count(answer, command)
        self._answers.clear()
        times, self._times = self._times, []
        return times

    def _count(self, answer: bytes, command: str) -> None:
        try:
            said = json.loads(answer)["hookSpecificOutput"]
            word, reason = said["permissionDecision"], said["permissionDecisionReason"]
        except (ValueError, KeyError, TypeError):
            word, reason = "none", ""
        self.verdicts[word] += 1
        self.deciders.setdefault(command, decider(str(reason)))


def _answer(received: bytes) -> bytes | None:
    """What the agent is told; None while some of it is still to come."""
    said = received.removeprefix(HEARD)
    head, ended, body = said.partition(b"\n")
    if not ended:
        return None
    words = head.split()
    if len(words) != 4 or words[0] != b"AM1":
        raise SystemExit(f"not an answer: {head!r}")
    out, err = int(words[2]), int(words[3])
    return None if len(body) < out + err else body[:out]


def decider(reason: str) -> str:
    """Whether code alone decided, or the embedded judge had to weigh the call."""
    named = _SOURCE.search(reason)
    if named is None:
        return UNKNOWN
    return JUDGE if named[1].startswith("classifier.") else DETERMINISTIC
