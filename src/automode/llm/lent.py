"""Keys that an agent lends for the time of its session: in memory only, each for its own provider.

They are filed under the provider's host, as in a keyring, and looked for last: whatever a person
configured comes before them.
"""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field

from automode.core.errors import BadCall
from automode.llm.endpoints import host_of
from automode.llm.keys import Keyring, no_keyring, usable
from automode.llm.providers import Provider, provider_named

MOST_LENDERS = 256
MOST_KEYS = 16  # of one session
_NOTHING: Mapping[str, str] = {}


@dataclass(slots=True)
class LentKeys:
    """For each session its keys by host. Bounded: who lent longest ago leaves first."""

    _kept: OrderedDict[str, OrderedDict[str, str]] = field(
        default_factory=OrderedDict, repr=False, init=False
    )

    def lend(self, session: str, provider: str, key: str, base_url: str = "") -> bool:
        """Whether that was news. Raises BadCall for a key that could not be used, or only somewhere
        else than at its own provider's. The key itself is never quoted."""
        row = _lendable(provider)
        if base_url and host_of(base_url) != host_of(row.base_url):
            raise BadCall(
                f"a key for {row.title} is only ever sent to `{host_of(row.base_url)}`",
                "describe a server of your own under `autoMode.providers` in your settings",
            )
        plain = usable(key)
        if plain is None:
            raise BadCall(f"what was lent for {row.title} is no key", "sign in to the provider")
        keys = self._kept.setdefault(session, OrderedDict())
        host = host_of(row.base_url)
        news = keys.get(host) != plain
        keys[host] = plain
        keys.move_to_end(host)
        self._kept.move_to_end(session)
        while len(keys) > MOST_KEYS:
            keys.popitem(last=False)
        while len(self._kept) > MOST_LENDERS:
            self._kept.popitem(last=False)
        return news

    def lends(self, session: str) -> bool:
        return session in self._kept

    def forget(self, session: str) -> bool:
        """Whether there was something to forget."""
        return self._kept.pop(session, None) is not None

    def keyring(self, session: str, before: Keyring = no_keyring) -> Keyring:
        """What the session has lent for a host, where `before` has nothing for it."""
        return lambda host: before(host) or self._kept.get(session, _NOTHING).get(host)


def _lendable(name: str) -> Provider:
    row = provider_named(name)
    if row is None:
        raise BadCall(f"unknown provider: `{name[:40]}`", "see docs/guides/models.md")
    # Where the host depends on a region there is none to file a key under.
    if not row.key_variables or not host_of(row.base_url) or "{" in row.base_url:
        raise BadCall(f"{row.title} takes no lent key", "see docs/guides/models.md")
    return row
