"""What the daemon keeps of whoever started it: next to nothing.

Any agent's hook may be the one that starts it, with whatever environment a repository has set up;
the daemon then serves all of the account's sessions.
"""

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress

from automode.facts.place import home_folder
from automode.llm.providers import PROVIDERS

STANDARD_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/opt/homebrew/bin"
_LANGUAGE = ("LANG", "LC_ALL", "LC_CTYPE")
_FIRST_DESCRIPTOR = 3
_MANY_DESCRIPTORS = 4096


def key_variables(own: Iterable[str] = ()) -> tuple[str, ...]:
    """Where keys of models are looked for: `own` are those that the person's settings name."""
    known = (name for provider in PROVIDERS.values() for name in provider.key_variables)
    return tuple(dict.fromkeys((*known, *own)))


def scrubbed(environment: Mapping[str, str], keys: Iterable[str] = ()) -> dict[str, str]:
    """A fresh environment; of the given one only the language and the variables in `keys`."""
    kept = {name: environment[name] for name in (*_LANGUAGE, *keys) if name in environment}
    runtime = f"/run/user/{os.getuid()}"
    session = {"XDG_RUNTIME_DIR": runtime} if _ours(runtime) else {}
    return {"PATH": STANDARD_PATH, "HOME": home_folder(), **session, **kept}


def isolate(environment: Mapping[str, str], *, detached: bool) -> None:
    """Replaces the environment, and lets go of folder, terminal and open files of the starter."""
    for name in tuple(os.environ):
        del os.environ[name]
    os.environ.update(environment)
    os.chdir("/")
    os.umask(0o077)
    if detached:
        with suppress(OSError):  # it leads a session of its own already
            os.setsid()
        os.closerange(_FIRST_DESCRIPTOR, _most_descriptors())


def let_go_of_streams() -> None:
    """Whoever started this waits for the end of what it prints."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)


def _most_descriptors() -> int:
    try:
        return max(int(name) for name in os.listdir("/dev/fd")) + 1
    except (OSError, ValueError):
        return _MANY_DESCRIPTORS


def _ours(folder: str) -> bool:
    try:
        return os.lstat(folder).st_uid == os.getuid()
    except OSError:
        return False
