"""Where a key comes from: the host, the environment, the operating system's keyring.

A key in the keyring is filed under the host it is for, so that it cannot be asked for by a name
that was given to another server.
"""

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import TypeAlias

KEYRING_SERVICE = "automode"

Keyring: TypeAlias = Callable[[str], str | None]


def no_keyring(host: str) -> str | None:
    return None


def system_keyring(host: str) -> str | None:
    """The key filed for `host`; None too where there is no keyring, or it is locked."""
    if find_spec("keyring") is None:
        return None
    import keyring
    from keyring.errors import KeyringError

    try:
        return usable(keyring.get_password(KEYRING_SERVICE, host))
    except (KeyringError, OSError, RuntimeError):
        return None


def first_set(variables: tuple[str, ...], environment: Mapping[str, str]) -> str | None:
    return next((key for name in variables if (key := usable(environment.get(name)))), None)


def usable(key: str | None) -> str | None:
    """`key` without the white space of copying; None for what no header could carry."""
    stripped = (key or "").strip()
    return stripped if stripped and stripped.isascii() and stripped.isprintable() else None
