"""The name of a session, as all that is remembered of it is filed: bounded, and never another's."""

import hashlib

from automode.agents.events import Speaker
from automode.core.record import SessionKey

LONGEST_ID = 256
_KEPT_OF_LONG = 64


def session_key(host: str, speaker: Speaker) -> SessionKey:
    """Hosts name a sub-agent `session/agent`: a session of its own that is called so is another."""
    name, parent = speaker.session, speaker.parent
    below = parent is not None and name.startswith(f"{parent}/")
    return SessionKey(host, bounded(name if below else _own(name)))


def parent_id(speaker: Speaker) -> str | None:
    """Of the session that started the speaker's, at the same host."""
    name, parent = speaker.session, speaker.parent
    if parent is None:
        return None
    return bounded(parent if name.startswith(f"{parent}/") else _own(parent))


def bounded(name: str) -> str:
    """A name of any length as one that is short; different ones stay different."""
    if len(name) <= LONGEST_ID:
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{name[:_KEPT_OF_LONG]}~{digest}"


def _own(name: str) -> str:
    return name.replace("%", "%25").replace("/", "%2F")
