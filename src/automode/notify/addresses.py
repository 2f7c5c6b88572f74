"""Where messages go: the addresses of `autoMode.asks.notify`. They hold secrets.

An address is never shown whole: `shown` names its service, and its server where that is no secret.
ntfy is spoken to directly, because only so a message has buttons; Apprise sends to all others.
"""

import hashlib
import hmac
import re
from base64 import b64encode
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from automode.core.errors import BadSettings

NTFY_CLOUD = "ntfy.sh"
PRIORITIES = {"min": 1, "low": 2, "default": 3, "high": 4, "max": 5}
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,31}(?=://)")
_TOPIC = re.compile(r"[-_A-Za-z0-9]{1,64}")
_REPLY_LETTERS = 16
_LONGEST_TOPIC = 64
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Ntfy:
    """A topic on an ntfy server. `server` is its address without a slash at the end."""

    shown: str
    server: str
    topic: str
    authorization: str = ""  # the header, for the server alone
    priority: int = 4

    @property
    def encrypted(self) -> bool:
        """Or it does not leave this machine."""
        parts = urlsplit(self.server)
        return parts.scheme == "https" or parts.hostname in _LOOPBACK

    def reply_topic(self, key: bytes) -> str:
        """Where answers are published: the same for as long as the key, and not to be guessed.
        It begins with the topic's name, so that one rule of the server's covers both."""
        named = hmac.digest(key, f"{self.server}/{self.topic}".encode(), "sha256").hex()
        return f"{self.topic[: _LONGEST_TOPIC - _REPLY_LETTERS - 1]}-{named[:_REPLY_LETTERS]}"


@dataclass(frozen=True, slots=True)
class Other:
    """For Apprise. A `bridge` is the person's own program, which may also be told the tokens."""

    shown: str
    text: str
    bridge: bool = False


Address: TypeAlias = Ntfy | Other


def read_address(text: str) -> Address:
    """Raises BadSettings, which does not quote the address."""
    scheme = _SCHEME.match(text)
    if scheme is None:
        raise BadSettings(
            "an address of `autoMode.asks.notify` does not begin like `service://`",
            "Apprise's own documentation lists the services and their addresses",
        )
    name = scheme[0].lower()
    if name in ("ntfy", "ntfys"):
        return _ntfy(name, urlsplit(text))
    return Other(f"{name}://… ({fingerprint(text)})", text, bridge=name in ("json", "jsons"))


def fingerprint(text: str) -> str:
    """A few letters that tell two addresses of one service apart, and nothing of either."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=3).hexdigest()


def _ntfy(scheme: str, parts: SplitResult) -> Ntfy:
    login, _, host = parts.netloc.rpartition("@")
    topics = [unquote(one) for one in parts.path.split("/") if one]
    if not topics:  # `ntfy://topic` is one on the public server
        host, topics = NTFY_CLOUD, [host]
    if len(topics) != 1 or not _TOPIC.fullmatch(topics[0]):
        raise BadSettings(
            "an ntfy address names no topic, several, or one with other letters than ntfy knows",
            "write one address for each topic, like `ntfys://ntfy.example.org/a-secret-topic`",
        )
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    unknown = sorted(set(options) - {"token", "auth", "priority"})
    if unknown or options.get("priority", "high") not in PRIORITIES:
        raise BadSettings(
            f"an ntfy address has an option that automode does not know:"
            f" `{(unknown or ['priority'])[0][:30]}`",
            "it knows `token` and `priority` (min, low, default, high, max)",
        )
    secure = scheme == "ntfys" or host == NTFY_CLOUD
    return Ntfy(
        f"{scheme}://{host}/… ({fingerprint(parts.geturl())})",
        f"{'https' if secure else 'http'}://{host}",
        topics[0],
        _authorization(login, options.get("token", "")),
        PRIORITIES[options.get("priority", "high")],
    )


def _authorization(login: str, token: str) -> str:
    user, colon, password = (unquote(one) for one in login.partition(":"))
    token = token or (user if user.startswith("tk_") and not colon else "")
    if token:
        return f"Bearer {token}"
    return f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}" if login else ""
