"""Who may look: a one-time link becomes a cookie, and only this machine's browser is heard.

A browser keeps cookies by the name of a machine, and service workers by its name and port. Whoever
listens on a port of 127.0.0.1 before us could leave a worker there that signs in in our place. So
each start has a random name below `localhost`, which browsers resolve to this machine and nobody
can know before. A random word in every address keeps the cookie from other ports of that name.
"""

import hmac
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from automode.core.errors import AutomodeError
from automode.core.recent import Recent

COOKIE = "automode"
LINK_SECONDS = 600.0
IDLE_SECONDS = 12 * 3600.0
MOST_SESSIONS = 50
SAFE_METHODS = ("GET", "HEAD")
_OWN_SITES = ("", "same-origin", "none")


class TurnedAway(AutomodeError):
    """A request that is not answered. `status`: that of HTTP."""

    def __init__(self, status: int, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.status = status


class NotSignedIn(TurnedAway):
    def __init__(self) -> None:
        super().__init__(
            401,
            "this browser is not signed in, or was signed out after a while",
            "press Enter in the terminal where `automode ui` runs, and open the link it prints",
        )


@dataclass(frozen=True, slots=True)
class Visitor:
    """A browser that is signed in. `csrf`: what its forms have to say."""

    csrf: str


@dataclass(slots=True)
class Access:
    """`port` is the one that the server listens on."""

    port: int
    clock: Callable[[], float] = time.monotonic
    name: str = field(default_factory=lambda: secrets.token_hex(16))
    base: str = field(default_factory=lambda: f"/{secrets.token_urlsafe(16)}")
    _links: Recent[str, float] = field(default_factory=lambda: Recent(MOST_SESSIONS))
    _visitors: Recent[str, tuple[Visitor, float]] = field(
        default_factory=lambda: Recent(MOST_SESSIONS)
    )

    @property
    def host(self) -> str:
        return f"{self.name}.localhost:{self.port}"

    def new_link(self) -> str:
        """Signs one browser in, once, within ten minutes."""
        key = secrets.token_urlsafe(32)
        self._links[key] = self.clock() + LINK_SECONDS
        return f"http://{self.host}{self.base}/enter?key={key}"

    def enter(self, key: str) -> str:
        """The cookie's value for the key of a link. Raises TurnedAway."""
        until = self._links.pop(key, 0.0)
        if until <= self.clock():
            raise TurnedAway(
                403,
                "this link was used already, or is older than ten minutes",
                "press Enter in the terminal where `automode ui` runs: it prints another one",
            )
        value = secrets.token_urlsafe(32)
        self._visitors[value] = (Visitor(secrets.token_urlsafe(32)), self.clock() + IDLE_SECONDS)
        return value

    def leave(self, headers: Mapping[str, str]) -> None:
        for value in _cookies(headers):
            self._visitors.pop(value, None)

    def visitor(self, headers: Mapping[str, str]) -> Visitor:
        """Raises NotSignedIn."""
        for value in _cookies(headers):
            known, until = self._visitors.get(value, (None, 0.0))
            if known is not None and until > self.clock():
                self._visitors[value] = (known, self.clock() + IDLE_SECONDS)
                return known
        raise NotSignedIn

    def check_origin(self, method: str, headers: Mapping[str, str], *, entering: bool) -> None:
        """That the browser was led here by one of our own pages. Another name for this address
        (DNS rebinding) and other pages, also those of other ports, are turned away. A link may be
        opened from anywhere. Raises TurnedAway."""
        host = headers.get("host", "").casefold()
        if host != self.host:
            raise TurnedAway(421, "this is not the address that `automode ui` printed")
        if method in SAFE_METHODS:
            site = headers.get("sec-fetch-site", "")
            if not entering and site not in _OWN_SITES:
                raise TurnedAway(403, "another page asked for this")
        elif headers.get("origin", "").casefold() != f"http://{host}":
            raise TurnedAway(403, "another page asked for this, or the browser does not say")


def same_token(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())


def _cookies(headers: Mapping[str, str]) -> list[str]:
    """Every value of our name: other servers of this machine may have set one too."""
    pairs = (part.strip().partition("=") for part in headers.get("cookie", "").split(";"))
    return [value for name, _, value in pairs if name == COOKIE]
