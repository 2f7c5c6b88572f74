"""Puts each record between marks that nobody who writes data can foretell."""

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from enum import StrEnum

KEY_BYTES = 32
_ID_DIGITS = 8


class Kind(StrEnum):
    """What a record is. The contract explains these words to the model."""

    CONTEXT_FILE = "context-file"
    USER = "user"
    ANSWERED = "answered"  # the agent's words that the next user record answers
    AGENT = "agent"  # only with `assistantText: visible`
    CALL = "call"
    FACT = "fact"
    OMITTED = "omitted"
    ACTION = "action"


def new_key() -> bytes:
    """For one session. It must live as long as the session: changing it empties the caches."""
    return secrets.token_bytes(KEY_BYTES)


def session_key(process_key: bytes, session: str) -> bytes:
    """A key for each session from one key, so that nothing has to be remembered per session."""
    return hmac.new(process_key, session.encode("utf-8", "replace"), hashlib.sha256).digest()


@dataclass(frozen=True, slots=True)
class Framing:
    """The id of a record depends on the key and on the record. An id that leaks, say in a model's
    reason, fits no other record; the same record always has the same id, which keeps
    prompt caches warm."""

    key: bytes

    def record(self, kind: Kind, body: str, outcome: str = "") -> str:
        """`body` must have passed hygiene. Attributes never hold data."""
        digest = hmac.new(self.key, f"{kind}\0{outcome}\0{body}".encode(), hashlib.sha256)
        name = f"record-{digest.hexdigest()[:_ID_DIGITS]}"
        attribute = f' outcome="{outcome}"' if outcome else ""
        return f"<{name} kind={kind}{attribute}>\n{body}\n</{name}>"
