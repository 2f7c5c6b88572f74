"""The wire between hooks, commands and the daemon: requests, replies and tokens, no sockets here.

Request   `AM1 <op> <host> <moment> <token> <deadline_ms> <length>[ <version>[ <settings>[
          <variables>]]]\\n` and the payload. `hook` carries the agent's own JSON untouched;
          `json` carries `{"do": verb, …}` and has `-` for host and moment. `settings` says by
          which folder of settings the sender is to be judged (see `settings_word`): a daemon with
          another refuses.
          `variables` is how many bytes at the end of the payload are variables of the agent's
          environment: `NAME=value`, with a NUL between two. They hold settings, or name the run
          of `automode run`.
Reply     `AM1 heard\\n` soon after the whole request is there, at the latest with the reply:
          `AM1 <exit> <stdout length> <stderr length>\\n` and those bytes.
Refusal   `AM1 refused <sentence>\\n` instead of a reply; the daemon hangs up after it.

Both decoders are fed with whatever arrives, so that blocking and asyncio code share them.

Tokens    Four, in files that only the account can read. `decide` is for hooks and may only have
          calls decided. `prompt` is for the hooks that carry a user's own words. `person` is for
          what only a person may do; hooks never read that file. `http` is in agents' own settings,
          where they can read it: it opens nothing but the hooks on loopback.
"""

import hashlib
import hmac
import os
import re
from dataclasses import dataclass, field
from enum import StrEnum

from automode.agents.events import Variables
from automode.config.places import RUN_VARIABLE, VARIABLES
from automode.core.errors import AutomodeError
from automode.store.folder import StateFolder, secret

HEARD = b"AM1 heard\n"
LONGEST_LINE = 512
LONGEST_PAYLOAD = 16 * 1024 * 1024
LONGEST_DEADLINE_MS = 10 * 60 * 1000
HOOK = "hook"
JSON = "json"
ANSWER = "answer"
"""A token in the place of all rights: it answers one waiting call. Over loopback only."""
NOBODY = "-"
USUAL_SETTINGS = "-"
SETTINGS_HEADERS = {
    "X-Automode-Settings": VARIABLES[0],
    "X-Automode-Pi-Settings": VARIABLES[1],
}
"""In which headers hooks over HTTP hand the agent's variables over."""

_REQUEST = re.compile(
    r"AM1 (hook|json) ([\w.+-]{1,64}) ([\w.-]{1,32}) ([0-9a-f]{1,128}|-)"
    r" (\d{1,7}) (\d{1,9})(?: ([\w.+-]{1,32})(?: ([0-9a-f]{32}|-)(?: (\d{1,7}))?)?)?",
    re.ASCII,
)
_REPLY = re.compile(rb"AM1 (\d{1,3}) (\d{1,9}) (\d{1,9})")
_REFUSED = re.compile(rb"AM1 refused (.*)")


def settings_word(folder: str) -> str:
    """How a sender names its folder of settings; USUAL_SETTINGS for the account's usual one."""
    return hashlib.blake2b(os.fsencode(folder), digest_size=16).hexdigest()


class BadFrame(AutomodeError):
    """Bytes that are not the wire's. After one nothing on that connection can be trusted."""


class Refused(AutomodeError):
    """The daemon understood, and will not."""


@dataclass(frozen=True, slots=True)
class Request:
    op: str
    payload: bytes
    token: str = NOBODY
    host: str = NOBODY
    moment: str = NOBODY
    deadline_ms: int = 30_000
    version: str = ""
    settings: str = ""  # empty: the sender does not say
    variables: Variables = ()

    def encode(self) -> bytes:
        given = "\0".join(f"{name}={value}" for name, value in self.variables)
        variables = given.encode("utf-8", "surrogateescape")
        payload = self.payload + variables
        words = [self.version or NOBODY, self.settings] if self.settings else [self.version]
        if variables:
            words = [self.version or NOBODY, self.settings or USUAL_SETTINGS, str(len(variables))]
        tail = "".join(f" {word}" for word in words if word)
        line = (
            f"AM1 {self.op} {self.host} {self.moment} {self.token}"
            f" {self.deadline_ms} {len(payload)}{tail}"
        )
        head = line.encode("ascii", "replace")
        if not _REQUEST.fullmatch(line) or len(head) >= LONGEST_LINE:
            raise BadFrame(f"not a request: `{self.op} {self.host} {self.moment}`")
        if len(payload) > LONGEST_PAYLOAD:
            raise BadFrame(f"{len(payload)} bytes are too many", f"at most {LONGEST_PAYLOAD}")
        return head + b"\n" + payload


@dataclass(frozen=True, slots=True)
class Reply:
    """What a hook prints and how it exits; a verb's answer is JSON on `stdout`."""

    exit: int
    stdout: bytes = b""
    stderr: bytes = b""

    def encode(self) -> bytes:
        head = b"AM1 %d %d %d\n" % (self.exit, len(self.stdout), len(self.stderr))
        return head + self.stdout + self.stderr


def refusal(sentence: str) -> bytes:
    """One printable line, whatever the sentence holds."""
    plain = "".join(letter if " " <= letter <= "~" else "?" for letter in sentence)
    return f"AM1 refused {plain[: LONGEST_LINE - 32]}\n".encode()


