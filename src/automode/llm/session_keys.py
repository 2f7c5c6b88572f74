"""Keys that an agent lends for the time of its session: in memory only, each for its own provider.

They are filed under the provider's host, as in a keyring, and are the last resort: a key that a
person configured comes first.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from automode.core.errors import BadCall
from automode.core.recent import Recent
from automode.llm.endpoints import host_of
from automode.llm.keys import Keyring, first_set, no_keyring, usable
from automode.llm.providers import PROVIDERS, Provider, provider_named

MOST_LENDERS = 256


@dataclass(slots=True)
class SessionKeys:
    """For each session its keys by host; the session that lent longest ago is forgotten first."""

    _keys: Recent[str, dict[str, str]] = field(
        default_factory=lambda: Recent(MOST_LENDERS), repr=False, init=False
    )

    def lend(self, session: str, provider: str, key: str, base_url: str = "") -> bool:
        """Whether the key is new. Raises BadCall for a key that cannot be used, or that is for
        another host than its provider's. The key itself is never quoted."""
        row = _lendable(provider)
        host = host_of(row.base_url)
        if base_url and host_of(base_url) != host:
            raise BadCall(
                f"a key for {row.title} is only ever sent to `{host}`",
                "describe a server of your own under `autoMode.providers` in your settings",
            )
        plain = usable(key)
        if plain is None:
            raise BadCall(f"what was lent for {row.title} is no key", "sign in to the provider")
        before = self._keys.get(session, {})
        self._keys[session] = before | {host: plain}
        return before.get(host) != plain

    def lend_environment(self, session: str, environment: Mapping[str, str]) -> tuple[str, ...]:
        """Lends the keys in the variables of known providers, and nothing else of it. Returns the
        names of those whose key is new."""
        return tuple(
            name
            for name, row in PROVIDERS.items()
            if _has_own_host(row)
            # With a gateway in the environment the key may be the gateway's.
            and not first_set(row.base_url_variables, environment)
            and (key := first_set(row.key_variables, environment))
            and self.lend(session, name, key)
        )

    def lends(self, session: str) -> bool:
        return session in self._keys

    def lender(self, session: str) -> str:
        """A session that lends the same keys; empty where this one lends none."""
        keys = self._keys.get(session)
        return next((name for name, own in self._keys.items() if own == keys), "")

    def lenders(self) -> tuple[str, ...]:
        return tuple(self._keys)

    def forget(self, session: str) -> bool:
        """Whether there was something to forget."""
        return self._keys.pop(session, None) is not None

    def keyring(self, session: str, before: Keyring = no_keyring) -> Keyring:
        """What the session has lent for a host, where `before` has nothing for it."""
        return lambda host: before(host) or self._keys.get(session, {}).get(host)


def _lendable(name: str) -> Provider:
    row = provider_named(name)
    if row is None:
        raise BadCall(f"unknown provider: `{name[:40]}`", "see docs/guides/models.md")
    if not _has_own_host(row):
        raise BadCall(f"{row.title} takes no lent key", "see docs/guides/models.md")
    return row


def _has_own_host(row: Provider) -> bool:
    """Where the host depends on a region there is none to file a key under."""
    return bool(row.key_variables and host_of(row.base_url)) and "{" not in row.base_url
