"""One-time tokens: with one a person answers one waiting call from elsewhere.

    am1.<answer>.<record>.<until>.<nonce>.<signature>

The signature also covers the digest of the record, which the token does not show. The key is beside
the tokens of the daemon, in a file that only the account can read.
"""

import hmac
import re
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from automode.core.errors import AutomodeError
from automode.core.recent import Recent

ONCE, DENY = "once", "deny"
LONGEST_TOKEN = 256
MOST_ISSUED = 256
"""Tokens of so many calls are remembered, so that a refusal can say what is wrong with one."""

_TOKEN = re.compile(
    r"am1\.([a-z]{1,16})\.([0-9A-Za-z-]{1,64})\.(\d{1,12})\.([0-9a-f]{32})\.([0-9a-f]{64})",
    re.ASCII,
)


class RefusedToken(AutomodeError):
    """It changes nothing. The sentence quotes nothing of it: anybody may have written it."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What a genuine token says."""

    record: str
    answer: str


@dataclass(frozen=True, slots=True)
class _Issued:
    digest: str
    until: int  # seconds since the epoch
    nonce: str
    answers: tuple[str, ...]
    spent: bool = False


@dataclass(slots=True)
class AnswerTokens:
    key: bytes
    clock: Callable[[], float] = time.time
    _issued: Recent[str, _Issued] = field(default_factory=lambda: Recent(MOST_ISSUED))

    def issue(
        self, record: str, digest: str, until: float, answers: Iterable[str]
    ) -> Mapping[str, str]:
        """A token for each of the answers. The first one that comes back spends them all."""
        new = _Issued(digest, int(until), secrets.token_hex(16), tuple(answers))
        self._issued[record] = new
        return {answer: self._written(record, answer, new) for answer in new.answers}

    def redeem(self, text: str) -> Answered:
        """What the token says; from now on it is spent. Raises RefusedToken."""
        parts = _TOKEN.fullmatch(text) if len(text) <= LONGEST_TOKEN else None
        if parts is None:
            raise RefusedToken("it is not an answer of automode's")
        answer, record = parts[1], parts[2]
        known = self._issued.get(record)
        if known is None:
            raise RefusedToken("no call waits under the name that it gives")
        genuine = self._written(record, answer, known)
        if answer not in known.answers or not hmac.compare_digest(genuine, text):
            raise RefusedToken("its signature does not fit the call")
        if known.spent:
            raise RefusedToken("the call was answered before")
        if self.clock() >= known.until:
            raise RefusedToken("it came too late")
        self._issued[record] = replace(known, spent=True)
        return Answered(record, answer)

    def _written(self, record: str, answer: str, issued: _Issued) -> str:
        said = f"am1.{answer}.{record}.{issued.until}.{issued.nonce}"
        signed = hmac.digest(self.key, f"{said}.{issued.digest}".encode(), "sha256")
        return f"{said}.{signed.hex()}"