class _Lines:
    """What arrived and was not taken yet."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting = bytearray()

    def feed(self, data: bytes) -> None:
        self._waiting += data

    @property
    def waiting(self) -> int:
        """How many bytes were fed and not taken."""
        return len(self._waiting)

    def _line(self) -> bytes | None:
        end = self._waiting.find(b"\n", 0, LONGEST_LINE)
        if end < 0:
            if len(self._waiting) >= LONGEST_LINE:
                raise BadFrame("the first line is too long", f"at most {LONGEST_LINE} bytes")
            return None
        return bytes(memoryview(self._waiting)[:end])

    def _take(self, count: int) -> bytes:
        taken = bytes(memoryview(self._waiting)[:count])
        del self._waiting[:count]
        return taken


class Requests(_Lines):
    """The daemon's end: from bytes to requests, one after the other."""

    __slots__ = ("_head", "_length")

    def __init__(self) -> None:
        super().__init__()
        self._head: tuple[str, ...] | None = None
        self._length = 0

    def next(self) -> Request | None:
        """The next whole request; None when more bytes are needed; BadFrame for anything else."""
        if self._head is None:
            self._head = self._read_head()
        if self._head is None or len(self._waiting) < self._length:
            return None
        (op, host, moment, token, deadline, version, settings, tail), self._head = self._head, None
        deadline_ms = min(int(deadline), LONGEST_DEADLINE_MS)
        payload = self._take(self._length - int(tail or 0))
        variables = variables_in(self._take(int(tail or 0)))
        return Request(op, payload, token, host, moment, deadline_ms, version, settings, variables)

    def _read_head(self) -> tuple[str, ...] | None:
        line = self._line()
        if line is None:
            return None
        found = _REQUEST.fullmatch(line.decode("ascii", "replace"))
        if found is None:
            raise BadFrame("not a request of automode", "see docs/reference/wire.md")
        op, host, moment, token, deadline, length, version, settings, tail = found.groups("")
        if int(tail or 0) > int(length):
            raise BadFrame(f"a payload of {length} bytes has no {tail} bytes of variables")
        if int(length) > LONGEST_PAYLOAD:
            raise BadFrame(
                f"a payload of {length} bytes is too large", f"at most {LONGEST_PAYLOAD}"
            )
        self._take(len(line) + 1)
        self._length = int(length)
        return op, host, moment, token, deadline, version.strip(NOBODY), settings, tail


def variables_in(data: bytes) -> Variables:
    """Other names are left out."""
    pairs = (entry.partition(b"=") for entry in data.split(b"\0"))
    known = {name.encode(): name for name in (*VARIABLES, RUN_VARIABLE)}
    return tuple(
        (known[name], value.decode("utf-8", "surrogateescape"))
        for name, _, value in pairs
        if name in known
    )


class Replies(_Lines):
    """The other end: from bytes to the reply."""

    __slots__ = ("_expected", "heard")

    def __init__(self) -> None:
        super().__init__()
        self.heard = False
        self._expected: tuple[int, int, int] | None = None

    def next(self) -> Reply | None:
        """The next whole reply, or None when more bytes are needed; `heard` once the daemon has
        said so. Raises Refused and BadFrame."""
        while self._expected is None:
            line = self._line()
            if line is None:
                return None
            self._take(len(line) + 1)
            self._read_head(line)
        code, out, err = self._expected
        if len(self._waiting) < out + err:
            return None
        self._expected, self.heard = None, False
        return Reply(code, self._take(out), self._take(err))

    def _read_head(self, line: bytes) -> None:
        if line + b"\n" == HEARD:
            self.heard = True
            return
        if refused := _REFUSED.fullmatch(line):
            raise Refused(refused[1].decode("ascii", "replace"))
        found = _REPLY.fullmatch(line)
        if found is None:
            raise BadFrame("the answer is not automode's", "is another program on that socket?")
        code, out, err = (int(part) for part in found.groups())
        if out + err > LONGEST_PAYLOAD:
            raise BadFrame(f"an answer of {out + err} bytes is too large")
        self._expected = (code, out, err)


class Right(StrEnum):
    """Also the name of the token's file."""

    DECIDE = "decide"
    PROMPT = "prompt"
    PERSON = "person"
    HTTP = "http"


_INCLUDES = {
    Right.DECIDE: frozenset({Right.DECIDE}),
    Right.PROMPT: frozenset({Right.DECIDE, Right.PROMPT}),
    Right.PERSON: frozenset({Right.DECIDE, Right.PERSON}),
    Right.HTTP: frozenset[Right](),
}
"""A person's token carries no user's words: those come from the agent's own hook alone. That of
HTTP hooks is worth something at its own door only; see `over_loopback`."""


@dataclass(frozen=True, slots=True)
class Tokens:
    _known: tuple[tuple[Right, bytes], ...] = field(repr=False)

    @classmethod
    def of(cls, folder: StateFolder) -> "Tokens":
        """Made on the first call and kept over restarts. Raises BadFolder."""
        return cls(tuple((right, token_of(folder, right).encode()) for right in Right))

    def rights(self, given: str) -> frozenset[Right]:
        """Every token is compared, whichever fits, so that the time taken tells nothing."""
        return frozenset().union(*(_INCLUDES[right] for right in self._rights_named(given)))

    def over_loopback(self, given: str) -> str | None:
        """The token as which one is taken that came over HTTP; None where it has no right there."""
        named = self._rights_named(given)
        if Right.HTTP in named:
            return next(known.decode() for right, known in self._known if right is Right.DECIDE)
        return given if named else None

    def _rights_named(self, given: str) -> list[Right]:
        offered = given.encode("utf-8", "replace")
        return [right for right, known in self._known if hmac.compare_digest(offered, known)]


def token_of(folder: StateFolder, right: Right) -> str:
    """As it is sent. Made on the first call. Raises BadFolder."""
    return secret(folder.token(right.value)).hex()
